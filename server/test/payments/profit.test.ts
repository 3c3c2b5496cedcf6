import { profitSuite } from '../conformance/profit.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases(profitSuite);

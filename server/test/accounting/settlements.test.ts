import { settlementsSuite } from '../conformance/settlements.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases(settlementsSuite);

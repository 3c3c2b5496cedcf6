import { monthSuite } from '../conformance/month.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases(monthSuite);

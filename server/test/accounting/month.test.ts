/** @tier services: on the embedded database in month-embedded.test.ts. */
import { monthSuite } from '../conformance/month.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases(monthSuite);

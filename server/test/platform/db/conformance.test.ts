import { databaseSuite } from '../../conformance/database.suite.ts';
import { onBothDatabases } from '../../services/both-databases.ts';

onBothDatabases(databaseSuite);

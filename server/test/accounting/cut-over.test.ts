import { cutOverSuite } from '../conformance/cut-over.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases(cutOverSuite);

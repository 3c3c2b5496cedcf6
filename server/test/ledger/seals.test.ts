/** @tier services: on the embedded database in seals-embedded.test.ts. */
import { sealsSuite } from '../conformance/seals.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases(sealsSuite);

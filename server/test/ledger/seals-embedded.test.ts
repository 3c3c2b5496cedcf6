/** @tier services: it takes longer than a file of the gateways may. */
import { sealsSuite } from '../conformance/seals.suite.ts';
import { openEmbedded } from '../services/open-database.ts';

sealsSuite('embedded', openEmbedded);

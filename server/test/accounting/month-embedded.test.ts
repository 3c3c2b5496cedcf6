/** @tier services: it takes longer than a file of the gateways may. */
import { monthSuite } from '../conformance/month.suite.ts';
import { openEmbedded } from '../services/open-database.ts';

monthSuite('embedded', openEmbedded);

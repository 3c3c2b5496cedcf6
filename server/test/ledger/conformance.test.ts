import { ledgerSuite } from '../conformance/ledger.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases(ledgerSuite);

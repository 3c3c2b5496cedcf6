import { creditByHandSuite } from '../conformance/credit-by-hand.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases(creditByHandSuite);

import { peopleSuite } from '../conformance/people.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases(peopleSuite);

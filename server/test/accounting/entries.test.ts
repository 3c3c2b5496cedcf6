import { booksSuite } from '../conformance/books.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases(booksSuite);

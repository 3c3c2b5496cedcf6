import { idempotencySuite } from '../conformance/idempotency.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases(idempotencySuite);

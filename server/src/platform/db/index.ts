export { inBatches, ROWS_PER_STATEMENT } from './batches.ts';
export type { Database, Queryable } from './database.ts';
export { EMBEDDED_NOTICE } from './embedded.ts';
export { DatabaseNotUsable, isLockTimeout, isUniqueViolation, isUnreachable, lacksRoom } from './failures.ts';
export { lockUntilCommit } from './locks.ts';
export { migrate } from './migrate.ts';
export { openDatabase } from './open-database.ts';
export { anywhere } from './patterns.ts';
export { tendTables } from './tend-tables.ts';

export { inBatches, ROWS_PER_STATEMENT } from './batches.ts';
export type { BegunThread } from './begun-thread.ts';
export type { Database, Queryable } from './database.ts';
export { EMBEDDED_NOTICE } from './embedded.ts';
export { giveUp, openingWith, type StartThread } from './embedded-thread.ts';
export { DatabaseNotUsable, isLockTimeout, isUniqueViolation, isUnreachable, lacksRoom } from './failures.ts';
export { lockUntilCommit } from './locks.ts';
export { checkSchema, migrate, schemaNumber } from './migrate.ts';
export { ownSchemaNumber } from './migration-files.ts';
export { openDatabase } from './open-database.ts';
export { type Queue, QueueWatch } from './queue-watch.ts';
export { SchemaRefused } from './schema-refusal.ts';
export {
  type Columns,
  column,
  columnsOf,
  command,
  commandFor,
  notNull,
  orNull,
  type RowColumn,
  type RowOf,
  readAs,
  type SqlCommand,
  type Statement,
  script,
  statement,
  statementFor,
} from './statement.ts';
export { tendTables } from './tend-tables.ts';

/** An archive in a PostgreSQL database of its own, for who has a second server and no ClickHouse. */
import { joined } from '../../platform/db/conditions.ts';
import type { Database } from '../../platform/db/index.ts';
import * as sql from './database-archive-sql.ts';
import type { ArchivedRow, LogArchive } from './log-archive.ts';

const COLUMNS: ((row: ArchivedRow) => string | number)[] = [
  ({ id }) => id,
  ({ createdAt }) => createdAt,
  ({ accountId }) => accountId,
  ({ keyId }) => keyId,
  ({ endpoint }) => endpoint,
  ({ model }) => model,
  ({ state }) => state,
  ({ errorCode }) => errorCode,
  ({ user }) => withoutNul(user),
  ({ tags }) => withoutNul(JSON.stringify(tags)).replaceAll('\\u0000', ''),
  ({ cost }) => String(cost),
  ({ durationMs }) => durationMs,
  ({ line }) => line,
];

export function createDatabaseArchive(db: Database): LogArchive {
  return {
    async prepare() {
      await sql.MAKE_TABLE.run(db);
    },
    async write(day, rows) {
      await sql.ADD_ROWS().run(db, [day, ...COLUMNS.map((column) => rows.map(column))]);
    },
    digest: (day) => sql.DIGEST_OF_DAY().only(db, [day]),
    async drop(day) {
      await sql.DROP_DAY().run(db, [day]);
    },
    async find(day, id) {
      const row = await sql.FIND_LINE().first(db, [day, id]);
      return row?.line;
    },
    async list(filter, page) {
      const { text, values } = joined([sql.listConditions(filter, page)]);
      const rows = await sql.LIST_LINES(text, page.limit).rows(db, values);
      return rows.map(({ line }) => line);
    },
    close: () => db.close(),
  };
}

/** PostgreSQL stores none; in the line it is escaped. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

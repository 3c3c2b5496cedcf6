/** An archive in a PostgreSQL database of its own, for operators with a second server and no ClickHouse. */
import { joined } from '../../platform/db/conditions.ts';
import type { Database } from '../../platform/db/index.ts';
import { readPart } from '../usage-rows.ts';
import * as sql from './database-archive-sql.ts';
import type { ArchivedRow, LogArchive } from './log-archive.ts';

const COLUMNS: ((row: ArchivedRow) => string | number)[] = [
  ({ id }) => id,
  ({ createdAt }) => createdAt,
  ({ accountId }) => accountId,
  ({ keyId }) => keyId,
  ({ endpoint }) => endpoint,
  ({ model }) => model,
  ({ provider }) => provider,
  ({ state }) => state,
  ({ errorCode }) => errorCode,
  ({ user }) => withoutNul(user),
  ({ tags }) => withoutNul(JSON.stringify(tags)).replaceAll('\\u0000', ''),
  ({ cost }) => String(cost),
  ({ durationMs }) => durationMs,
  ({ inputTokens }) => inputTokens,
  ({ cachedTokens }) => cachedTokens,
  ({ outputTokens }) => outputTokens,
  ({ cacheAnswer }) => cacheAnswer,
  ({ saved }) => String(saved),
  ({ line }) => line,
];

/** The database is opened when it is first needed, so that an unreachable one does not stop the start. */
export function createDatabaseArchive(open: () => Promise<Database>): LogArchive {
  let opening: Promise<Database> | undefined;
  const opened = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    async prepare() {
      await sql.MAKE_TABLE.run(await opened());
    },
    async write(day, rows) {
      await sql.ADD_ROWS.run(await opened(), [day, ...COLUMNS.map((column) => rows.map(column))]);
    },
    digest: async (day) => sql.DIGEST_OF_DAY.only(await opened(), [day]),
    async drop(day) {
      await sql.DROP_DAY.run(await opened(), [day]);
    },
    async find(day, id) {
      const row = await sql.FIND_LINE.first(await opened(), [day, id]);
      return row?.line;
    },
    async list(filter, page) {
      const { text, values } = joined([sql.listConditions(filter, page)]);
      const rows = await sql.LIST_LINES(text, page.limit).rows(await opened(), values);
      return rows.map(({ line }) => line);
    },
    async sums(question) {
      const { by } = question;
      const { text, values } = joined([sql.sumConditions(question)]);
      const zone = typeof by === 'string' ? [] : [by.timeZone];
      const grouped = sql.groupedBy(by, `$${values.length + 1}`);
      const rows = await sql.SUM_PARTS(grouped, text, by !== 'line').rows(await opened(), [...values, ...zone]);
      return rows.map(readPart);
    },
    async close() {
      await (await opening)?.close();
    },
  };
}

/** PostgreSQL stores no NUL; the line contains it in escaped form. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

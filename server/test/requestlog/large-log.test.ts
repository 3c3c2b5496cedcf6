/** A page of a log with very many rows reads few of them, whatever is asked: the plan says how many, so no clock is needed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { type Database, migrate, openDatabase } from '../../src/platform/db/index.ts';
import { createRequestLog, type RequestFilter } from '../../src/requestlog/index.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { rowsReadBy } from '../services/rows-read.ts';
import { recordedLog } from '../services/silent-log.ts';

const ROWS = 200_000;
/** Rows of two accounts alternate; one in so many went wrong. */
const RARE = 20_000;
const PAGE = 50;
const MAX_READ = 20 * PAGE;

describe.skipIf(postgresMissing())('a log of very many rows', () => {
  let service: PostgresService;
  let db: Database;
  beforeAll(async () => {
    service = await startPostgres();
    db = await openDatabase({
      databaseUrl: await service.createDatabase(),
      dataDir: '',
      log: recordedLog(),
      clock: systemClock,
    });
    await migrate(db);
    await db.query(`
      insert into request_log (id, created_at, account_id, key_id, endpoint, model, stream, price_version, day, state, error_code,
        status, counters, held, cost, duration_ms, input_tokens, output_tokens, detail)
      select 'req_' || lpad(n::text, 9, '0'), timestamptz '2026-11-01' + n * interval '3 seconds',
        case when n % 2 = 0 then 'acme' else 'other' end, 'k' || n % 7, 'chat.completions', 'm' || n % 5, false, 'v1',
        (timestamptz '2026-11-01' + n * interval '3 seconds')::date,
        case when n % ${RARE} = 0 then 'failed' else 'completed' end,
        case when n % ${RARE} = 0 then 'upstream_error' end, 200, '', 0, 100, n % 900, 10, 10, '{}'
      from generate_series(1, ${ROWS}) as n`);
    await db.query('analyze request_log');
  }, 300_000);
  afterAll(async () => {
    await db?.close();
    await service?.remove();
  });

  const rowsRead = (filter: RequestFilter, before?: string) =>
    rowsReadBy(db, (watched) =>
      createRequestLog({ db: watched }).list(filter, { limit: PAGE, ...(before === undefined ? {} : { before }) }),
    );

  const middle = `req_${String(ROWS / 2).padStart(9, '0')}`;
  it.each<[string, RequestFilter, string | undefined]>([
    ['the newest of an account', { accountId: 'acme' }, undefined],
    ['a page far behind', { accountId: 'acme' }, middle],
    ['one key', { accountId: 'acme', keyId: 'k3' }, undefined],
    ['one model', { accountId: 'acme', model: 'm2' }, middle],
    ['what failed', { accountId: 'acme', state: 'failed' }, undefined],
    ['one error', { accountId: 'acme', errorCode: 'upstream_error' }, undefined],
    ['a refusal that never was', { accountId: 'acme', state: 'refused' }, undefined],
    ['all accounts', {}, undefined],
    ['all accounts, far behind', {}, middle],
    ['an account without requests', { accountId: 'nobody' }, undefined],
  ])('%s', async (_what, filter, before) => {
    expect(await rowsRead(filter, before)).toBeLessThanOrEqual(MAX_READ);
  });
});

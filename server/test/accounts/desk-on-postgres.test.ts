/** The account page on PostgreSQL: what its head reads of a log with very many rows, and that every replica hears of a block. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccountBlocks, createAccountService } from '../../src/accounts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import { firstIdAt } from '../../src/core/ids.ts';
import { RunningRequests } from '../../src/gateway/index.ts';
import { DEFAULT_CALENDAR } from '../../src/keys/index.ts';
import { listAuditLogOfAccount } from '../../src/platform/audit-log.ts';
import { type Database, openDatabase } from '../../src/platform/db/index.ts';
import { startOfPage } from '../../src/platform/db/pages.ts';
import { Cancellation } from '../../src/platform/upstream/index.ts';
import { readAccountActivity } from '../../src/requestlog/index.ts';
import { eventually } from '../services/eventually.ts';
import { cloneMigratedDatabase, postgresMissing } from '../services/postgres.ts';
import { rowsReadBy } from '../services/rows-read.ts';
import { recordedLog } from '../services/silent-log.ts';

const ROWS = 300_000;
/** One statement has its time limit. */
const SLICE = 30_000;
const NOW = Date.UTC(2026, 10, 17, 12);
const OPEN = { actor: 'staff:per_1', isOwner: true };

describe.skipIf(postgresMissing())('the account page on PostgreSQL', () => {
  let clone: Awaited<ReturnType<typeof cloneMigratedDatabase>>;
  let here: Database;
  let there: Database;

  beforeAll(async () => {
    clone = await cloneMigratedDatabase();
    const { databaseUrl } = clone;
    const open = () => openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
    [here, there] = [await open(), await open()];
    const tools = { db: here, clock: systemClock, randomBytes };
    const accounts = createAccountService({ ...tools, defaultCalendar: DEFAULT_CALENDAR });
    for (const id of ['large', 'small']) await accounts.create({ id, name: id }, 'test');
  }, 120_000);
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    await clone?.remove();
  });

  describe('its head', () => {
    beforeAll(async () => {
      // Ids of one day, in order; one account has nearly all of them.
      for (let from = 1; from < ROWS; from += SLICE)
        await here.query(
          `insert into request_log (id, created_at, account_id, key_id, endpoint, model, stream, price_version, day, state, error_code,
           status, counters, held, cost, duration_ms, input_tokens, output_tokens, detail)
         select $1::text || lpad(n::text, 7, '0'), to_timestamp($2::float8 / 1000) + n * interval '0.2 seconds',
           case when n % 3000 = 0 then 'small' else 'large' end, 'k', 'chat.completions', 'openai/m', false, 'v1',
           date '2026-11-17', case when n % 10 = 0 then 'failed' else 'completed' end, null,
           200, '', 0, 100, 5, 10, 10, '{}'
         from generate_series($3::int, $4::int) as n`,
          [firstIdAt('req', NOW), NOW - 20 * 3_600_000, from, from + SLICE - 1],
        );
      await here.query(
        `insert into usage_daily (account_id, day, key_id, model, requests, input_tokens, output_tokens, cost, last_at)
         select account, date '2026-11-17' - d, 'k' || k, 'openai/m', 1, 1, 1, 1000000, to_timestamp($1::float8 / 1000)
         from unnest(array['large', 'small']) as account, generate_series(0, 364) as d, generate_series(1, 20) as k`,
        [NOW],
      );
      await here.query('analyze request_log');
      await here.query('analyze usage_daily');
    }, 300_000);

    it('counts no further than it shows, and reads of other accounts nothing', async () => {
      const read = (account: string) => rowsReadBy(here, (watched) => readAccountActivity(watched, account, NOW));
      // 100,000 requests, 10,000 that failed, and days of the roll-up.
      expect(await read('large')).toBeLessThan(115_000);
      expect(await read('small')).toBeLessThan(3_000);
    });

    it('adds up', async () => {
      expect(await readAccountActivity(here, 'small', NOW)).toEqual({
        lastUsedAt: new Date(NOW),
        cost: 600_000_000n,
        requests: 100,
        failed: 100,
        refused: 0,
        models: ['openai/m'],
      });
      expect(await readAccountActivity(here, 'large', NOW)).toMatchObject({ requests: 100_000, failed: 10_000 });
    });

    it('finds the history of an account among very many entries', async () => {
      await here.query(
        `insert into admin_event (id, at, actor, action, subject, detail)
         select 'evt_' || n, to_timestamp($1::float8 / 1000) - n * interval '1 second', 'cli', 'member.join', 'per_' || n,
           jsonb_build_object('account_id', case when n % 10000 = 0 then 'small' else 'x' || n % 50 end)
         from generate_series(1, 100000) as n`,
        [NOW],
      );
      await here.query('analyze admin_event');
      const start = startOfPage({ limit: 50 });
      if (start === undefined) throw new Error('no page');
      const read = await rowsReadBy(here, (watched) => listAuditLogOfAccount(watched, start, 'small', 'staff'));
      expect(read).toBeLessThan(1_000);
      const { items } = await listAuditLogOfAccount(here, start, 'small', 'customer');
      expect(items.map(({ action }) => action).sort()).toEqual(['account.create', ...Array(10).fill('member.join')]);
    });
  });

  describe('a block', () => {
    const request = () => ({ position: -1, cancellation: new Cancellation(), key: { account: { id: 'small' } } });
    const blocks = (db: Database) => createAccountBlocks({ db, clock: systemClock, randomBytes });
    const block = () => blocks(here).block('small', { reason: 'why', hours: null }, OPEN, async () => undefined);

    it('ends what runs on another replica, and is heard of there also after its connection was lost', async () => {
      const running = new RunningRequests();
      const stop = blocks(there).follow({
        blocked: (id) => running.endAccount(id),
        opened: (id) => running.letAccount(id),
      });
      const first = request();
      running.add(first);
      // Listening begins in the background.
      await eventually(async () => {
        await block();
        expect(first.cancellation.cancelled).toBe(true);
      });
      await blocks(here).unblock('small', 'theirs', OPEN);
      await eventually(() => {
        const after = request();
        running.add(after);
        expect(after.cancellation.cancelled).toBe(false);
      });
      const cut = request();
      running.add(cut);
      await here.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query ilike 'listen%'`);
      await block();
      await eventually(() => expect(cut.cancellation.cancelled).toBe(true));
      stop();
    });
  });
});

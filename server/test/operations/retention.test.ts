/** What is kept, for how long, and that forgetting it stops nobody. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { purgeExpired } from '../../src/idempotency/claims/purge.ts';
import {
  type Database,
  migrate,
  openDatabase,
  type Queryable,
  ROWS_PER_STATEMENT,
} from '../../src/platform/db/index.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { createRequestTexts, dropOldPartitions, preparePartitions } from '../../src/requestlog/index.ts';
import { purge as purgeResponses } from '../../src/responses/purge.ts';
import { createUptime } from '../../src/uptime/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { startGateway } from '../harness/start-gateway.ts';
import { sealedUntil } from '../ledger/bookkeeping.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { handBackground } from '../services/hand-background.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { recordedLog } from '../services/silent-log.ts';

const DAY_MS = 86_400_000;
const TIMEOUT_MS = 180_000;

it(
  'is told to the operator as it is in force',
  async () => {
    const settings = { log_retention_days: 30, prompt_log_max_days: 14, uptime_history_days: 120 };
    const gateway = await startGateway({ config: { settings } });
    try {
      expect(await (await gateway.admin('GET', '/api/admin/settings')).json()).toMatchObject({
        retention: {
          request_log_days: 30,
          prompt_log_max_days: 14,
          uptime_days: 120,
          idempotency_ms: DAY_MS,
          stored_responses_ms: 30 * DAY_MS,
        },
      });
    } finally {
      await gateway.stop();
    }
  },
  TIMEOUT_MS,
);

describe('what has had its time', () => {
  const clock = new HandClock();
  const many = 2 * ROWS_PER_STATEMENT + 10;
  let temporary: TemporaryDatabase;
  beforeAll(async () => {
    temporary = await openTemporaryDatabase();
  }, TIMEOUT_MS);
  afterAll(() => temporary?.remove());
  let largest = 0;
  beforeEach(() => {
    largest = 0;
  });

  /** The same database, which remembers the most rows that one statement took. */
  const watched = (): Database => {
    const db = Object.create(temporary.db) as Database;
    db.query = (async (text: string, values?: readonly unknown[]) => {
      const rows = await temporary.db.query<object>(text, values);
      largest = Math.max(largest, rows.length);
      return rows;
    }) as Queryable['query'];
    return db;
  };
  const left = async (table: string) => {
    const [row] = await temporary.db.query<{ rows: number }>(`select count(*)::integer as rows from ${table}`);
    return row?.rows;
  };
  const fill = (text: string) => temporary.db.query(text, [new Date(clock.now())]);

  it('of stored responses is deleted in batches', async () => {
    await fill(`insert into response_store (id, account_id, input, response, item_ids, created_at, expires_at)
      select 'resp_' || n, 'acme', '[]', '{}', '{}', $1::timestamptz - interval '2 days', $1 from generate_series(1, ${many}) n`);
    await fill(`insert into response_store (id, account_id, input, response, item_ids, created_at, expires_at)
      values ('resp_young', 'acme', '[]', '{}', '{}', $1, $1::timestamptz + interval '1 day')`);
    await purgeResponses(watched(), 'response_store', clock.now(), 100);
    expect([await left('response_store'), largest]).toEqual([1, ROWS_PER_STATEMENT]);
  });

  it('of idempotency answers is deleted in batches', async () => {
    await fill(`insert into idempotency_claim
        (id, account_id, body_digest, owner, request_id, state, lease_until, created_at, expires_at)
      select 'claim_' || n, 'acme', 'x', 'rep_1', 'req_' || n, 'done', $1, $1, $1 from generate_series(1, ${many}) n`);
    await purgeExpired(watched(), clock.now() + 1);
    expect([await left('idempotency_claim'), largest]).toEqual([0, ROWS_PER_STATEMENT]);
  });

  it('of the health history is deleted in batches, by its setting', async () => {
    const { background, run } = handBackground();
    createUptime({ db: watched(), clock, background, keepDays: () => 30 });
    await fill(`insert into uptime_hour (model_id, route, hour, answered, failed, first_token)
      select 'maker/' || n, '', $1::timestamptz - interval '31 days', 1, 0, '{}' from generate_series(1, ${many}) n`);
    await fill(`insert into uptime_hour (model_id, route, hour, answered, failed, first_token)
      values ('maker/young', '', $1::timestamptz - interval '29 days', 1, 0, '{}')`);
    await run('uptime retention');
    expect([await left('uptime_hour'), largest]).toEqual([1, ROWS_PER_STATEMENT]);
  });

  it('of texts is deleted in batches, and no account keeps them longer than the operator allows', async () => {
    const secrets = createSecretBox(randomBytes(32));
    const keeper = (maxDays: number) => {
      const hand = handBackground();
      return {
        texts: createRequestTexts({
          db: watched(),
          clock,
          secrets,
          background: hand.background,
          maxDays: () => maxDays,
        }),
        ...hand,
      };
    };
    await fill(`insert into request_text (request_id, account_id, sealed, created_at, expires_at)
      select 'old_' || n, 'acme', 'x', $1::timestamptz - interval '2 days', $1 from generate_series(1, ${many}) n`);
    const generous = keeper(14);
    generous.texts.keep({ requestId: 'req_1', accountId: 'acme', days: 365, request: '{}', answer: 'hi' });
    await generous.settled();
    await generous.run('kept texts');
    expect([await left('request_text'), largest]).toEqual([1, ROWS_PER_STATEMENT]);
    const kept = await generous.texts.find('req_1', 'acme');
    expect(kept?.expiresAt.getTime()).toBe(clock.now() + 14 * DAY_MS);
    // The bound is lowered later: what was written before is held to it too.
    clock.advance(4 * DAY_MS);
    await generous.run('kept texts');
    expect(await left('request_text')).toBe(1);
    await keeper(3).run('kept texts');
    expect(await left('request_text')).toBe(0);
  });
});

describe.skipIf(postgresMissing())('old days of the request log', () => {
  let service: PostgresService;
  let db: Database;
  let databaseUrl: string;
  beforeAll(async () => {
    service = await startPostgres();
    databaseUrl = await service.createDatabase();
    db = await openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
    await migrate(db);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await db?.close();
    await service?.remove();
  });

  it(
    'are dropped later when somebody reads the log, instead of making everyone wait',
    async () => {
      const now = systemClock.now();
      await sealedUntil(db, now - DAY_MS);
      const [old = ''] = await preparePartitions(db, now - 40 * DAY_MS, 0);
      await preparePartitions(db, now, 0);
      const report = new pg.Client(databaseUrl);
      await report.connect();
      await report.query('begin; select count(*) from request_log');
      expect(await dropOldPartitions(db, now, 30)).toEqual([]);
      // Nobody is left waiting behind the drop: the log can be written at once.
      await db.query('delete from request_log where id = $1', ['nobody']);
      await report.end();
      expect(await dropOldPartitions(db, now, 30)).toEqual([old]);
    },
    TIMEOUT_MS,
  );

  it(
    'are dropped once by replicas that all begin to',
    async () => {
      const now = systemClock.now();
      const [old = ''] = await preparePartitions(db, now - 50 * DAY_MS, 0);
      const dropped = await Promise.all([1, 2, 3].map(() => dropOldPartitions(db, now, 30)));
      // One that had to wait too long leaves the day to the others.
      expect(dropped.flat()).toEqual([old]);
    },
    TIMEOUT_MS,
  );
});

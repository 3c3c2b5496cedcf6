/** Counting for outages at size: 500 models on five replicas take bounded rows, memory and statements. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/platform/db/index.ts';
import { HealthMinutes } from '../../src/uptime/health-minutes.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

const MODELS = 500;
const ROUTES = 3;
const DAY_MS = 86_400_000;
const clock = new HandClock();
let temporary: TemporaryDatabase;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary.remove());

/** Counts the statements of a flush. */
function counted(db: Database) {
  let statements = 0;
  const counting: Database = Object.create(db, {
    transaction: {
      value: <T>(work: (tx: { query: Database['query'] }) => Promise<T>) =>
        db.transaction((tx) =>
          work({
            query: (...asked: Parameters<Database['query']>) => {
              statements++;
              return tx.query(...asked);
            },
          } as Database),
        ),
    },
  });
  return { counting, statements: () => statements };
}

function fail(health: HealthMinutes, model: number, account: string): void {
  const attempts = Array.from({ length: ROUTES }, (_, at) => ({
    provider: `p${at}`,
    route: `p${at}/m${model}`,
    credential: `c${at}`,
    outcome: 'server',
    status: 500,
    firstEventMs: null,
  }));
  health.finished({
    model: `maker/${model}`,
    accountId: account,
    state: 'failed',
    status: 502,
    errorCode: 'upstream_error',
    firstEventMs: null,
    attempts,
  });
}

it('500 failing models on five replicas are one row per model and route, in three statements each', async () => {
  const replicas = Array.from({ length: 5 }, () => {
    const { counting, statements } = counted(temporary.db);
    return { health: new HealthMinutes(counting, clock), statements };
  });
  for (const { health } of replicas)
    for (let model = 0; model < MODELS; model++) for (let at = 0; at < 3; at++) fail(health, model, `acc_${at}`);
  await Promise.all(replicas.map(({ health }) => health.flush()));
  expect(replicas.map(({ statements }) => statements())).toEqual([3, 3, 3, 3, 3]);
  const [rows] = await temporary.db.query<{ n: bigint; failed: string }>(
    `select count(*) as n, sum(failed) filter (where route = '')::text as failed from health_minute`,
  );
  expect(rows).toEqual({ n: BigInt(MODELS * (1 + ROUTES)), failed: String(MODELS * 3 * 5) });
  const [accounts] = await temporary.db.query<{ n: bigint }>('select count(*) as n from health_account');
  expect(accounts?.n).toBe(BigInt(MODELS * 3));
});

it('a flood of names and accounts stays within its bounds', async () => {
  const health = new HealthMinutes(temporary.db, clock);
  clock.advance(60_000);
  for (let at = 0; at < 30_000; at++) fail(health, at, `acc_${at}`);
  await health.flush();
  const since = new Date(clock.now() - (clock.now() % 60_000));
  const [rows] = await temporary.db.query<{ minutes: bigint; causes: bigint; accounts: bigint }>(
    `select (select count(*) from health_minute where minute >= $1) as minutes,
       (select count(*) from health_cause where minute >= $1) as causes,
       (select count(*) from health_account where failed_at >= $1) as accounts`,
    [since],
  );
  expect(rows).toEqual({ minutes: 20_000n, causes: 5_000n, accounts: 5_000n });
});

it('counts wait while the database is away, are forgotten after two days', async () => {
  await temporary.db.query('delete from health_minute; delete from health_cause; delete from health_account');
  let isAway = true;
  const failing: Database = Object.create(temporary.db, {
    transaction: {
      value: (work: never) => (isAway ? Promise.reject(new Error('away')) : temporary.db.transaction(work)),
    },
  });
  const health = new HealthMinutes(failing, clock);
  fail(health, 1, 'acc_1');
  await expect(health.flush()).rejects.toThrow('away');
  fail(health, 1, 'acc_1');
  isAway = false;
  await health.flush();
  const sums = () =>
    temporary.db.query<{ failed: bigint; times: string }>(
      `select failed, (select sum(times)::text from health_cause) as times from health_minute where route = ''`,
    );
  expect(await sums()).toEqual([{ failed: 2n, times: '2' }]);
  clock.advance(2 * DAY_MS + 60_000);
  await health.forget();
  expect(await sums()).toEqual([]);
});

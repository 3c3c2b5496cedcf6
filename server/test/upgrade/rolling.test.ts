/**
 * A rolling upgrade: processes of a released version and of today's side by side on one PostgreSQL and one Redis. Customers are
 * answered by both, before, during and after the change of the tables, and the books prove.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/core/version.ts';
import { type Program as Built, buildProgram } from '../harness/replica.ts';
import { eventually } from '../services/eventually.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { type RedisService, redisMissing, startRedis } from '../services/redis.ts';
import { proofAt } from './proof-at.ts';
import { expectedOf, type Installation, programOf, RELEASED, type Running, restore, start } from './stage.ts';
import { Operator, type Outside, openOutside, Program } from './tools.ts';

/** The version before this one. */
const BEFORE = RELEASED.at(-1) ?? '';
const CHATS = 5;

describe.skipIf(postgresMissing() || redisMissing())('a rolling upgrade', () => {
  const expected = expectedOf(BEFORE);
  const shiftMs = expected.made_at + 60_000 - Date.now();
  let postgres: PostgresService;
  let redis: RedisService;
  let outside: Outside;
  let today: Built;
  let old: Installation;
  let beside: Installation;
  const running: Running[] = [];

  beforeAll(async () => {
    [postgres, redis, outside, today] = await Promise.all([
      startPostgres(),
      startRedis(),
      openOutside(),
      buildProgram(),
    ]);
    old = await restore(BEFORE, await postgres.createDatabase());
    old.env['REDIS_URL'] = redis.url;
    // A second process has a data directory of its own.
    beside = { ...old, dataDir: await mkdtemp(join(tmpdir(), 'dargah-beside-')) };
  }, 300_000);
  afterAll(async () => {
    await Promise.all(running.map((one) => one.kill()));
    await old?.remove();
    if (beside) await rm(beside.dataDir, { recursive: true, force: true });
    await Promise.all([postgres?.remove(), redis?.stop(), outside?.close(), today?.remove()]);
  });

  const begin = async (program: string, at: Installation) => {
    const one = await start({ program, at, shiftMs });
    running.push(one);
    return one;
  };
  const answered: string[] = [];
  const chatThrough = async (...servers: Running[]) => {
    for (let n = 0; n < CHATS; n++) {
      await Promise.all(
        servers.map(async ({ origin }) => {
          const { status, id } = await new Program(origin, expected.secrets.key).chat(`while it rolls ${n}`);
          expect(status).toBe(200);
          answered.push(id);
        }),
      );
    }
  };
  /** Every answer is one charge of the same amount, whoever asks. */
  const provedBy = async ({ origin }: Running) => {
    const operator = new Operator(origin);
    await eventually(async () => {
      for (const id of answered)
        expect(await operator.get(`/api/admin/requests/${id}`)).toMatchObject({ state: 'completed', cost: '1.8' });
      expect(await proofAt(origin)).toMatchObject({ ok: true });
    });
  };

  const booksOf = async ({ origin }: Running) => {
    const { books } = await new Operator(origin).get<{ books: { book: string }[] }>('/api/admin/trial-balance');
    return books.map(({ book }) => book);
  };

  it('has both answer, before and after a restart of the old one, and ends with books that prove', async () => {
    const before = await programOf(BEFORE);
    let oldOne = await begin(before, old);
    await new Operator(oldOne.origin).patch('/api/admin/providers/maker', { base_url: `${outside.origin}/v1` });
    await eventually(async () => {
      const { status, id } = await new Program(oldOne.origin, expected.secrets.key).chat('a first one');
      expect(status).toBe(200);
      answered.push(id);
    });
    const newOne = await begin(today.path, beside);
    expect(await new Operator(newOne.origin).get('/readyz')).toMatchObject({ version: VERSION });
    await chatThrough(oldOne, newOne);
    await provedBy(newOne);
    await provedBy(oldOne);
    // While it runs, its own proof must hold: what was paid stays where it looks for it.
    expect(await booksOf(newOne)).toContain('cash');
    // It dies, and is started again on the new tables: its own journal is posted by itself.
    await oldOne.kill();
    oldOne = await begin(before, old);
    await chatThrough(oldOne, newOne);
    await provedBy(oldOne);
    // It dies again, and the new version takes its place and its journal.
    await chatThrough(oldOne);
    await oldOne.kill();
    const second = await begin(today.path, old);
    await chatThrough(newOne, second);
    await provedBy(second);
    await provedBy(newOne);
    // Nobody of the old version is left: its books are empty.
    await eventually(async () => {
      const books = await booksOf(second);
      expect(books).not.toContain('cash');
      expect(books).not.toContain('adjustments');
    });
    const { wallet } = await new Operator(second.origin).get<{ wallet: { balance: string } }>(
      '/api/admin/accounts/acme/wallet',
    );
    const cents = (toman: string) => Math.round(Number(toman) * 10);
    const charges = Object.keys(expected.charges).length + answered.length;
    expect(cents(wallet.balance)).toBe(cents(expected.wallets['acme'] ?? '') - 18 * charges);
  }, 400_000);
});

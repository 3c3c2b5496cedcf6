/** The lines of a wallet add up to the ledger to the micro-toman, and every line says what was left after it. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstIdAt } from '../../src/core/ids.ts';
import { money } from '../../src/core/money.ts';
import { type Movement, readDayCharges, readMovements } from '../../src/ledger/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { type Bookkeeping, emptyBooks, keepBooks } from './bookkeeping.ts';
import { record, START } from './request-fixture.ts';

const DAY_MS = 86_400_000;
const ZONE = 'Asia/Tehran';
const OF = { accountId: 'acme', timeZone: ZONE };
let temporary: TemporaryDatabase;

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary.remove());

/** Hours after the start; negative amounts of transfers are taken from the wallet. */
const act = fc.oneof(
  fc.record({ charge: fc.integer({ min: 0, max: 9_999_999 }), key: fc.integer({ min: 0, max: 3 }), hour: fc.nat(96) }),
  fc.record({ moved: fc.integer({ min: -5_000_000, max: 5_000_000 }).filter((sum) => sum !== 0), hour: fc.nat(96) }),
);
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;

const dayAt = (ms: number) => new Intl.DateTimeFormat('en-CA', { timeZone: ZONE, dateStyle: 'short' }).format(ms);

async function play(books: Bookkeeping, acts: readonly Act[]): Promise<void> {
  let n = 0;
  for (const one of [...acts].sort((a, b) => a.hour - b.hour)) {
    n++;
    const at = START + one.hour * 3_600_000;
    books.clock.advance(at - books.clock.now());
    if ('moved' in one)
      await books.books.transfer({
        id: `hand-${n}`,
        kind: 'adjustment',
        accountId: 'acme',
        amount: money(BigInt(one.moved)),
      });
    else
      await books.journal.close(
        record(`${firstIdAt('req', at)}${String(n).padStart(8, '0')}`, {
          createdAt: at,
          day: dayAt(at),
          keyId: `key-${one.key}`,
          model: `m/${n % 2}`,
          cost: money(BigInt(one.charge)),
          formula: [],
          counters: [],
        }),
      );
  }
  await books.poster.drain(10_000);
}

async function all(filter: object, limit: number): Promise<Movement[]> {
  const lines: Movement[] = [];
  let after: string | undefined;
  do {
    const page = await readMovements(temporary.db, { ...OF, ...filter }, { after, limit });
    lines.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return lines;
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, one) => total + one, 0n);

describe('the lines of a wallet', () => {
  it('add up to the ledger, whatever happened, in pages of any size and under any filter', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), async (acts, limit) => {
        await emptyBooks(temporary.db);
        const books = await keepBooks(temporary.db);
        await play(books, acts);
        const { posted } = await books.books.wallet('acme');
        const lines = await all({}, limit);
        expect(sum(lines.map(({ amount }) => amount))).toBe(posted);
        expect(lines.map(({ id }) => id)).toEqual([...new Set(lines.map(({ id }) => id))]);
        expect(lines.map(({ day }) => day)).toEqual(
          lines
            .map(({ day }) => day)
            .sort()
            .reverse(),
        );
        // Each line stands on the one below it; the newest is the present balance and the oldest began with nothing.
        lines.forEach(({ balance }, at) => {
          expect(balance).toBe(posted - sum(lines.slice(0, at).map((newer) => newer.amount)));
        });
        for (const filter of [
          { kind: 'charge' },
          { kind: 'adjustment' },
          { keyId: 'key-1' },
          { from: lines[0]?.day },
          { to: lines.at(-1)?.day },
        ]) {
          const kept = lines.filter(
            ({ kind, keyId, day }) =>
              (filter.kind === undefined || kind === filter.kind) &&
              (filter.keyId === undefined || keyId === filter.keyId) &&
              (filter.from === undefined || day >= filter.from) &&
              (filter.to === undefined || day <= filter.to),
          );
          expect(await all(filter, limit)).toEqual(kept);
        }
        for (const { day, keyId, amount, requests } of lines.filter((line) => line.keyId !== null)) {
          const { items } = await readDayCharges(
            temporary.db,
            { accountId: 'acme', day, keyId: keyId ?? '' },
            { limit: 200 },
          );
          expect(sum(items.map((charge) => charge.amount))).toBe(amount);
          expect(items.length).toBeLessThanOrEqual(requests ?? 0);
        }
        await books.close();
      }),
      { numRuns: 8 },
    );
  }, 120_000);

  it('put a day of charges above the top-up of the same day, by the clock of the account', async () => {
    await emptyBooks(temporary.db);
    const books = await keepBooks(temporary.db);
    // 20:30 UTC is the next day in Tehran.
    const late = (START - (START % DAY_MS) + 20.5 * 3_600_000 - START) / 3_600_000;
    await play(books, [
      { moved: 5_000_000, hour: 1 },
      { charge: 1_000, key: 1, hour: 0 },
      { charge: 500, key: 1, hour: 2 },
      { charge: 250, key: 1, hour: late },
    ]);
    const lines = await all({}, 50);
    expect(lines.map(({ day, kind, amount, balance, requests }) => [day, kind, amount, balance, requests])).toEqual([
      ['2026-11-16', 'charge', -250n, 4_998_250n, 1],
      ['2026-11-15', 'charge', -1_500n, 4_998_500n, 2],
      ['2026-11-15', 'adjustment', 5_000_000n, 5_000_000n, null],
    ]);
    await books.close();
  });

  it('refuse a cursor that is not theirs', async () => {
    for (const after of ['x', Buffer.from('2026-99-99.c.k').toString('base64url')])
      await expect(readMovements(temporary.db, OF, { after })).rejects.toMatchObject({ code: 'invalid_request' });
    const charges = readDayCharges(
      temporary.db,
      { accountId: 'acme', day: '2026-11-15', keyId: 'k' },
      { after: "' or" },
    );
    await expect(charges).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('are nobody else’s', async () => {
    expect((await readMovements(temporary.db, { ...OF, accountId: 'thief' }, {})).items).toEqual([]);
    const charges = { accountId: 'thief', day: '2026-11-15', keyId: 'key-1' };
    expect((await readDayCharges(temporary.db, charges, {})).items).toEqual([]);
  });
});

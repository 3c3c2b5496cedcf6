/** Credits for broken answers in the books: written down with the charge, given once, within the day's bound over all replicas. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import { GuaranteeCredits, Poster } from '../../src/ledger/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { type Bookkeeping, emptyBooks, keepBooks } from '../ledger/bookkeeping.ts';
import { record } from '../ledger/request-fixture.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases((name, open) =>
  describe(`credits of the guarantee on ${name}`, () => {
    let db: Database;
    let close: () => Promise<void>;
    let desk: Bookkeeping;
    let lost: Promise<void>[];
    beforeAll(async () => {
      ({ db, close } = await open());
      await db.query(
        `insert into account (id, name, rules, calendar, created_at, updated_at) values ('acme', 'Acme', '{}', '{}', now(), now()) on conflict do nothing`,
      );
    });
    afterAll(() => close());
    beforeEach(async () => {
      await emptyBooks(db);
      await db.query('truncate guarantee_credit, guarantee_day');
      lost = [];
      desk = await keepBooks(db);
      return () => desk.close();
    });

    /** A process that is killed before it gives anything: what it detaches is never run. */
    const credits = (answers: number, kills = false, amount = money(1_000_000n)) =>
      new GuaranteeCredits({
        db: kills ? deaf(db) : db,
        clock: desk.clock,
        log: desk.log,
        bounds: async () => ({ answers, amount }),
        detach: (work) => {
          lost.push(work.catch(() => undefined));
        },
      });
    const posterWith = (owed: GuaranteeCredits) =>
      new Poster({ db, journal: desk.journal, log: desk.log, admission: { posted: () => undefined }, owed });
    const broken = (id: string) => record(id, { guarantee: 'broken' });
    const states = async () =>
      (await db.query<{ state: string }>('select state from guarantee_credit order by request_id')).map(
        ({ state }) => state,
      );
    const given = () =>
      db.query<{ id: string; debit: string; credit: string; amount: string }>(
        `select id, debit, credit, amount::text as amount from ledger_transfer where kind in ('guarantee', 'refund') order by id`,
      );

    it('gives back what the answer cost, with its caps, once however often it is posted and decided', async () => {
      const own = credits(5);
      await desk.journal.close(broken('req_1'));
      await desk.journal.close(record('req_2', { guarantee: 'kept' }));
      await desk.journal.close(record('req_3', { guarantee: 'broken', cost: money(0n), formula: [] }));
      await posterWith(own).postBatch();
      await Promise.all(lost);
      await Promise.all([own.creditWaiting(), credits(5).creditWaiting()]);
      expect(await given()).toEqual([
        { id: 'guarantee:req_1', debit: 'revenue', credit: 'wallet:acme', amount: '500' },
      ]);
      const spent = await db.query<{ spent: string }>('select spent::text as spent from spend_counter');
      expect(spent.map((row) => row.spent)).toEqual(['500', '500']);
      await desk.prove();
    });

    it('is given by the next process when one is killed after posting', async () => {
      await desk.journal.close(broken('req_1'));
      await posterWith(credits(5, true)).postBatch();
      expect([await states(), await given()]).toEqual([['waiting'], []]);
      await credits(5).creditWaiting();
      expect([await states(), (await given()).length]).toEqual([['credited'], 1]);
      await desk.prove();
    });

    it('a batch whose debts cannot be written down is not forgotten', async () => {
      await desk.journal.close(broken('req_1'));
      const failing = { put: () => Promise.reject(new Error('the connection is gone')) } as unknown as GuaranteeCredits;
      await expect(posterWith(failing).postBatch()).rejects.toThrow('the connection is gone');
      expect(desk.journal.depth()).toBe(1);
      await posterWith(credits(5, true)).postBatch();
      expect([desk.journal.depth(), await states()]).toEqual([0, ['waiting']]);
    });

    it('many replicas together give no more than the bound of the day, and the next day counts anew', async () => {
      for (let at = 10; at < 22; at++) await desk.journal.close(broken(`req_${at}`));
      await posterWith(credits(5, true)).postBatch();
      await Promise.all(Array.from({ length: 4 }, () => credits(5).creditWaiting()));
      await credits(5).creditWaiting();
      const decided = await states();
      expect(decided.filter((state) => state === 'credited')).toHaveLength(5);
      expect(decided.filter((state) => state === 'over')).toHaveLength(7);
      expect(await given()).toHaveLength(5);
      desk.clock.advance(24 * 3_600_000);
      await desk.journal.close(broken('req_30'));
      await posterWith(credits(5, true)).postBatch();
      await credits(5).creditWaiting();
      expect((await states()).at(-1)).toBe('credited');
      await desk.prove();
    });

    it('many replicas together give no more than the worth of the day, and second questions count for it', async () => {
      for (let at = 10; at < 16; at++) await desk.journal.close(broken(`req_${at}`));
      await posterWith(credits(20, true)).postBatch();
      const own = () => credits(20, false, money(2_400n));
      const asked = await Promise.all(
        Array.from({ length: 4 }, (_, at) => own().takeSecondAsk(`req_${at}`, 'acme', money(700n))),
      );
      expect(asked.filter(Boolean)).toHaveLength(3);
      // 2,100 are used up: one of 500 does not fit any more.
      await Promise.all(Array.from({ length: 4 }, () => own().creditWaiting()));
      await own().creditWaiting();
      expect((await states()).filter((state) => state === 'credited')).toEqual([]);
      desk.clock.advance(24 * 3_600_000);
      for (let at = 20; at < 26; at++) await desk.journal.close(broken(`req_${at}`));
      await posterWith(credits(20, true)).postBatch();
      await Promise.all(Array.from({ length: 4 }, () => own().creditWaiting()));
      await own().creditWaiting();
      expect((await states()).filter((state) => state === 'credited')).toHaveLength(4);
      expect(await given()).toHaveLength(4);
      expect(await own().takeSecondAsk('req_30', 'acme', money(401n))).toBe(false);
      await desk.prove();
    });

    it('nothing is free where the bound is zero, and nothing is given back twice', async () => {
      await desk.journal.close(broken('req_1'));
      await desk.journal.close(broken('req_2'));
      await posterWith(credits(5, true)).postBatch();
      await desk.books.transfer({
        id: 'by-hand',
        kind: 'refund',
        accountId: 'acme',
        amount: money(1n),
        requestId: 'req_1',
      });
      await db.query(`update guarantee_credit set state = 'off' where request_id = 'req_2'`);
      await credits(5).creditWaiting();
      await db.query(`update guarantee_credit set state = 'waiting' where request_id = 'req_2'`);
      await credits(0).creditWaiting();
      expect(await states()).toEqual(['refunded', 'over']);
      expect((await given()).map(({ id }) => id)).toEqual(['by-hand']);
      await desk.prove();
    });
  }),
);

/** Takes what is written down, and then nothing more. */
function deaf(db: Database): Database {
  return new Proxy(db, {
    get(target, field) {
      if (field === 'transaction') return () => Promise.reject(new Error('killed'));
      const value = target[field as keyof Database];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Conformance of the ledger: transfers and what lists them. */
import { expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import type { TransferFilter } from '../../src/ledger/index.ts';
import { record, START } from '../ledger/request-fixture.ts';
import { eventually } from '../services/eventually.ts';
import { type Stage, topUp } from './ledger-stage.ts';

const DAY_MS = 86_400_000;

export function transfers(stage: Stage): void {
  it('tops up once, however often the same transfer is sent', async () => {
    const { books } = stage().desk;
    const first = await books.transfer(topUp('t1', 1_000n));
    expect(first).toEqual({ posted: 1_000n, version: 1n });
    expect(await books.transfer(topUp('t1', 1_000n))).toEqual(first);
    expect(await books.wallet('acme')).toEqual(first);
    await expect(books.transfer(topUp('t1', 999n))).rejects.toMatchObject({ code: 'conflict' });
    await expect(books.transfer(topUp('t1', 1_000n, 'other'))).rejects.toMatchObject({ code: 'conflict' });
  });

  it('takes an adjustment in both directions and an opening of nothing, and refuses nonsense', async () => {
    const { books } = stage().desk;
    await books.transfer({ id: 'o', kind: 'opening', accountId: 'acme', amount: money(0n) });
    await books.transfer({ id: 'a1', kind: 'adjustment', accountId: 'acme', amount: money(50n), note: 'gift' });
    const { posted } = await books.transfer({ id: 'a2', kind: 'adjustment', accountId: 'acme', amount: money(-80n) });
    expect(posted).toBe(-30n);
    await expect(books.transfer(topUp('t', -1n))).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(books.transfer(topUp('req_1', 1n))).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(books.transfer(topUp('', 1n))).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('holds more money than a 64-bit number', async () => {
    const { books } = stage().desk;
    const huge = 30_000_000_000_000_000_000n;
    await books.transfer(topUp('t1', huge));
    expect((await books.transfer(topUp('t2', huge))).posted).toBe(2n * huge);
  });

  it('many at once on one wallet lose nothing', async () => {
    const { books } = stage().desk;
    await Promise.all(Array.from({ length: 40 }, (_, n) => books.transfer(topUp(`t${n}`, 10n))));
    expect((await books.wallet('acme')).posted).toBe(400n);
  });

  it('pages through the history, newest first', async () => {
    const { books } = stage().desk;
    for (let n = 1; n <= 5; n++) await books.transfer(topUp(`t${n}`, BigInt(n)));
    await books.transfer(topUp('other', 7n, 'other'));
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const page = await books.history('acme', { limit: 2, ...(before === undefined ? {} : { before }) });
      seen.push(...page.entries.map((entry) => `${entry.id}:${entry.amount}`));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(seen).toEqual(['t5:5', 't4:4', 't3:3', 't2:2', 't1:1']);
    await expect(books.history('acme', { before: 'x', limit: 2 })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('lists the transfers of all accounts by kind, direction, account, reference and time', async () => {
    const { books, journal, poster, clock } = stage().desk;
    await books.transfer(topUp('invoice:7', 500n));
    clock.advance(DAY_MS);
    await books.transfer({ id: 'gift', kind: 'adjustment', accountId: 'other', amount: money(70n), note: 'sorry' });
    await books.transfer({ id: 'taken', kind: 'adjustment', accountId: 'other', amount: money(-20n) });
    await journal.close(record('req_1'));
    await poster.postBatch();
    await books.transfer({ id: 'back', kind: 'refund', accountId: 'acme', amount: money(9n), requestId: 'req_1' });
    const ids = async (filter: TransferFilter) =>
      (await books.transfers(filter, { limit: 50 })).entries.map(({ id }) => id).sort();
    expect(await ids({})).toEqual(['back', 'gift', 'invoice:7', 'req_1', 'supply:openai:req_1:2026-11-15', 'taken']);
    expect(await ids({ accountId: 'other' })).toEqual(['gift', 'taken']);
    expect(await ids({ kind: 'charge' })).toEqual(['req_1']);
    expect(await ids({ kind: 'provider-cost' })).toEqual(['supply:openai:req_1:2026-11-15']);
    expect(await ids({ kind: 'provider-cost', accountId: 'acme' })).toEqual([]);
    expect(await ids({ direction: 'in' })).toEqual(['back', 'gift', 'invoice:7']);
    expect(await ids({ direction: 'out' })).toEqual(['req_1', 'taken']);
    expect(await ids({ direction: 'out', kind: 'adjustment' })).toEqual(['taken']);
    expect(await ids({ reference: '7' })).toEqual(['invoice:7']);
    expect(await ids({ reference: 'req_1' })).toEqual(['back', 'req_1']);
    expect(await ids({ to: START + DAY_MS, kind: 'top-up' })).toEqual(['invoice:7']);
    expect(await ids({ from: START + DAY_MS, kind: 'top-up' })).toEqual([]);
    const [supply] = (await books.transfers({ kind: 'provider-cost' }, { limit: 1 })).entries;
    expect(supply).toMatchObject({ accountId: null, debit: 'costs', credit: 'provider:openai' });
    expect(supply?.amount).toBeGreaterThan(0n);
  });

  it('tells other replicas of a changed wallet, once it is committed', async () => {
    const { db, desk } = stage();
    const heard: string[] = [];
    // Of an account of its own: news of earlier tests may still be on its way.
    const stop = db.subscribe(
      'wallet',
      (id) => id === 'told' && heard.push(id),
      () => {},
    );
    await desk.books.transfer(topUp('t1', 5n, 'told'));
    await eventually(() => expect(heard).toEqual(['told']));
    stop();
  });

  it('refuses to change or delete a transfer', async () => {
    const { db, desk } = stage();
    await desk.books.transfer(topUp('t1', 5n));
    await expect(db.query('update ledger_transfer set amount = 6')).rejects.toThrow(/append-only/);
    await expect(db.query('delete from ledger_transfer')).rejects.toThrow(/append-only/);
    await expect(db.query('truncate ledger_transfer')).rejects.toThrow(/append-only/);
  });
}

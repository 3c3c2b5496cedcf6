/**
 * All transfers of the books by filters without an index: by book, amount and maker. They are read in pages and checked
 * row by row.
 */
import type { Clock } from '../core/clock.ts';
import { type ListPlace, reportOn, stepSizes, type Walked, type WalkStep, walk } from '../lists/index.ts';
import type { Database } from '../platform/db/index.ts';
import type { BookedTransfer, TransferFilter } from './ledger.ts';
import { doersOf, type TransferDoer, transfersOfBooks } from './transfer-list.ts';

export interface WideTransferFilter extends TransferFilter {
  /** The book may be on either side. */
  book?: string | undefined;
  /** As in the audit log. */
  actor?: string | undefined;
  /** Micro-toman, without the sign. */
  sumFrom?: bigint | undefined;
  sumTo?: bigint | undefined;
}

export interface FoundTransfer extends BookedTransfer {
  doer: TransferDoer | undefined;
}

/** Rows are read whole, so fewer at once than where the database checks them. */
const MAX_STEP = 2_000;

export class TransferSearch {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  async page(asked: WideTransferFilter, { after, limit, use }: ListPlace): Promise<Walked<FoundTransfer>> {
    const filter = narrowed(asked);
    const step = (from: string | null, size: number, room: number) => this.#step(filter, use, { from, size, room });
    if (!needsLook(filter)) {
      const { rows, place } = await step(after, limit, limit);
      return { rows, next: place, searchedBackTo: null };
    }
    const { first, max } = stepSizes(this.#db.kind);
    const sizes = { first: Math.min(first, MAX_STEP), max: Math.min(max, MAX_STEP) };
    return walk({ clock: this.#clock, wanted: limit, place: after, sizes, step });
  }

  #step(
    filter: WideTransferFilter,
    use: ListPlace['use'],
    { from, size, room }: { from: string | null; size: number; room: number },
  ): Promise<WalkStep<FoundTransfer>> {
    return reportOn(this.#db, use, async (tx) => {
      const before = from === null ? {} : { before: from };
      const { entries, next, places } = await transfersOfBooks(tx, filter, { limit: size, ...before });
      const { actor } = filter;
      const fitting = entries
        .map((entry, at) => ({ entry, place: places[at] ?? null }))
        .filter(({ entry }) => passes(filter, entry));
      // Finding who made a transfer costs as much as the rest, so it is done only for rows that may be shown.
      const asked = actor === undefined ? fitting.slice(0, room) : fitting;
      const doers = await doersOf(
        tx,
        asked.map(({ entry }) => entry),
      );
      const found = fitting.filter(({ entry }) => actor === undefined || doers.get(entry.id)?.actor === actor);
      const shown = found.slice(0, room);
      const isCut = found.length > room;
      const reached = isCut ? shown.at(-1)?.entry : entries.at(-1);
      return {
        rows: shown.map(({ entry }) => ({ ...entry, doer: doers.get(entry.id) })),
        place: isCut ? (shown.at(-1)?.place ?? null) : next,
        reachedMs: reached?.createdAt ?? null,
      };
    });
  }
}

/**
 * The wallet of an account is found by the account. Charges are only in wallets and revenue, provider costs only in
 * costs and providers; neither has a maker.
 */
function narrowed(filter: WideTransferFilter): WideTransferFilter {
  const { book, actor } = filter;
  const [, account] = book?.split('wallet:') ?? [];
  if (account !== undefined) return { ...filter, accountId: filter.accountId ?? account };
  if (actor !== undefined) return { ...filter, byHand: true };
  if (book === undefined || book === 'revenue') return filter;
  return book === 'costs' || book.startsWith('provider:')
    ? { ...filter, withoutCharges: true }
    : { ...filter, byHand: true };
}

function needsLook({ book, actor, sumFrom, sumTo }: WideTransferFilter): boolean {
  return [book, actor, sumFrom, sumTo].some((one) => one !== undefined);
}

function passes({ book, sumFrom, sumTo }: WideTransferFilter, entry: BookedTransfer): boolean {
  const sum = entry.amount < 0n ? -entry.amount : entry.amount;
  return (
    (book === undefined || entry.debit === book || entry.credit === book) &&
    (sumFrom === undefined || sum >= sumFrom) &&
    (sumTo === undefined || sum <= sumTo)
  );
}

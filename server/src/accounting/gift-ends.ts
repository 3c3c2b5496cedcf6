/**
 * Ends gifts that have a last day: what is left of them is taken back. Gifts are spent before paid credit, and among
 * gifts the one that ends first. What running requests hold is not taken; it is checked again later.
 */

import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import { type Money, min, money, toTomanText, ZERO } from '../core/money.ts';
import { walletBudget } from '../keys/index.ts';
import { type Books, readWallet } from '../ledger/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { GIFT_EVENTS, GIFTS_DUE, MARK_GIFT_ENDED, OPEN_GIFT } from './hand-rows.ts';

interface GiftEndsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  ledger: Pick<Books, 'bookIn'>;
  availableOf(accountId: string): Promise<Money>;
}

interface Due {
  id: string;
  accountId: string;
}

/** Ends the gifts that are due; returns how many were looked at. */
export async function endGifts(options: GiftEndsOptions): Promise<number> {
  const { db, clock } = options;
  const due = await GIFTS_DUE.rows(db, [new Date(clock.now()), HOME_ZONE]);
  for (const gift of due) {
    const available = await options.availableOf(gift.accountId);
    await db.transaction((tx) => endGift(options, tx, gift, available));
  }
  return due.length;
}

async function endGift(options: GiftEndsOptions, tx: Queryable, { id, accountId }: Due, available: Money) {
  const now = new Date(options.clock.now());
  const open = await OPEN_GIFT.first(tx, [id]);
  if (!open) return;
  const { posted } = await readWallet(tx, accountId);
  const left = await leftOfGift(tx, accountId, id);
  const there = min(available, posted);
  const taken = there > 0n ? min(left, there) : ZERO;
  if (taken > 0n) {
    const transfer = `gift-end:${id}:${now.getTime()}`;
    const legs = { debit: walletBudget(accountId), credit: 'promotions', amount: taken };
    const lines = [{ id: transfer, kind: 'gift' as const, ...legs }];
    await options.ledger.bookIn(tx, {
      id: transfer,
      kind: 'gift',
      party: accountId,
      createdBy: 'service',
      reverses: id,
      lines,
    });
    const detail = { transfer, amount: toTomanText(money(-taken)) };
    await createChangeRecorder(options, 'wallet')(tx, 'service', 'credit.gift-end', accountId, detail);
  }
  if (taken === left) await MARK_GIFT_ENDED.run(tx, [id, now]);
}

/**
 * What is left of one gift: goes through all gifts of the account from the first on, and subtracts each charge from the
 * gift that ends first at that time.
 */
async function leftOfGift(tx: Queryable, accountId: string, giftId: string): Promise<Money> {
  const gifts: { id: string; left: Money; end: string }[] = [];
  for (const event of await GIFT_EVENTS.rows(tx, [accountId])) {
    const amount = money(BigInt(event.amount));
    const ended = event.isTaken ? gifts.find(({ id }) => event.id.startsWith(`gift-end:${id}:`)) : undefined;
    if (ended) ended.left = money(ended.left - amount);
    else if (!event.isTaken) gifts.push({ id: event.id, left: amount, end: event.lastDay ?? NO_END });
    let rest = money(BigInt(event.charged));
    for (const gift of gifts.toSorted((one, other) => one.end.localeCompare(other.end))) {
      const used = min(rest, gift.left);
      gift.left = money(gift.left - used);
      rest = money(rest - used);
    }
  }
  return gifts.find(({ id }) => id === giftId)?.left ?? ZERO;
}

/** A day after every other, for gifts without an end. */
const NO_END = '9999-12-31';

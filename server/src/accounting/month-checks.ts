/**
 * What an accountant checks before a month is closed: a list of small checks, each one query. A red result forbids
 * closing; an amber one needs a sentence. A new part of the service adds its check here: one entry in MONTH_CHECKS, and
 * its texts in the console (web: books/kind-texts.ts).
 */

import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { type Money, money } from '../core/money.ts';
import { dayAfter, startOfDay } from '../ledger/index.ts';
import type { Queryable, Statement } from '../platform/db/index.ts';
import { type BooksSpan, daysIn } from './months.ts';
import {
  APPROVALS_WAITING,
  COSTS_UNKNOWN,
  FIRST_SEALED_DAY,
  INVOICES_NOT_SENT,
  OPEN_REFUNDS,
  RECEIPTS_WITHOUT_INVOICE,
  SEALED_AND_PROVED,
  SELLER_MISSING,
  STANDING,
  STUCK_OF_MONTH,
} from './open-item-rows.ts';
import { providersWithoutBill, receiptsNotSeen, unbookedSettlements } from './open-items.ts';

export interface MonthFinding {
  /** How many there are; 0 is good. */
  count: number;
  /** Null where the check has no sum. */
  amount: Money | null;
}

export interface MonthCheck {
  id: string;
  level: 'red' | 'amber';
  /** The page of the console where it is corrected. */
  link: string;
  look(tx: Queryable, month: BooksSpan, nowMs: number): Promise<MonthFinding>;
}

export interface MonthCheckResult extends MonthFinding {
  id: string;
  level: 'red' | 'amber';
  link: string;
}

async function ask(
  tx: Queryable,
  of: Statement<{ count: bigint; amount: string | null }>,
  values: readonly unknown[],
): Promise<MonthFinding> {
  const { count, amount } = await of.only(tx, values);
  return { count: Number(count), amount: amount === null ? null : money(BigInt(amount)) };
}

/** The balances of some books at the end of the month, where they are not zero. */
const standing =
  (book: keyof typeof STANDING) =>
  (tx: Queryable, { lastDay }: BooksSpan) =>
    ask(tx, STANDING[book], [lastDay]);

const STUCK_MS = 15 * MINUTE_MS;

/** A proof that ended longer ago than this says too little about today. */
const FRESH_MS = 26 * HOUR_MS;

/** Days without a seal or with a broken one; also a proof that found something, or the lack of a recent one. */
async function unprovenDays(tx: Queryable, month: BooksSpan, nowMs: number): Promise<MonthFinding> {
  const row = await SEALED_AND_PROVED.first(tx, [month.firstDay, month.lastDay, new Date(nowMs - FRESH_MS)]);
  const missing = daysIn(month) - Number(row?.sealed ?? 0) - (await daysBeforeBooks(tx, month));
  return { count: missing > 0 ? missing : row?.proved === true ? 0 : 1, amount: null };
}

/** The days of the first month before the books began: they have no seal and need none. */
async function daysBeforeBooks(tx: Queryable, { firstDay, lastDay }: BooksSpan): Promise<number> {
  const row = await FIRST_SEALED_DAY.first(tx);
  const first = row?.day ?? null;
  if (first === null || first <= firstDay || first > lastDay) return 0;
  return daysIn({ firstDay, lastDay: first }) - 1;
}

export const MONTH_CHECKS: readonly MonthCheck[] = [
  { id: 'days-not-proven', level: 'red', link: '/operator/ledger/proofs', look: unprovenDays },
  {
    id: 'stuck-orders',
    level: 'red',
    link: '/operator/payments?stuck=true',
    look: (tx, { lastDay }, nowMs) => ask(tx, STUCK_OF_MONTH, [lastDay, HOME_ZONE, new Date(nowMs - STUCK_MS)]),
  },
  {
    id: 'open-refunds',
    level: 'red',
    link: '/operator/payments?stuck=true',
    look: (tx, { lastDay }) => ask(tx, OPEN_REFUNDS, [lastDay, HOME_ZONE]),
  },
  {
    id: 'approvals-waiting',
    level: 'red',
    link: '/operator/by-hand',
    look: (tx, _month, nowMs) => ask(tx, APPROVALS_WAITING, [new Date(nowMs)]),
  },
  {
    id: 'seller-missing',
    level: 'red',
    link: '/operator/payments',
    look: (tx) => ask(tx, SELLER_MISSING, []),
  },
  {
    id: 'undocumented',
    level: 'amber',
    link: '/operator/books/documents?tab=undocumented',
    look: standing('undocumented'),
  },
  {
    id: 'unmatched',
    level: 'amber',
    link: '/operator/books/documents',
    look: standing('unmatched'),
  },
  {
    id: 'disputes',
    level: 'amber',
    link: '/operator/ledger/transfers?kind=chargeback',
    look: standing('disputes'),
  },
  {
    id: 'not-settled',
    level: 'amber',
    link: '/operator/books/settlement?tab=ours',
    look: standing('gateways'),
  },
  { id: 'settlements-open', level: 'amber', link: '/operator/books/settlement', look: unbookedSettlements },
  {
    id: 'receipts-not-seen',
    level: 'amber',
    link: '/operator/books/settlement?tab=receipts',
    look: (tx, { lastDay }) => receiptsNotSeen(tx, new Date(startOfDay(dayAfter(lastDay)))),
  },
  {
    id: 'providers-without-bill',
    level: 'amber',
    link: '/operator/books/bills',
    async look(tx, { firstDay, lastDay }) {
      const unbilled = await providersWithoutBill(tx, firstDay, lastDay);
      return { count: unbilled.length, amount: money(unbilled.reduce((sum, { amount }) => sum + amount, 0n)) };
    },
  },
  {
    id: 'cost-unknown',
    level: 'amber',
    link: '/operator/models?cost=unknown',
    look: (tx, { firstDay, lastDay }) => ask(tx, COSTS_UNKNOWN, [firstDay, lastDay]),
  },
  {
    id: 'receipts-without-invoice',
    level: 'amber',
    link: '/operator/books/invoices?series=receipt',
    look: (tx, { firstDay, lastDay }) => ask(tx, RECEIPTS_WITHOUT_INVOICE, [firstDay, lastDay, HOME_ZONE]),
  },
  {
    id: 'invoices-not-sent',
    level: 'amber',
    link: '/operator/books/invoices?tax_state=to-send',
    look: (tx, { firstDay, lastDay }) => ask(tx, INVOICES_NOT_SENT, [firstDay, lastDay, HOME_ZONE]),
  },
];

export async function lookAtMonth(
  tx: Queryable,
  month: BooksSpan,
  nowMs: number,
  checks: readonly MonthCheck[] = MONTH_CHECKS,
): Promise<MonthCheckResult[]> {
  const results: MonthCheckResult[] = [];
  for (const { id, level, link, look } of checks) results.push({ id, level, link, ...(await look(tx, month, nowMs)) });
  return results;
}

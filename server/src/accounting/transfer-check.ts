/**
 * What bank statements say of a transfer that staff are about to confirm. It refuses nothing, because the money may be
 * there although its line is wrong. But staff see first when the bank has another sum, another number, or no such line
 * at all.
 */

import { type Money, money } from '../core/money.ts';
import { plainNumber } from '../payments/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { BANK_LINES_AROUND, BANK_LINES_NAMED, LAST_STATEMENT_DAY } from './settlement-line-rows.ts';

type TransferWarning = 'amount_differs' | 'number_differs' | 'taken' | 'not_in_statement' | 'receipt_differs';

interface BankLine {
  settlementId: string;
  reference: string | null;
  day: string;
  amount: Money;
  text: string | null;
  /** True when the line settles another document of ours. */
  taken: boolean;
}

interface TransferCheck {
  warnings: TransferWarning[];
  /** The lines with this number; where there are none, those of the same sum around the day. */
  lines: BankLine[];
  /** The last day that a statement of this bank covers; null where none was read. */
  statementsTo: string | null;
}

interface AskedTransfer {
  orderId: string;
  bank: string;
  /** The sum that must have arrived, tax included. */
  amount: Money;
  /** The number that staff entered; the customer's where they have entered none yet. */
  number: string | null;
  receipt: { number: string; paidOn: string } | null;
  /** The day, such as `2026-11-18`: the customer's, otherwise the day of the order. */
  day: string;
}
const MAX_LINES = 5;

export async function checkTransfer(db: Queryable, asked: AskedTransfer): Promise<TransferCheck> {
  const number = plainNumber(asked.number);
  const named = number === null ? [] : await linesOf(BANK_LINES_NAMED, db, asked, [number]);
  const similar =
    named.length > 0 ? [] : await linesOf(BANK_LINES_AROUND, db, asked, [String(asked.amount), asked.day]);
  const free = similar.filter(({ taken }) => !taken);
  const statementsTo = await lastStatementDay(db, asked.bank);
  const isReceiptOther = asked.receipt !== null && number !== null && asked.receipt.number !== number;
  const warnings = named.length > 0 ? warningsOf(named, asked) : warningsWithout(free, asked, statementsTo);
  return {
    warnings: isReceiptOther ? [...warnings, 'receipt_differs'] : warnings,
    lines: named.length > 0 ? named : free,
    statementsTo,
  };
}

/** Warnings when the bank has lines with this number. */
function warningsOf(named: readonly BankLine[], { amount }: AskedTransfer): TransferWarning[] {
  const same = named.filter((line) => line.amount === amount);
  if (same.length === 0) return ['amount_differs'];
  return same.every(({ taken }) => taken) ? ['taken'] : [];
}

/** Warnings when the bank has no such line. Until its statement covers that day, nobody can say more. */
function warningsWithout(
  similar: readonly BankLine[],
  { day, number }: AskedTransfer,
  statementsTo: string | null,
): TransferWarning[] {
  if (similar.length > 0) return number === null ? [] : ['number_differs'];
  return statementsTo !== null && statementsTo > day ? ['not_in_statement'] : [];
}

async function linesOf(
  lines: typeof BANK_LINES_NAMED,
  db: Queryable,
  { bank, orderId }: AskedTransfer,
  values: readonly unknown[],
): Promise<BankLine[]> {
  const rows = await lines.rows(db, [bank, orderId, MAX_LINES, ...values]);
  return rows.map((row) => ({ ...row, amount: money(BigInt(row.amount)) }));
}

async function lastStatementDay(db: Queryable, bank: string): Promise<string | null> {
  const row = await LAST_STATEMENT_DAY.first(db, [bank]);
  return row?.day ?? null;
}

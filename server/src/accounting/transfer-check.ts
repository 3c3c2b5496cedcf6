/**
 * What the statements of a bank say of a transfer that staff are about to confirm. It refuses nothing: the money may be there and its
 * line wrong. But whoever confirms reads before it that the bank has another sum, another number, or no such line at all.
 */
import { type Money, money } from '../core/money.ts';
import { AGREED_MATCHES, plainNumber } from '../payments/index.ts';
import type { Queryable } from '../platform/db/index.ts';

type TransferWarning = 'amount_differs' | 'number_differs' | 'taken' | 'not_in_statement' | 'receipt_differs';

interface BankLine {
  settlementId: string;
  reference: string | null;
  day: string;
  amount: Money;
  text: string | null;
  /** Another paper of ours is settled by it. */
  taken: boolean;
}

interface TransferCheck {
  warnings: TransferWarning[];
  /** Those of the number; where there are none, those of the sum around the day. */
  lines: BankLine[];
  /** The last day that a statement of this bank told of; null where none was read. */
  statementsTo: string | null;
}

interface AskedTransfer {
  orderId: string;
  bank: string;
  /** What must have come, tax included. */
  amount: Money;
  /** The number that staff write; the customer's where they wrote none yet. */
  number: string | null;
  receipt: { number: string; paidOn: string } | null;
  /** `2026-11-18`: the customer's day, else the day of the order. */
  day: string;
}

/** A bank books a transfer of the evening, or of a holiday, some days later. */
const DAYS_AROUND = 3;
const MAX_LINES = 5;
const MICRO = `(case settlement.unit when 'IRT' then 1000000 else 100000 end)`;

export async function checkTransfer(db: Queryable, asked: AskedTransfer): Promise<TransferCheck> {
  const number = plainNumber(asked.number);
  const named = number === null ? [] : await linesWhere(db, asked, 'line.reference = $4', [number]);
  const around = `line.gross * ${MICRO} = $4::numeric and line.gross in ($4::numeric / 1000000, $4::numeric / 100000)
    and line.day between $5::date - ${DAYS_AROUND} and $5::date + ${DAYS_AROUND}`;
  const similar = named.length > 0 ? [] : await linesWhere(db, asked, around, [String(asked.amount), asked.day]);
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

/** The bank has lines of this number. */
function warningsOf(named: readonly BankLine[], { amount }: AskedTransfer): TransferWarning[] {
  const same = named.filter((line) => line.amount === amount);
  if (same.length === 0) return ['amount_differs'];
  return same.every(({ taken }) => taken) ? ['taken'] : [];
}

/** The bank has none. Before its statement tells of that day, nobody can say more. */
function warningsWithout(
  similar: readonly BankLine[],
  { day, number }: AskedTransfer,
  statementsTo: string | null,
): TransferWarning[] {
  if (similar.length > 0) return number === null ? [] : ['number_differs'];
  return statementsTo !== null && statementsTo > day ? ['not_in_statement'] : [];
}

async function linesWhere(
  db: Queryable,
  { bank, orderId }: AskedTransfer,
  where: string,
  values: readonly unknown[],
): Promise<BankLine[]> {
  const rows = await db.query<Omit<BankLine, 'amount'> & { amount: string }>(
    `select settlement.id as "settlementId", line.reference, line.day::text as day, (line.gross * ${MICRO})::text as amount, line.text,
       line.match in ${AGREED_MATCHES} and line.settles is distinct from 'document:topup:' || $2
         and not exists (select from document where document.kind = 'unmatched' and line.settles = 'document:' || document.id) as taken
     from settlement_line line join settlement on settlement.id = line.settlement_id
     where line.kind = 'movement' and line.gross > 0 and settlement.kind = 'bank' and settlement.source = $1 and ${where}
     order by line.day desc, settlement.id, line.number limit $3`,
    [bank, orderId, MAX_LINES, ...values],
  );
  return rows.map((row) => ({ ...row, amount: money(BigInt(row.amount)) }));
}

async function lastStatementDay(db: Queryable, bank: string): Promise<string | null> {
  const [row] = await db.query<{ day: string | null }>(
    `select max(line.day)::text as day from settlement_line line
     where line.settlement_id in (select id from settlement where kind = 'bank' and source = $1 order by paid_at desc, id desc limit 20)`,
    [bank],
  );
  return row?.day ?? null;
}

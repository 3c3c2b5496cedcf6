/** Writes a settlement into the books, once: exactly the amounts that somebody saw, to the micro-toman, or nothing. */

import { GatewayError } from '../core/errors.ts';
import { makeId } from '../core/ids.ts';
import { type Money, money, toTomanText, ZERO } from '../core/money.ts';
import { type Books, chartInUse } from '../ledger/index.ts';
import { type Payments, tomanOfIranian } from '../payments/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { settledLines, unmatched as unmatchedEvent } from './events.ts';
import { type IntakeOptions, lockSettlements } from './settlement-intake.ts';
import { MATCH_BY_DOCUMENT } from './settlement-line-rows.ts';
import { settlementReasons } from './settlement-reasons.ts';
import * as rows from './settlement-rows.ts';
import { type SettlementSums, settlementSums } from './settlement-sums.ts';

/** The amounts that somebody saw and agrees to book. */
export interface BookingInput {
  bank?: string | undefined;
  /** Tax on the fee, where the gateway's bill shows it. */
  feeVat: Money;
  difference: Money;
  unmatched: Money;
  rate?: Money | undefined;
}

export interface OpeningInput {
  gateway: string;
  bank?: string | undefined;
  arrived: Money;
  fee: Money;
  until: Date;
}

interface BookingOptions extends IntakeOptions {
  ledger: Pick<Books, 'bookIn'>;
  payments: Pick<Payments, 'banks'>;
}

/** Booking the same settlement again returns what was booked. */
export async function bookOnce(
  options: BookingOptions,
  id: string,
  input: BookingInput,
  actor: string,
): Promise<rows.StoredSettlement> {
  const { db, clock } = options;
  // Read before the transaction: the embedded database has one connection, which the transaction holds.
  const bank = await options.payments.banks.find(input.bank);
  return db.transaction(async (tx) => {
    await lockSettlements(tx);
    const settlement = await rows.findSettlement(tx, id, true);
    if (settlement.state === 'booked') return settlement;
    if (!(await chartInUse(tx))) throw new GatewayError('conflict', { reason: settlementReasons.olderVersionRuns });
    const lines = await rows.allLines(tx, id);
    const isBank = settlement.kind === 'bank';
    const booked = isBank
      ? await bookStatement(options, tx, { settlement, lines, input, actor })
      : await bookPayout(options, tx, { settlement, lines, input, actor, bank });
    const at = new Date(clock.now());
    await rows.markBooked(tx, id, { documentId: booked, bank: isBank ? settlement.source : bank, by: actor, at });
    const sums = { difference: toTomanText(input.difference), unmatched: toTomanText(input.unmatched) };
    await options.record(tx, actor, 'settlement.book', id, { source: settlement.source, ...sums });
    return rows.findSettlement(tx, id);
  });
}

interface Booking {
  settlement: rows.StoredSettlement;
  lines: rows.StoredLine[];
  input: BookingInput;
  actor: string;
}

async function bookPayout(
  { ledger }: BookingOptions,
  tx: Queryable,
  { settlement, lines, input, actor, bank }: Booking & { bank: string },
): Promise<string> {
  const { id, source, unit, units, reference, paidAt } = settlement;
  const sums = settlementSums(settlement, lines, input.rate);
  if (!sums) throw new GatewayError('conflict', { param: 'rate', reason: settlementReasons.rateNeeded });
  if (sums.difference !== input.difference || sums.unmatched !== input.unmatched)
    throw new GatewayError('conflict', { reason: settlementReasons.changedSince });
  const isForeign = unit !== 'IRR' && unit !== 'IRT';
  // They paid more than we know of: that is money without an order, never a negative fee.
  const tooMuch = !isForeign && sums.difference < 0n ? -sums.difference : 0n;
  const fee = sums.fee + (isForeign || sums.difference < 0n ? 0n : sums.difference);
  if (input.feeVat < 0n || input.feeVat > fee)
    throw new GatewayError('conflict', { param: 'vat', reason: settlementReasons.changedSince });
  const document = settledLines(
    { id, number: reference ?? settlement.externalId, datedOn: dayIn(paidAt), createdBy: actor },
    {
      gateway: source,
      at: isForeign ? `fx:${unit}` : `bank:${bank}`,
      arrived: sums.arrived,
      fee: money(fee - input.feeVat),
      feeVat: input.feeVat,
      unmatched: money(sums.unmatched + tooMuch),
      exchange: isForeign ? sums.difference : ZERO,
      ...(isForeign ? { foreign: { units: hundredths(units), unit } } : {}),
    },
  );
  if (document.lines.length === 0) throw new GatewayError('conflict', { reason: settlementReasons.nothingToBook });
  await ledger.bookIn(tx, document);
  return document.id;
}

/**
 * In a bank statement only lines that came in and match nothing are new to the books. Each gets a document of its own.
 */
async function bookStatement({ ledger }: BookingOptions, tx: Queryable, booking: Booking): Promise<null> {
  const { settlement, lines, input, actor } = booking;
  const unknown = unknownOf(settlement, lines);
  const total = unknown.reduce((sum, { amount }) => sum + amount, 0n);
  if (total !== input.unmatched || input.difference !== 0n)
    throw new GatewayError('conflict', { reason: settlementReasons.changedSince });
  for (const { line, amount } of unknown) {
    const paper = { id: `${settlement.id}.${line.number}`, number: line.reference ?? undefined, datedOn: line.day };
    const note = line.text ?? undefined;
    const at = `bank:${settlement.source}`;
    const document = unmatchedEvent({ ...paper, note, createdBy: actor }, { at, amount });
    await ledger.bookIn(tx, document);
    await MATCH_BY_DOCUMENT.run(tx, [settlement.id, line.number, `document:${document.id}`, String(amount)]);
  }
  return null;
}

/** Of a statement only the unknown lines are booked, because the rest is in the books already. */
export function statementSums(settlement: rows.StoredSettlement, lines: readonly rows.StoredLine[]): SettlementSums {
  const total = (amounts: bigint[]) => money(amounts.reduce((sum, amount) => sum + amount, 0n));
  const unknown = total(unknownOf(settlement, lines).map(({ amount }) => amount));
  const ours = total(lines.filter(rows.isAgreed).map((line) => line.ours ?? ZERO));
  const arrived = tomanOfIranian(settlement.units, settlement.unit) ?? ZERO;
  return { ours, unmatched: unknown, arrived, fee: ZERO, difference: ZERO };
}

/** Lines that came to the bank and that nothing of ours explains. */
function unknownOf(
  { unit }: Pick<rows.StoredSettlement, 'unit'>,
  lines: readonly rows.StoredLine[],
): { line: rows.StoredLine; amount: Money }[] {
  const worth = unit === 'IRT' ? 1_000_000n : 100_000n;
  return lines
    .filter((line) => line.match === 'none' && line.problem === null && line.gross > 0n)
    .map((line) => ({ line, amount: money(line.gross * worth) }));
}

export async function openGateway(
  options: BookingOptions,
  input: OpeningInput,
  actor: string,
): Promise<rows.StoredSettlement> {
  const { db, clock, randomBytes, ledger } = options;
  const { gateway, arrived, fee, until } = input;
  const bank = await options.payments.banks.find(input.bank);
  return db.transaction(async (tx) => {
    await lockSettlements(tx);
    if (await rows.findByExternalId(tx, { kind: 'opening', source: gateway, externalId: 'opening' }))
      throw new GatewayError('conflict', { reason: settlementReasons.openedBefore });
    if (!(await chartInUse(tx))) throw new GatewayError('conflict', { reason: settlementReasons.olderVersionRuns });
    const nowMs = clock.now();
    const id = makeId('stl', nowMs, randomBytes);
    const sum = { units: BigInt(arrived) / 100_000n, fee: BigInt(fee) / 100_000n };
    const opening = { kind: 'opening' as const, source: gateway, externalId: 'opening', digest: '', reference: null };
    const made = { id, ...opening, paidAt: until, unit: 'IRR', ...sum, hasLines: false };
    await rows.insertSettlement(tx, { ...made, createdBy: actor, createdAt: new Date(nowMs) });
    const nothing = { feeVat: ZERO, unmatched: ZERO, exchange: ZERO };
    const paper = { id, datedOn: dayIn(until), createdBy: actor, note: 'paid before the books began' };
    const document = settledLines(paper, { gateway, at: `bank:${bank}`, arrived, fee, ...nothing });
    if (document.lines.length > 0) await ledger.bookIn(tx, document);
    await rows.markBooked(tx, id, { documentId: document.id, bank, by: actor, at: new Date(nowMs) });
    await options.record(tx, actor, 'settlement.book', id, { source: gateway, arrived: toTomanText(arrived) });
    return rows.findSettlement(tx, id);
  });
}

function dayIn(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function hundredths(units: bigint): string {
  return `${units / 100n}.${String(units % 100n).padStart(2, '0')}`;
}

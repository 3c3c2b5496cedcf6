/**
 * The numbers of invoices. Official invoices have a series without gaps that contains nothing else. Receipts of a
 * seller without details have a series of their own, and so have specimens, which are made for play money. One table
 * holds all three in one range of numbers: official ones from 1 on, receipts above a billion, specimens below zero.
 */

import type { Queryable } from '../../platform/db/index.ts';
import { NEXT_IN_SERIES } from './invoice-rows.ts';

export type InvoiceSeries = 'official' | 'receipt' | 'specimen';

interface PaperNumber {
  year: number;
  number: number;
}

const RECEIPTS_FROM = 1_000_000_000;
/** The years under which the series of receipts is stored. */
const RECEIPT_YEARS = 10_000;
const LETTERS = { official: '', receipt: 'R-', specimen: 'T-' } as const;

/** Condition on the column `invoice.number`. */
export const IN_OFFICIAL_SERIES = `invoice.number > 0 and invoice.number < ${RECEIPTS_FROM}`;
export const IN_RECEIPT_SERIES = `invoice.number >= ${RECEIPTS_FROM}`;

export function seriesOf({ number }: Pick<PaperNumber, 'number'>): InvoiceSeries {
  if (number < 0) return 'specimen';
  return number < RECEIPTS_FROM ? 'official' : 'receipt';
}

/** Numbers have no gaps, because the transaction that issues an invoice locks the row of the series. */
export async function nextNumber(tx: Queryable, year: number, series: InvoiceSeries): Promise<number> {
  const row = { official: year, receipt: RECEIPT_YEARS + year, specimen: -year }[series];
  const counted = await NEXT_IN_SERIES.first(tx, [row]);
  return stored(counted?.last ?? 1, series);
}

/** Formats a number as `1405-000012`; a receipt's is `R-1405-000012`, a specimen's `T-1405-000012`. */
export function invoiceNumber(paper: PaperNumber): string {
  const series = seriesOf(paper);
  const place = series === 'receipt' ? paper.number - RECEIPTS_FROM : Math.abs(paper.number);
  return `${LETTERS[series]}${paper.year}-${String(place).padStart(6, '0')}`;
}

/** Reads a number as people write it, with the year or without. Returns undefined where it is no such number. */
export function readInvoiceNumber(text: string): { year?: number; number: number } | undefined {
  const match = /^([RT]-)?(?:(\d{4})-)?(\d{1,9})$/i.exec(text.trim());
  if (!match) return undefined;
  const [, letters, year, place] = match;
  const series =
    letters === undefined ? 'official' : letters.toUpperCase() === LETTERS.receipt ? 'receipt' : 'specimen';
  const number = stored(Number(place), series);
  return year === undefined ? { number } : { year: Number(year), number };
}

function stored(place: number, series: InvoiceSeries): number {
  if (series === 'receipt') return RECEIPTS_FROM + place;
  return series === 'specimen' ? -place : place;
}

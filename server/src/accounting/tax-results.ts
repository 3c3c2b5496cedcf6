/**
 * Imports what the operator's tax program says about invoices, from its file. Either every row is applied or none;
 * wrong rows are named by their line numbers.
 */

import type { Text } from '@dargah/core/text.ts';
import { readDelimited } from '../core/csv.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import { readInvoiceNumber } from '../payments/index.ts';
import type { RecordChange } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { TaxState } from './invoice-list-rows.ts';
import { INVOICES_OF_RESULTS, WRITE_TAX_RESULTS } from './invoice-list-rows.ts';
import { LOCK_RULE } from './period-rows.ts';

const MAX_ROWS = 5_000;
const MAX_CELLS = 50;
const MAX_NAMED = 20;
const MAX_TEXT = 500;
const TAX_NUMBER = /^[a-zA-Z0-9]{6}[a-fA-F0-9]{15}[0-9]$/;
/** Tax programs write these states under several names. */
const STATES: Readonly<Record<string, Exclude<TaxState, 'not-sent'>>> = {
  sent: 'sent',
  pending: 'sent',
  in_progress: 'sent',
  accepted: 'accepted',
  success: 'accepted',
  refused: 'refused',
  failed: 'refused',
  rejected: 'refused',
};

interface TaxResult {
  line: number;
  year: number;
  number: number;
  state: Exclude<TaxState, 'not-sent'>;
  taxNumber: string | null;
  reference: string | null;
  message: string | null;
}

interface BadRow {
  line: number;
  problem: Text;
}

const problems = {
  number: { fa: 'شمارهٔ صورت‌حساب خوانا نیست', en: 'the invoice number cannot be read' },
  state: { fa: 'وضعیت شناخته نیست', en: 'the state is not known' },
  taxNumber: { fa: 'شمارهٔ مالیاتی ۲۲ کاراکتری درست نیست', en: 'the tax number is not one of 22 characters' },
  noTaxNumber: { fa: 'صورت‌حساب پذیرفته باید شمارهٔ مالیاتی داشته باشد', en: 'an accepted invoice needs its tax number' },
  twice: { fa: 'این صورت‌حساب دو بار آمده است', en: 'this invoice comes twice' },
  unknown: { fa: 'چنین صورت‌حسابی نیست', en: 'there is no such invoice' },
  accepted: { fa: 'قبلاً پذیرفته شده است و عوض نمی‌شود', en: 'it was accepted before and stays so' },
  taxNumberUsed: { fa: 'شمارهٔ مالیاتی برای صورت‌حساب دیگری است', en: 'the tax number is that of another invoice' },
} as const;

/** The columns `inno` and `state` are required; `taxid`, `reference` and `message` are read where they exist. */
export async function importTaxResults(
  { db, record, nowMs }: { db: Database; record: RecordChange; nowMs: number },
  text: string,
  actor: string,
): Promise<{ changed: number }> {
  const { results, bad } = readResults(text);
  return db.transaction(async (tx) => {
    // The lock makes two imports at the same time run one after the other.
    await LOCK_RULE.run(tx);
    const found = await matchInvoices(tx, results);
    const all = [...bad, ...found.bad].sort((a, b) => a.line - b.line);
    if (all.length > 0) throw refused(all);
    await WRITE_TAX_RESULTS.run(tx, [
      found.matched.map(({ invoiceId }) => invoiceId),
      found.matched.map(({ state }) => state),
      found.matched.map(({ taxNumber }) => taxNumber),
      found.matched.map(({ reference }) => reference),
      found.matched.map(({ message }) => message),
      actor,
      new Date(nowMs),
    ]);
    await record(tx, actor, 'tax_results.import', 'invoices', { invoices: found.matched.length });
    return { changed: found.matched.length };
  });
}

function refused(bad: readonly BadRow[]): GatewayError {
  const named = bad.slice(0, MAX_NAMED);
  const reason = {
    fa: `هیچ سطری اعمال نشد. ${named.map(({ line, problem }) => `سطر ${line}: ${problem.fa}`).join('؛ ')}.`,
    en: `No row was applied. ${named.map(({ line, problem }) => `Line ${line}: ${problem.en}`).join('; ')}.`,
  };
  const detail = { bad_rows: bad.length, lines: named.map(({ line }) => line) };
  return new GatewayError('invalid_request', { param: 'text', reason, detail });
}

function readResults(text: string): { results: TaxResult[]; bad: BadRow[] } {
  const table = readDelimited(text, { maxRows: MAX_ROWS + 1, maxCells: MAX_CELLS });
  if (!table.ok && table.problem !== 'open-quote') throw invalidRequest('text', reasons.tooLong('text', MAX_ROWS));
  const [first, ...rows] = table.ok ? table.rows : [];
  const head = (first?.cells ?? []).map((name) => name.toLowerCase());
  const missing = ['inno', 'state'].filter((name) => !head.includes(name));
  if (missing.length > 0) throw invalidRequest('text', reasons.required(missing[0] ?? 'inno'));
  const results: TaxResult[] = [];
  const bad: BadRow[] = [];
  const seen = new Set<string>();
  for (const { line, cells } of rows) {
    const cell = (name: string) => cells[head.indexOf(name)]?.trim().slice(0, MAX_TEXT) || null;
    const number = readInvoiceNumber(cell('inno') ?? '');
    const state = STATES[(cell('state') ?? '').toLowerCase()];
    const taxNumber = cell('taxid');
    const key = `${number?.year}-${number?.number}`;
    const problem =
      number?.year === undefined
        ? problems.number
        : state === undefined
          ? problems.state
          : taxNumber !== null && !TAX_NUMBER.test(taxNumber)
            ? problems.taxNumber
            : state === 'accepted' && taxNumber === null
              ? problems.noTaxNumber
              : seen.has(key)
                ? problems.twice
                : undefined;
    seen.add(key);
    if (problem) bad.push({ line, problem });
    else if (number?.year !== undefined && state !== undefined) {
      const { year, number: own } = number;
      results.push({
        line,
        year,
        number: own,
        state,
        taxNumber,
        reference: cell('reference'),
        message: cell('message'),
      });
    }
  }
  return { results, bad };
}

async function matchInvoices(
  tx: Queryable,
  results: readonly TaxResult[],
): Promise<{ matched: (TaxResult & { invoiceId: string })[]; bad: BadRow[] }> {
  const rows = await INVOICES_OF_RESULTS.rows(tx, [
    results.map(({ year }) => year),
    results.map(({ number }) => number),
    results.map(({ taxNumber }) => taxNumber),
  ]);
  const found = new Map(rows.map((row) => [row.place, row]));
  const numbers = new Set<string>();
  const matched: (TaxResult & { invoiceId: string })[] = [];
  const bad: BadRow[] = [];
  results.forEach((result, at) => {
    const row = found.get(at + 1);
    const { line, taxNumber, state } = result;
    const isTwice = taxNumber !== null && numbers.has(taxNumber);
    if (taxNumber !== null) numbers.add(taxNumber);
    if (!row) bad.push({ line, problem: problems.unknown });
    else if (row.state === 'accepted' && (state !== 'accepted' || !row.same))
      bad.push({ line, problem: problems.accepted });
    else if (row.used || isTwice) bad.push({ line, problem: problems.taxNumberUsed });
    else matched.push({ ...result, invoiceId: row.id });
  });
  return { matched, bad };
}

/**
 * The exchange rate and the margins, each with its date. Margins have layers: global, per vendor, per model; the most
 * specific one applies. (The margin of an account overrides them all and is applied when a request is priced.)
 */
import type { MarginLayer } from '@dargah/core/catalog-terms.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { ANNOUNCED_TERMS, INSERT_TERM, TERMS_IN_FORCE, type TermRow } from './term-rows.ts';
import type { ExchangeTerms, UsdPrice } from './toman-price.ts';

export type { MarginLayer } from '@dargah/core/catalog-terms.ts';

/** `margin` is that of the global layer. */
export interface PricingTerms extends ExchangeTerms {
  vendors?: ReadonlyMap<string, string>;
  models?: ReadonlyMap<string, string>;
}

/** How a price came about. */
export interface PriceBasis {
  usd: UsdPrice;
  exchangeRate: string;
  margin: string;
  layer: MarginLayer;
}

/** The terms that the YAML file names; they override what the operator set. */
export interface FileTerms {
  exchangeRate: string | undefined;
  margin: string | undefined;
}

export type NewTerm = Pick<TermRow, 'kind' | 'layer' | 'subject' | 'value'> & Partial<Pick<TermRow, 'origin'>>;

/** What is in force, and what is announced. */
export async function readTerms(db: Queryable, nowMs: number): Promise<TermRow[]> {
  const now = new Date(nowMs);
  return [...(await TERMS_IN_FORCE.rows(db, [now])), ...(await ANNOUNCED_TERMS.rows(db, [now]))];
}

/** The moments at which something announced comes into force. */
export function instantsAfter(rows: readonly TermRow[], nowMs: number): number[] {
  const times = rows.map((row) => row.effective_at.getTime()).filter((at) => at > nowMs);
  return [...new Set(times)].sort((a, b) => a - b);
}

export function termsAt(
  rows: readonly TermRow[],
  atMs: number,
  file: FileTerms,
  defaults: ExchangeTerms,
): Required<PricingTerms> {
  const latest = new Map<string, TermRow>();
  // The rows are in the order in which they come into force.
  for (const row of rows)
    if (row.effective_at.getTime() <= atMs) latest.set(`${row.kind} ${row.layer} ${row.subject}`, row);
  const ofAll = (kind: string) => latest.get(`${kind} global `)?.value;
  const layer = (name: MarginLayer) =>
    new Map(
      [...latest.values()].flatMap((row): [string, string][] =>
        row.kind === 'margin' && row.layer === name && row.value !== null ? [[row.subject, row.value]] : [],
      ),
    );
  return {
    exchangeRate: file.exchangeRate ?? ofAll('rate') ?? defaults.exchangeRate,
    margin: file.margin ?? ofAll('margin') ?? defaults.margin,
    vendors: layer('vendor'),
    models: layer('model'),
  };
}

/** The rate and the margins, as the audit log shows them. */
export function tracedTerms({ exchangeRate, margin, vendors, models }: PricingTerms): JsonObject {
  const layers = { global: margin, vendor: Object.fromEntries(vendors ?? []), model: Object.fromEntries(models ?? []) };
  return { exchange_rate: exchangeRate, margin: layers };
}

export function marginFor(
  { margin, vendors, models }: PricingTerms,
  modelId: string,
): Pick<PriceBasis, 'margin' | 'layer'> {
  const ofModel = models?.get(modelId);
  if (ofModel !== undefined) return { margin: ofModel, layer: 'model' };
  const ofVendor = vendors?.get(modelId.slice(0, modelId.indexOf('/')));
  if (ofVendor !== undefined) return { margin: ofVendor, layer: 'vendor' };
  return { margin, layer: 'global' };
}

export async function insertTerms(
  tx: Queryable,
  terms: NewTerm[],
  effectiveAt: Date,
  now: Date,
  randomBytes: RandomBytes,
): Promise<TermRow[]> {
  const rows: TermRow[] = [];
  for (const term of terms) {
    const id = makeId('term', now.getTime(), randomBytes);
    const { kind, layer, subject, value, origin = 'hand' } = term;
    await INSERT_TERM.run(tx, [id, kind, layer, subject, value, origin, effectiveAt, now]);
    rows.push({ id, kind, layer, subject, value, origin, effective_at: effectiveAt, created_at: now });
  }
  return rows;
}

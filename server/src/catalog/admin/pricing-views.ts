/** The exchange rate, the margins and what they would change, as the operator's API shows them. */
import { PRICE_FIELD_NAMES, ratesToText, type UnitTexts } from '../prices/price-fields.ts';
import type { PriceRow } from '../prices/price-rows.ts';
import { termsAt } from '../prices/pricing-terms.ts';
import type { TermRow } from '../prices/term-rows.ts';
import { ratesFromUsd } from '../prices/toman-price.ts';
import type { DatedSources } from '../seed/seed.ts';
import type { PlannedPrice } from '../seed/seed-prices.ts';
import { ratesView } from './views.ts';

export function termsWithSources(rows: TermRow[], now: number, { sources, file }: DatedSources) {
  const { exchangeRate, margin } = termsAt(rows, now, file, sources.terms);
  const isSet = (kind: TermRow['kind']) =>
    rows.some((row) => row.kind === kind && row.layer === 'global' && row.effective_at.getTime() <= now);
  const sourceOf = (inFile: string | undefined, kind: TermRow['kind']) =>
    inFile !== undefined ? 'file' : isSet(kind) ? 'database' : 'default';
  return {
    exchangeRate,
    margin,
    sources: { exchange_rate: sourceOf(file.exchangeRate, 'rate'), margin: sourceOf(file.margin, 'margin') },
  };
}

export function pricingView(rows: TermRow[], now: number, { sources, file }: DatedSources) {
  const { exchangeRate, margin, vendors, models } = termsAt(rows, now, file, sources.terms);
  const rate = rows.findLast(({ kind, effective_at: at }) => kind === 'rate' && at.getTime() <= now);
  return {
    object: 'pricing' as const,
    exchange_rate: exchangeRate,
    exchange_rate_origin: file.exchangeRate === undefined ? (rate?.origin ?? 'default') : 'file',
    exchange_rate_since: file.exchangeRate === undefined ? (rate?.effective_at.toISOString() ?? null) : null,
    margins: [
      { layer: 'global', subject: null, margin },
      ...[...vendors].map(([subject, value]) => ({ layer: 'vendor', subject, margin: value })),
      ...[...models].map(([subject, value]) => ({ layer: 'model', subject, margin: value })),
    ],
    announced: rows.filter(({ effective_at: at }) => at.getTime() > now).map(termView),
  };
}

export function changeView({ model, atMs, before }: PlannedPrice) {
  return {
    model: model.id,
    from: new Date(atMs).toISOString(),
    old: before ? ratesView(before) : null,
    new: ratesView(ratesToText(model.rates)),
    margin: model.basis?.margin ?? null,
    margin_layer: model.basis?.layer ?? null,
    change_percent: before ? percent(before.per_unit, ratesToText(model.rates).per_unit) : null,
  };
}

export function accountChangeView(row: PriceRow, before: string | null, margin: string | null) {
  const own = (value: string | null) =>
    value === null || !row.list || row.exchange_rate === null
      ? { per_unit: row.per_unit, per_request: row.per_request, tiers: row.tiers }
      : ratesToText(ratesFromUsd(row.list, { exchangeRate: row.exchange_rate, margin: value }));
  const [old, next] = [own(before), own(margin)];
  return {
    model: row.model_id,
    from: null,
    old: ratesView(old),
    new: ratesView(next),
    margin: margin ?? row.margin,
    margin_layer: margin === null ? row.margin_layer : 'account',
    change_percent: percent(old.per_unit, next.per_unit),
  };
}

/** Compared by the first price that both have; it helps people to sort and is not for the books. */
function percent(old: UnitTexts, next: UnitTexts): number | null {
  for (const field of PRICE_FIELD_NAMES) {
    const [before, after] = [Number(old[field] ?? 0), next[field]];
    if (after !== undefined && before > 0) return Math.round((Number(after) / before - 1) * 10_000) / 100;
  }
  return null;
}

export function termView(row: TermRow) {
  const { id, kind, layer, subject, value, origin, effective_at: at, created_at: created } = row;
  return {
    id,
    kind,
    layer,
    subject: subject === '' ? null : subject,
    value,
    origin,
    effective_at: at.toISOString(),
    created_at: created.toISOString(),
  };
}

export type PricingView = ReturnType<typeof pricingView>;
export type PriceChangeView = ReturnType<typeof changeView> | ReturnType<typeof accountChangeView>;
export type TermView = ReturnType<typeof termView>;

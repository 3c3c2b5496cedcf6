/** New price versions, only where the price changed. A price the operator set stands until the YAML file names another. */
import { makeShortId } from '../../core/ids.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { ratesFromText, ratesToText, sameRates } from '../prices/price-fields.ts';
import { announcedPrices, currentPrices, INSERT_PRICES, type PriceRow, WITHDRAW_PRICES } from '../prices/price-rows.ts';
import type { DeclaredModel } from './declared.ts';
import type { Managed } from './desired.ts';
import type { SeedTools } from './seed-tools.ts';

/** The prices of the models from a date on. */
export interface Repricing {
  atMs: number;
  models: Managed<DeclaredModel>[];
}

export interface PlannedPrice {
  model: Managed<DeclaredModel>;
  atMs: number;
  /** The price in force until then; undefined for a new model. */
  before: Pick<PriceRow, 'version' | 'source' | 'per_unit' | 'per_request' | 'tiers' | 'terms'> | undefined;
}

export interface PricePlan {
  changes: PlannedPrice[];
  /** Prices that would change if nobody had set them by hand. */
  pinned: PlannedPrice[];
  /** Versions announced by a rate, margin or list that is no longer announced. */
  obsolete: string[];
}

type KnownPrice = Omit<PriceRow, 'seq' | 'created_at'>;

/**
 * `points` are ordered by time, the first one is now. `unpinned` names a model whose price by hand no longer applies.
 * Pure.
 */
export function planPrices(known: readonly PriceRow[], points: Repricing[], unpinned?: string): PricePlan {
  const instants = new Set(points.map(({ atMs }) => atMs));
  const nowMs = points[0]?.atMs ?? 0;
  const isObsolete = (row: PriceRow) =>
    row.source === 'catalog' && row.effective_at.getTime() > nowMs && !instants.has(row.effective_at.getTime());
  const standing = new Map<string, KnownPrice[]>();
  for (const row of known) {
    if (isObsolete(row)) continue;
    const rows = standing.get(row.model_id);
    if (rows) rows.push(row);
    else standing.set(row.model_id, [row]);
  }
  const plan: PricePlan = { changes: [], pinned: [], obsolete: known.filter(isObsolete).map(({ version }) => version) };
  for (const { atMs, models } of points) {
    for (const model of models) {
      const rows = standing.get(model.id) ?? [];
      const before = inForceAt(rows, atMs);
      const isPinned = before?.source === 'operator' && model.managedBy !== 'config' && model.id !== unpinned;
      if (before && isSamePrice(model, before, isPinned)) continue;
      if (isPinned) {
        plan.pinned.push({ model, atMs, before });
        continue;
      }
      plan.changes.push({ model, atMs, before });
      standing.set(model.id, [...rows, asRow(model, atMs)]);
    }
  }
  return plan;
}

/** Rows of one model in the order in which they were made. */
function inForceAt(rows: readonly KnownPrice[], atMs: number): KnownPrice | undefined {
  let found: KnownPrice | undefined;
  for (const row of rows)
    if (row.effective_at.getTime() <= atMs && (!found || row.effective_at >= found.effective_at)) found = row;
  return found;
}

function isSamePrice(model: DeclaredModel, row: KnownPrice, isPinned: boolean): boolean {
  if (!sameRates(model.rates, ratesFromText(row))) return false;
  // A price set by hand was not computed from a rate and a margin, so there are none to compare.
  if (isPinned) return true;
  if (row.source === 'operator') return false;
  const { basis } = model;
  return (
    (basis?.exchangeRate ?? null) === row.exchange_rate &&
    (basis?.margin ?? null) === row.margin &&
    (basis?.layer ?? null) === row.margin_layer
  );
}

function asRow(model: Managed<DeclaredModel>, atMs: number): KnownPrice {
  const { rates, basis } = model;
  const text = ratesToText(rates);
  return {
    version: '',
    model_id: model.id,
    ...text,
    terms: text.terms ?? null,
    per_request: rates.perRequest,
    list: basis?.usd ?? null,
    exchange_rate: basis?.exchangeRate ?? null,
    margin: basis?.margin ?? null,
    margin_layer: basis?.layer ?? null,
    source: model.managedBy,
    effective_at: new Date(atMs),
  };
}

export async function readStandingPrices(db: Queryable, nowMs: number): Promise<PriceRow[]> {
  return [...(await currentPrices(db, nowMs)), ...(await announcedPrices(db, nowMs))];
}

/** Returns how many versions were made. */
export async function seedPrices(
  tx: Queryable,
  points: Repricing[],
  { clock, randomBytes }: Pick<SeedTools, 'clock' | 'randomBytes'>,
  unpinned?: string,
): Promise<number> {
  const now = clock.now();
  const { changes, obsolete } = planPrices(await readStandingPrices(tx, now), points, unpinned);
  const rows = changes.map(({ model, atMs }) => {
    const { effective_at: _, per_request, ...row } = asRow(model, atMs);
    const version = makeShortId('price', now, randomBytes);
    return { ...row, version, per_request: per_request.toString(), effective_ms: atMs };
  });
  await INSERT_PRICES.run(tx, [JSON.stringify(rows), now]);
  await WITHDRAW_PRICES.run(tx, [obsolete, now]);
  return rows.length;
}

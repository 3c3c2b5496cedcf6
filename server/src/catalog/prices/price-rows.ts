/** Every statement on versions of prices. */
import type { MarginLayer } from '@dargah/core/catalog-terms.ts';
import { column, columnsOf, command, orNull, type Queryable, type RowOf, statement } from '../../platform/db/index.ts';
import type { ManagedBy } from '../seed/declared.ts';
import type { RatesText, TierText, UnitTexts } from './price-fields.ts';
import type { TermsText } from './price-terms.ts';
import type { UsdPrice } from './toman-price.ts';

const priceRow = {
  /** The order in which versions were made: of two with one date, the later one counts. */
  seq: column.bigint,
  version: column.text,
  model_id: column.text,
  per_unit: column.jsonOf<UnitTexts>(),
  per_request: column.bigint,
  tiers: column.jsonOf<TierText[]>(),
  terms: orNull(column.jsonOf<TermsText>()),
  /** USD list price; null for a price written in toman, as are the rate and margin. */
  list: orNull(column.jsonOf<UsdPrice>()),
  exchange_rate: orNull(column.text),
  margin: orNull(column.text),
  margin_layer: orNull(column.textOf<MarginLayer>()),
  effective_at: column.timestamp,
  source: column.textOf<ManagedBy>(),
  created_at: column.timestamp,
};
export type PriceRow = RowOf<typeof priceRow>;
const PRICE = columnsOf(priceRow);

const CURRENT_PRICES = statement(
  priceRow,
  `select distinct on (model_id) ${PRICE} from price
   where effective_at <= to_timestamp($1::float8 / 1000) and withdrawn_at is null
   order by model_id, effective_at desc, seq desc`,
);

export function currentPrices(db: Queryable, nowMs: number): Promise<PriceRow[]> {
  return CURRENT_PRICES.rows(db, [nowMs]);
}

const ANNOUNCED_PRICES = statement(
  priceRow,
  `select ${PRICE} from price
   where effective_at > to_timestamp($1::float8 / 1000) and withdrawn_at is null order by effective_at, seq`,
);

export function announcedPrices(db: Queryable, nowMs: number): Promise<PriceRow[]> {
  return ANNOUNCED_PRICES.rows(db, [nowMs]);
}

const PRICES_OF_MODEL = statement(
  priceRow,
  `select ${PRICE} from price where model_id = $1 and withdrawn_at is null
   order by effective_at desc, seq desc limit $2`,
);

export function pricesOf(db: Queryable, modelId: string, limit: number): Promise<PriceRow[]> {
  return PRICES_OF_MODEL.rows(db, [modelId, limit]);
}

const priceChangeRow = {
  ...priceRow,
  /** The price before; null for the first price of a model. */
  before: orNull(column.jsonOf<RatesText>()),
};
export type PriceChangeRow = RowOf<typeof priceChangeRow>;

const PRICE_CHANGES = statement(
  priceChangeRow,
  `select ${PRICE}, before from price
   left join lateral (
     select jsonb_build_object('per_unit', old.per_unit, 'per_request', old.per_request::text, 'tiers', old.tiers,
         'terms', old.terms) as before,
       old.per_unit as old_unit, old.per_request as old_request, old.tiers as old_tiers, old.terms as old_terms
     from price old where old.model_id = price.model_id and old.withdrawn_at is null
       and (old.effective_at, old.seq) < (price.effective_at, price.seq)
     order by old.effective_at desc, old.seq desc limit 1) as earlier on true
   where price.model_id = any($1::text[]) and price.withdrawn_at is null
     and price.effective_at >= to_timestamp($2::float8 / 1000)
     and (before is null or (old_unit, old_request, old_tiers, old_terms)
       is distinct from (price.per_unit, price.per_request, price.tiers, price.terms))
   order by price.effective_at desc, price.seq desc limit $3`,
);

/** Newest first, announced ones included; versions that changed nothing are left out. */
export function selectPriceChanges(
  db: Queryable,
  { models, sinceMs, limit }: { models: readonly string[]; sinceMs: number; limit: number },
): Promise<PriceChangeRow[]> {
  return PRICE_CHANGES.rows(db, [models, sinceMs, limit]);
}

const PRICE_BY_VERSION = statement(priceRow, `select ${PRICE} from price where version = $1`);

/** Finds a version of any age, withdrawn or not, because receipts name it. */
export function priceByVersion(db: Queryable, version: string): Promise<PriceRow | undefined> {
  return PRICE_BY_VERSION.first(db, [version]);
}

export const INSERT_OPERATOR_PRICE = command(
  `insert into price (version, model_id, per_unit, per_request, tiers, effective_at, source, created_at, terms)
   values ($1, $2, $3::jsonb, $4, $5::jsonb, $6, 'operator', $7, $8::jsonb)`,
);
/** Copies a price as one that a later list may replace. */
export const COPY_PRICE = command(
  `insert into price (version, model_id, per_unit, per_request, tiers, terms, effective_at, source, created_at)
   select $2, model_id, per_unit, per_request, tiers, terms, $3, 'catalog', $3 from price where version = $1`,
);
export const WITHDRAW_PRICE = command('update price set withdrawn_at = $2 where version = $1');
const WITHDRAW_LIST_PRICES = command(
  `update price set withdrawn_at = $3 where model_id = $1 and effective_at > $2 and source = 'catalog'
     and withdrawn_at is null`,
);

/** Withdraws prices announced by the list, because a price set by hand holds until it is unpinned. */
export async function withdrawListPrices(tx: Queryable, modelId: string, after: Date, now: Date): Promise<void> {
  await WITHDRAW_LIST_PRICES.run(tx, [modelId, after, now]);
}

export const INSERT_PRICES = command(
  `insert into price (version, model_id, per_unit, per_request, tiers, terms, list, exchange_rate, margin, margin_layer, source,
     effective_at, created_at)
   select version, model_id, per_unit, per_request, tiers, terms, list, exchange_rate, margin, margin_layer, source,
     to_timestamp(effective_ms / 1000), to_timestamp($2::float8 / 1000)
   from jsonb_to_recordset($1::jsonb) as r(version text, model_id text, per_unit jsonb, per_request bigint, tiers jsonb,
     terms jsonb, list jsonb, exchange_rate text, margin text, margin_layer text, source text, effective_ms float8)`,
);
export const WITHDRAW_PRICES = command(
  'update price set withdrawn_at = to_timestamp($2::float8 / 1000) where version = any($1::text[])',
);

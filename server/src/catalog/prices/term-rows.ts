/**
 * Statements on the sources of prices and costs: rates and margins with their dates, lists, and statements of costs.
 */
import type { MarginLayer } from '@dargah/core/catalog-terms.ts';
import { column, columnsOf, command, notNull, orNull, type RowOf, statement } from '../../platform/db/index.ts';
import type { ListedModel } from '../seed/listed-model.ts';
import type { UsdPrice } from './toman-price.ts';

const termRow = {
  id: column.text,
  kind: column.textOf<'rate' | 'margin'>(),
  layer: column.textOf<MarginLayer>(),
  /** Vendor or model; '' for the global layer. */
  subject: column.text,
  /** Null removes a margin. */
  value: orNull(column.text),
  origin: column.text,
  effective_at: column.timestamp,
  created_at: column.timestamp,
};
export type TermRow = RowOf<typeof termRow>;
const TERM = columnsOf(termRow);

export const TERMS_IN_FORCE = statement(
  termRow,
  `select distinct on (kind, layer, subject) ${TERM} from pricing_term
   where effective_at <= $1 and withdrawn_at is null order by kind, layer, subject, effective_at desc, seq desc`,
);
export const ANNOUNCED_TERMS = statement(
  termRow,
  `select ${TERM} from pricing_term where effective_at > $1 and withdrawn_at is null order by effective_at, seq`,
);
export const INSERT_TERM = command(
  `insert into pricing_term (id, kind, layer, subject, value, origin, effective_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
export const WITHDRAW_TERM = command('update pricing_term set withdrawn_at = $2 where id = $1');

/** An announced list counts from its date on, even before a replica has applied it. */
export const LIST_IN_FORCE = statement(
  { models: column.jsonOf<ListedModel[]>() },
  `select models from price_list where state in ('applied', 'announced') and effective_at <= $1
   order by effective_at desc, seq desc limit 1`,
);
export const ANNOUNCED_LISTS = statement(
  { models: column.jsonOf<ListedModel[]>(), effective_at: notNull(column.timestamp) },
  `select models, effective_at from price_list where state = 'announced' and effective_at > $1 order by effective_at, seq`,
);

/**
 * `price` is of a route. `factor` is of a provider, and the names of the route are empty. `list` ends the statement
 * before.
 */
const costStatementRow = {
  id: column.text,
  provider_id: column.text,
  model_id: column.text,
  upstream_model: column.text,
  kind: column.textOf<'price' | 'factor' | 'list'>(),
  currency: orNull(column.textOf<'toman' | 'usd'>()),
  /** Per million units of the currency, as a list price is written. */
  prices: orNull(column.jsonOf<UsdPrice>()),
  factor: orNull(column.text),
  source: column.textOf<'operator' | 'before'>(),
  effective_at: column.timestamp,
  created_at: column.timestamp,
};
export type CostStatementRow = RowOf<typeof costStatementRow>;
const COST = columnsOf(costStatementRow);

export const COSTS_IN_FORCE = statement(
  costStatementRow,
  `select distinct on (provider_id, model_id, upstream_model) ${COST} from route_cost
   where effective_at <= $1 order by provider_id, model_id, upstream_model, effective_at desc, seq desc`,
);
/** Statements about one route or provider, newest first, announced ones included. */
export const COSTS_OF_SUBJECT = statement(
  costStatementRow,
  `select ${COST} from route_cost where provider_id = $1 and model_id = $2 and upstream_model = $3
   order by effective_at desc, seq desc limit $4`,
);
export const COST_COMING_INTO_FORCE = statement(
  {},
  'select from route_cost where effective_at > $1 and effective_at <= $2 limit 1',
);
export const INSERT_COST = command(
  `insert into route_cost (id, provider_id, model_id, upstream_model, kind, currency, prices, factor, source, effective_at,
     created_at)
   values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10, $11)`,
);
export const WRITE_ROUTE_COSTS = command(
  `update route set cost = r.cost, cost_source = r.cost_source
   from jsonb_to_recordset($1::jsonb) as r(model_id text, provider_id text, upstream_model text, cost jsonb, cost_source text)
   where route.model_id = r.model_id and route.provider_id = r.provider_id and route.upstream_model = r.upstream_model`,
);

const rateSourceSettings = {
  url: column.text,
  field: column.text,
  unit: column.textOf<'toman' | 'rial'>(),
  every_minutes: column.int,
  least: column.text,
  most: column.text,
  most_change_percent: column.int,
  stale_hours: column.int,
  stop_when_stale: column.boolean,
};
const rateSourceRow = {
  ...rateSourceSettings,
  tried_at: orNull(column.timestamp),
  ok_at: column.timestamp,
  rate: orNull(column.text),
  problem: orNull(column.text),
};
export type RateSourceSettings = RowOf<typeof rateSourceSettings>;
export type RateSourceRow = RowOf<typeof rateSourceRow>;

export const RATE_SOURCE = statement(rateSourceRow, `select ${columnsOf(rateSourceRow)} from rate_source`);
/** The replica that moves the due date first gets the row. */
export const TAKE_DUE_RATE_SOURCE = statement(
  rateSourceRow,
  `update rate_source set due_at = $1::timestamptz + every_minutes * interval '1 minute' where due_at <= $1
   returning ${columnsOf(rateSourceRow)}`,
);
export const NOTE_RATE_READING = command(
  `update rate_source set tried_at = $1, problem = $2, rate = coalesce($3, rate),
     ok_at = case when $3::text is null then ok_at else $1 end where url = $4`,
);
export const DELETE_RATE_SOURCE = command('delete from rate_source');
export const INSERT_RATE_SOURCE = command(
  `insert into rate_source (url, field, unit, every_minutes, least, most, most_change_percent, stale_hours,
     stop_when_stale, due_at, ok_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
);
export const STOPPING_RATE_SOURCE = statement(
  { ok_at: column.timestamp, stale_hours: column.int },
  'select ok_at, stale_hours from rate_source where stop_when_stale',
);

/**
 * `carried`: the installation had charged somebody before the question existed, so its operator is told to check again.
 */
export type SellingSource = 'person' | 'file' | 'carried';

export interface Selling {
  /** Null when nobody has confirmed yet. */
  source: SellingSource | null;
  rate: string | null;
  margin: string | null;
  by: string | null;
  /** ISO time. */
  at: string | null;
}

export const SELLING = statement(
  { value: column.jsonOf<Selling>() },
  `select value from setting where key = 'selling'`,
);
export const WRITE_SELLING = command(
  `insert into setting (key, value, updated_at) values ('selling', $1::jsonb, $2)
   on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
);
export const CHARGED_DAY = statement({}, 'select from usage_daily where cost > 0 limit 1');

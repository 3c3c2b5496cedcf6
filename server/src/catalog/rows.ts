/** The catalog's tables as rows, and the one read that a snapshot is built from. */
import type { DataPolicy } from '@dargah/core/data-policy.ts';
import type { ProbeId } from '@dargah/core/probes.ts';
import type { ProtocolId } from '../core/chat.ts';
import type { Queryable } from '../platform/db/index.ts';
import type { Quirks } from '../protocols/index.ts';
import type { AuthScheme, ModelKind, Timeouts } from './model.ts';
import type { RatesText, TierText, UnitTexts } from './prices/price-fields.ts';
import type { TermsText } from './prices/price-terms.ts';
import type { MarginLayer } from './prices/pricing-terms.ts';
import { rateStopsAt } from './prices/rate-stop.ts';
import { isConfirmed, readSelling } from './prices/selling.ts';
import type { UsdPrice } from './prices/toman-price.ts';
import type { ManagedBy } from './seed/declared.ts';

export interface ProviderRow {
  id: string;
  vendor: string;
  protocol: ProtocolId;
  base_url: string;
  auth: AuthScheme;
  headers: Record<string, string>;
  quirks: Quirks;
  timeouts: Partial<Timeouts>;
  max_concurrent: number | null;
  transport: 'http' | 'sandbox';
  /** Sealed; null: as the environment of the process says. */
  egress: string | null;
  /** The operator's own statement; null: what is shipped about its vendor. */
  data_policy: DataPolicy | null;
  managed_by: ManagedBy;
  enabled: boolean;
  present: boolean;
  state: RowState | null;
  tested_at: Date | null;
  tested_ok: boolean | null;
  last_used_at: Date | null;
  created_at: Date;
}

export interface CredentialRow {
  id: string;
  provider_id: string;
  sealed: string;
  /** What people call it. */
  label: string | null;
  /** The end of the secret, where that gives nothing away. */
  last4: string | null;
  managed_by: ManagedBy;
  created_at: Date;
}

export interface ModelRow {
  id: string;
  kind: ModelKind;
  name: string;
  name_fa: string | null;
  /** The operator's own words. */
  description_fa: string | null;
  description_en: string | null;
  context: number | null;
  max_output: number | null;
  hidden_tokens_per_second: number | null;
  capabilities: string[];
  categories: string[];
  hedge: boolean;
  simulated: boolean;
  managed_by: ManagedBy;
  enabled: boolean;
  state: RowState | null;
  /** An announced list leaves it out from then on. */
  withdrawn_from: Date | null;
  /** The operator takes it away on that day. */
  retires_at: Date | null;
  /** What its customers should use instead. */
  successor: string | null;
  created_at: Date;
}

export interface RouteRow {
  model_id: string;
  provider_id: string;
  upstream_model: string;
  priority: number;
  weight: number;
  quirks: Quirks;
  cost: RatesText | null;
  cost_source: CostSource | null;
  max_concurrent: number | null;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  state: RowState | null;
  last_used_at: Date | null;
  managed_by: ManagedBy;
}

/** What a route's cost was made from, first that is there: the file, a price said for it, a factor on list prices, the list. */
export type CostSource = 'file' | 'own' | 'factor' | 'list';

/** Where a row stands on its way out; null: it is in use, or off as the version before switches it off. */
export type RowState = 'draining' | 'off' | 'retired';

export interface PriceRow {
  /** The order in which versions were made: of two with one date, the later one counts. */
  seq: bigint;
  version: string;
  model_id: string;
  per_unit: UnitTexts;
  per_request: bigint;
  tiers: TierText[];
  terms: TermsText | null;
  /** USD list price; null for a price written in toman, as are the rate and margin. */
  list: UsdPrice | null;
  exchange_rate: string | null;
  margin: string | null;
  margin_layer: MarginLayer | null;
  effective_at: Date;
  source: ManagedBy;
  created_at: Date;
}

/** The newest result of a route and a probe (conformance/store.ts); those that could not be asked are left out. */
export interface ProvedRow {
  model_id: string;
  route: string;
  probe: ProbeId;
  passed: boolean;
  asked_at: Date;
}

export interface GroupRow {
  id: string;
  name: string;
  name_fa: string | null;
  default_model: string;
  managed_by: ManagedBy;
  models: string[];
}

export interface CatalogRows {
  providers: ProviderRow[];
  credentials: CredentialRow[];
  models: ModelRow[];
  routes: RouteRow[];
  /** Per model the version in force, and those announced for later. */
  prices: PriceRow[];
  groups: GroupRow[];
  proved?: ProvedRow[];
  /** From then on nothing is offered that is priced by an exchange rate: it could not be read for too long. */
  ratesStopAtMs?: number | undefined;
  /** A person or the file has confirmed the rate and the margin that prices are made from. */
  sellingConfirmed?: boolean;
}

export const PROVIDER_COLUMNS = `id, vendor, protocol, base_url, auth, headers, quirks, timeouts, max_concurrent, transport, egress,
  data_policy, managed_by, enabled, present, state, tested_at, tested_ok, last_used_at, created_at`;
export const MODEL_COLUMNS = `id, kind, name, name_fa, context, max_output, hidden_tokens_per_second, capabilities, categories, hedge, simulated,
  managed_by, enabled, state, withdrawn_from, retires_at, successor, description_fa, description_en, created_at`;
export const ROUTE_COLUMNS = `model_id, provider_id, upstream_model, priority, weight, quirks, cost, cost_source, max_concurrent,
  requests_per_minute, tokens_per_minute, state, last_used_at, managed_by`;
const PRICE_COLUMNS =
  'seq, version, model_id, per_unit, per_request, tiers, terms, list, exchange_rate, margin, margin_layer, effective_at, source, created_at';

/** Reads everything in one transaction's view when `db` is one. A few hundred rows: cheaper than any cleverness. */
export async function readCatalogRows(db: Queryable, nowMs: number): Promise<CatalogRows> {
  return {
    providers: await db.query<ProviderRow>(`select ${PROVIDER_COLUMNS} from provider order by id`),
    credentials: await db.query<CredentialRow>(
      'select id, provider_id, sealed, label, last4, managed_by, created_at from provider_credential order by provider_id, id',
    ),
    models: await db.query<ModelRow>(`select ${MODEL_COLUMNS} from model order by id`),
    routes: await db.query<RouteRow>(
      `select ${ROUTE_COLUMNS} from route
       order by model_id, priority, provider_id, upstream_model`,
    ),
    prices: [...(await currentPrices(db, nowMs)), ...(await announcedPrices(db, nowMs))],
    groups: await selectGroups(db),
    proved: await db.query<ProvedRow>(
      `select model_id, route, probe, verdict = 'passed' as passed, asked_at from conformance_result where verdict <> 'unknown'`,
    ),
    ratesStopAtMs: await rateStopsAt(db),
    sellingConfirmed: isConfirmed(await readSelling(db)),
  };
}

export async function currentPrices(db: Queryable, nowMs: number): Promise<PriceRow[]> {
  return db.query<PriceRow>(
    `select distinct on (model_id) ${PRICE_COLUMNS} from price
     where effective_at <= to_timestamp($1::float8 / 1000) and withdrawn_at is null
     order by model_id, effective_at desc, seq desc`,
    [nowMs],
  );
}

export async function announcedPrices(db: Queryable, nowMs: number): Promise<PriceRow[]> {
  return db.query<PriceRow>(
    `select ${PRICE_COLUMNS} from price
     where effective_at > to_timestamp($1::float8 / 1000) and withdrawn_at is null order by effective_at, seq`,
    [nowMs],
  );
}

export async function pricesOf(db: Queryable, modelId: string, limit: number): Promise<PriceRow[]> {
  return db.query<PriceRow>(
    `select ${PRICE_COLUMNS} from price where model_id = $1 and withdrawn_at is null
     order by effective_at desc, seq desc limit $2`,
    [modelId, limit],
  );
}

export interface PriceChangeRow extends PriceRow {
  /** What it was before; null for the first price of a model. */
  before: RatesText | null;
}

/** Newest first, announced ones included; versions that changed nothing are left out. */
export async function selectPriceChanges(
  db: Queryable,
  { models, sinceMs, limit }: { models: readonly string[]; sinceMs: number; limit: number },
): Promise<PriceChangeRow[]> {
  return db.query<PriceChangeRow>(
    `select ${PRICE_COLUMNS}, before from price
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
    [models, sinceMs, limit],
  );
}

/** Of any age, withdrawn or not: what a receipt names. */
export async function priceByVersion(db: Queryable, version: string): Promise<PriceRow | undefined> {
  const [row] = await db.query<PriceRow>(`select ${PRICE_COLUMNS} from price where version = $1`, [version]);
  return row;
}

export async function selectGroups(db: Queryable): Promise<GroupRow[]> {
  return db.query<GroupRow>(
    `select g.id, g.name, g.name_fa, g.default_model, g.managed_by,
       coalesce((select jsonb_agg(m.model_id order by m.model_id) from group_model m where m.group_id = g.id), '[]') as models
     from model_group g order by g.id`,
  );
}

/** The catalog's tables as rows: providers, credentials, models, routes, groups, proved capabilities. */
import type { DataPolicy } from '@dargah/core/data-policy.ts';
import type { ProbeId } from '@dargah/core/probes.ts';
import type { ProtocolId } from '../core/chat.ts';
import { column, columnsOf, orNull, type Queryable, type RowOf, readAs, statement } from '../platform/db/index.ts';
import type { Quirks } from '../protocols/index.ts';
import type { AuthScheme, ModelKind, Timeouts } from './model.ts';
import type { RatesText } from './prices/price-fields.ts';
import type { ManagedBy } from './seed/declared.ts';

/**
 * The source of a route's cost. The first that exists counts: the file, a price stated for the route, a factor on list
 * prices, the list.
 */
export type CostSource = 'file' | 'own' | 'factor' | 'list';

/** The row's state on its way out; null when it is in use, or off as the version before switches it off. */
export type RowState = 'draining' | 'off' | 'retired';

const providerRow = {
  id: column.text,
  vendor: column.text,
  protocol: column.textOf<ProtocolId>(),
  base_url: column.text,
  auth: column.textOf<AuthScheme>(),
  headers: column.jsonOf<Record<string, string>>(),
  quirks: column.jsonOf<Quirks>(),
  timeouts: column.jsonOf<Partial<Timeouts>>(),
  max_concurrent: orNull(column.int),
  transport: column.textOf<'http' | 'sandbox'>(),
  /** Encrypted; null when the environment of the process decides. */
  egress: orNull(column.text),
  /** The operator's own statement; null when what is shipped about its vendor applies. */
  data_policy: orNull(column.jsonOf<DataPolicy>()),
  managed_by: column.textOf<ManagedBy>(),
  enabled: column.boolean,
  present: column.boolean,
  state: orNull(column.textOf<RowState>()),
  tested_at: orNull(column.timestamp),
  tested_ok: orNull(column.boolean),
  last_used_at: orNull(column.timestamp),
  created_at: column.timestamp,
};
export type ProviderRow = RowOf<typeof providerRow>;

const credentialRow = {
  id: column.text,
  provider_id: column.text,
  sealed: column.text,
  /** Its name for people. */
  label: orNull(column.text),
  /** The end of the secret, where it reveals nothing. */
  last4: orNull(column.text),
  managed_by: column.textOf<ManagedBy>(),
  created_at: column.timestamp,
};
export type CredentialRow = RowOf<typeof credentialRow>;

const modelRow = {
  id: column.text,
  kind: column.textOf<ModelKind>(),
  name: column.text,
  name_fa: orNull(column.text),
  context: orNull(column.int),
  max_output: orNull(column.int),
  hidden_tokens_per_second: orNull(column.int),
  capabilities: column.jsonOf<string[]>(),
  categories: column.jsonOf<string[]>(),
  hedge: column.boolean,
  simulated: column.boolean,
  managed_by: column.textOf<ManagedBy>(),
  enabled: column.boolean,
  state: orNull(column.textOf<RowState>()),
  /** An announced list leaves it out from this day on. */
  withdrawn_from: orNull(column.timestamp),
  /** The operator withdraws it on that day. */
  retires_at: orNull(column.timestamp),
  /** What its customers should use instead. */
  successor: orNull(column.text),
  /** The operator's own description. */
  description_fa: orNull(column.text),
  description_en: orNull(column.text),
  created_at: column.timestamp,
};
export type ModelRow = RowOf<typeof modelRow>;

const routeRow = {
  model_id: column.text,
  provider_id: column.text,
  upstream_model: column.text,
  priority: column.int,
  weight: column.int,
  quirks: column.jsonOf<Quirks>(),
  cost: orNull(column.jsonOf<RatesText>()),
  cost_source: orNull(column.textOf<CostSource>()),
  max_concurrent: orNull(column.int),
  requests_per_minute: orNull(column.int),
  tokens_per_minute: orNull(column.int),
  state: orNull(column.textOf<RowState>()),
  last_used_at: orNull(column.timestamp),
  managed_by: column.textOf<ManagedBy>(),
};
export type RouteRow = RowOf<typeof routeRow>;

const groupRow = {
  id: column.text,
  name: column.text,
  name_fa: orNull(column.text),
  default_model: column.text,
  managed_by: column.textOf<ManagedBy>(),
  models: readAs(
    `coalesce((select jsonb_agg(m.model_id order by m.model_id) from group_model m where m.group_id = g.id), '[]')`,
    column.jsonOf<string[]>(),
  ),
};
export type GroupRow = RowOf<typeof groupRow>;

/** The newest result of a route and a probe. */
const provedRow = {
  model_id: column.text,
  route: column.text,
  probe: column.textOf<ProbeId>(),
  passed: readAs(`verdict = 'passed'`, column.boolean),
  asked_at: column.timestamp,
};
export type ProvedRow = RowOf<typeof provedRow>;

const PROVIDER = columnsOf(providerRow);
const MODEL = columnsOf(modelRow);
const ROUTE = columnsOf(routeRow);

export const ALL_PROVIDERS = statement(providerRow, `select ${PROVIDER} from provider order by id`);
export const PROVIDER_BY_ID = statement(providerRow, `select ${PROVIDER} from provider where id = $1`);
export const LOCKED_PROVIDER = statement(providerRow, `${PROVIDER_BY_ID.text} for update`);
const VENDORS = statement({ id: column.text, vendor: column.text }, 'select id, vendor from provider order by id');

/** The vendor of each provider, by the provider's id. */
export async function vendorsByProvider(db: Queryable): Promise<Map<string, string>> {
  return new Map((await VENDORS.rows(db)).map(({ id, vendor }) => [id, vendor]));
}

/** Enabled ones come first. */
export const PROVIDERS_OF_VENDORS = statement(
  { id: column.text, vendor: column.text },
  'select id, vendor from provider where vendor = any($1::text[]) order by enabled desc, id',
);

/** Of one provider, or of all. */
export const PROVIDER_CREDENTIALS = statement(
  credentialRow,
  `select ${columnsOf(credentialRow)} from provider_credential
   where $1::text is null or provider_id = $1 order by provider_id, id`,
);

/** One model, or all of them. */
export const CATALOG_MODELS = statement(
  modelRow,
  `select ${MODEL} from model where $1::text is null or id = $1 order by id`,
);
export const MODEL_BY_ID = statement(modelRow, `select ${MODEL} from model where id = $1`);
export const LOCKED_MODEL = statement(modelRow, `${MODEL_BY_ID.text} for update`);
export const MODELS_BY_IDS = statement(modelRow, `select ${MODEL} from model where id = any($1::text[])`);

/** Of one model, or of all. */
export const CATALOG_ROUTES = statement(
  routeRow,
  `select ${ROUTE} from route
   where $1::text is null or model_id = $1 order by model_id, priority, provider_id, upstream_model`,
);
/** Locked until the change that asked for it is done. */
export const LOCKED_ROUTE = statement(
  routeRow,
  `select ${ROUTE} from route where model_id = $1 and provider_id = $2 and upstream_model = $3 for update`,
);
const vendorOfRouteRow = { ...routeRow, vendor: readAs('provider.vendor', column.text) };
export type RouteOfVendor = RowOf<typeof vendorOfRouteRow>;
export const ROUTES_WITH_VENDORS = statement(
  vendorOfRouteRow,
  `select ${columnsOf(vendorOfRouteRow, 'route')} from route join provider on provider.id = route.provider_id`,
);
/** Models for which the operator has set a route. */
export const MODELS_CHOSEN = statement(
  { model_id: column.text },
  `select distinct model_id from route where managed_by = 'operator'`,
);
const MODELS_WITH_ROUTES = statement(
  { id: column.text },
  'select distinct model_id as id from route where model_id = any($1) order by 1',
);

/** Those of these models that have a route. */
export async function selectModelsWithRoutes(db: Queryable, models: readonly string[]): Promise<string[]> {
  return (await MODELS_WITH_ROUTES.rows(db, [models])).map(({ id }) => id);
}

const GROUPS = statement(groupRow, `select ${columnsOf(groupRow, 'g')} from model_group g order by g.id`);

export function selectGroups(db: Queryable): Promise<GroupRow[]> {
  return GROUPS.rows(db);
}

/** Routes that could not be asked are left out. */
export const PROVED = statement(
  provedRow,
  `select ${columnsOf(provedRow)} from conformance_result where verdict <> 'unknown'`,
);

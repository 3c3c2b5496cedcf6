/** Statements that bring providers, models, routes and groups to what start-up wants, one bulk statement per table. */
import { column, command, orNull, type Queryable, type RowOf, statement } from '../../platform/db/index.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { ratesToText } from '../prices/price-fields.ts';
import { sealEgress } from '../provider-egress.ts';
import type { DeclaredGroup, DeclaredModel, DeclaredProvider } from './declared.ts';
import type { Managed } from './desired.ts';

/** Only the YAML file may overwrite an operator's own row. */
const MAY_WRITE = (table: string) => `${table}.managed_by <> 'operator' or excluded.managed_by = 'config'`;

const SEED_PROVIDERS = command(
  `insert into provider (id, vendor, protocol, base_url, auth, headers, quirks, timeouts, max_concurrent, transport,
     egress, managed_by, data_policy, created_at, updated_at)
   select r.*, to_timestamp($2::float8 / 1000), to_timestamp($2::float8 / 1000)
   from jsonb_to_recordset($1::jsonb) as r(id text, vendor text, protocol text, base_url text, auth text, headers jsonb,
     quirks jsonb, timeouts jsonb, max_concurrent integer, transport text, egress text, managed_by text, data_policy jsonb)
   on conflict (id) do update set vendor = excluded.vendor, protocol = excluded.protocol, base_url = excluded.base_url,
     auth = excluded.auth, headers = excluded.headers, quirks = excluded.quirks, timeouts = excluded.timeouts,
     max_concurrent = excluded.max_concurrent, transport = excluded.transport, egress = excluded.egress, managed_by = excluded.managed_by,
     data_policy = case when excluded.managed_by = 'config' then excluded.data_policy else provider.data_policy end, present = true, updated_at = excluded.updated_at
   where ${MAY_WRITE('provider')}`,
);
const DELETE_PROVIDERS_OF_FILE = command(`delete from provider where managed_by = 'config' and id <> all($1::text[])`);
const MARK_PROVIDERS_ABSENT = command(
  `update provider set present = false where managed_by in ('environment', 'catalog') and id <> all($1::text[])`,
);

export async function seedProviders(
  tx: Queryable,
  providers: Managed<DeclaredProvider>[],
  nowMs: number,
  box: SecretBox,
): Promise<void> {
  const rows = providers.map(({ secrets: _, baseUrl, maxConcurrent, managedBy, egress, dataPolicy, ...rest }) => ({
    ...rest,
    egress: sealEgress(egress, box),
    base_url: baseUrl,
    max_concurrent: maxConcurrent,
    managed_by: managedBy,
    data_policy: dataPolicy ?? null,
  }));
  await SEED_PROVIDERS.run(tx, [JSON.stringify(rows), nowMs]);
  const ids = providers.map((provider) => provider.id);
  await DELETE_PROVIDERS_OF_FILE.run(tx, [ids]);
  // Not deleted: the operator may have routes to it, and its variable may come back.
  await MARK_PROVIDERS_ABSENT.run(tx, [ids]);
}

const SEED_MODELS = command(
  `insert into model (id, kind, name, name_fa, context, max_output, hidden_tokens_per_second, capabilities, categories,
     hedge, simulated, managed_by, created_at, updated_at)
   select r.*, to_timestamp($2::float8 / 1000), to_timestamp($2::float8 / 1000)
   from jsonb_to_recordset($1::jsonb) as r(id text, kind text, name text, name_fa text, context integer,
     max_output integer, hidden_tokens_per_second integer, capabilities jsonb, categories jsonb, hedge boolean, simulated boolean, managed_by text)
   on conflict (id) do update set kind = excluded.kind, name = excluded.name, name_fa = excluded.name_fa,
     context = excluded.context, max_output = excluded.max_output,
     hidden_tokens_per_second = excluded.hidden_tokens_per_second, capabilities = excluded.capabilities,
     categories = excluded.categories, hedge = excluded.hedge, simulated = excluded.simulated,
     managed_by = excluded.managed_by, updated_at = excluded.updated_at
   where ${MAY_WRITE('model')}`,
);
const DELETE_MODELS_OF_FILE = command(`delete from model where managed_by = 'config' and id <> all($1::text[])`);

export async function seedModels(tx: Queryable, models: Managed<DeclaredModel>[], nowMs: number): Promise<void> {
  const rows = models.map((model) => ({
    id: model.id,
    kind: model.kind,
    name: model.name,
    name_fa: model.nameFa ?? null,
    context: model.context ?? null,
    max_output: model.maxOutput ?? null,
    hidden_tokens_per_second: model.hiddenTokensPerSecond ?? null,
    capabilities: model.capabilities,
    categories: model.categories,
    hedge: model.hedge,
    simulated: model.simulated,
    managed_by: model.managedBy,
  }));
  await SEED_MODELS.run(tx, [JSON.stringify(rows), nowMs]);
  // A catalog model that nobody serves any more loses its routes and is therefore not shown; its switch is remembered.
  const ids = models.map((model) => model.id);
  await DELETE_MODELS_OF_FILE.run(tx, [ids]);
}

const SEED_WITHDRAWALS = command(
  `update model set withdrawn_from = wanted.at from (
     select model.id, case when model.managed_by <> 'catalog' then null
       when r.at is not null then to_timestamp(r.at / 1000)
       when model.id <> all($2::text[]) and not model.simulated
         and exists (select 1 from route where route.model_id = model.id and route.managed_by = 'operator')
         and exists (select 1 from price where price.model_id = model.id and price.list is not null)
       then coalesce(model.withdrawn_from, to_timestamp($3::float8 / 1000)) end as at
     from model left join jsonb_to_recordset($1::jsonb) as r(id text, at float8) on r.id = model.id
   ) as wanted where wanted.id = model.id and model.withdrawn_from is distinct from wanted.at`,
);

/**
 * A row that the operator took over stays, whatever lists say. One that the operator chose from a list disappears with
 * the list: its price has no other source, and its route would keep it on sale at the last price.
 */
export async function seedWithdrawals(
  tx: Queryable,
  withdrawals: ReadonlyMap<string, number>,
  models: Managed<DeclaredModel>[],
  nowMs: number,
): Promise<void> {
  await SEED_WITHDRAWALS.run(tx, [
    JSON.stringify([...withdrawals].map(([id, at]) => ({ id, at }))),
    models.map(({ id }) => id),
    nowMs,
  ]);
}

const DELETE_SEEDED_ROUTES = command(`delete from route where managed_by <> 'operator'`);
const SEED_ROUTES = command(
  `insert into route (model_id, provider_id, upstream_model, priority, weight, quirks, cost, cost_source, max_concurrent,
     requests_per_minute, tokens_per_minute, managed_by)
   select r.* from jsonb_to_recordset($1::jsonb) as r(model_id text, provider_id text, upstream_model text,
     priority integer, weight integer, quirks jsonb, cost jsonb, cost_source text, max_concurrent integer,
     requests_per_minute integer, tokens_per_minute integer, managed_by text)
   on conflict (model_id, provider_id, upstream_model) do update set priority = excluded.priority,
     weight = excluded.weight, quirks = excluded.quirks, cost = excluded.cost, cost_source = excluded.cost_source,
     max_concurrent = excluded.max_concurrent, requests_per_minute = excluded.requests_per_minute,
     tokens_per_minute = excluded.tokens_per_minute, state = null, managed_by = excluded.managed_by
   where ${MAY_WRITE('route')}`,
);

export async function seedRoutes(tx: Queryable, models: Managed<DeclaredModel>[]): Promise<void> {
  const rows = models.flatMap((model) =>
    model.routes.map((route) => ({
      model_id: model.id,
      provider_id: route.provider,
      upstream_model: route.model,
      priority: route.priority,
      weight: route.weight,
      quirks: route.quirks,
      cost: route.cost && ratesToText(route.cost),
      cost_source: model.managedBy === 'config' && route.cost ? 'file' : null,
      max_concurrent: route.limits?.maxConcurrent ?? null,
      requests_per_minute: route.limits?.requestsPerMinute ?? null,
      tokens_per_minute: route.limits?.tokensPerMinute ?? null,
      managed_by: model.managedBy,
    })),
  );
  await DELETE_SEEDED_ROUTES.run(tx);
  await SEED_ROUTES.run(tx, [JSON.stringify(rows)]);
}

const DELETE_SEEDED_GROUPS = command(
  `delete from model_group where managed_by <> 'operator' and id <> all($1::text[])`,
);
const SEED_GROUPS = statement(
  { id: column.text },
  `insert into model_group (id, name, name_fa, default_model, managed_by, created_at, updated_at)
   select r.*, to_timestamp($2::float8 / 1000), to_timestamp($2::float8 / 1000)
   from jsonb_to_recordset($1::jsonb) as r(id text, name text, name_fa text, default_model text, managed_by text)
   on conflict (id) do update set name = excluded.name, name_fa = excluded.name_fa,
     default_model = excluded.default_model, managed_by = excluded.managed_by, updated_at = excluded.updated_at
   where ${MAY_WRITE('model_group')} returning id`,
);
const EMPTY_GROUPS = command('delete from group_model where group_id = any($1::text[])');
const FILL_GROUPS = command(
  `insert into group_model (group_id, model_id)
   select distinct r.group_id, r.model_id from jsonb_to_recordset($1::jsonb) as r(group_id text, model_id text)`,
);

export async function seedGroups(tx: Queryable, groups: Managed<DeclaredGroup>[], nowMs: number): Promise<void> {
  const rows = groups.map((group) => ({
    id: group.id,
    name: group.name,
    name_fa: group.nameFa ?? null,
    default_model: group.defaultModel,
    managed_by: group.managedBy,
  }));
  const ids = groups.map((group) => group.id);
  await DELETE_SEEDED_GROUPS.run(tx, [ids]);
  const written = await SEED_GROUPS.rows(tx, [JSON.stringify(rows), nowMs]);
  const owned = new Set(written.map((row) => row.id));
  const members = groups
    .filter((group) => owned.has(group.id))
    .flatMap((group) => group.models.map((model) => ({ group_id: group.id, model_id: model })));
  await EMPTY_GROUPS.run(tx, [[...owned]]);
  await FILL_GROUPS.run(tx, [JSON.stringify(members)]);
}

/** What start-up itself wrote; credentials the operator added are left alone. */
const storedSecretRow = { id: column.text, provider_id: column.text, sealed: column.text };
export type StoredSecret = RowOf<typeof storedSecretRow>;
export const SEEDED_SECRETS = statement(
  storedSecretRow,
  `select id, provider_id, sealed from provider_credential where managed_by <> 'operator' order by provider_id, id`,
);
export const DELETE_SEEDED_SECRETS = command(`delete from provider_credential where managed_by <> 'operator'`);
/** An operator's own provider of the same id keeps only the operator's credentials. */
export const SEED_SECRETS = command(
  `insert into provider_credential (id, provider_id, sealed, last4, managed_by, created_at)
   select r.*, to_timestamp($2::float8 / 1000)
   from jsonb_to_recordset($1::jsonb) as r(id text, provider_id text, sealed text, last4 text, managed_by text)
   join provider p on p.id = r.provider_id and p.managed_by <> 'operator'`,
);

/** Replicas that start together wait for each other. */
export const SEED_LOCK = statement(
  { pg_advisory_xact_lock: column.of<''>('void') },
  'select pg_advisory_xact_lock(742919341)',
);
export const SEEDED_HASH = statement(
  { hash: orNull(column.text) },
  `select value ->> 'hash' as hash from setting where key = 'catalog_seed'`,
);
export const WRITE_SEEDED_HASH = command(
  `insert into setting (key, value, updated_at) values ('catalog_seed', $1::jsonb, to_timestamp($2::float8 / 1000))
   on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
);

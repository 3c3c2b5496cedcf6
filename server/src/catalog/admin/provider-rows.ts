/** Statements by which operators change providers, their secrets and groups. */
import type { DataPolicy } from '@dargah/core/data-policy.ts';
import { command, type Queryable } from '../../platform/db/index.ts';
import type { DeclaredGroup, DeclaredProvider } from '../seed/declared.ts';

function values(provider: DeclaredProvider): unknown[] {
  const { id, vendor, protocol, baseUrl, auth, headers, quirks, timeouts, maxConcurrent } = provider;
  const json = [headers, quirks, timeouts].map((value) => JSON.stringify(value));
  return [id, vendor, protocol, baseUrl, auth, ...json, maxConcurrent];
}

const INSERT_PROVIDER = command(
  `insert into provider (id, vendor, protocol, base_url, auth, headers, quirks, timeouts, max_concurrent, managed_by,
     enabled, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8::jsonb, $9, 'operator', $10, $11, $11)`,
);

export async function insertProvider(
  tx: Queryable,
  provider: DeclaredProvider,
  enabled: boolean,
  now: Date,
): Promise<void> {
  await INSERT_PROVIDER.run(tx, [...values(provider), enabled, now]);
}

const UPDATE_PROVIDER = command(
  `update provider set vendor = $2, protocol = $3, base_url = $4, auth = $5, headers = $6::jsonb, quirks = $7::jsonb,
     timeouts = $8::jsonb, max_concurrent = $9, updated_at = $10 where id = $1`,
);

export async function updateProviderRow(tx: Queryable, provider: DeclaredProvider, now: Date): Promise<void> {
  await UPDATE_PROVIDER.run(tx, [...values(provider), now]);
}

const WRITE_POLICY = command('update provider set data_policy = $2::jsonb, updated_at = $3 where id = $1');

export async function writePolicy(tx: Queryable, id: string, policy: DataPolicy | null, now: Date): Promise<void> {
  await WRITE_POLICY.run(tx, [id, policy === null ? null : JSON.stringify(policy), now]);
}

export const SWITCH_PROVIDER = command('update provider set enabled = $2, state = $3, updated_at = $4 where id = $1');
export const SET_PROVIDER_EGRESS = command('update provider set egress = $2 where id = $1');
export const NOTE_PROVIDER_TEST = command('update provider set tested_at = $2, tested_ok = $3 where id = $1');
export const DELETE_PROVIDER = command('delete from provider where id = $1');
export const NOTE_PROVIDER_USE = command(
  `update provider set last_used_at = $2 where (last_used_at is null or last_used_at < $3)
     and id in (select r.provider from jsonb_to_recordset($1::jsonb) as r(provider text))`,
);
export const NOTE_ROUTE_USE = command(
  `update route set last_used_at = $2 where (last_used_at is null or last_used_at < $3) and exists (
     select 1 from jsonb_to_recordset($1::jsonb) as r(provider text, upstream text)
     where r.provider = route.provider_id and r.upstream = route.upstream_model)`,
);

export const INSERT_CREDENTIAL = command(
  `insert into provider_credential (id, provider_id, sealed, label, last4, managed_by, created_at)
   values ($1, $2, $3, $4, $5, 'operator', $6)`,
);
export const DELETE_CREDENTIAL = command('delete from provider_credential where id = $1');

const WRITE_GROUP = command(
  `insert into model_group (id, name, name_fa, default_model, managed_by, created_at, updated_at)
   values ($1, $2, $3, $4, 'operator', $5, $5)
   on conflict (id) do update set name = excluded.name, name_fa = excluded.name_fa,
     default_model = excluded.default_model, managed_by = 'operator', updated_at = excluded.updated_at`,
);
const EMPTY_GROUP = command('delete from group_model where group_id = $1');
const FILL_GROUP = command('insert into group_model (group_id, model_id) select distinct $1, unnest($2::text[])');

export async function writeGroup(tx: Queryable, group: DeclaredGroup, now: Date): Promise<void> {
  const { id, name, nameFa, defaultModel, models } = group;
  await WRITE_GROUP.run(tx, [id, name, nameFa ?? null, defaultModel, now]);
  await EMPTY_GROUP.run(tx, [id]);
  await FILL_GROUP.run(tx, [id, models]);
}

export const DELETE_GROUP = command('delete from model_group where id = $1');

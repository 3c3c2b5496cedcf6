/** Providers and their secrets, as operators change them. */

import { isSignedScheme } from '@dargah/core/catalog-terms.ts';
import { CLOUD_FIELDS } from '@dargah/core/cloud-fields.ts';
import type { DataPolicy } from '@dargah/core/data-policy.ts';
import type { Text } from '@dargah/core/text.ts';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { makeId } from '../../core/ids.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { difference } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { readDataPolicy } from '../data-policy.ts';
import { egressInput, openEgress, sealEgress } from '../provider-egress.ts';
import { checkedCredential, type Fields, mistakes, readProviders } from '../reading/index.ts';
import { catalogReasons } from '../reasons.ts';
import { type CredentialRow, PROVIDER_COLUMNS, type ProviderRow } from '../rows.ts';
import type { DeclaredProvider } from '../seed/declared.ts';
import { lastFour } from '../seed/seed-credentials.ts';
import {
  type AdminTools,
  change,
  notFound,
  readBody,
  refuseConfigManaged,
  refuseUnlessOperators,
  takeEnabled,
} from './change.ts';
import { nextState, refuseUsedProvider, stateOf, takeState, tracedState } from './states.ts';
import { type ProviderView, providerInput, providerView } from './views.ts';

export interface ProviderAdmin {
  list(): Promise<ProviderView[]>;
  get(id: string): Promise<ProviderView>;
  /** Fields of a YAML provider, with `api_key` or `api_keys` in clear. */
  create(body: Json, actor: string): Promise<ProviderView>;
  /** Fields to change. `enabled` may be changed for every provider that is not from the file; the rest only for the operator's own. */
  update(id: string, patch: Json, actor: string): Promise<ProviderView>;
  remove(id: string, actor: string): Promise<void>;
  addCredential(
    id: string,
    input: { secret: string; label?: string | undefined },
    actor: string,
  ): Promise<{ id: string }>;
  removeCredential(id: string, credentialId: string, actor: string): Promise<void>;
  /** How a step-by-step trial went, for everybody who looks later. */
  tested(id: string, ok: boolean): Promise<void>;
  /** Requests went to these lately; routes by the provider's name of the model. To be called again and again. */
  used(targets: readonly { provider: string; upstream: string }[]): Promise<void>;
}

const MAX_SECRET_CHARACTERS = 4096;

export function createProviderAdmin(tools: AdminTools): ProviderAdmin {
  const { db } = tools;
  const view = async (id: string) => {
    const row = await find(db, id);
    return providerView(row, await credentialsOf(db, id), tools.secrets);
  };
  return {
    async list() {
      const rows = await db.query<ProviderRow>(`select ${PROVIDER_COLUMNS} from provider order by id`);
      const credentials = await credentialsOf(db, null);
      return rows.map((row) =>
        providerView(
          row,
          credentials.filter((one) => one.provider_id === row.id),
          tools.secrets,
        ),
      );
    },
    get: view,
    async create(body, actor) {
      const { enabled, rest } = takeEnabled(body);
      const provider = readBody(rest, readOne);
      await change(tools, { actor, action: 'provider.create', subject: provider.id }, async (tx, now) => {
        await insert(tx, provider, enabled ?? true, now);
        await writeEgress(tx, provider, tools);
        if (provider.dataPolicy) await writePolicy(tx, provider.id, provider.dataPolicy, now);
        for (const secret of provider.secrets) await insertCredential(tx, provider.id, { secret }, now, tools);
      });
      return view(provider.id);
    },
    async update(id, patch, actor) {
      await updateProvider(tools, id, patch, actor);
      return view(id);
    },
    async remove(id, actor) {
      await change(tools, { actor, action: 'provider.delete', subject: id }, async (tx) => {
        refuseUnlessOperators(await find(tx, id, true));
        await refuseUsedProvider(tx, id);
        await tx.query('delete from provider where id = $1', [id]);
      });
    },
    async addCredential(id, { secret, label }, actor) {
      return change(tools, { actor, action: 'credential.add', subject: id }, async (tx, now) => {
        const row = await find(tx, id, true);
        refuseConfigManaged(row);
        return { id: await insertCredential(tx, id, { secret: checkedSecret(row, secret), label }, now, tools) };
      });
    },
    async removeCredential(id, credentialId, actor) {
      const detail = { credential: credentialId };
      await change(tools, { actor, action: 'credential.remove', subject: id, detail }, async (tx) => {
        const credential = (await credentialsOf(tx, id)).find((one) => one.id === credentialId);
        if (!credential) throw notFound('credential', credentialId);
        refuseUnlessOperators(credential);
        await tx.query('delete from provider_credential where id = $1', [credentialId]);
      });
    },
    tested: async (id, ok) =>
      void (await db.query('update provider set tested_at = $2, tested_ok = $3 where id = $1', [
        id,
        new Date(tools.clock.now()),
        ok,
      ])),
    used: (targets) => noteUse(tools, targets),
  };
}

function sentence({ fa, en }: Text): Text {
  return reasons.ofField('secret', { fa: `${fa}.`, en: `${en}.` });
}

function checkedSecret({ auth }: ProviderRow, secret: string): string {
  if (isSignedScheme(auth) && secret.length <= MAX_SECRET_CHARACTERS) {
    const kept = checkedCredential(auth, secret);
    if (kept === undefined) throw invalidRequest('secret', sentence(mistakes.credential[auth]));
    return kept;
  }
  if (secret.trim() === '' || secret.length > MAX_SECRET_CHARACTERS || /[^\x20-\x7e]/.test(secret))
    throw invalidRequest('secret', reasons.mustBe('secret', expected.plainTextBetween(1, MAX_SECRET_CHARACTERS)));
  return secret;
}

async function updateProvider(tools: AdminTools, id: string, patch: Json, actor: string): Promise<void> {
  const { wanted, rest: given } = takeState(patch);
  const { stated, rest } = takePolicy(given);
  await change(
    tools,
    { actor, action: 'provider.update', subject: id, detail: { fields: Object.keys(patch as JsonObject) } },
    async (tx, now, note) => {
      const row = await find(tx, id, true);
      refuseConfigManaged(row);
      if (wanted !== undefined) {
        // What start-up made would be there again with its variable: off is all that a person can decide.
        if (wanted === 'retired') refuseUnlessOperators(row);
        const state = nextState(stateOf(row), wanted);
        await tx.query('update provider set enabled = $2, state = $3, updated_at = $4 where id = $1', [
          id,
          state === null,
          state,
          now,
        ]);
      }
      if (stated !== undefined) await writePolicy(tx, id, stated, now);
      if (Object.keys(rest).length === 0) return note(difference(traced(row), traced(await find(tx, id))));
      refuseUnlessOperators(row);
      refuseSecrets(rest);
      const kept = egressInput(openEgress(row.egress, tools.secrets));
      const provider = readBody({ ...inputBeside(row, rest), ...kept, ...rest, id }, readOne);
      await write(tx, provider, now);
      await writeEgress(tx, provider, tools);
      note(difference(traced(row), traced(await find(tx, id))));
    },
  );
}

/** A new place in a cloud is a new address. */
function inputBeside(row: ProviderRow, patch: JsonObject): JsonObject {
  const { data_policy: _, base_url: url, ...rest } = providerInput(row);
  return CLOUD_FIELDS.some((name) => patch[name] !== undefined) ? rest : { ...rest, base_url: url };
}

/** What a provider does with data is the operator's to say, also of one that start-up made; null: as its vendor publishes. */
function takePolicy(patch: JsonObject): { stated: DataPolicy | null | undefined; rest: JsonObject } {
  const { data_policy: given, ...rest } = patch;
  if (given === undefined) return { stated: undefined, rest };
  if (given === null) return { stated: null, rest };
  const { policy } = readBody({ data_policy: given }, (fields) => ({ policy: readDataPolicy(fields) }));
  return { stated: policy, rest };
}

async function writePolicy(tx: Queryable, id: string, policy: DataPolicy | null, now: Date): Promise<void> {
  const text = policy === null ? null : JSON.stringify(policy);
  await tx.query('update provider set data_policy = $2::jsonb, updated_at = $3 where id = $1', [id, text, now]);
}

/** Once an hour is enough: it tells whether a thing was ever used, and about when. */
async function noteUse(
  { db, clock }: AdminTools,
  targets: readonly { provider: string; upstream: string }[],
): Promise<void> {
  if (targets.length === 0) return;
  const now = new Date(clock.now());
  const values = [JSON.stringify(targets), now, new Date(now.getTime() - HOUR_MS)];
  await db.query(
    `update provider set last_used_at = $2 where (last_used_at is null or last_used_at < $3)
       and id in (select r.provider from jsonb_to_recordset($1::jsonb) as r(provider text))`,
    values,
  );
  await db.query(
    `update route set last_used_at = $2 where (last_used_at is null or last_used_at < $3) and exists (
       select 1 from jsonb_to_recordset($1::jsonb) as r(provider text, upstream text)
       where r.provider = route.provider_id and r.upstream = route.upstream_model)`,
    values,
  );
}

/** What of a provider the audit log shows. Headers may carry secrets. */
function traced(row: ProviderRow): JsonObject {
  const { headers: _headers, ...shown } = providerInput(row);
  return { ...tracedState(row), ...shown };
}

function readOne(fields: Fields): DeclaredProvider | undefined {
  return readProviders([fields], {})[0];
}

/** Secrets come and go one by one, so that replacing one never leaves a provider without. */
function refuseSecrets(patch: JsonObject): void {
  const field = ['api_key', 'api_keys'].find((name) => patch[name] !== undefined);
  if (field !== undefined) throw invalidRequest(field, catalogReasons.credentialsOnTheirOwn);
}

async function find(db: Queryable, id: string, lock = false): Promise<ProviderRow> {
  const [row] = await db.query<ProviderRow>(
    `select ${PROVIDER_COLUMNS} from provider where id = $1 ${lock ? 'for update' : ''}`,
    [id],
  );
  if (!row) throw notFound('provider', id);
  return row;
}

async function credentialsOf(db: Queryable, providerId: string | null): Promise<CredentialRow[]> {
  return db.query<CredentialRow>(
    `select id, provider_id, sealed, label, last4, managed_by, created_at from provider_credential
     where $1::text is null or provider_id = $1 order by provider_id, id`,
    [providerId],
  );
}

function values(provider: DeclaredProvider): unknown[] {
  const { id, vendor, protocol, baseUrl, auth, headers, quirks, timeouts, maxConcurrent } = provider;
  const json = [headers, quirks, timeouts].map((value) => JSON.stringify(value));
  return [id, vendor, protocol, baseUrl, auth, ...json, maxConcurrent];
}

async function insert(tx: Queryable, provider: DeclaredProvider, enabled: boolean, now: Date): Promise<void> {
  await tx.query(
    `insert into provider (id, vendor, protocol, base_url, auth, headers, quirks, timeouts, max_concurrent, managed_by,
       enabled, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8::jsonb, $9, 'operator', $10, $11, $11)`,
    [...values(provider), enabled, now],
  );
}

async function write(tx: Queryable, provider: DeclaredProvider, now: Date): Promise<void> {
  await tx.query(
    `update provider set vendor = $2, protocol = $3, base_url = $4, auth = $5, headers = $6::jsonb, quirks = $7::jsonb,
       timeouts = $8::jsonb, max_concurrent = $9, updated_at = $10 where id = $1`,
    [...values(provider), now],
  );
}

async function writeEgress(tx: Queryable, { id, egress }: DeclaredProvider, { secrets }: AdminTools): Promise<void> {
  await tx.query('update provider set egress = $2 where id = $1', [id, sealEgress(egress, secrets)]);
}

async function insertCredential(
  tx: Queryable,
  providerId: string,
  { secret, label }: { secret: string; label?: string | undefined },
  now: Date,
  tools: AdminTools,
): Promise<string> {
  const id = makeId('cred', now.getTime(), tools.randomBytes);
  await tx.query(
    `insert into provider_credential (id, provider_id, sealed, label, last4, managed_by, created_at)
     values ($1, $2, $3, $4, $5, 'operator', $6)`,
    [id, providerId, tools.secrets.seal(secret), label ?? null, lastFour(secret), now],
  );
  return id;
}

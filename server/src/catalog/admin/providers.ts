/** How operators change providers and their secrets. */

import { isSignedScheme } from '@dargah/core/catalog-terms.ts';
import { CLOUD_FIELDS } from '@dargah/core/cloud-fields.ts';
import type { DataPolicy } from '@dargah/core/data-policy.ts';
import type { Text } from '@dargah/core/text.ts';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { makeShortId } from '../../core/ids.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { difference } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import {
  ALL_PROVIDERS,
  LOCKED_PROVIDER,
  PROVIDER_BY_ID,
  PROVIDER_CREDENTIALS,
  type ProviderRow,
} from '../catalog-rows.ts';
import { readDataPolicy } from '../data-policy.ts';
import { egressInput, openEgress, sealEgress } from '../provider-egress.ts';
import { checkedCredential, type Fields, mistakes, readProviders } from '../reading/index.ts';
import { catalogReasons } from '../reasons.ts';
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
import * as rows from './provider-rows.ts';
import { nextState, refuseUsedProvider, stateOf, takeState, tracedState } from './states.ts';
import { type ProviderView, providerInput, providerView } from './views.ts';

export interface ProviderAdmin {
  list(): Promise<ProviderView[]>;
  get(id: string): Promise<ProviderView>;
  /** The body has the fields of a YAML provider, with `api_key` or `api_keys` in clear text. */
  create(body: Json, actor: string): Promise<ProviderView>;
  /**
   * The body has fields to change. `enabled` may be changed for every provider that is not from the file; the rest only
   * for the operator's own.
   */
  update(id: string, patch: Json, actor: string): Promise<ProviderView>;
  remove(id: string, actor: string): Promise<void>;
  addCredential(
    id: string,
    input: { secret: string; label?: string | undefined },
    actor: string,
  ): Promise<{ id: string }>;
  removeCredential(id: string, credentialId: string, actor: string): Promise<void>;
  /** Records how a step-by-step test went, for everybody who looks later. */
  tested(id: string, ok: boolean): Promise<void>;
  /** Records recent use; routes are named by the provider's name of the model. Called at intervals. */
  used(targets: readonly { provider: string; upstream: string }[]): Promise<void>;
}

const MAX_SECRET_CHARACTERS = 4096;

export function createProviderAdmin(tools: AdminTools): ProviderAdmin {
  const { db } = tools;
  const view = async (id: string) => {
    const row = await find(db, id);
    return providerView(row, await PROVIDER_CREDENTIALS.rows(db, [id]), tools.secrets);
  };
  return {
    async list() {
      const providers = await ALL_PROVIDERS.rows(db);
      const credentials = await PROVIDER_CREDENTIALS.rows(db, [null]);
      return providers.map((row) =>
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
        await rows.insertProvider(tx, provider, enabled ?? true, now);
        await writeEgress(tx, provider, tools);
        if (provider.dataPolicy) await rows.writePolicy(tx, provider.id, provider.dataPolicy, now);
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
        await rows.DELETE_PROVIDER.run(tx, [id]);
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
        const credential = (await PROVIDER_CREDENTIALS.rows(tx, [id])).find((one) => one.id === credentialId);
        if (!credential) throw notFound('credential', credentialId);
        refuseUnlessOperators(credential);
        await rows.DELETE_CREDENTIAL.run(tx, [credentialId]);
      });
    },
    tested: (id, ok) => rows.NOTE_PROVIDER_TEST.run(db, [id, new Date(tools.clock.now()), ok]),
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
        // What start-up made would come back with its variable, so a person can only switch it off.
        if (wanted === 'retired') refuseUnlessOperators(row);
        const state = nextState(stateOf(row), wanted);
        await rows.SWITCH_PROVIDER.run(tx, [id, state === null, state, now]);
      }
      if (stated !== undefined) await rows.writePolicy(tx, id, stated, now);
      if (Object.keys(rest).length === 0) return note(difference(traced(row), traced(await find(tx, id))));
      refuseUnlessOperators(row);
      refuseSecrets(rest);
      const kept = egressInput(openEgress(row.egress, tools.secrets));
      const provider = readBody({ ...inputBeside(row, rest), ...kept, ...rest, id }, readOne);
      await rows.updateProviderRow(tx, provider, now);
      await writeEgress(tx, provider, tools);
      note(difference(traced(row), traced(await find(tx, id))));
    },
  );
}

/** A new region of a cloud is a new address. */
function inputBeside(row: ProviderRow, patch: JsonObject): JsonObject {
  const { data_policy: _, base_url: url, ...rest } = providerInput(row);
  return CLOUD_FIELDS.some((name) => patch[name] !== undefined) ? rest : { ...rest, base_url: url };
}

/**
 * The operator may state the data policy of any provider, also of one that start-up made; null restores what its vendor
 * publishes.
 */
function takePolicy(patch: JsonObject): { stated: DataPolicy | null | undefined; rest: JsonObject } {
  const { data_policy: given, ...rest } = patch;
  if (given === undefined) return { stated: undefined, rest };
  if (given === null) return { stated: null, rest };
  const { policy } = readBody({ data_policy: given }, (fields) => ({ policy: readDataPolicy(fields) }));
  return { stated: policy, rest };
}

/** Recorded once an hour, which is enough to tell whether something was ever used, and about when. */
async function noteUse(
  { db, clock }: AdminTools,
  targets: readonly { provider: string; upstream: string }[],
): Promise<void> {
  if (targets.length === 0) return;
  const now = new Date(clock.now());
  const values = [JSON.stringify(targets), now, new Date(now.getTime() - HOUR_MS)];
  await rows.NOTE_PROVIDER_USE.run(db, values);
  await rows.NOTE_ROUTE_USE.run(db, values);
}

/** The fields of a provider that the audit log shows. Headers are left out, because they may carry secrets. */
function traced(row: ProviderRow): JsonObject {
  const { headers: _headers, ...shown } = providerInput(row);
  return { ...tracedState(row), ...shown };
}

function readOne(fields: Fields): DeclaredProvider | undefined {
  return readProviders([fields], {})[0];
}

/** Secrets are added and removed one by one, so that replacing one never leaves a provider without. */
function refuseSecrets(patch: JsonObject): void {
  const field = ['api_key', 'api_keys'].find((name) => patch[name] !== undefined);
  if (field !== undefined) throw invalidRequest(field, catalogReasons.credentialsOnTheirOwn);
}

async function find(db: Queryable, id: string, lock = false): Promise<ProviderRow> {
  const row = await (lock ? LOCKED_PROVIDER : PROVIDER_BY_ID).first(db, [id]);
  if (!row) throw notFound('provider', id);
  return row;
}

async function writeEgress(tx: Queryable, { id, egress }: DeclaredProvider, { secrets }: AdminTools): Promise<void> {
  await rows.SET_PROVIDER_EGRESS.run(tx, [id, sealEgress(egress, secrets)]);
}

async function insertCredential(
  tx: Queryable,
  providerId: string,
  { secret, label }: { secret: string; label?: string | undefined },
  now: Date,
  tools: AdminTools,
): Promise<string> {
  const id = makeShortId('cred', now.getTime(), tools.randomBytes);
  const values = [id, providerId, tools.secrets.seal(secret), label ?? null, lastFour(secret), now];
  await rows.INSERT_CREDENTIAL.run(tx, values);
  return id;
}

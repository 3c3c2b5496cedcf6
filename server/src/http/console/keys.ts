/** `/api/console/keys`: the account's own keys. A foreign key is answered as not found. */

import { RESOURCES } from '@dargah/api/access.ts';
import { page } from '@dargah/api/building-blocks.ts';
import {
  changeKey,
  createKey,
  endOverlap,
  getKey,
  getKeySpend,
  listKeys,
  pauseKey,
  resumeKey,
  revokeKey,
  rotateKey,
} from '@dargah/api/console/keys.ts';
import { createManagementKey, listManagementKeys, revokeManagementKey } from '@dargah/api/console/management-keys.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import { PROMPT_LOGGING_FIELDS } from '@dargah/core/fields/index.ts';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { AccountService } from '../../accounts/index.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { type ApiKey, type KeyService, noSuch, type PromptLogging, renderKeyRules } from '../../keys/index.ts';
import { keyMakerOf, type ManagementKey, namesOfMakers, type People } from '../../people/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { PublicSite } from '../public-site.ts';
import { httpReasons } from '../reasons.ts';
import type { Register } from '../routes/register.ts';
import type { Spending } from '../spending.ts';

export interface ConsoleKeyServices {
  db: Queryable;
  people: People;
  site: PublicSite;
  keys: KeyService;
  accounts: AccountService;
  spending: Spending;
  lastUsed(accountId: string): Promise<ReadonlyMap<string, string>>;
}

const DEFAULT_OVERLAP_HOURS = 24;

export function keyRoutes(register: Register, services: ConsoleKeyServices): void {
  const { db, keys, accounts, spending, lastUsed } = services;
  const own = async (accountId: string, id: string): Promise<ApiKey> => ownKey(keys, accountId, id);
  const shownKeys = async (accountId: string, listed: readonly ApiKey[]) => {
    const used = await lastUsed(accountId);
    const makers = listed.map(({ createdBy }) => createdBy);
    const names = await namesOfMakers(db, accountId, makers);
    return listed.map((key) => consoleKeyView(key, used, names));
  };
  const shown = async (key: ApiKey) => (await shownKeys(key.accountId, [key]))[0] ?? consoleKeyView(key);
  register(listKeys, async ({ who, query }) => {
    const { items, next } = await keys.list(who.accountId, query);
    return page(await shownKeys(who.accountId, items), next);
  });
  register(createKey, async ({ who, body, actor }) => {
    const { name, rules, log_prompts: logPrompts } = body;
    const input = {
      accountId: who.accountId,
      name,
      ...(rules === undefined ? {} : { rules: rules as Json }),
      ...(logPrompts === undefined ? {} : { logPrompts: promptLogging(logPrompts) }),
    };
    const { key, text } = await keys.create(input, actor);
    return { ...(await shown(key)), key: text };
  });
  register(getKey, async ({ who, params }) => shown(await own(who.accountId, params.id)));
  register(getKeySpend, async ({ who, params }) => {
    const key = await own(who.accountId, params.id);
    const { calendar } = await accounts.get(who.accountId);
    const spend = await spending.periods(who.accountId, 'key', key.id, key.rules.caps, calendar);
    return { object: 'spend', key_id: key.id, spend };
  });
  register(changeKey, async ({ who, params, body, actor }) => {
    const key = await own(who.accountId, params.id);
    refusePlayground(key);
    const { name, rules, log_prompts: logPrompts } = body;
    const patch = {
      ...(name === undefined ? {} : { name }),
      ...(rules === undefined ? {} : { rules: rules as Json }),
      ...(logPrompts === undefined ? {} : { logPrompts: promptLogging(logPrompts) }),
    };
    return shown(await keys.update(key.id, patch, actor));
  });
  register(pauseKey, async ({ who, params, actor }) =>
    shown(await keys.pause((await own(who.accountId, params.id)).id, true, actor)),
  );
  register(resumeKey, async ({ who, params, actor }) =>
    shown(await keys.pause((await own(who.accountId, params.id)).id, false, actor)),
  );
  register(revokeKey, async ({ who, params, actor }) => {
    const key = await own(who.accountId, params.id);
    refusePlayground(key);
    return shown(await keys.revoke(key.id, actor));
  });
  register(rotateKey, async ({ who, params, body, actor }) => {
    const key = await own(who.accountId, params.id);
    refusePlayground(key);
    const overlapMs = (body.overlap_hours ?? DEFAULT_OVERLAP_HOURS) * HOUR_MS;
    const { key: rotated, text } = await keys.rotate(key.id, actor, overlapMs);
    return { ...(await shown(rotated)), key: text };
  });
  register(endOverlap, async ({ who, params, actor }) =>
    shown(await keys.endOverlap((await own(who.accountId, params.id)).id, actor)),
  );
  managementKeyRoutes(register, services);
}

function managementKeyRoutes(register: Register, { people, site }: ConsoleKeyServices): void {
  const { managementKeys, wayInChanges } = people;
  register(listManagementKeys, async ({ who }) => page((await managementKeys.list(who.accountId)).map(managementView)));
  register(createManagementKey, async ({ who, body, actor }) => {
    const input = {
      name: body.name,
      resources: body.resources,
      ips: body.ips ?? null,
      expiresAt: body.expires_at ?? null,
    };
    const allowed = RESOURCES.filter((resource) => resource !== 'management_keys');
    const create = () => managementKeys.create(who.accountId, input, allowed, actor);
    // Only a person with a session comes here.
    const { key, text } = await wayInChanges.told(who.personId ?? '', 'management-key-made', site().origin, create);
    return { ...managementView(key), key: text };
  });
  register(revokeManagementKey, async ({ who, params, actor }) =>
    managementView(await managementKeys.revoke(who.accountId, params.id, actor)),
  );
}

export async function ownKey(keys: KeyService, accountId: string, id: string): Promise<ApiKey> {
  const key = await keys.get(id).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code === 'not_found') return undefined;
    throw error;
  });
  return key?.accountId === accountId ? key : noSuch('key', id);
}

/** The rules of the playground's key can only be changed through the playground. */
function refusePlayground({ purpose }: ApiKey): void {
  if (purpose !== 'playground') return;
  throw new GatewayError('conflict', {
    reason: httpReasons.playgroundKey,
  });
}

interface LoggingInput {
  enabled: boolean;
  days?: number;
}

export function promptLogging(input: LoggingInput): PromptLogging;
export function promptLogging(input: LoggingInput | null): PromptLogging | null;
export function promptLogging(input: LoggingInput | null): PromptLogging | null {
  if (input === null) return null;
  const { enabled, days = PROMPT_LOGGING_FIELDS.days.initial } = input;
  return { enabled, days };
}

const NONE: ReadonlyMap<string, string> = new Map();

export function consoleKeyView(key: ApiKey, used = NONE, makers = NONE): ResultOf<typeof getKey> {
  const maker = key.purpose === 'playground' || key.createdBy === null ? null : keyMakerOf(key.createdBy);
  return {
    object: 'key',
    id: key.id,
    name: key.name,
    prefix: key.purpose === 'playground' ? '' : key.prefix,
    last4: key.purpose === 'playground' ? '' : key.last4,
    rules: renderKeyRules(key.rules),
    log_prompts: key.logPrompts,
    playground: key.purpose === 'playground',
    overlap: key.overlap && { last4: key.overlap.last4, until: key.overlap.until.toISOString() },
    managed_by: key.managedBy,
    created_by: maker && { ...maker, name: makers.get(maker.id ?? '') ?? null },
    last_used_at: used.get(key.id) ?? null,
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

function managementView(key: ManagementKey): ResultOf<typeof revokeManagementKey> {
  return {
    object: 'management_key',
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last4: key.last4,
    resources: key.resources,
    ips: key.ips,
    expires_at: key.expiresAt?.toISOString() ?? null,
    created_by: key.createdBy,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

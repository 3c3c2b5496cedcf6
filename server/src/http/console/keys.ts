/** `/api/console/keys`: the account's own keys. A foreign key is answered as one that is not there. */

import type { AccountService } from '../../accounts/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { PROMPT_LOGGING_FIELDS } from '../../core/fields/index.ts';
import type { Json } from '../../core/json.ts';
import { HOUR_MS } from '../../core/time-spans.ts';
import { type ApiKey, type KeyService, noSuch, type PromptLogging, renderKeyRules } from '../../keys/index.ts';
import type { ManagementKey, People } from '../../people/index.ts';
import { page } from '../openapi/building-blocks.ts';
import type { PublicSite } from '../public-site.ts';
import { httpReasons } from '../reasons.ts';
import { RESOURCES } from '../routes/access.ts';
import type { Register } from '../routes/register.ts';
import type { Spending } from '../spending.ts';
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
} from './routes/keys.ts';
import { createManagementKey, listManagementKeys, revokeManagementKey } from './routes/management-keys.ts';

export interface ConsoleKeyServices {
  people: People;
  site: PublicSite;
  keys: KeyService;
  accounts: AccountService;
  spending: Spending;
  lastUsed(accountId: string): Promise<ReadonlyMap<string, string>>;
}

const DEFAULT_OVERLAP_HOURS = 24;

export function keyRoutes(register: Register, services: ConsoleKeyServices): void {
  const { keys, accounts, spending, lastUsed } = services;
  const own = async (accountId: string, id: string): Promise<ApiKey> => ownKey(keys, accountId, id);
  const shown = async (key: ApiKey) => consoleKeyView(key, await lastUsed(key.accountId));
  register(listKeys, async ({ who, query }) => {
    const { items, next } = await keys.list(who.accountId, query);
    const used = await lastUsed(who.accountId);
    return page(
      items.map((key) => consoleKeyView(key, used)),
      next,
    );
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
    return { object: 'spend', key_id: key.id, spend: await spending.periods('key', key.id, key.rules.caps, calendar) };
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
      resources: body.resources as Record<string, 'read' | 'write'>,
      ips: body.ips ?? null,
      expiresAt: body.expires_at ?? null,
    };
    const allowed = RESOURCES.filter((resource) => resource !== 'management_keys');
    const create = () => managementKeys.create(who.accountId, input, allowed, actor);
    // Only a person comes here, in a session of theirs.
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

/** The rules of the playground's key change through the playground only. */
function refusePlayground({ purpose }: ApiKey): void {
  if (purpose !== 'playground') return;
  throw new GatewayError('conflict', {
    reason: httpReasons.playgroundKey,
  });
}

export function promptLogging(input: { enabled: boolean; days?: number } | null): PromptLogging | null {
  if (input === null) return null;
  const { enabled, days = PROMPT_LOGGING_FIELDS.days.initial } = input;
  return { enabled, days };
}

export function consoleKeyView(key: ApiKey, used: ReadonlyMap<string, string>) {
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
    last_used_at: used.get(key.id) ?? null,
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

function managementView(key: ManagementKey) {
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

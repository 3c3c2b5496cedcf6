/**
 * What operators and owners do with keys. Each change is one transaction: the row, the message to every replica and the
 * audit log entry of who did it. A key's text leaves this file once, in the answer that creates it.
 */

import type { AuditLogAct } from '@dargah/core/admin-acts.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { createChangeRecorder, difference } from '../platform/audit-log.ts';
import { tellChange } from '../platform/changes.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage } from '../platform/db/pages.ts';
import { checkKeyText, checkName, noSuch, refuseCursor, refuseKeyOfFile, refuseTakenText } from './checked-values.ts';
import { type ConfigKey, revokeConfigKeysExcept, upsertConfigKey } from './config-keys.ts';
import type { ApiKey } from './key-rows.ts';
import * as rows from './key-rows.ts';
import { digestBytes, digestText, displayParts, makeKeyText } from './key-text.ts';
import { keyReasons } from './reasons.ts';
import type { AccountRules, KeyRules, PromptLogging } from './rules.ts';
import { parseKeyRules, renderKeyRules } from './rules-schema.ts';

interface NewKey {
  accountId: string;
  name: string;
  rules?: Json;
  /** The key's text instead of a generated one: bootstrap, and the playground's. */
  text?: string;
  purpose?: ApiKey['purpose'];
  logPrompts?: PromptLogging | null;
}

export interface KeyService {
  create(input: NewKey, actor: string): Promise<{ key: ApiKey; text: string }>;
  get(id: string): Promise<ApiKey>;
  /** Lists the keys of one account, or of all. */
  list(accountId: string | undefined, page: PageRequest): Promise<Page<ApiKey>>;
  /** Names of these keys of the account. */
  namesOf(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Live keys that do not leave it to the account whether texts are kept; the newest two hundred. */
  withOwnLogging(accountId: string): Promise<{ id: string; name: string; logPrompts: PromptLogging }[]>;
  /** The live key that the account's playground is charged to. */
  playgroundOf(accountId: string): Promise<ApiKey | undefined>;
  /** `rules` holds only the fields to change. */
  update(
    id: string,
    patch: { name?: string; rules?: Json; logPrompts?: PromptLogging | null },
    actor: string,
  ): Promise<ApiKey>;
  pause(id: string, paused: boolean, actor: string, reason?: string): Promise<ApiKey>;
  /** Revokes a key for good; it cannot come back. */
  revoke(id: string, actor: string, reason?: string): Promise<ApiKey>;
  /** The same key with a new text; the old one works on for `overlapMs`, by default not at all. */
  rotate(id: string, actor: string, overlapMs?: number): Promise<{ key: ApiKey; text: string }>;
  /** The former text of a rotated key stops working now. */
  endOverlap(id: string, actor: string): Promise<ApiKey>;
  /** Revokes all keys of an account that is closed. Returns how many. */
  revokeAllWithin(tx: Queryable, accountId: string, actor: string): Promise<number>;
  /** Config as code; returns the key's id. Does nothing when nothing differs. */
  upsertConfigKey(input: ConfigKey): Promise<string>;
  /** Revokes config-managed keys that the config no longer names. */
  revokeConfigKeysExcept(ids: readonly string[]): Promise<void>;
}

export interface KeyServiceOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
}

export function createKeyService(options: KeyServiceOptions): KeyService {
  const { db, clock, randomBytes } = options;
  const changed = createChangeRecorder(options, 'key');

  /** Reads the key, lets `edit` make the new state, and writes it. */
  function change(id: string, actor: string, action: AuditLogAct, edit: Edit, reason?: string): Promise<ApiKey> {
    return db.transaction(async (tx) => {
      const key = await changeableKey(tx, id);
      const { digest, overlapDigest, ...fields } = await edit(key, tx);
      const edited = { ...key, ...fields, updatedAt: new Date(clock.now()) };
      await rows.updateKey(tx, edited, {
        ...(digest === undefined ? {} : { digest }),
        ...(overlapDigest === undefined ? {} : { overlapDigest }),
      });
      const changes = difference(traced(key), traced(edited));
      await changed(tx, actor, action, id, reason === undefined ? changes : { ...changes, reason });
      await tellChange(db, tx, key.accountId, { what: 'keys', id });
      return edited;
    });
  }

  return {
    create: (input, actor) =>
      db.transaction(async (tx) => {
        const rules = parseKeyRules(input.rules, await accountRules(tx, input.accountId));
        const text = input.text === undefined ? makeKeyText(randomBytes) : checkKeyText(input.text, 'key');
        const key = newKey(options, input, { rules, text, actor });
        await rows.insertKey(tx, key, digestBytes(digestText(text))).catch(refuseTakenText);
        await changed(tx, actor, 'key.create', key.id, { account_id: key.accountId, name: key.name });
        await tellChange(db, tx, key.accountId, { what: 'keys', id: key.id });
        return { key, text };
      }),
    async get(id) {
      return (await rows.selectKey(db, id)) ?? noSuch('key', id);
    },
    namesOf: (accountId, ids) => rows.selectKeyNames(db, accountId, ids),
    withOwnLogging: (accountId) => rows.selectOwnLogging(db, accountId),
    playgroundOf: (accountId) => rows.selectPlayground(db, accountId),
    async list(accountId, page) {
      const start = startOfPage(page) ?? refuseCursor();
      return rows.selectKeys(db, accountId, start);
    },
    update: (id, patch, actor) =>
      change(id, actor, 'key.update', async (key, tx) => ({
        name: patch.name === undefined ? key.name : checkName(patch.name),
        rules:
          patch.rules === undefined
            ? key.rules
            : parseKeyRules(patch.rules, await accountRules(tx, key.accountId), key.rules),
        logPrompts: patch.logPrompts === undefined ? key.logPrompts : patch.logPrompts,
      })),
    pause: (id, paused, actor, reason) =>
      change(
        id,
        actor,
        paused ? 'key.pause' : 'key.resume',
        async (key) => ({ rules: { ...key.rules, paused } }),
        reason,
      ),
    revoke: (id, actor, reason) =>
      change(id, actor, 'key.revoke', async () => ({ revokedAt: new Date(clock.now()) }), reason),
    async rotate(id, actor, overlapMs = 0) {
      const text = makeKeyText(randomBytes);
      const edit: Edit = async (key, tx) => {
        const fresh = { ...displayParts(text), digest: digestBytes(digestText(text)) };
        if (overlapMs <= 0) return { ...fresh, overlap: null, overlapDigest: null };
        const overlapDigest = (await rows.selectDigest(tx, id)) ?? null;
        return { ...fresh, overlap: { last4: key.last4, until: new Date(clock.now() + overlapMs) }, overlapDigest };
      };
      return { key: await change(id, actor, 'key.rotate', edit), text };
    },
    endOverlap: (id, actor) =>
      change(id, actor, 'key.end_overlap', async () => ({ overlap: null, overlapDigest: null })),
    async revokeAllWithin(tx, accountId, actor) {
      const ids = await rows.revokeAll(tx, accountId, new Date(clock.now()));
      for (const id of ids) await changed(tx, actor, 'key.revoke', id, { account_id: accountId });
      await tellChange(db, tx, accountId, { what: 'keys', id: '' });
      return ids.length;
    },
    upsertConfigKey: (input) => db.transaction((tx) => upsertConfigKey(tx, input, clock.now(), changed)),
    revokeConfigKeysExcept: (ids) => db.transaction((tx) => revokeConfigKeysExcept(tx, ids, clock.now(), changed)),
  };
}

function newKey(
  { clock, randomBytes }: KeyServiceOptions,
  input: NewKey,
  { rules, text, actor }: { rules: KeyRules; text: string; actor: string },
): ApiKey {
  const nowMs = clock.now();
  const now = new Date(nowMs);
  return {
    id: makeId('key', nowMs, randomBytes),
    accountId: input.accountId,
    name: checkName(input.name),
    ...displayParts(text),
    rules,
    managedBy: 'operator',
    purpose: input.purpose ?? 'api',
    logPrompts: input.logPrompts ?? null,
    overlap: null,
    createdBy: actor,
    createdAt: now,
    updatedAt: now,
    revokedAt: null,
  };
}

type Edit = (key: ApiKey, tx: Queryable) => Promise<Partial<ApiKey> & rows.KeyDigests>;

/** What of a key the audit log shows. */
function traced({ name, rules, logPrompts, last4, overlap, revokedAt }: ApiKey): JsonObject {
  return {
    name,
    ...renderKeyRules(rules),
    log_prompts: logPrompts && { ...logPrompts },
    last4,
    overlap_until: overlap?.until.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
  };
}

async function changeableKey(tx: Queryable, id: string): Promise<ApiKey> {
  const key = (await rows.selectKey(tx, id, true)) ?? noSuch('key', id);
  if (key.managedBy === 'config') refuseKeyOfFile();
  if (key.revokedAt !== null) {
    throw new GatewayError('conflict', { reason: keyReasons.keyRevoked });
  }
  return key;
}

async function accountRules(tx: Queryable, accountId: string): Promise<AccountRules> {
  return (await rows.selectAccountRules(tx, accountId)) ?? noSuch('account', accountId);
}

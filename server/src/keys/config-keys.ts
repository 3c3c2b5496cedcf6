/** Keys from config as code: made to look like the file says, at every start, by every replica. */
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../core/json.ts';
import type { RecordChange } from '../platform/audit-log.ts';
import { lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import { checkId, checkKeyText, noSuch, refuseTakenText } from './checked-values.ts';
import * as rows from './key-rows.ts';
import { digestBytes, digestText, displayParts } from './key-text.ts';
import { parseKeyRules } from './rules-schema.ts';

export interface ConfigKey {
  accountId: string;
  /** The id in the file, unique within its account. */
  id: string;
  name?: string;
  text: string;
  rules?: Json;
}

/** Replicas that start at once would both find the same key missing. */
export const CONFIG_LOCK = 'config-as-code';

export async function upsertConfigKey(
  tx: Queryable,
  input: ConfigKey,
  nowMs: number,
  changed: RecordChange,
): Promise<string> {
  const param = `accounts.${input.accountId}.keys.${input.id}`;
  checkId(input.id, `${param}.id`);
  checkKeyText(input.text, `${param}.key`);
  await lockUntilCommit(tx, CONFIG_LOCK);
  const account = (await rows.selectAccountRules(tx, input.accountId)) ?? noSuch('account', input.accountId);
  const { id, present } = await findOrName(tx, input);
  const digest = digestBytes(digestText(input.text));
  const now = new Date(nowMs);
  const wanted: rows.ApiKey = {
    id,
    accountId: input.accountId,
    name: input.name ?? input.id,
    ...displayParts(input.text),
    rules: parseKeyRules(input.rules, account),
    managedBy: 'config',
    createdAt: present?.createdAt ?? now,
    updatedAt: present?.updatedAt ?? now,
    purpose: 'api',
    logPrompts: present?.logPrompts ?? null,
    overlap: null,
    createdBy: present === undefined ? 'config' : present.createdBy,
    revokedAt: null,
  };
  if (!present) {
    await rows.insertKey(tx, wanted, digest).catch(refuseTakenText);
    await changed(tx, 'config', 'key.create', id, { account_id: input.accountId, name: wanted.name });
    return id;
  }
  const sameText = (await rows.selectDigest(tx, id))?.equals(digest);
  if (sameText && isDeepStrictEqual(wanted, present)) return id;
  await rows.updateKey(tx, { ...wanted, updatedAt: now }, { digest }).catch(refuseTakenText);
  await changed(tx, 'config', 'key.update', id, {});
  return id;
}

/**
 * Ids are unique over all accounts. When two accounts of a file both have a key `main`, the second gets its account's name in
 * front.
 */
async function findOrName(tx: Queryable, { accountId, id }: ConfigKey): Promise<{ id: string; present?: rows.ApiKey }> {
  const plain = await rows.selectKey(tx, id, true);
  if (!plain) {
    const present = await rows.selectKey(tx, `${accountId}.${id}`, true);
    return present ? { id: present.id, present } : { id };
  }
  if (plain.accountId === accountId) return { id, present: plain };
  const present = await rows.selectKey(tx, `${accountId}.${id}`, true);
  return { id: `${accountId}.${id}`, ...(present ? { present } : {}) };
}

/** A key that the file no longer names must stop working, or removing a line would revoke nothing. */
export async function revokeConfigKeysExcept(
  tx: Queryable,
  ids: readonly string[],
  nowMs: number,
  changed: RecordChange,
): Promise<void> {
  await lockUntilCommit(tx, CONFIG_LOCK);
  const now = new Date(nowMs);
  for (const key of await rows.selectConfigKeysExcept(tx, ids)) {
    await rows.updateKey(tx, { ...key, updatedAt: now, revokedAt: now });
    await changed(tx, 'config', 'key.revoke', key.id, {});
  }
}

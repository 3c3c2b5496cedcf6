/** Management keys: a script may do with one of these what a person does in the console, within the key's own rules. */

import type { AuditLogAct } from '@dargah/core/admin-acts.ts';
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { reasons } from '../core/reasons.ts';
import { compileAddresses, parseRange, parseTimeInput } from '../keys/index.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import { tellChange } from '../platform/changes.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { peopleReasons } from './reasons.ts';
import { digestOfSecret, makeSecret } from './secrets-of-people.ts';
import type { ManagementKey } from './token-rows.ts';
import * as rows from './token-rows.ts';

export const MANAGEMENT_PREFIX = 'dgm-';
const MAX_LIVE = 100;

export interface NewManagementKey {
  name: string;
  resources: Record<string, 'read' | 'write'>;
  ips: string[] | null;
  expiresAt: string | null;
}

export class ManagementKeys {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;
  readonly #changed: RecordChange;

  constructor(options: { db: Database; clock: Clock; randomBytes: RandomBytes }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#randomBytes = options.randomBytes;
    this.#changed = createChangeRecorder(options, 'management-key');
  }

  list(accountId: string): Promise<ManagementKey[]> {
    return rows.MANAGEMENT_KEYS.rows(this.#db, [accountId]);
  }

  async create(
    accountId: string,
    input: NewManagementKey,
    allowed: readonly string[],
    actor: string,
  ): Promise<{ key: ManagementKey; text: string }> {
    const { ips, expiresAt } = check(input, allowed, this.#clock.now());
    const now = this.#clock.now();
    const text = MANAGEMENT_PREFIX + makeSecret(this.#randomBytes);
    const key: ManagementKey = {
      id: makeId('mgm', now, this.#randomBytes),
      accountId,
      name: input.name.trim(),
      prefix: text.slice(0, MANAGEMENT_PREFIX.length + 4),
      last4: text.slice(-4),
      resources: input.resources,
      ips,
      expiresAt,
      createdBy: actor,
      createdAt: new Date(now),
      lastUsedAt: null,
      revokedAt: null,
    };
    await this.#db.transaction(async (tx) => {
      const live = await rows.LIVE_MANAGEMENT_KEYS.rows(tx, [accountId]);
      if (live.length >= MAX_LIVE)
        throw new GatewayError('conflict', {
          reason: peopleReasons.tooManyManagementKeys(MAX_LIVE),
        });
      await rows.INSERT_MANAGEMENT_KEY.run(tx, [
        key.id,
        accountId,
        key.name,
        digestOfSecret(text),
        key.prefix,
        key.last4,
        JSON.stringify(key.resources),
        ips && JSON.stringify(ips),
        expiresAt,
        actor,
        key.createdAt,
      ]);
      await this.#record(tx, actor, 'management_key.create', key.id, { accountId, resources: key.resources });
    });
    return { key, text };
  }

  async revoke(accountId: string, id: string, actor: string): Promise<ManagementKey> {
    return this.#db.transaction(async (tx) => {
      const key = await rows.REVOKE_MANAGEMENT_KEY.first(tx, [accountId, id, new Date(this.#clock.now())]);
      if (!key) throw new GatewayError('not_found');
      await this.#record(tx, actor, 'management_key.revoke', id, { accountId });
      return key;
    });
  }

  /** Called when an account is closed. */
  async revokeAllWithin(tx: Queryable, accountId: string, actor: string): Promise<void> {
    const revoked = await rows.REVOKE_MANAGEMENT_KEYS.rows(tx, [accountId, new Date(this.#clock.now())]);
    for (const { id } of revoked) await this.#record(tx, actor, 'management_key.revoke', id, { accountId });
  }

  async #record(
    tx: Queryable,
    actor: string,
    act: AuditLogAct,
    id: string,
    { accountId, ...detail }: { accountId: string; resources?: ManagementKey['resources'] },
  ): Promise<void> {
    await this.#changed(tx, actor, act, id, { account_id: accountId, ...detail });
    await tellChange(this.#db, tx, accountId, { what: 'management_keys', id });
  }

  /** The key that was presented from this address, if it may be used now. */
  async find(text: string, address: string): Promise<ManagementKey | undefined> {
    if (!/^dgm-[0-9A-Za-z]{43}$/.test(text)) return undefined;
    const now = this.#clock.now();
    const key = await rows.FIND_MANAGEMENT_KEY.first(this.#db, [digestOfSecret(text), new Date(now)]);
    if (!key || (key.ips !== null && !compileAddresses(key.ips)(address))) return undefined;
    if (key.lastUsedAt === null || now - key.lastUsedAt.getTime() > MINUTE_MS)
      await rows.NOTE_MANAGEMENT_KEY_USE.run(this.#db, [key.id, new Date(now)]);
    return key;
  }
}

function check({ resources, ips, expiresAt }: NewManagementKey, allowed: readonly string[], nowMs: number) {
  const names = Object.keys(resources);
  if (names.length === 0) throw invalidRequest('resources', reasons.oneOf('resources', allowed));
  for (const name of names)
    if (!allowed.includes(name)) throw invalidRequest(`resources.${name}`, reasons.oneOf(`resources.${name}`, allowed));
  ips?.forEach((ip, index) => {
    if (parseRange(ip) === undefined) throw invalidRequest(`ips.${index}`, peopleReasons.wrongAddressRange(ip));
  });
  if (expiresAt === null) return { ips, expiresAt: null };
  const at = parseTimeInput(expiresAt);
  if (at === undefined || at <= nowMs) throw invalidRequest('expires_at', peopleReasons.expiryNotInFuture);
  return { ips, expiresAt: new Date(at) };
}

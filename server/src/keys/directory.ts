/**
 * Who owns the presented key? Answered from memory, without a promise, for every key seen before. Changes made on any
 * replica arrive as messages and mark entries stale; a stale entry is read again by its next user.
 * While the database is down, stale entries go on being served: an outage of ours must not stop callers we know.
 */
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { MaybePromise } from '../core/maybe-promise.ts';
import { boundedCache } from '../platform/bounded-cache.ts';
import { type Database, isUnreachable } from '../platform/db/index.ts';
import { type CachedKey, KeyCache } from './key-cache.ts';
import { DIGEST_OF_LIVE_KEY, FIND_KEY } from './key-rows.ts';
import { digestBytes, digestText, isPlausibleKeyText } from './key-text.ts';
import { readStoredOwnCaps } from './own-caps.ts';
import { openOwnKeys } from './own-keys.ts';
import type { KeySnapshot } from './rules.ts';
import { parseCalendar, readStoredAccountRules, readStoredKeyRules } from './rules-schema.ts';
import { readStoredBudgets } from './shared-budgets.ts';

/** While the database is down, how often a stale entry tries it again. */
const RETRY_MS = 1_000;
const MAX_DIGESTS = 10_000;

export interface KeyDirectory {
  /**
   * At once when the key is in memory. Rejects with `overloaded` when only an unreachable database could tell. `beforeAsking`
   * runs before the database is asked for a key that nobody here has seen; what it throws is thrown.
   */
  find(keyText: string, beforeAsking?: () => Promise<void>): MaybePromise<KeySnapshot | 'unknown'>;
  /**
   * For work that a key has asked for and that continues without it. Undefined when the key is revoked or its account
   * is closed.
   */
  byId(id: string): Promise<KeySnapshot | undefined>;
  /** For a credential that was made with the key and holds the digest of its text. */
  findDigest(digest: string): MaybePromise<KeySnapshot | 'unknown'>;
  close(): void;
}

export interface KeyDirectoryOptions {
  db: Pick<Database, 'query' | 'subscribe'>;
  clock: Clock;
  /** Opens the customers' own keys at providers; undefined for one that cannot be opened. */
  openSecret?: (sealed: string) => string | undefined;
}

const NOTHING_OPENS = () => undefined;

export function createKeyDirectory({ db, clock, openSecret = NOTHING_OPENS }: KeyDirectoryOptions): KeyDirectory {
  const cache = new KeyCache();
  /**
   * Digests of valid keys by text, so that a key is not hashed for every request. Wrong keys are not kept, so nobody can fill it.
   */
  const digests = boundedCache<string>(MAX_DIGESTS);
  const loading = new Map<string, Promise<KeySnapshot | 'unknown'>>();

  /** One query for all requests that ask for the same key at the same time. */
  function load(digest: string, old: CachedKey | undefined): Promise<KeySnapshot | 'unknown'> {
    const running = loading.get(digest);
    if (running) return running;
    const started = loadNow(digest, old).finally(() => loading.delete(digest));
    loading.set(digest, started);
    return started;
  }

  async function loadNow(digest: string, old: CachedKey | undefined): Promise<KeySnapshot | 'unknown'> {
    const changesBefore = cache.changes;
    try {
      const found = await readKey(db, digest, clock.now(), openSecret);
      if (found) cache.remember(digest, found.key, changesBefore, found.validUntil);
      else cache.rememberUnknown(digest, clock.monotonicMs(), changesBefore);
      return found?.key ?? 'unknown';
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (!old) throw new GatewayError('overloaded', { cause: error, retryAfterMs: RETRY_MS });
      old.retryAt = clock.monotonicMs() + RETRY_MS;
      return old.key;
    }
  }

  const lost = () => cache.anythingChanged();
  const unsubscribe = [
    db.subscribe('key', (id) => cache.keyChanged(id), lost),
    db.subscribe('account', (id) => cache.accountChanged(id), lost),
  ];
  return {
    find(keyText, beforeAsking) {
      const remembered = digests.get(keyText);
      if (remembered === undefined && !isPlausibleKeyText(keyText)) return 'unknown';
      const digest = remembered ?? digestText(keyText);
      const entry = cache.known(digest);
      if (entry) {
        if (remembered === undefined) digests.set(keyText, digest);
        const isOver = entry.validUntil !== undefined && clock.now() >= entry.validUntil;
        const usable = !isOver && (!entry.stale || clock.monotonicMs() < entry.retryAt);
        return usable ? entry.key : load(digest, entry);
      }
      if (cache.isUnknown(digest, clock.monotonicMs())) return 'unknown';
      return beforeAsking ? beforeAsking().then(() => load(digest, undefined)) : load(digest, undefined);
    },
    async byId(id) {
      const row = await DIGEST_OF_LIVE_KEY.first(db, [id]);
      if (!row) return undefined;
      const digest = Buffer.from(row.digest).toString('base64');
      const entry = cache.known(digest);
      const key = entry && !entry.stale ? entry.key : await load(digest, entry);
      return key === 'unknown' ? undefined : key;
    },
    findDigest(digest) {
      const entry = cache.known(digest);
      const isOver = entry?.validUntil !== undefined && clock.now() >= entry.validUntil;
      const usable = entry && !isOver && (!entry.stale || clock.monotonicMs() < entry.retryAt);
      return usable ? entry.key : load(digest, entry);
    },
    close() {
      for (const stop of unsubscribe) stop();
    },
  };
}

async function readKey(
  db: Pick<Database, 'query'>,
  digest: string,
  nowMs: number,
  openSecret: (sealed: string) => string | undefined,
): Promise<{ key: KeySnapshot; validUntil: number | undefined } | undefined> {
  const row = await FIND_KEY.first(db, [digestBytes(digest), new Date(nowMs)]);
  if (!row) return undefined;
  const key: KeySnapshot = {
    id: row.id,
    name: row.name,
    rules: readStoredKeyRules(row.rules),
    account: {
      id: row.account_id,
      name: row.account_name,
      rules: readStoredAccountRules(row.account_rules),
      calendar: parseCalendar(row.calendar),
      ownCaps: readStoredOwnCaps(row.own_caps),
      margin: row.margin,
    },
  };
  if (row.budgets !== null) key.budgets = readStoredBudgets(row.budgets);
  if (row.own_keys !== null) key.account.ownKeys = openOwnKeys(row.own_keys, openSecret);
  if (row.blocked_at !== null)
    key.account.blocked = { at: row.blocked_at, until: row.blocked_until, reason: row.blocked_reason ?? '' };
  if (row.log_prompts?.enabled) key.keepTextsDays = row.log_prompts.days;
  return { key, validUntil: row.valid_until?.getTime() };
}

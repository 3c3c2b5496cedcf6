/**
 * Who owns the presented key? Answered from memory, without a promise, for every key seen before. Changes made on any
 * replica arrive as messages and mark entries stale; a stale entry is read again by its next user.
 * While the database is down, stale entries go on being served: an outage of ours must not stop callers we know.
 */
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { type Database, isUnreachable } from '../platform/db/index.ts';
import { digestBytes, digestText, isPlausibleKeyText } from './key-text.ts';
import { RecentMap } from './recent-map.ts';
import type { KeySnapshot } from './rules.ts';
import { parseCalendar, readStoredAccountRules, readStoredKeyRules } from './rules-schema.ts';

const MAX_KEYS = 100_000;
const MAX_UNKNOWN = 10_000;
const UNKNOWN_TTL_MS = 5_000;
/** While the database is down, how often a stale entry tries it again. */
const RETRY_MS = 1_000;

export interface KeyDirectory {
  /** At once when the key is in memory. Rejects with `overloaded` when only an unreachable database could tell. */
  find(keyText: string): KeySnapshot | 'unknown' | Promise<KeySnapshot | 'unknown'>;
  close(): void;
}

interface Entry {
  digest: string;
  key: KeySnapshot;
  stale: boolean;
  /** Monotonic; a stale entry is served as it is until then. */
  retryAt: number;
}

export interface KeyDirectoryOptions {
  db: Pick<Database, 'query' | 'subscribe'>;
  clock: Clock;
}

export function createKeyDirectory({ db, clock }: KeyDirectoryOptions): KeyDirectory {
  const digestOfKey = new Map<string, string>();
  const entries = new RecentMap<string, Entry>(MAX_KEYS, (entry) => digestOfKey.delete(entry.key.id));
  /** Digest → until when it is known to be nobody's. */
  const unknown = new RecentMap<string, number>(MAX_UNKNOWN);
  const loading = new Map<string, Promise<KeySnapshot | 'unknown'>>();
  /** Counts changes heard of: what was read while one arrived may already be old. */
  let changes = 0;

  function keyChanged(id: string): void {
    changes++;
    // A new key's digest is not in the message; forgetting every refusal is cheap and always right.
    unknown.clear();
    const digest = digestOfKey.get(id);
    const entry = digest === undefined ? undefined : entries.get(digest);
    if (entry) markStale(entry);
  }

  function accountChanged(id: string): void {
    changes++;
    for (const entry of entries.values()) if (entry.key.account.id === id) markStale(entry);
  }

  function messagesLost(): void {
    changes++;
    unknown.clear();
    for (const entry of entries.values()) markStale(entry);
  }

  function markStale(entry: Entry): void {
    entry.stale = true;
    entry.retryAt = 0;
  }

  function load(digest: string, old: Entry | undefined): Promise<KeySnapshot | 'unknown'> {
    const running = loading.get(digest);
    if (running) return running;
    const started = loadNow(digest, old).finally(() => loading.delete(digest));
    loading.set(digest, started);
    return started;
  }

  async function loadNow(digest: string, old: Entry | undefined): Promise<KeySnapshot | 'unknown'> {
    const changesBefore = changes;
    let key: KeySnapshot | undefined;
    try {
      key = await readKey(db, digest);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (!old) throw new GatewayError('overloaded', { cause: error, retryAfterMs: RETRY_MS });
      old.retryAt = clock.monotonicMs() + RETRY_MS;
      return old.key;
    }
    if (key) {
      entries.set(digest, { digest, key, stale: changes !== changesBefore, retryAt: 0 });
      digestOfKey.set(key.id, digest);
      return key;
    }
    if (old) {
      entries.delete(digest);
      digestOfKey.delete(old.key.id);
    }
    if (changes === changesBefore) unknown.set(digest, clock.monotonicMs() + UNKNOWN_TTL_MS);
    return 'unknown';
  }

  const unsubscribe = [
    db.subscribe('key', keyChanged, messagesLost),
    db.subscribe('account', accountChanged, messagesLost),
  ];
  return {
    find(keyText) {
      if (!isPlausibleKeyText(keyText)) return 'unknown';
      const digest = digestText(keyText);
      const entry = entries.get(digest);
      if (entry) {
        const usable = !entry.stale || clock.monotonicMs() < entry.retryAt;
        return usable ? entry.key : load(digest, entry);
      }
      const unknownUntil = unknown.get(digest);
      if (unknownUntil !== undefined && clock.monotonicMs() < unknownUntil) return 'unknown';
      return load(digest, undefined);
    },
    close() {
      for (const stop of unsubscribe) stop();
    },
  };
}

interface KeyRow {
  id: string;
  name: string;
  rules: Json;
  account_id: string;
  account_name: string;
  account_rules: Json;
  calendar: Json;
}

async function readKey(db: Pick<Database, 'query'>, digest: string): Promise<KeySnapshot | undefined> {
  const [row] = await db.query<KeyRow>(
    `select k.id, k.name, k.rules, a.id as account_id, a.name as account_name, a.rules as account_rules, a.calendar
       from api_key k join account a on a.id = k.account_id
      where k.digest = $1 and k.revoked_at is null`,
    [digestBytes(digest)],
    { name: 'find-key' },
  );
  if (!row) return undefined;
  return {
    id: row.id,
    name: row.name,
    rules: readStoredKeyRules(row.rules),
    account: {
      id: row.account_id,
      name: row.account_name,
      rules: readStoredAccountRules(row.account_rules),
      calendar: parseCalendar(row.calendar),
    },
  };
}

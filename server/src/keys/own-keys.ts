/**
 * Customers' own keys at providers: used for their account alone, encrypted at rest, never shown again. A key is
 * accepted only for a provider of the operator's, at the address of its vendor; no address can be entered here.
 */
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';
import { createChangeRecorder, difference } from '../platform/audit-log.ts';
import { boundedCache } from '../platform/bounded-cache.ts';
import { type Database, isUniqueViolation, type Queryable } from '../platform/db/index.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { checkName, noSuch } from './checked-values.ts';
import { keyReasons } from './reasons.ts';
import type { OwnProviderKey } from './rules.ts';
import type { OwnKey } from './secret-rows.ts';
import * as rows from './secret-rows.ts';

const MAX_SECRET_CHARACTERS = 512;
/** The last four letters of a shorter key would reveal too much. */
const MIN_SHOWN_CHARS = 12;
/** Whoever tries more keys in an hour tries keys that are not theirs. */
const MAX_TRIES = 10;
const HOUR_MS = 3_600_000;
const MAX_TRYING = 10_000;

export interface NewOwnKey {
  provider: string;
  secret: string;
  name?: string | undefined;
  fallback?: boolean | undefined;
}

export interface OwnKeys {
  list(accountId: string): Promise<OwnKey[]>;
  /** Tried at its provider first; one that is refused there is not kept. */
  add(accountId: string, input: NewOwnKey, actor: string): Promise<OwnKey>;
  change(accountId: string, id: string, input: { name?: string; fallback?: boolean }, actor: string): Promise<OwnKey>;
  remove(accountId: string, id: string, actor: string): Promise<void>;
}

export interface OwnKeyOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  secrets: Pick<SecretBox, 'seal'>;
  /** True when the operator accepts keys for this provider now. */
  takes(provider: string): boolean;
  tryKey(provider: string, secret: string): Promise<'works' | 'refused' | 'unreachable'>;
}

export function createOwnKeys(options: OwnKeyOptions): OwnKeys {
  const { db, clock, randomBytes, secrets } = options;
  // Snapshots of keys have those of their account, and are read again when it changes.
  const changed = createChangeRecorder(options, 'account');
  const tries = boundedCache<{ count: number; sinceMs: number }>(MAX_TRYING);

  function countTry(accountId: string): void {
    const nowMs = clock.now();
    const known = tries.get(accountId);
    const current = known && nowMs - known.sinceMs < HOUR_MS ? known : { count: 0, sinceMs: nowMs };
    if (current.count >= MAX_TRIES)
      throw new GatewayError('rate_limited', {
        retryAfterMs: current.sinceMs + HOUR_MS - nowMs,
        instead: keyReasons.tooManyTries,
      });
    tries.set(accountId, { count: current.count + 1, sinceMs: current.sinceMs });
  }

  return {
    list: (accountId) => rows.OWN_KEYS.rows(db, [accountId]),
    async add(accountId, { provider, secret, name, fallback = false }, actor) {
      if (!options.takes(provider)) throw invalidRequest('provider', keyReasons.noOwnKeysFor(provider));
      checkSecret(secret);
      const label = name === undefined ? provider : checkName(name);
      countTry(accountId);
      const tried = await options.tryKey(provider, secret);
      if (tried !== 'works') throw invalidRequest('secret', keyReasons.ownKey[tried]);
      const now = new Date(clock.now());
      const id = makeId('ownk', now.getTime(), randomBytes);
      const last4 = secret.length < MIN_SHOWN_CHARS ? null : secret.slice(-4);
      const row = [id, accountId, provider, label, secrets.seal(secret), last4, fallback, actor, now];
      return db
        .transaction(async (tx) => {
          await rows.INSERT_OWN_KEY.run(tx, row);
          const made = await find(tx, accountId, id);
          await changed(tx, actor, 'own_key.add', accountId, difference({}, traced(made)));
          return made;
        })
        .catch((error: unknown) => {
          if (isUniqueViolation(error)) throw new GatewayError('conflict', { reason: keyReasons.ownKeyThere });
          throw error;
        });
    },
    change: (accountId, id, { name, fallback }, actor) =>
      db.transaction(async (tx) => {
        const before = await find(tx, accountId, id);
        await rows.UPDATE_OWN_KEY.run(tx, [
          id,
          name === undefined ? before.name : checkName(name),
          fallback ?? before.fallback,
          new Date(clock.now()),
        ]);
        const after = await find(tx, accountId, id);
        await changed(tx, actor, 'own_key.change', accountId, difference(traced(before), traced(after)));
        return after;
      }),
    remove: (accountId, id, actor) =>
      db.transaction(async (tx) => {
        const before = await find(tx, accountId, id);
        await rows.DELETE_OWN_KEY.run(tx, [id]);
        await changed(tx, actor, 'own_key.remove', accountId, difference(traced(before), {}));
      }),
  };
}

async function find(tx: Queryable, accountId: string, id: string): Promise<OwnKey> {
  return (await rows.LOCKED_OWN_KEY.first(tx, [accountId, id])) ?? noSuch('key', id);
}

function checkSecret(secret: string): void {
  if (secret.trim() === '' || secret.length > MAX_SECRET_CHARACTERS || /[^\x21-\x7e]/.test(secret))
    throw invalidRequest('secret', reasons.mustBe('secret', expected.plainTextBetween(1, MAX_SECRET_CHARACTERS)));
}

function traced({ provider, name, last4, fallback }: OwnKey): JsonObject {
  return { own_key: { provider, name, last4, fallback } };
}

/** A key that cannot be decrypted (another master key) is left out, and its owner sets it again. */
export function openOwnKeys(stored: Json, open: (sealed: string) => string | undefined): OwnProviderKey[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(isJsonObject).flatMap(({ id, provider, sealed, fallback }) => {
    const secret = open(String(sealed));
    return secret === undefined
      ? []
      : [{ id: String(id), provider: String(provider), secret, fallback: fallback === true }];
  });
}

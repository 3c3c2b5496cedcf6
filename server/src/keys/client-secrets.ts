/**
 * Short-lived secrets for browsers and phones, which must not hold a key: each opens realtime sessions of one model, with the settings
 * it was made with, in the name of the key that made it, and nothing else. Only the digest of a secret is stored.
 */
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { type RandomBytes, randomBase62 } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Background } from '../platform/background.ts';
import type { Database } from '../platform/db/index.ts';
import { digestBytes, digestText } from './key-text.ts';
import { keyReasons } from './reasons.ts';
import type { KeySnapshot } from './rules.ts';
import { FIND_CLIENT_SECRET, FORGET_EXPIRED_SECRETS, INSERT_CLIENT_SECRET } from './secret-rows.ts';

const PREFIX = 'ek_';
const SHAPE = /^ek_[0-9A-Za-z]{43}$/;
const PURGE_MS = 10 * MINUTE_MS;
/** The most secrets of one account at a time; each opens any number of sessions until it expires. */
const MAX_OF_ACCOUNT = 2_000;
export const CLIENT_SECRET_SECONDS = { least: 10, most: (2 * HOUR_MS) / 1_000, usual: 600 };

export interface ClientSecret {
  /** Finds the key again, as long as the key's text is valid. */
  keyDigest: string;
  model: string;
  session: JsonObject;
}

export interface ClientSecrets {
  make(key: KeySnapshot, keyText: string, terms: SecretTerms): Promise<{ value: string; expiresAt: number }>;
  /** Returns undefined when it is unknown or expired. */
  find(text: string): Promise<ClientSecret | undefined>;
}

interface SecretTerms {
  model: string;
  session: JsonObject;
  seconds: number;
}

export interface ClientSecretsOptions {
  db: Database;
  clock: Clock;
  background: Background;
  randomBytes: RandomBytes;
}

export function isClientSecret(text: string | undefined): text is string {
  return text?.startsWith(PREFIX) === true;
}

export function createClientSecrets({ db, clock, background, randomBytes }: ClientSecretsOptions): ClientSecrets {
  background.every(PURGE_MS, 'expired client secrets', () => FORGET_EXPIRED_SECRETS.run(db, [new Date(clock.now())]));
  return {
    async make({ id, account }, keyText, { model, session, seconds }) {
      const value = PREFIX + randomBase62(43, randomBytes);
      const now = clock.now();
      const expiresAt = Math.floor(now / 1_000) + seconds;
      const made = await INSERT_CLIENT_SECRET.first(db, [
        digestBytes(digestText(value)),
        digestBytes(digestText(keyText)),
        id,
        account.id,
        model,
        JSON.stringify(session),
        new Date(now),
        new Date(expiresAt * 1_000),
        MAX_OF_ACCOUNT,
      ]);
      if (made) return { value, expiresAt };
      const reason = keyReasons.tooManySecrets(MAX_OF_ACCOUNT);
      throw new GatewayError('rate_limited', { retryAfterMs: 60_000, reason });
    },
    async find(text) {
      if (!SHAPE.test(text)) return undefined;
      const row = await FIND_CLIENT_SECRET.first(db, [digestBytes(digestText(text)), new Date(clock.now())]);
      if (!row) return undefined;
      return { keyDigest: Buffer.from(row.key_digest).toString('base64'), model: row.model, session: row.session };
    },
  };
}

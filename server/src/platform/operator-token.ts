/**
 * Who the operator is without a session: the bearer of DARGAH_OPERATOR_TOKEN, or of a token derived from the master key, which only
 * a process on this machine that may read the data directory can make (the CLI). Named tokens stand in people/operator-tokens.ts.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { SecretBox } from './secrets.ts';

/** A plain digest is enough: what is digested is long and random, and nobody can find it from its digest. */
export function digestOf(token: string): string {
  return createHash('sha256').update('dargah operator').update(token).digest('base64url');
}

export function localOperatorToken(secrets: Pick<SecretBox, 'derive'>): string {
  return `local-${secrets.derive('dargah local operator')}`;
}

/** Whose token it is: the audit log names the real actor. `operator` is the one of the environment. */
export type TokenOwner = 'operator' | 'cli';

export class OperatorTokens {
  readonly #token: Buffer | undefined;
  /**
   * The token of the command line on this machine; it changes with the master key. It is always valid, so that operators cannot
   * lock themselves out.
   */
  #local: Buffer | undefined;
  /** A setting of the operator: whether the given token opens the API to scripts. */
  enabled = true;

  /** `given` is the digest of a token that is valid as long as the process runs. */
  constructor(token: string | undefined) {
    this.#token = token === undefined ? undefined : Buffer.from(token);
  }

  /** Whether the environment names a token. */
  get isGiven(): boolean {
    return this.#token !== undefined;
  }

  setLocal(digest: string): void {
    this.#local = Buffer.from(digest);
  }

  ownerOf(token: string | undefined): TokenOwner | undefined {
    if (token === undefined || token === '') return undefined;
    const digest = Buffer.from(digestOf(token));
    if (same(this.#local, digest)) return 'cli';
    return this.enabled && same(this.#token, digest) ? 'operator' : undefined;
  }

  accepts(token: string | undefined): boolean {
    return this.ownerOf(token) !== undefined;
  }
}

/** The setting under which the digest of the first password is kept. Its presence also tells that a first start took place. */
export const FIRST_PASSWORD_SETTING = 'operator_token_digest';
/** Stored when the password was replaced. No digest equals it, in version 0.1.0 neither. */
export const REPLACED = 'replaced';

/**
 * The password that the first start or a reset made: it signs its person in, who must then choose another, and it opens nothing
 * else. Version 0.1.0 also takes it as a token until it is replaced.
 */
export class FirstPassword {
  #digest: Buffer | undefined;

  follow(digest: string | undefined): void {
    this.#digest = digest === undefined ? undefined : Buffer.from(digest);
  }

  is(text: string): boolean {
    return same(this.#digest, Buffer.from(digestOf(text)));
  }
}

function same(stored: Buffer | undefined, digest: Buffer): boolean {
  return stored !== undefined && stored.length === digest.length && timingSafeEqual(stored, digest);
}

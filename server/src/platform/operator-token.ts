/**
 * Who is the operator: the bearer of the password printed at the first start, of DARGAH_OPERATOR_TOKEN, or of a token
 * derived from the master key, which only a process on this machine that may read the data directory can make (the CLI).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { SecretBox } from './secrets.ts';

/** A plain digest is enough: the password is 24 random base62 characters, which nobody can find from it. */
export function digestOf(token: string): string {
  return createHash('sha256').update('dargah operator').update(token).digest('base64url');
}

export function localOperatorToken(secrets: Pick<SecretBox, 'derive'>): string {
  return `local-${secrets.derive('dargah local operator')}`;
}

/** Whose token it is: the trail of changes names the real actor. */
export type TokenOwner = 'operator' | 'cli';

export class OperatorTokens {
  readonly #given: Buffer | undefined;
  #password: Buffer | undefined;
  /**
   * The token of the command line on this machine; it changes with the master key. It is always valid, so that operators cannot
   * lock themselves out.
   */
  #local: Buffer | undefined;
  /** A setting of the operator: whether the password and the given token open the API to scripts. */
  enabled = true;

  /** `given` is the digest of a token that is valid as long as the process runs. */
  constructor(given: string | undefined) {
    this.#given = given === undefined ? undefined : Buffer.from(given);
  }

  /** Replaces the operator's password by one with this digest; the one before is no longer valid. */
  setPassword(digest: string | undefined): void {
    this.#password = digest === undefined ? undefined : Buffer.from(digest);
  }

  setLocal(digest: string): void {
    this.#local = Buffer.from(digest);
  }

  ownerOf(token: string | undefined): TokenOwner | undefined {
    if (token === undefined || token === '') return undefined;
    const digest = Buffer.from(digestOf(token));
    if (same(this.#local, digest)) return 'cli';
    return this.enabled && (same(this.#given, digest) || same(this.#password, digest)) ? 'operator' : undefined;
  }

  accepts(token: string | undefined): boolean {
    return this.ownerOf(token) !== undefined;
  }

  /** For signing in, which stays possible where tokens are switched off. */
  isPassword(text: string): boolean {
    return same(this.#password, Buffer.from(digestOf(text)));
  }
}

function same(stored: Buffer | undefined, digest: Buffer): boolean {
  return stored !== undefined && stored.length === digest.length && timingSafeEqual(stored, digest);
}

/**
 * Who is the operator: the bearer of the password printed at the first start, of DARGAH_OPERATOR_TOKEN, or of a token
 * derived from the master key, which only a process on this machine that may read the data directory can make (the CLI).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { SecretBox } from './secrets.ts';

/** The password is 24 random base62 characters: a plain digest of so much chance cannot be turned round. */
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
  /** Of the command line on this machine; another one when the master key changes. It always holds: nobody locks themselves out. */
  #local: Buffer | undefined;
  /** A setting of the operator: whether the password and the given token open the API to scripts. */
  enabled = true;

  /** The digest of a token that holds as long as the process runs. */
  constructor(given: string | undefined) {
    this.#given = given === undefined ? undefined : Buffer.from(given);
  }

  /** The operator's password from now on, as its digest. The one before opens nothing any more. */
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

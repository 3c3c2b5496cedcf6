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

export class OperatorTokens {
  readonly #fixed: readonly Buffer[];
  #password: Buffer | undefined;
  /** Of the command line on this machine; another one when the master key changes. */
  #local: Buffer | undefined;

  /** Digests of the tokens that hold as long as the process runs. */
  constructor(fixed: (string | undefined)[]) {
    this.#fixed = fixed.flatMap((digest) => (digest === undefined ? [] : [Buffer.from(digest)]));
  }

  /** The operator's password from now on, as its digest. The one before opens nothing any more. */
  setPassword(digest: string | undefined): void {
    this.#password = digest === undefined ? undefined : Buffer.from(digest);
  }

  setLocal(digest: string): void {
    this.#local = Buffer.from(digest);
  }

  accepts(token: string | undefined): boolean {
    if (token === undefined || token === '') return false;
    const given = Buffer.from(digestOf(token));
    return [...this.#fixed, this.#password, this.#local].some(
      (digest) => digest !== undefined && digest.length === given.length && timingSafeEqual(digest, given),
    );
  }
}

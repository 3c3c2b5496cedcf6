/**
 * One-time codes: six digits, two minutes, five tries, one use. Known and unknown contacts cause the same statements and get the
 * same answer; sending happens afterwards, where nobody can measure it.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import { latinDigits } from '../core/persian-text.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/time-spans.ts';
import type { Database } from '../platform/db/index.ts';
import { type AttemptLimit, Attempts } from './attempts.ts';
import { type Contact, networkOf } from './contacts.ts';
import { digestOfCode, randomDigits, sameDigest } from './secrets-of-people.ts';

const CODE_DIGITS = 6;
export const CODE_LIFE_MS = 2 * MINUTE_MS;
export const RESEND_MS = MINUTE_MS;
const MAX_TRIES = 5;

export interface CodeLimits {
  perContactHourly: number;
  perContactDaily: number;
  perAddressHourly: number;
  perNetworkHourly: number;
  /** Messages of all callers in a day, because each message costs money. */
  allDaily: number;
  /** Wrong codes, over all codes of a contact. */
  wrongPerContactHourly: number;
  /** Wrong codes from one address, over all contacts: one guess at each of a million numbers is an attack too. */
  wrongPerAddressHourly: number;
  wrongPerNetworkHourly: number;
}

export const CODE_LIMITS: CodeLimits = {
  perContactHourly: 5,
  perContactDaily: 15,
  perAddressHourly: 60,
  perNetworkHourly: 200,
  allDaily: 10_000,
  wrongPerContactHourly: 10,
  wrongPerAddressHourly: 60,
  wrongPerNetworkHourly: 200,
};

/** `proof`: somebody who is signed in proves again who they are. */
export type CodePurpose = 'sign-in' | 'add-method' | 'proof';

export interface CodesOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  /** Keys the digests. */
  pepper: string;
  limits: CodeLimits;
}

export class Codes {
  readonly #options: CodesOptions;
  readonly #attempts: Attempts;

  constructor(options: CodesOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options.db, options.clock);
  }

  /** Makes a code; whether it is sent is the caller's decision. */
  async make({ value }: Contact, purpose: CodePurpose, address: string): Promise<string> {
    const { db, clock, randomBytes, pepper, limits } = this.#options;
    await this.#attempts.count([
      { counter: `code-now:${value}`, most: 1, spanMs: RESEND_MS },
      { counter: `code-sent:${value}`, most: limits.perContactHourly, spanMs: HOUR_MS },
      { counter: `code-sent:${value}`, most: limits.perContactDaily, spanMs: DAY_MS },
      { counter: `code-from:${address}`, most: limits.perAddressHourly, spanMs: HOUR_MS },
      { counter: `code-net:${networkOf(address)}`, most: limits.perNetworkHourly, spanMs: HOUR_MS },
      { counter: 'code-all', most: limits.allDaily, spanMs: DAY_MS },
    ]);
    const code = randomDigits(CODE_DIGITS, randomBytes);
    const now = clock.now();
    await db.query(
      `insert into sign_in_code (contact, purpose, digest, tries, sent_at, expires_at) values ($1, $2, $3, 0, $4, $5)
       on conflict (contact, purpose) do update
         set digest = excluded.digest, tries = 0, sent_at = excluded.sent_at, expires_at = excluded.expires_at`,
      [value, purpose, digestOfCode(pepper, value, purpose, code), new Date(now), new Date(now + CODE_LIFE_MS)],
    );
    return code;
  }

  /** Uses the code up, or throws `wrong_code`; every wrong one is counted on the contact and on where it came from. */
  async use({ value }: Contact, purpose: CodePurpose, given: string, address: string): Promise<void> {
    const { db, clock, pepper, limits } = this.#options;
    const wrong: AttemptLimit[] = [
      { counter: `code-wrong:${value}`, most: limits.wrongPerContactHourly, spanMs: HOUR_MS },
      { counter: `code-wrong-from:${address}`, most: limits.wrongPerAddressHourly, spanMs: HOUR_MS },
      { counter: `code-wrong-net:${networkOf(address)}`, most: limits.wrongPerNetworkHourly, spanMs: HOUR_MS },
    ];
    const digest = digestOfCode(pepper, value, purpose, latinDigits(given).trim());
    const judge = () =>
      db.transaction(async (tx) => {
        // The try is counted before it is judged: a thousand at once are a thousand tries.
        const [row] = await tx.query<{ digest: Buffer; tries: number }>(
          `update sign_in_code set tries = tries + 1 where contact = $1 and purpose = $2 and expires_at > $3
            returning digest, tries`,
          [value, purpose, new Date(clock.now())],
        );
        if (!row || row.tries > MAX_TRIES || !sameDigest(row.digest, digest)) return false;
        await tx.query('delete from sign_in_code where contact = $1 and purpose = $2', [value, purpose]);
        return true;
      });
    if (await this.#attempts.guess(wrong, judge)) return;
    throw new GatewayError('wrong_code', { param: 'code' });
  }

  async forgetOld(): Promise<void> {
    await this.#options.db.query('delete from sign_in_code where expires_at < $1', [
      new Date(this.#options.clock.now() - HOUR_MS),
    ]);
    await this.#attempts.forgetOld();
  }
}

/** What is begun in one call and ended in another: the first gives a ticket, which works once for the second, within its life. */

import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { DAY_MS, MINUTE_MS } from '../core/time-spans.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { digestOfSecret, makeSecret } from './secrets-of-people.ts';

export const TICKET_LIFETIME_MS = 5 * MINUTE_MS;
const MAX_TRIES = 5;

export type TicketKind = 'second-factor' | 'passkey-sign-in' | 'passkey-add' | 'passkey-proof' | 'end-sessions';

/** Whoever is told of a change may read it days later. */
const LIVES_MS: Partial<Record<TicketKind, number>> = { 'end-sessions': 7 * DAY_MS };

export interface SignInTicket {
  personId: string | null;
  detail: JsonObject;
}

export class SignInTickets {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;

  constructor({ db, clock, randomBytes }: { db: Database; clock: Clock; randomBytes: RandomBytes }) {
    this.#db = db;
    this.#clock = clock;
    this.#randomBytes = randomBytes;
  }

  async make(kind: TicketKind, personId: string | null, detail: JsonObject): Promise<string> {
    const secret = makeSecret(this.#randomBytes);
    await this.#db.query(
      'insert into sign_in_ticket (digest, kind, person_id, detail, expires_at) values ($1, $2, $3, $4::jsonb, $5)',
      [
        digestOfSecret(secret),
        kind,
        personId,
        JSON.stringify(detail),
        new Date(this.#clock.now() + (LIVES_MS[kind] ?? TICKET_LIFETIME_MS)),
      ],
    );
    return secret;
  }

  /** Finds a ticket and counts the try; the ticket stays valid until `spend`. */
  async look(kind: TicketKind, secret: string): Promise<SignInTicket | undefined> {
    const [ticket] = await this.#db.query<SignInTicket>(
      `update sign_in_ticket set tries = tries + 1
        where digest = $1 and kind = $2 and expires_at > $3 and tries < $4
        returning person_id as "personId", detail`,
      [digestOfSecret(secret), kind, new Date(this.#clock.now()), MAX_TRIES],
    );
    return ticket;
  }

  /** True once. */
  async spend(secret: string): Promise<boolean> {
    const spent = await this.#db.query('delete from sign_in_ticket where digest = $1 returning kind', [
      digestOfSecret(secret),
    ]);
    return spent.length > 0;
  }

  /** What the person has begun cannot be ended any more; links that end sessions go on working. */
  async forgetBegun(tx: Queryable, personId: string): Promise<void> {
    await tx.query("delete from sign_in_ticket where person_id = $1 and kind <> 'end-sessions'", [personId]);
  }

  async forgetOld(): Promise<void> {
    await this.#db.query('delete from sign_in_ticket where expires_at < $1', [new Date(this.#clock.now())]);
  }
}

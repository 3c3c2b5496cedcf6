/** Joins two calls of one process: the first gets a ticket, which works once for the second while it is valid. */

import { DAY_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { digestOfSecret, makeSecret } from './secrets-of-people.ts';
import type { SignInTicket } from './sign-in-rows.ts';
import * as rows from './sign-in-rows.ts';

export const TICKET_LIFETIME_MS = 5 * MINUTE_MS;
const MAX_TRIES = 5;

export type TicketKind = 'second-factor' | 'passkey-sign-in' | 'passkey-add' | 'passkey-proof' | 'end-sessions';

/** A person who is told of a change may read the message days later. */
const LIVES_MS: Partial<Record<TicketKind, number>> = { 'end-sessions': 7 * DAY_MS };

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
    const expiresAt = new Date(this.#clock.now() + (LIVES_MS[kind] ?? TICKET_LIFETIME_MS));
    const values = [digestOfSecret(secret), kind, personId, JSON.stringify(detail), expiresAt];
    await rows.INSERT_SIGN_IN_TICKET.run(this.#db, values);
    return secret;
  }

  /** Finds a ticket and counts the try; the ticket stays valid until `spend`. */
  look(kind: TicketKind, secret: string): Promise<SignInTicket | undefined> {
    const values = [digestOfSecret(secret), kind, new Date(this.#clock.now()), MAX_TRIES];
    return rows.TRY_SIGN_IN_TICKET.first(this.#db, values);
  }

  /** Returns true the first time only. */
  async spend(secret: string): Promise<boolean> {
    return (await rows.SPEND_SIGN_IN_TICKET.first(this.#db, [digestOfSecret(secret)])) !== undefined;
  }

  /** Ends everything that the person has begun; links that end sessions keep working. */
  async forgetBegun(tx: Queryable, personId: string): Promise<void> {
    await rows.FORGET_BEGUN_TICKETS.run(tx, [personId]);
  }

  async forgetOld(): Promise<void> {
    await rows.FORGET_OLD_TICKETS.run(this.#db, [new Date(this.#clock.now())]);
  }
}

/**
 * Sessions: a random cookie, stored only as its digest. A customer's session lasts thirty days from its last use; one
 * of staff lasts twelve hours from its beginning, and one hour from its last use.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { digestOfSecret, makeSecret } from './secrets-of-people.ts';
import * as rows from './session-rows.ts';

export const SESSION_LIFETIME_MS = 30 * DAY_MS;
const STAFF_LIFETIME_MS = 12 * HOUR_MS;
const STAFF_IDLE_MS = HOUR_MS;
/** How often the use of a session is recorded; recording every call would cost too much. */
const NOTE_MS = 5 * MINUTE_MS;
const STAFF_NOTE_MS = MINUTE_MS;
/** How long a proof of identity counts. */
export const PROOF_LIFETIME_MS = 5 * MINUTE_MS;

export interface Session {
  id: string;
  personId: string;
  method: string;
  secondFactor: boolean;
  address: string | null;
  agent: string | null;
  createdAt: Date;
  seenAt: Date;
  expiresAt: Date;
  viewAccount: string | null;
  viewUntil: Date | null;
  /** When its person last proved their identity: by signing in, or later. */
  provedAt: Date;
}

export interface FoundSession extends Session {
  /** Its lifetime starts again with this use; the browser must be told to keep its cookie as long. */
  renewed: boolean;
  /** The person still has the password that we made: they can do nothing but choose another. */
  passwordOwed: boolean;
}

export interface Device {
  address: string;
  agent: string | undefined;
}

export interface SessionsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
}

export class Sessions {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;

  constructor({ db, clock, randomBytes }: SessionsOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#randomBytes = randomBytes;
  }

  /** Begins a session with a new secret; the cookie that the browser had before is not reused. */
  async begin(
    personId: string,
    method: string,
    secondFactor: boolean,
    device: Device,
    former: string | undefined,
  ): Promise<{ secret: string; id: string }> {
    const now = this.#clock.now();
    const secret = makeSecret(this.#randomBytes);
    const id = makeId('ses', now, this.#randomBytes);
    await this.#db.transaction(async (tx) => {
      if (former !== undefined) await rows.END_SESSION_OF_COOKIE.run(tx, [digestOfSecret(former)]);
      await rows.INSERT_SESSION.run(tx, [
        id,
        digestOfSecret(secret),
        personId,
        method,
        secondFactor,
        device.address,
        device.agent?.slice(0, 256) ?? null,
        new Date(now),
        new Date(now + SESSION_LIFETIME_MS),
      ]);
    });
    return { secret, id };
  }

  /**
   * Undefined when there is no such session, it has expired, or its person is blocked. With `isUse` false nobody did
   * anything: an open page only asks whether it may go on, which does not extend the session.
   */
  async find(secret: string, isUse = true): Promise<FoundSession | undefined> {
    if (!/^[0-9A-Za-z]{43}$/.test(secret)) return undefined;
    const now = this.#clock.now();
    const row = await rows.FIND_SESSION.first(this.#db, [digestOfSecret(secret), new Date(now)]);
    if (!row || endOf(row) <= now) return undefined;
    const { isStaff, ...session } = row;
    const renewed = isUse && now - session.seenAt.getTime() > (isStaff ? STAFF_NOTE_MS : NOTE_MS);
    if (renewed)
      await rows.RENEW_SESSION.run(this.#db, [session.id, new Date(now), new Date(now + SESSION_LIFETIME_MS)]);
    return { ...session, renewed };
  }

  async list(personId: string): Promise<Session[]> {
    const now = this.#clock.now();
    const found = await rows.SESSIONS_OF_PERSON.rows(this.#db, [personId, new Date(now)]);
    return found
      .map(({ isStaff, ...session }) => ({ ...session, expiresAt: new Date(endOf({ ...session, isStaff })) }))
      .filter(({ expiresAt }) => expiresAt.getTime() > now);
  }

  /** Called when its person has just proved their identity. Returns until when that counts. */
  async prove(id: string): Promise<Date> {
    const now = this.#clock.now();
    await rows.MARK_PROVED.run(this.#db, [id, new Date(now)]);
    return new Date(now + PROOF_LIFETIME_MS);
  }

  /** Ends the views of a member of staff who may no longer have them, in every session. */
  async endViews(personId: string, tx: Queryable): Promise<void> {
    await rows.END_VIEWS.run(tx, [personId]);
  }

  async end(personId: string, id: string): Promise<void> {
    const ended = await rows.END_SESSION.first(this.#db, [personId, id]);
    if (!ended) throw new GatewayError('not_found');
  }

  /** Ends all sessions of a person except one. */
  async endAll(personId: string, except: string | null, tx: Queryable = this.#db): Promise<number> {
    const ended = await rows.END_OTHER_SESSIONS.rows(tx, [personId, except]);
    return ended.length;
  }

  /** Lets staff see an account as its customer does, for a while. */
  async view(id: string, accountId: string | null, until: Date | null): Promise<void> {
    await rows.SET_VIEW.run(this.#db, [id, accountId, until]);
  }

  async markSecondFactor(id: string): Promise<void> {
    await rows.MARK_SECOND_FACTOR.run(this.#db, [id]);
  }

  async forgetOld(): Promise<void> {
    await rows.FORGET_EXPIRED_SESSIONS.run(this.#db, [new Date(this.#clock.now())]);
  }
}

type Ending = Pick<Session, 'createdAt' | 'seenAt' | 'expiresAt'> & { isStaff: boolean };

function endOf({ isStaff, createdAt, seenAt, expiresAt }: Ending): number {
  if (!isStaff) return expiresAt.getTime();
  return Math.min(expiresAt.getTime(), createdAt.getTime() + STAFF_LIFETIME_MS, seenAt.getTime() + STAFF_IDLE_MS);
}

/**
 * Sessions: a random cookie, known here only by its digest. A customer's lives thirty days from its last use; one of staff twelve
 * hours from its beginning, and an hour from its last use.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { digestOfSecret, makeSecret } from './secrets-of-people.ts';

export const SESSION_LIFETIME_MS = 30 * DAY_MS;
const STAFF_LIFETIME_MS = 12 * HOUR_MS;
const STAFF_IDLE_MS = HOUR_MS;
/** How often the use of a session is written down; writing it for every call would cost too much. */
const NOTE_MS = 5 * MINUTE_MS;
const STAFF_NOTE_MS = MINUTE_MS;
/** How long a proof of who one is counts. */
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
  /** When its person last proved who they are: by signing in, or since. */
  provedAt: Date;
}

export interface FoundSession extends Session {
  /** Its life begins anew with this use; the browser must be told to keep its cookie as long. */
  renewed: boolean;
  /** The person still has the password that we made: nothing opens but the choice of another. */
  passwordOwed: boolean;
}

export interface Device {
  address: string;
  agent: string | undefined;
}

const COLUMNS = `s.id, s.person_id as "personId", s.method, s.second_factor as "secondFactor", s.address, s.agent,
  s.created_at as "createdAt", s.seen_at as "seenAt", s.expires_at as "expiresAt", s.view_account as "viewAccount",
  s.view_until as "viewUntil", greatest(s.created_at, s.proved_at) as "provedAt"`;
/** Whoever works here has sessions that end soon, whenever they became staff. */
const IS_STAFF = 'exists (select 1 from staff where staff.person_id = s.person_id) as "isStaff"';

interface SessionRow extends Session {
  isStaff: boolean;
}

type FoundRow = SessionRow & Pick<FoundSession, 'passwordOwed'>;

/** Only the operator of the first start has a name to sign in with, and no password of their own until they choose one. */
const PASSWORD_OWED = `(p.password_hash is null and exists (
  select from identity i where i.person_id = p.id and i.kind = 'name'))`;

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
      if (former !== undefined) await tx.query('delete from session where digest = $1', [digestOfSecret(former)]);
      await tx.query(
        `insert into session (id, digest, person_id, method, second_factor, address, agent, created_at, seen_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)`,
        [
          id,
          digestOfSecret(secret),
          personId,
          method,
          secondFactor,
          device.address,
          device.agent?.slice(0, 256) ?? null,
          new Date(now),
          new Date(now + SESSION_LIFETIME_MS),
        ],
      );
    });
    return { secret, id };
  }

  /**
   * Undefined: no such session, expired, or its person is blocked. `isUse` false: nobody did anything, an open page only asks
   * whether it may go on, which does not make the session last longer.
   */
  async find(secret: string, isUse = true): Promise<FoundSession | undefined> {
    if (!/^[0-9A-Za-z]{43}$/.test(secret)) return undefined;
    const now = this.#clock.now();
    const [row] = await this.#db.query<FoundRow>(
      `select ${COLUMNS}, ${IS_STAFF}, ${PASSWORD_OWED} as "passwordOwed"
         from session s join person p on p.id = s.person_id
        where s.digest = $1 and s.expires_at > $2 and p.blocked_at is null`,
      [digestOfSecret(secret), new Date(now)],
      { name: 'find-session' },
    );
    if (!row || endOf(row) <= now) return undefined;
    const { isStaff, ...session } = row;
    const renewed = isUse && now - session.seenAt.getTime() > (isStaff ? STAFF_NOTE_MS : NOTE_MS);
    if (renewed)
      await this.#db.query('update session set seen_at = $2, expires_at = $3 where id = $1', [
        session.id,
        new Date(now),
        new Date(now + SESSION_LIFETIME_MS),
      ]);
    return { ...session, renewed };
  }

  async list(personId: string): Promise<Session[]> {
    const now = this.#clock.now();
    const rows = await this.#db.query<SessionRow>(
      `select ${COLUMNS}, ${IS_STAFF} from session s where person_id = $1 and expires_at > $2 order by seen_at desc limit 200`,
      [personId, new Date(now)],
    );
    return rows
      .map(({ isStaff, ...session }) => ({ ...session, expiresAt: new Date(endOf({ ...session, isStaff })) }))
      .filter(({ expiresAt }) => expiresAt.getTime() > now);
  }

  /** Its person has just proved who they are. Returns until when that counts. */
  async prove(id: string): Promise<Date> {
    const now = this.#clock.now();
    await this.#db.query('update session set proved_at = $2 where id = $1', [id, new Date(now)]);
    return new Date(now + PROOF_LIFETIME_MS);
  }

  /** Staff who may not look any more see their own again, in every session. */
  async endViews(personId: string, tx: Queryable): Promise<void> {
    await tx.query('update session set view_account = null, view_until = null where person_id = $1', [personId]);
  }

  async end(personId: string, id: string): Promise<void> {
    const ended = await this.#db.query('delete from session where person_id = $1 and id = $2 returning id', [
      personId,
      id,
    ]);
    if (ended.length === 0) throw new GatewayError('not_found');
  }

  /** All of a person's, but one. */
  async endAll(personId: string, except: string | null, tx: Queryable = this.#db): Promise<number> {
    const ended = await tx.query(
      'delete from session where person_id = $1 and ($2::text is null or id <> $2) returning id',
      [personId, except],
    );
    return ended.length;
  }

  /** Staff sees an account as its customer does, for a while. */
  async view(id: string, accountId: string | null, until: Date | null): Promise<void> {
    await this.#db.query('update session set view_account = $2, view_until = $3 where id = $1', [id, accountId, until]);
  }

  async markSecondFactor(id: string): Promise<void> {
    await this.#db.query('update session set second_factor = true where id = $1', [id]);
  }

  async forgetOld(): Promise<void> {
    await this.#db.query('delete from session where expires_at < $1', [new Date(this.#clock.now())]);
  }
}

function endOf({ isStaff, createdAt, seenAt, expiresAt }: SessionRow): number {
  if (!isStaff) return expiresAt.getTime();
  return Math.min(expiresAt.getTime(), createdAt.getTime() + STAFF_LIFETIME_MS, seenAt.getTime() + STAFF_IDLE_MS);
}

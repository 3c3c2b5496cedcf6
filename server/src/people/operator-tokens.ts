/**
 * Operator tokens: what a program may do on the operator API, by name, within scopes, until an end. Each call asks the database, so
 * a token that ended is refused by every replica at once.
 */
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { OPERATOR_SCOPES, type OperatorScope } from '../core/operator-scopes.ts';
import { reasons } from '../core/reasons.ts';
import { DAY_MS, MINUTE_MS } from '../core/time-spans.ts';
import { parseTimeInput } from '../keys/index.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import type { Background } from '../platform/background.ts';
import type { Database } from '../platform/db/index.ts';
import { peopleReasons } from './reasons.ts';
import { digestOfSecret, makeSecret } from './secrets-of-people.ts';

export const OPERATOR_TOKEN_PREFIX = 'dgo-';
/** The id and the name under which DARGAH_OPERATOR_TOKEN is listed. */
export const ENVIRONMENT_TOKEN = 'environment';
const MAX_LIVE = 100;
const MAX_LISTED = 200;
const USUAL_LIFETIME_MS = 90 * DAY_MS;
const MAX_LIFETIME_MS = 366 * DAY_MS;
/** How often the use of a token is written down. */
const NOTE_MS = MINUTE_MS;

export interface OperatorToken {
  id: string;
  name: string;
  last4: string;
  scopes: OperatorScope[];
  /** Null only for the token of the environment. */
  expiresAt: Date | null;
  createdBy: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

export interface NewOperatorToken {
  name: string;
  scopes: readonly string[];
  /** Undefined: after 90 days. */
  expiresAt: string | undefined;
}

export interface OperatorTokenOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  background: Background;
}

const COLUMNS = `id, name, last4, scopes, expires_at as "expiresAt", created_by as "createdBy", created_at as "createdAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt"`;

export class NamedTokens {
  readonly #options: OperatorTokenOptions;
  readonly #changed: RecordChange;
  #environmentNotedAt = Number.NEGATIVE_INFINITY;

  constructor(options: OperatorTokenOptions) {
    this.#options = options;
    this.#changed = createChangeRecorder(options, 'operator_token');
  }

  list(): Promise<OperatorToken[]> {
    return this.#options.db.query<OperatorToken>(
      `select ${COLUMNS} from operator_token where id <> $1 order by created_at desc, id desc limit ${MAX_LISTED}`,
      [ENVIRONMENT_TOKEN],
    );
  }

  async create(input: NewOperatorToken, actor: string): Promise<{ token: OperatorToken; text: string }> {
    const { db, clock, randomBytes } = this.#options;
    const now = clock.now();
    const text = OPERATOR_TOKEN_PREFIX + makeSecret(randomBytes);
    const token: OperatorToken = {
      id: makeId('opt', now, randomBytes),
      name: checkedName(input.name),
      last4: text.slice(-4),
      scopes: checkedScopes(input.scopes),
      expiresAt: checkedEnd(input.expiresAt, now),
      createdBy: actor,
      createdAt: new Date(now),
      lastUsedAt: null,
      revokedAt: null,
    };
    const { id, name, last4, scopes, expiresAt, createdAt } = token;
    await db.transaction(async (tx) => {
      // One after the other: many at once must not pass the limit.
      await tx.query('lock table operator_token in share row exclusive mode');
      const live = await tx.query<{ name: string }>(
        'select name from operator_token where digest is not null and revoked_at is null and expires_at > $1',
        [createdAt],
      );
      if (live.length >= MAX_LIVE)
        throw new GatewayError('conflict', { reason: peopleReasons.tooManyOperatorTokens(MAX_LIVE) });
      if (live.some((one) => one.name === name))
        throw new GatewayError('conflict', { param: 'name', reason: peopleReasons.operatorTokenNamed(name) });
      await tx.query(
        `insert into operator_token (id, name, digest, last4, scopes, expires_at, created_by, created_at)
         values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8)`,
        [id, name, digestOfSecret(text), last4, JSON.stringify(scopes), expiresAt, actor, createdAt],
      );
      const end = expiresAt?.toISOString() ?? null;
      await this.#changed(tx, actor, 'operator_token.create', id, { name, scopes, expires_at: end });
    });
    return { token, text };
  }

  revoke(id: string, actor: string): Promise<OperatorToken> {
    const { db, clock } = this.#options;
    return db.transaction(async (tx) => {
      const [present] = await tx.query<OperatorToken>(
        `select ${COLUMNS} from operator_token where id = $1 and digest is not null for update`,
        [id],
      );
      if (!present) throw new GatewayError('not_found');
      if (present.revokedAt !== null) return present;
      const revokedAt = new Date(clock.now());
      await tx.query('update operator_token set revoked_at = $2 where id = $1', [id, revokedAt]);
      await this.#changed(tx, actor, 'operator_token.revoke', id, { name: present.name });
      return { ...present, revokedAt };
    });
  }

  /** The token that was presented, if it may be used now. */
  async find(text: string): Promise<OperatorToken | undefined> {
    if (!/^dgo-[0-9A-Za-z]{43}$/.test(text)) return undefined;
    const { db, clock } = this.#options;
    const now = clock.now();
    const [token] = await db.query<OperatorToken>(
      `select ${COLUMNS} from operator_token where digest = $1 and revoked_at is null and expires_at > $2`,
      [digestOfSecret(text), new Date(now)],
      { name: 'find-operator-token' },
    );
    if (token && (token.lastUsedAt === null || now - token.lastUsedAt.getTime() >= NOTE_MS))
      await db.query('update operator_token set last_used_at = $2 where id = $1', [token.id, new Date(now)]);
    return token;
  }

  /** In the background: what the environment's token opens must open without the database too. */
  noteEnvironment(): void {
    const { db, clock, background } = this.#options;
    const now = clock.now();
    if (now - this.#environmentNotedAt < NOTE_MS) return;
    this.#environmentNotedAt = now;
    const noted = db.query(
      `insert into operator_token (id, name, last4, scopes, created_by, created_at, last_used_at)
       values ($1, $1, '', '[]', $1, $2, $2) on conflict (id) do update set last_used_at = excluded.last_used_at`,
      [ENVIRONMENT_TOKEN, new Date(now)],
    );
    background.detach(noted, 'use of the operator token');
  }

  async environmentLastUsed(): Promise<Date | null> {
    const [row] = await this.#options.db.query<{ at: Date | null }>(
      'select last_used_at as at from operator_token where id = $1',
      [ENVIRONMENT_TOKEN],
    );
    return row?.at ?? null;
  }
}

function checkedName(input: string): string {
  const name = input.trim();
  if (name === '') throw invalidRequest('name', reasons.required('name'));
  // It would be taken for the one that the environment names.
  if (name === ENVIRONMENT_TOKEN) throw invalidRequest('name', peopleReasons.operatorTokenNamed(name));
  return name;
}

function checkedScopes(input: readonly string[]): OperatorScope[] {
  input.forEach((name, index) => {
    if (!OPERATOR_SCOPES.some((scope) => scope === name))
      throw invalidRequest(`scopes.${index}`, reasons.oneOf(`scopes.${index}`, OPERATOR_SCOPES));
  });
  const scopes = OPERATOR_SCOPES.filter((scope) => input.includes(scope));
  if (scopes.length === 0) throw invalidRequest('scopes', reasons.oneOf('scopes', OPERATOR_SCOPES));
  return scopes;
}

function checkedEnd(input: string | undefined, nowMs: number): Date {
  if (input === undefined) return new Date(nowMs + USUAL_LIFETIME_MS);
  const at = parseTimeInput(input);
  if (at === undefined || at <= nowMs) throw invalidRequest('expires_at', peopleReasons.expiryNotInFuture);
  if (at > nowMs + MAX_LIFETIME_MS) throw invalidRequest('expires_at', peopleReasons.tokenEndsWithinYear);
  return new Date(at);
}

/**
 * Operator tokens: what a program may do on the operator API, by name, within scopes, until an end. Each call reads the
 * database, so every replica refuses a token at once when it has ended.
 */

import { OPERATOR_SCOPES, type OperatorScope } from '@dargah/core/operator-scopes.ts';
import { DAY_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { type Money, money, toTomanText } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import { parseTimeInput } from '../keys/index.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import type { Background } from '../platform/background.ts';
import type { Database } from '../platform/db/index.ts';
import { peopleReasons } from './reasons.ts';
import { digestOfSecret, makeSecret } from './secrets-of-people.ts';
import type { OperatorToken } from './token-rows.ts';
import * as rows from './token-rows.ts';

export const OPERATOR_TOKEN_PREFIX = 'dgo-';
/** The id and the name under which DARGAH_OPERATOR_TOKEN is listed. */
export const ENVIRONMENT_TOKEN = 'environment';
const MAX_LIVE = 100;
const USUAL_LIFETIME_MS = 90 * DAY_MS;
const MAX_LIFETIME_MS = 366 * DAY_MS;
/** How often the use of a token is recorded. */
const NOTE_MS = MINUTE_MS;

export interface NewOperatorToken {
  name: string;
  scopes: readonly string[];
  /** Undefined means after 90 days. */
  expiresAt: string | undefined;
}

export interface OperatorTokenOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  background: Background;
}

export class NamedTokens {
  readonly #options: OperatorTokenOptions;
  readonly #changed: RecordChange;
  #environmentNotedAt = Number.NEGATIVE_INFINITY;

  constructor(options: OperatorTokenOptions) {
    this.#options = options;
    this.#changed = createChangeRecorder(options, 'operator_token');
  }

  list(): Promise<OperatorToken[]> {
    return rows.OPERATOR_TOKENS.rows(this.#options.db, [ENVIRONMENT_TOKEN]);
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
      creditAct: '0',
      creditDay: '0',
    };
    const { id, name, last4, scopes, expiresAt, createdAt } = token;
    await db.transaction(async (tx) => {
      // Taken one after the other, so that many at once cannot pass the limit.
      await rows.LOCK_OPERATOR_TOKENS.run(tx);
      const live = await rows.NAMES_OF_LIVE_TOKENS.rows(tx, [createdAt]);
      if (live.length >= MAX_LIVE)
        throw new GatewayError('conflict', { reason: peopleReasons.tooManyOperatorTokens(MAX_LIVE) });
      if (live.some((one) => one.name === name))
        throw new GatewayError('conflict', { param: 'name', reason: peopleReasons.operatorTokenNamed(name) });
      const stored = JSON.stringify(scopes);
      const values = [id, name, digestOfSecret(text), last4, stored, expiresAt, actor, createdAt];
      await rows.INSERT_OPERATOR_TOKEN.run(tx, values);
      const end = expiresAt?.toISOString() ?? null;
      await this.#changed(tx, actor, 'operator_token.create', id, { name, scopes, expires_at: end });
    });
    return { token, text };
  }

  revoke(id: string, actor: string): Promise<OperatorToken> {
    const { db, clock } = this.#options;
    return db.transaction(async (tx) => {
      const present = await rows.LOCKED_OPERATOR_TOKEN.first(tx, [id]);
      if (!present) throw new GatewayError('not_found');
      if (present.revokedAt !== null) return present;
      const revokedAt = new Date(clock.now());
      await rows.REVOKE_OPERATOR_TOKEN.run(tx, [id, revokedAt]);
      await this.#changed(tx, actor, 'operator_token.revoke', id, { name: present.name });
      return { ...present, revokedAt };
    });
  }

  /** How much the token may credit by hand; nothing until an owner allows it. */
  setCreditLimits(id: string, { act, day }: { act: Money; day: Money }, actor: string): Promise<OperatorToken> {
    return this.#options.db.transaction(async (tx) => {
      const before = await rows.LOCKED_OPERATOR_TOKEN.first(tx, [id]);
      if (!before) throw new GatewayError('not_found');
      await rows.SET_CREDIT_LIMITS.run(tx, [id, String(act), String(day)]);
      const tomanText = (amount: string) => toTomanText(money(BigInt(amount)));
      await this.#changed(tx, actor, 'operator_token.limits', id, {
        name: before.name,
        before: { act: tomanText(before.creditAct), day: tomanText(before.creditDay) },
        after: { act: toTomanText(act), day: toTomanText(day) },
      });
      return { ...before, creditAct: String(act), creditDay: String(day) };
    });
  }

  /** The token that was presented, if it may be used now. */
  async find(text: string): Promise<OperatorToken | undefined> {
    if (!/^dgo-[0-9A-Za-z]{43}$/.test(text)) return undefined;
    const { db, clock } = this.#options;
    const now = clock.now();
    const token = await rows.FIND_OPERATOR_TOKEN.first(db, [digestOfSecret(text), new Date(now)]);
    if (token && (token.lastUsedAt === null || now - token.lastUsedAt.getTime() >= NOTE_MS))
      await rows.NOTE_TOKEN_USE.run(db, [token.id, new Date(now)]);
    return token;
  }

  /** Recorded in the background, because the environment's token must also work without the database. */
  noteEnvironment(): void {
    const { db, clock, background } = this.#options;
    const now = clock.now();
    if (now - this.#environmentNotedAt < NOTE_MS) return;
    this.#environmentNotedAt = now;
    const noted = rows.NOTE_ENVIRONMENT_USE.run(db, [ENVIRONMENT_TOKEN, new Date(now)]);
    background.detach(noted, 'use of the operator token');
  }

  async environmentLastUsed(): Promise<Date | null> {
    return (await rows.LAST_USE_OF_TOKEN.first(this.#options.db, [ENVIRONMENT_TOKEN]))?.at ?? null;
  }
}

function checkedName(input: string): string {
  const name = input.trim();
  if (name === '') throw invalidRequest('name', reasons.required('name'));
  // It would be mistaken for the token of the environment.
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

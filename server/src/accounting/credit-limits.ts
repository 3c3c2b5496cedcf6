/**
 * How much one person or program may book by hand, with one act and in one day. What was booked is counted inside the
 * transaction of the act while the actor's row is locked, so acts at the same moment are counted one after the other.
 */

import { familyOf, type HandKind, type LimitFamily, MAY_BOOK } from '@dargah/core/hand-kinds.ts';
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import type { StaffRole } from '@dargah/core/roles.ts';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { type Money, money, parseToman, toTomanText, ZERO } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import { lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import type { SettingStore } from '../platform/setting-store.ts';
import { handReasons } from './hand-reasons.ts';
import { COUNTED_FOR_ACCOUNT, COUNTED_TODAY, HAND_SETTING, LIMITS_OF_TOKEN, ROLE_LOCKED } from './hand-rows.ts';

export interface LimitPair {
  act: Money;
  day: Money;
  /** What everybody of the role together may book for one account in thirty days; null where that is not limited. */
  account: Money | null;
}

type LimitedRole = Exclude<StaffRole, 'viewer'>;
type RoleLimits = Record<LimitFamily, LimitPair>;
export type CreditLimits = Record<LimitedRole, RoleLimits>;

const SETTING = 'credit_limits';
const LIMITED_ROLES: readonly LimitedRole[] = ['owner', 'finance', 'support'];
const FAMILIES: readonly LimitFamily[] = ['credit', 'receipt'];

const toman = (amount: number): Money => money(BigInt(amount) * 1_000_000n);
const NONE: LimitPair = { act: ZERO, day: ZERO, account: null };

/** The limits until an owner sets others. Support cannot enter receipts. */
const USUAL: CreditLimits = {
  owner: {
    credit: { act: toman(100_000_000), day: toman(500_000_000), account: null },
    receipt: { act: toman(500_000_000), day: toman(5_000_000_000), account: null },
  },
  finance: {
    credit: { act: toman(20_000_000), day: toman(100_000_000), account: toman(50_000_000) },
    receipt: { act: toman(200_000_000), day: toman(1_000_000_000), account: toman(500_000_000) },
  },
  support: { credit: { act: toman(500_000), day: toman(3_000_000), account: toman(1_000_000) }, receipt: NONE },
};

/** The highest limit that an owner can set; anything above it is more likely a typing error. */
const MAX = toman(1_000_000_000_000);

export async function readCreditLimits(db: Queryable): Promise<CreditLimits> {
  const row = await HAND_SETTING.first(db, [SETTING]);
  const stored = row && isJsonObject(row.value) ? row.value : {};
  const one = (role: LimitedRole, family: LimitFamily) =>
    storedLimits(stored[role], family, USUAL[role][family].account) ?? USUAL[role][family];
  const of = (role: LimitedRole): RoleLimits => ({ credit: one(role, 'credit'), receipt: one(role, 'receipt') });
  return { owner: of('owner'), finance: of('finance'), support: of('support') };
}

/** `usual` replaces a limit per account that did not exist when the limits were stored. */
function storedLimits(value: Json | undefined, family: LimitFamily, usual: Money | null): LimitPair | undefined {
  const stored = value !== undefined && isJsonObject(value) ? value[family] : undefined;
  if (stored === undefined || !isJsonObject(stored)) return undefined;
  const [act, day] = [parseToman(String(stored['act'])), parseToman(String(stored['day']))];
  if (act === undefined || day === undefined) return undefined;
  const account = stored['account'];
  if (account === undefined) return { act, day, account: usual };
  return { act, day, account: account === null ? null : (parseToman(String(account)) ?? usual) };
}

export async function changeCreditLimits(store: SettingStore, limits: CreditLimits, actor: string): Promise<void> {
  for (const role of LIMITED_ROLES)
    for (const family of FAMILIES) checkLimits(limits[role][family], `${role}.${family}`);
  const texts = ({ act, day, account }: LimitPair) => ({
    act: toTomanText(act),
    day: toTomanText(day),
    account: account === null ? null : toTomanText(account),
  });
  const value = Object.fromEntries(
    LIMITED_ROLES.map((role) => {
      const { credit, receipt } = limits[role];
      return [role, { credit: texts(credit), receipt: texts(role === 'support' ? NONE : receipt) }];
    }),
  );
  await store.set(SETTING, value, actor);
}

/** The limit of a day must allow at least one act. */
export function checkLimits({ act, day }: LimitPair, param: string): void {
  if (act < 0n || act > MAX || day < act || day > MAX)
    throw invalidRequest(param, reasons.mustBe(param, expected.between('0', toTomanText(MAX))));
}

/** What somebody wants to book by hand. */
interface Wanted {
  kind: HandKind;
  amount: Money;
  /** Null when the money belongs to no account yet. */
  accountId: string | null;
  nowMs: number;
}

/** What the act uses of the limits. Throws when it is beyond them, or when the actor may no longer do this. */
export async function takeOfLimits(tx: Queryable, actor: string, wanted: Wanted): Promise<Money> {
  const { kind, amount, nowMs } = wanted;
  const limits = await lockedLimits(tx, actor, kind);
  const counted = money(amount < 0n ? -amount : amount);
  if (counted > limits.act) throw beyond(actor, counted, handReasons.beyondAct(toTomanText(limits.act)));
  // A token has one pair of limits for everything that it books.
  const spent = await bookedToday(tx, actor, actor.startsWith(TOKEN) ? null : familyOf(kind), nowMs);
  if (spent + counted > limits.day) {
    const left = money(limits.day > spent ? limits.day - spent : 0n);
    throw beyond(actor, counted, handReasons.beyondDay(toTomanText(limits.day), toTomanText(left)));
  }
  if (limits.account !== null && wanted.accountId !== null)
    await requireAccountLeft(tx, actor, { ...wanted, accountId: wanted.accountId }, limits.account);
  return counted;
}

const ACCOUNT_DAYS = 30;

/**
 * Everybody of one role shares the limit of an account, so two people who take turns get no more than one. Acts for the
 * same account wait for each other.
 */
async function requireAccountLeft(
  tx: Queryable,
  actor: string,
  { kind, amount, accountId, nowMs }: Wanted & { accountId: string },
  limit: Money,
): Promise<void> {
  await lockUntilCommit(tx, `credit by hand for ${accountId}`);
  const row = await COUNTED_FOR_ACCOUNT.first(tx, [
    accountId,
    familyOf(kind),
    new Date(nowMs - ACCOUNT_DAYS * DAY_MS),
    actor,
  ]);
  const counted = money(amount < 0n ? -amount : amount);
  if (BigInt(row?.amount ?? 0) + counted > limit)
    throw beyond(actor, counted, handReasons.beyondAccount(toTomanText(limit), ACCOUNT_DAYS));
}

async function bookedToday(tx: Queryable, actor: string, family: LimitFamily | null, nowMs: number): Promise<Money> {
  const row = await COUNTED_TODAY.first(tx, [actor, family, new Date(nowMs), HOME_ZONE]);
  return money(BigInt(row?.amount ?? 0));
}

function beyond(actor: string, amount: Money, reason: { fa: string; en: string }): GatewayError {
  const isToken = actor.startsWith(TOKEN);
  const detail = { amount: toTomanText(amount), can_ask: !isToken };
  return new GatewayError('credit_limit_exceeded', {
    param: 'amount',
    reason: isToken ? handReasons.tokenLimit : reason,
    detail,
  });
}

const STAFF = 'staff:';
const TOKEN = 'operator-token:';

/** The limits of the actor, whose row stays locked until the act is done. */
async function lockedLimits(tx: Queryable, actor: string, kind: HandKind): Promise<LimitPair> {
  const family = familyOf(kind);
  if (actor.startsWith(TOKEN)) {
    const token = await LIMITS_OF_TOKEN.first(tx, [actor.slice(TOKEN.length)]);
    return token ? { act: money(BigInt(token.act)), day: money(BigInt(token.day)), account: null } : NONE;
  }
  const role = actor.startsWith(STAFF) ? await lockedRole(tx, actor) : 'owner';
  // The token of the environment and the command line act as an owner does, and have no row to lock.
  if (!actor.startsWith(STAFF)) await lockUntilCommit(tx, `credit by hand of ${actor}`);
  if (role === undefined || role === 'viewer' || !MAY_BOOK[kind].includes(role)) throw new GatewayError('forbidden');
  return (await readCreditLimits(tx))[role][family];
}

/** The role at this moment, so that somebody who has just lost it is refused. */
export async function lockedRole(tx: Queryable, actor: string): Promise<StaffRole | undefined> {
  const member = await ROLE_LOCKED.first(tx, [actor.slice(STAFF.length)]);
  return member?.role;
}

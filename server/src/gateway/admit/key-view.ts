/** `GET /key`: the calling key's effective rules, what is left of each limit, and the wallet. */
import { type BudgetState, NO_LIMIT, type WindowState } from '../../admission/index.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { type Money, max, money, toTomanText, ZERO } from '../../core/money.ts';
import { type KeySnapshot, renderAccountRules, renderKeyConditions } from '../../keys/index.ts';
import type { Gateway } from '../gateway.ts';
import { type CapCheck, standingLimitChecks } from './limit-checks.ts';
import { RATE_LIMITS } from './limits.ts';

export async function keyView(key: KeySnapshot, gw: Gateway) {
  const checks = standingLimitChecks(key, gw.settings.walletMinimum, gw.clock.now());
  const windows = await gw.admission.windows(checks.rates);
  const budgets = await gw.admission.budgets([...checks.caps, checks.wallet]);
  return {
    object: 'key' as const,
    id: key.id,
    account_id: key.account.id,
    name: key.name,
    ...conditionsOf(key),
    limits: Object.fromEntries(
      [...RATE_LIMITS.values()].map(({ responseName, counter }) => [
        responseName,
        windowView(windows.get(counter(key))),
      ]),
    ),
    caps: checks.caps.map((cap) => capView(cap, budgets.get(cap.id))),
    wallet: walletView(budgets.get(checks.wallet.id)),
  };
}

/** The balance of the account; running requests hold part of it. */
export async function walletBalance(key: KeySnapshot, gw: Gateway): Promise<Money> {
  const { wallet } = standingLimitChecks(key, gw.settings.walletMinimum, gw.clock.now());
  const budgets = await gw.admission.budgets([wallet]);
  return balanceOf(budgets.get(wallet.id));
}

/** The rules that apply to this key: what its account forbids is forbidden to it. */
function conditionsOf({ rules, account }: KeySnapshot) {
  const conditions = renderKeyConditions(rules);
  narrow(conditions, renderAccountRules(account.rules));
  return conditions;
}

function narrow(own: JsonObject, account: JsonObject): void {
  for (const [name, value = null] of Object.entries(own)) own[name] = stricter(value, account[name]);
}

/**
 * The entries of the key's list that the account also allows. A group on either side stays, because only the catalog
 * knows its models.
 */
function stricter(own: Json, account: Json = null): Json {
  if (own === true || account === true) return true;
  if (!Array.isArray(own) || !Array.isArray(account)) return own ?? account;
  return own.filter((item) => account.includes(item) || isGroup(item) || account.some(isGroup));
}

function isGroup(item: Json): boolean {
  return typeof item === 'string' && item.startsWith('group:');
}

function windowView(state: WindowState | undefined) {
  if (!state) return { limit: null, remaining: null, reset_ms: 0 };
  const unlimited = state.limit >= NO_LIMIT;
  return {
    limit: unlimited ? null : state.limit,
    remaining: unlimited ? null : state.remaining,
    reset_ms: state.resetMs,
  };
}

function capView(cap: CapCheck, state: BudgetState | undefined) {
  const spent = state?.posted ?? ZERO;
  const held = state?.held ?? ZERO;
  return {
    scope: cap.scope,
    ...(cap.budgetName !== undefined && { name: cap.budgetName }),
    period: cap.period,
    limit: toTomanText(cap.limit),
    spent: toTomanText(spent),
    held: toTomanText(held),
    remaining: toTomanText(max(ZERO, money(cap.limit - spent - held))),
    resets_at: cap.resetsAt === null ? null : new Date(cap.resetsAt).toISOString(),
  };
}

function balanceOf(state: BudgetState | undefined): Money {
  return money(-(state?.posted ?? 0n));
}

function walletView(state: BudgetState | undefined) {
  const balance = balanceOf(state);
  const held = state?.held ?? ZERO;
  return { balance: toTomanText(balance), held: toTomanText(held), available: toTomanText(money(balance - held)) };
}

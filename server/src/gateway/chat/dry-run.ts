/**
 * What would happen to this request: every rule in order with the numbers behind it, up to the first that refuses;
 * tokens, price, hold and routes. Counters are only read; nothing is reserved, sent or charged.
 */

import type { Language } from '@dargah/core/text.ts';
import { type BudgetCheck, NO_LIMIT, type WindowCheck } from '../../admission/index.ts';
import type { Model } from '../../catalog/index.ts';
import type { ChatRequest } from '../../core/chat.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { type Money, max, money, toTomanText, ZERO } from '../../core/money.ts';
import {
  CALLER_RULES,
  checkDataPolicy,
  checkPrice,
  type KeySnapshot,
  meetsData,
  REQUEST_RULES,
} from '../../keys/index.ts';
import { type AutoChoice, autoOf } from '../admit/auto-choice.ts';
import { type Estimate, longestAnswer } from '../admit/estimate.ts';
import { estimateRequest } from '../admit/estimate-request.ts';
import { type CapCheck, limitChecksOfRequest, standingLimitChecks } from '../admit/limit-checks.ts';
import { refusalOf } from '../admit/limit-refusal.ts';
import { LIMITS } from '../admit/limits.ts';
import { planChat, type RequestPlan } from '../admit/plan.ts';
import { checkCapabilities, resolveModel } from '../admit/resolve.ts';
import type { Gateway } from '../gateway.ts';
import { priceOf } from '../price-of-tokens.ts';
import { asksKnowledge, openKnowledge } from './knowledge.ts';

export interface RuleVerdict {
  rule: string;
  verdict: 'passes' | 'refuses' | 'not_reached';
  code: string | null;
  detail: Record<string, Json>;
  message: string | null;
}

export interface DryRunOptions {
  language: Language;
  /** Rules that were checked before the body was read. */
  before: RuleVerdict[];
}

/** Rules 7 to 13, by the names of their verdicts. */
const LATER = [
  'model',
  'capability',
  'price',
  'data',
  ...Object.keys(REQUEST_RULES),
  ...Object.values(LIMITS).map(({ ruleName }) => ruleName),
];
/** All that the rule tester shows. */
export const RULES_IN_ORDER = [...Object.keys(CALLER_RULES), 'body', ...LATER];

export async function dryRun(
  request: ChatRequest,
  key: KeySnapshot,
  { language, before }: DryRunOptions,
  gw: Gateway,
): Promise<DryRunAnswer> {
  const rules = [...before];
  const told: Told = { ...NOTHING_TOLD };
  let auto: AutoChoice | undefined;
  try {
    const model = judge(
      rules,
      'model',
      language,
      () => {
        auto = autoOf(request, key, gw);
        return auto?.models[0] ?? resolveModel(request.model, key, gw.catalog.current(), 'chat');
      },
      {
        asked: request.model ?? key.rules.defaultModel,
      },
    );
    told.model = model.id;
    const planned = judge(rules, 'capability', language, () => {
      checkCapabilities(request, model);
      // A demanded data policy that no route states is reported by its own rule, which comes after the price.
      return meetsData(key, request, model) ? planChat(request, model, key, gw, auto) : undefined;
    });
    judge(rules, 'price', language, () => checkPrice(key, model));
    judge(rules, 'data', language, () => checkDataPolicy(key, request, model));
    for (const [rule, of] of Object.entries(REQUEST_RULES)) judge(rules, rule, language, () => of(key)?.(request));
    const plan = planned ?? planChat(request, model, key, gw, auto);
    const knowledge = asksKnowledge(request) ? await openKnowledge(request, key, gw) : undefined;
    const estimate = await estimateRequest(request, plan, key, knowledge?.budgetTokens ?? 0, gw);
    Object.assign(told, costs(model, estimate, plan, gw));
    await judgeLimits(rules, key, estimate, told, language, gw);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (!rules.some(({ verdict }) => verdict === 'refuses')) rules.push(refused('body', error, language, {}));
  }
  return dryRunAnswer([...rules, ...notReached(rules, LATER)], told);
}

/** Rules skipped because an earlier rule refused. */
export function notReached(judged: readonly RuleVerdict[], all: readonly string[]): RuleVerdict[] {
  const reached = new Set(judged.map(({ rule }) => rule));
  return all
    .filter((rule) => !reached.has(rule))
    .map((rule) => ({ rule, verdict: 'not_reached', code: null, detail: {}, message: null }));
}

export function dryRunAnswer(rules: RuleVerdict[], told: Told): DryRunAnswer {
  const passes = rules.every(({ verdict }) => verdict === 'passes');
  return { object: 'dry_run', passes, rules, ...told };
}

/** Null stands for what was not reached. */
interface Told {
  model: string | null;
  tokens: { input: number; output: number } | null;
  price: { version: string; least: string; most: string } | null;
  hold: string | null;
  routes: { order: number; provider: string | null; reason: string }[];
}

export interface DryRunAnswer extends Told {
  object: 'dry_run';
  passes: boolean;
  rules: RuleVerdict[];
}

export const NOTHING_TOLD: Told = { model: null, tokens: null, price: null, hold: null, routes: [] };

export function judge<T>(
  rules: RuleVerdict[],
  rule: string,
  language: Language,
  work: () => T,
  detail: Record<string, Json> = {},
): T {
  try {
    const result = work();
    rules.push({ rule, verdict: 'passes', code: null, detail, message: null });
    return result;
  } catch (error) {
    if (error instanceof GatewayError) rules.push(refused(rule, error, language, detail));
    throw error;
  }
}

function refused(rule: string, error: GatewayError, language: Language, detail: Record<string, Json>): RuleVerdict {
  const { param, detail: more } = error.options;
  return {
    rule,
    verdict: 'refuses',
    code: error.code,
    // The numbers of the dry run win over the error's: `limit` is a number here, and the name of the limit in an error.
    detail: { ...more, ...detail, ...(param === undefined ? {} : { param }) },
    message: error.text(language),
  };
}

function costs(model: Model, estimate: Estimate, plan: RequestPlan, { settings }: Gateway): Omit<Told, 'model'> {
  const { inputTokens, outputTokens, want, least, explicit } = estimate;
  const most = explicit ? want : max(want, priceOf(model, inputTokens, longestAnswer(model)));
  return {
    tokens: { input: inputTokens, output: outputTokens },
    price: { version: model.price.version, least: toTomanText(least), most: toTomanText(most) },
    hold: toTomanText(want),
    routes: plan.targets.map((target, index) => ({
      order: index + 1,
      provider: settings.suppliersShown ? target.route.provider.id : null,
      reason: settings.suppliersShown ? (plan.explanation[index] ?? '') : '',
    })),
  };
}

async function judgeLimits(
  rules: RuleVerdict[],
  key: KeySnapshot,
  estimate: Estimate,
  told: Told,
  language: Language,
  gw: Gateway,
): Promise<void> {
  const standing = standingLimitChecks(key, gw.settings.walletMinimum, gw.clock.now());
  const windows = await gw.admission.windows(standing.rates);
  const budgets = await gw.admission.budgets(standing.budgets);
  const inOrder = limitChecksOfRequest(standing, estimate);
  let affordable: Money | undefined;
  for (const [name, { ruleName }] of Object.entries(LIMITS)) {
    const checks = inOrder.filter((limitCheck) => limitCheck.name === name);
    if (checks.length === 0) judge(rules, ruleName, language, () => undefined);
    for (const limitCheck of checks) {
      let state: LimitState;
      if (limitCheck.kind === 'window') {
        state = windowState(limitCheck, windows.get(limitCheck.id)?.remaining ?? limitCheck.limit);
      } else {
        const { posted = ZERO, held = ZERO } = budgets.get(limitCheck.id) ?? {};
        const available = money(limitCheck.limit - posted - held);
        if (affordable === undefined || available < affordable) affordable = available;
        state = budgetState(limitCheck, available, estimate);
      }
      const check = () => {
        if (!state.fits) throw refusalOf(limitCheck);
      };
      judge(rules, ruleName, language, check, state.detail);
    }
  }
  // Without `max_tokens` no more is held than can be paid.
  if (!estimate.explicit && affordable !== undefined && affordable < estimate.want)
    told.hold = toTomanText(max(ZERO, affordable));
}

interface LimitState {
  fits: boolean;
  detail: Record<string, Json>;
}

function windowState({ limit, amount: needed }: WindowCheck, left: number): LimitState {
  if (limit >= NO_LIMIT) return { fits: true, detail: { limit: null, remaining: null, needed } };
  return { fits: left >= needed, detail: { limit, remaining: left, needed } };
}

function budgetState(limitCheck: BudgetCheck | CapCheck, left: Money, { least }: Estimate): LimitState {
  const needed = toTomanText(least);
  const available = toTomanText(max(ZERO, left));
  const fits = left >= least;
  if (!('period' in limitCheck)) return { fits, detail: { available, needed } };
  const { scope, period, limit, resetsAt } = limitCheck;
  const detail = {
    cap: `${scope}.${period}`,
    limit: toTomanText(limit),
    remaining: available,
    needed,
    resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
  };
  return { fits, detail };
}

/**
 * What would happen to this request: every rule in its order with the numbers behind it, up to the first that refuses; tokens,
 * price, hold and routes. Counters are read and nothing is taken, sent or charged.
 */
import { NO_LIMIT, type WindowDemand } from '../../admission/index.ts';
import type { Model } from '../../catalog/index.ts';
import type { ChatRequest } from '../../core/chat.ts';
import { ERRORS, type ErrorCode } from '../../core/error-registry.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { type Money, max, money, toTomanText, ZERO } from '../../core/money.ts';
import type { Language } from '../../core/text.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { type CapDemand, demandsOf } from '../admit/demands.ts';
import { type Estimate, estimateModels, longestAnswer, priceOf, tokensToTake } from '../admit/estimate.ts';
import { estimateOptions } from '../admit/estimate-options.ts';
import { type ChatPlan, planChat } from '../admit/plan.ts';
import { checkCapabilities, resolveModel } from '../admit/resolve.ts';
import type { Gateway } from '../gateway.ts';
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
  /** Rules that were judged before the body was read. */
  before: RuleVerdict[];
}

/** Rules 7 to 13. */
export const LATER = [
  'model',
  'capability',
  'requests_of_key',
  'requests_of_account',
  'cap',
  'wallet',
  'tokens_of_key',
];

export async function dryRun(
  request: ChatRequest,
  key: KeySnapshot,
  { language, before }: DryRunOptions,
  gw: Gateway,
): Promise<JsonObject> {
  const rules = [...before];
  const told: Told = { model: null, tokens: null, price: null, hold: null, routes: [] };
  try {
    const model = judge(
      rules,
      'model',
      language,
      () => resolveModel(request.model, key, gw.catalog.current(), 'chat'),
      {
        asked: request.model ?? key.rules.defaultModel,
      },
    );
    told.model = model.id;
    const plan = judge(rules, 'capability', language, () => {
      checkCapabilities(request, model);
      return planChat(request, model, key, gw);
    });
    const knowledge = asksKnowledge(request) ? await openKnowledge(request, key, gw) : undefined;
    const options = estimateOptions(request, plan, key, knowledge?.budgetTokens ?? 0, gw);
    const estimate = estimateModels(request, plan.models, options);
    Object.assign(told, costs(model, estimate, plan, gw));
    await judgeLimits(rules, key, estimate, told, language, gw);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (!rules.some(({ verdict }) => verdict === 'refuses')) rules.push(refused('body', error, language, {}));
  }
  const reached = new Set(rules.map(({ rule }) => rule));
  for (const rule of LATER)
    if (!reached.has(rule)) rules.push({ rule, verdict: 'not_reached', code: null, detail: {}, message: null });
  const passes = rules.every(({ verdict }) => verdict === 'passes');
  return { object: 'dry_run', passes, rules: rules as unknown as Json, ...told, notes: [] };
}

interface Told {
  [name: string]: Json;
  model: string | null;
  routes: Json[];
}

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
  const { param, reason, detail: more } = error.options;
  const message = reason?.[language] ?? ERRORS[error.code].text[language];
  return {
    rule,
    verdict: 'refuses',
    code: error.code,
    detail: { ...detail, ...more, ...(param === undefined ? {} : { param }) },
    message,
  };
}

function costs(model: Model, estimate: Estimate, plan: ChatPlan, { settings }: Gateway): Omit<Told, 'model'> {
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
  const demands = demandsOf(key, gw.settings.walletMinimum, gw.clock.now());
  const { keyRequests, accountRequests, keyTokens, caps, wallet } = demands;
  const windows = await gw.admission.windows([keyRequests, accountRequests, keyTokens]);
  const budgets = await gw.admission.budgets([...caps, wallet]);
  const window = (rule: string, demand: WindowDemand, amount: number) => {
    const remaining = windows.get(demand.id)?.remaining ?? demand.limit;
    const unlimited = demand.limit >= NO_LIMIT;
    const detail = { limit: unlimited ? null : demand.limit, remaining: unlimited ? null : remaining, needed: amount };
    verdict(rules, rule, unlimited || remaining >= amount, 'rate_limited', language, detail);
  };
  const left = ({ id, limit }: { id: string; limit: Money }) => {
    const { posted = ZERO, held = ZERO } = budgets.get(id) ?? {};
    return money(limit - posted - held);
  };
  let affordable: Money | undefined;
  window('requests_of_key', keyRequests, 1);
  window('requests_of_account', accountRequests, 1);
  for (const cap of caps as CapDemand[]) {
    const available = left(cap);
    if (affordable === undefined || available < affordable) affordable = available;
    const resets_at = cap.resetsAt === null ? null : new Date(cap.resetsAt).toISOString();
    const detail = {
      cap: `${cap.scope}.${cap.period}`,
      limit: toTomanText(cap.limit),
      remaining: toTomanText(max(ZERO, available)),
      needed: toTomanText(estimate.least),
      resets_at,
    };
    verdict(rules, 'cap', available >= estimate.least, 'spend_cap_reached', language, detail);
  }
  if (caps.length === 0) rules.push({ rule: 'cap', verdict: 'passes', code: null, detail: {}, message: null });
  const inWallet = left(wallet);
  if (affordable === undefined || inWallet < affordable) affordable = inWallet;
  const walletDetail = { available: toTomanText(max(ZERO, inWallet)), needed: toTomanText(estimate.least) };
  verdict(rules, 'wallet', inWallet >= estimate.least, 'insufficient_balance', language, walletDetail);
  window('tokens_of_key', keyTokens, tokensToTake(estimate, keyTokens.limit));
  // Without `max_tokens` no more is held than can be paid.
  if (!estimate.explicit && affordable < estimate.want) told['hold'] = toTomanText(max(ZERO, affordable));
}

/** Throws where it refuses: the rules after it are not reached. */
function verdict(
  rules: RuleVerdict[],
  rule: string,
  passes: boolean,
  code: ErrorCode,
  language: Language,
  detail: Record<string, Json>,
): void {
  if (passes) {
    rules.push({ rule, verdict: 'passes', code: null, detail, message: null });
    return;
  }
  const error = new GatewayError(code);
  rules.push(refused(rule, error, language, detail));
  throw error;
}

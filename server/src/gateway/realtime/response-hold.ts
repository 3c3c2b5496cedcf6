/**
 * The money of one response of a realtime session: held before the provider may begin it, extended while it speaks,
 * settled at its end.
 */
import type { BudgetCheck, Hold } from '../../admission/index.ts';
import type { Model, Route } from '../../catalog/index.ts';
import type { AnyRequest } from '../../core/chat.ts';
import { type Money, max, money, ZERO } from '../../core/money.ts';
import { highestUnitPrice } from '../../core/price.ts';
import { countTokens } from '../../core/token-estimate.ts';
import { type Bucket, promptTokens, type Usage } from '../../core/usage.ts';
import { checkDataPolicy, checkPrice, type KeySnapshot } from '../../keys/index.ts';
import { soundTokens } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import { type Admitted, admit } from '../admit/admit.ts';
import type { Estimate } from '../admit/estimate.ts';
import { standingLimitChecks } from '../admit/limit-checks.ts';
import { refusalOf, shortageOf } from '../admit/limit-refusal.ts';
import { resolveModel } from '../admit/resolve.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { outputPrice } from '../price-of-tokens.ts';
import { Run } from '../settle/run.ts';

/** When not even this many tokens can be paid, nothing is begun. */
const SHORT_ANSWER_TOKENS = 16;
/** Ten seconds of audio: more is not sent before it is held for. */
const GROWTH_TOKENS = 200;

/** A session names its model and nothing else: what is demanded of its provider, its key demands. */
const NOTHING_DEMANDED: AnyRequest = { model: undefined, svc: { knowledgeBaseIds: [] } };

const NOTHING_SAID: Usage = { buckets: {}, source: 'estimated' };
const NOTHING_USED = { spent: ZERO, tokens: undefined };

/** The hold of a response that has not begun. */
export interface ResponseHold {
  call: Call;
  key: KeySnapshot;
  model: Model;
  input: Usage;
  estimate: Estimate;
  admitted: Admitted;
  /** Held later, because the speaker went on. */
  more: Hold[];
  /** False once it has begun or was released. */
  waiting: boolean;
}

/** The model, if the key may use it. */
export function realtimeModelOf(
  name: string | undefined,
  key: KeySnapshot,
  gw: Gateway,
  metadata?: Call['metadata'],
): Model {
  const model = resolveModel(name, key, gw.catalog.current(), 'realtime', metadata);
  checkPrice(key, model);
  checkDataPolicy(key, NOTHING_DEMANDED, model);
  return model;
}

/** Throws the refusal. The rules of the key and the price are those of this moment, however long the session has lasted. */
export async function holdForResponse(
  call: Call,
  key: KeySnapshot,
  modelId: string,
  input: Usage,
  route: Route | undefined,
  gw: Gateway,
): Promise<ResponseHold> {
  const model = realtimeModelOf(modelId, key, gw, call.metadata);
  if (route) checkDataPolicy(key, NOTHING_DEMANDED, { id: modelId, routes: [route] });
  const estimate = estimateOf(model, input, gw.settings.holdStepTokens);
  const admitted = await admit(call, key, model, estimate, gw);
  return { call, key, model, input, estimate, admitted, more: [], waiting: true };
}

/** The provider did not begin it. */
export function releaseHold({ admitted, more }: ResponseHold, { admission }: Gateway): void {
  admission.settle(admitted.hold, { spent: ZERO, tokens: 0 });
  for (const hold of more) admission.settle(hold, NOTHING_USED);
}

/**
 * The provider's input has grown. What is held for a long answer may pay for it, as long as a short one is left. Throws
 * when wallet or caps cannot pay for the rest; the hold then stays as it is.
 */
export async function growHold(held: ResponseHold, input: Usage, gw: Gateway): Promise<void> {
  const { call, model, admitted, more } = held;
  if (promptTokens(input) - promptTokens(held.input) < GROWTH_TOKENS) return;
  const estimate = estimateOf(model, input, gw.settings.holdStepTokens);
  const amount = more.reduce((sum, hold) => sum + hold.amount, 0n + admitted.hold.amount);
  const missing = money(estimate.least - amount);
  if (missing > ZERO) {
    const hold = await holdMoney(call, model, admitted.budgets, { ...estimate, least: missing }, gw);
    if (held.waiting) held.more.push(hold);
    else gw.admission.settle(hold, NOTHING_USED);
  }
  held.input = input;
}

/**
 * Throws the refusal of an account that cannot pay even the shortest response: no provider is connected for it. A
 * connection takes nothing from the rates of a key, and nothing stays held.
 */
export async function checkCanPay(call: Call, key: KeySnapshot, model: Model, gw: Gateway): Promise<void> {
  const { budgets } = standingLimitChecks(key, gw.settings.walletMinimum, gw.clock.now());
  const shortest = estimateOf(model, NOTHING_SAID, SHORT_ANSWER_TOKENS);
  gw.admission.settle(await holdMoney(call, model, budgets, shortest, gw), NOTHING_USED);
}

/** Holds what the estimate needs at least, or throws the refusal of the wallet or cap that lacks it. */
async function holdMoney(
  call: Call,
  model: Model,
  budgets: readonly BudgetCheck[],
  estimate: Estimate,
  { admission }: Gateway,
): Promise<Hold> {
  const { least } = estimate;
  const result = await admission.reserve({
    requestId: call.id,
    checks: [...budgets],
    money: { want: least, least },
  });
  if (result.ok) return result.hold;
  const { failed, retryAfterMs, available } = result;
  throw refusalOf(failed, retryAfterMs, shortageOf(money(available ?? 0n), estimate, model));
}

function estimateOf(model: Model, input: Usage, stepTokens: number): Estimate {
  const inputTokens = promptTokens(input);
  const outputTokens = Math.min(stepTokens, model.maxOutput ?? stepTokens);
  const each = highestOutputPrice(model, inputTokens);
  const paid = inputPrice(model, input);
  const price = (tokens: number): Money => money(paid + each * BigInt(tokens));
  return {
    inputTokens,
    likelyInput: inputTokens,
    unsureInput: 0,
    outputTokens,
    choices: 1,
    explicit: false,
    growing: true,
    want: price(outputTokens),
    least: price(Math.min(SHORT_ANSWER_TOKENS, outputTokens)),
    surcharge: ZERO,
    inputUsage: input,
  };
}

function inputPrice({ price }: Model, input: Usage): bigint {
  const prompt = promptTokens(input);
  let sum = price.perRequest;
  for (const [bucket, units] of Object.entries(input.buckets))
    sum += BigInt(units) * highestUnitPrice(price, bucket as Bucket, prompt);
  return sum;
}

/** The model chooses whether it speaks or writes. */
function highestOutputPrice(model: Model, inputTokens: number): Money {
  return max(outputPrice(model, inputTokens), money(highestUnitPrice(model.price, 'audioOutput', inputTokens)));
}

/** A response that the provider makes. */
export class RunningResponse {
  readonly run: Run;
  readonly #hold: ResponseHold;
  readonly #stepTokens: number;
  #text = '';
  #textTokens = 0;
  #soundBytes = 0;
  #soundPerSecond = 1;
  delivered = false;
  /** Wallet or caps could pay for no more. */
  overrun = false;

  constructor(hold: ResponseHold, target: Target, gw: Gateway) {
    const { call, key, model, estimate, admitted, input } = hold;
    this.#hold = hold;
    this.#stepTokens = gw.settings.holdStepTokens;
    this.run = new Run(
      {
        call,
        key,
        model,
        ...admitted,
        stream: true,
        user: undefined,
        tags: undefined,
        inputTokens: estimate.inputTokens,
        likelyInput: estimate.likelyInput,
        inputUsage: input,
        thinksUnseen: false,
        asksNoThinking: false,
        plan: [target.summary],
        told: undefined,
      },
      gw,
    );
    this.run.money.takeOver(hold.more);
  }

  get generated(): boolean {
    return this.#soundBytes > 0 || this.#textTokens > 0 || this.#text !== '';
  }

  /** Counts what arrived. Returns false, or a promise of it, when wallet or caps can pay for no more. */
  covers(text: string, soundBytes: number, soundPerSecond: number): true | Promise<boolean> {
    this.#text += text;
    this.#soundBytes += soundBytes;
    this.#soundPerSecond = soundPerSecond;
    // No text has more tokens than this; it is counted only when so many could be too many.
    const most = this.#costOf(this.#textTokens + this.#text.length * 3);
    if (most <= this.run.money.amount) return true;
    this.#textTokens += countTokens(this.#text).max;
    this.#text = '';
    const needed = this.#costOf(this.#textTokens);
    return needed <= this.run.money.amount ? true : this.#grow(needed);
  }

  async #grow(needed: Money): Promise<boolean> {
    const { model, estimate } = this.#hold;
    const step = highestOutputPrice(model, estimate.inputTokens) * BigInt(this.#stepTokens);
    const missing = money(needed - this.run.money.amount);
    const granted = await this.run.money.add({ want: money(missing + step), least: missing }).catch(() => ZERO);
    return granted >= missing;
  }

  get #soundTokens(): number {
    return soundTokens(this.#soundBytes, this.#soundPerSecond);
  }

  #costOf(textTokens: number): Money {
    const { model, input, estimate } = this.#hold;
    const { price } = model;
    const sound = BigInt(this.#soundTokens) * highestUnitPrice(price, 'audioOutput', estimate.inputTokens);
    return money(inputPrice(model, input) + sound + BigInt(textTokens) * outputPrice(model, estimate.inputTokens));
  }

  /** Our own count, for a provider that reports nothing or breaks off. */
  counted(): Usage {
    const output = this.#textTokens + (this.#text === '' ? 0 : countTokens(this.#text).likely);
    return {
      buckets: { ...this.#hold.input.buckets, output, audioOutput: this.#soundTokens },
      source: 'estimated',
    };
  }
}

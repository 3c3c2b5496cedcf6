/** Step 7, first half: one estimate of tokens and money, which then feeds TPM, caps and wallet alike. */
import type { Model } from '../../catalog/index.ts';
import type { ChatRequest, HostedCalls } from '../../core/chat.ts';
import { type Money, max, money, ZERO } from '../../core/money.ts';
import { highestUnitPrice } from '../../core/price.ts';
import type { Bucket, Usage } from '../../core/usage.ts';
import { affordableOutput, outputPrice, priceOf } from '../price-of-tokens.ts';
import { countInput, type InputTokens } from './count-input.ts';
import type { MediaLimits } from './count-media.ts';
import type { History } from './history.ts';
import { hostedMost } from './sell-beside.ts';

/** The tokens of a short answer: when not even these can be paid, the request is refused with 402. */
const SHORT_ANSWER_TOKENS = 16;
/** For models whose longest answer is unknown. */
const MAX_UNKNOWN_ANSWER_TOKENS = 128_000;

export interface Estimate {
  /** Never far below what any provider will count: holds and TPM are made of it. */
  inputTokens: number;
  /** The count that providers most likely make: it is charged when no provider reports one, and shown to clients. */
  likelyInput: number;
  /** The part of `inputTokens` that is held for in case pictures and documents are large, but not counted in TPM. */
  unsureInput: number;
  /** Output tokens taken from TPM: what may be generated where `max_tokens` is given, else a realistic length. */
  outputTokens: number;
  /** How many answers were asked for; tokens and amounts are for all of them. */
  choices: number;
  /** The client's own limit for each choice; some providers are sent a higher one, and then more is held. */
  limit?: number;
  /** The client set a limit, so the hold covers the worst case and is not reduced. */
  explicit: boolean;
  /** The output can be seen growing, so the hold grows with it; otherwise the hold decides the limit sent upstream. */
  growing: boolean;
  want: Money;
  /** What a realistic length costs, where `want` is the longest possible answer. */
  usual?: Money;
  least: Money;
  /**
   * The part of these amounts that is due to the kind of input or output (audio, cache writes); it buys no output
   * tokens.
   */
  surcharge: Money;
  /** What a provider charges for the request alone, where that is not by its input tokens. */
  inputUsage?: Usage;
  /** Set only when several models may answer: each with its own count of the input. */
  candidates?: { model: Model; inputTokens: number }[];
}

type CountedTokens = Pick<Estimate, 'inputTokens' | 'likelyInput' | 'outputTokens'>;

/**
 * For requests whose price is known before they are sent: all of it is held, because a shorter answer is not possible.
 */
export function knownPrice(tokens: CountedTokens, want: Money): Estimate {
  const all = { choices: 1, explicit: true, growing: false, want, least: want, surcharge: ZERO, unsureInput: 0 };
  return { ...tokens, ...all };
}

export interface EstimateOptions {
  account: string;
  history: History;
  /** Output tokens held for where nothing is known. */
  defaultOutput: number;
  /**
   * No learned length is shorter than this: after a series of short answers every longer one would otherwise wait for
   * more money.
   */
  leastOutput: number;
  extraInput: number;
  growing: boolean;
  /** The lowest limit that can be sent upstream, where a provider accepts none below it. */
  leastLimit: number;
  /** Tools that the provider runs. */
  hosted: HostedCalls | undefined;
  /** Tokens of pictures and documents, by the model that counts the most. */
  media(): MediaLimits;
}

function estimateChat(request: ChatRequest, counted: InputTokens, model: Model, options: EstimateOptions): Estimate {
  const { account, history, extraInput, growing } = options;
  const inputTokens = Math.ceil((counted.max + extraInput) * history.ratio(account, model.id));
  const likelyInput = counted.likely + extraInput;
  const choices = request.sampling.count ?? 1;
  const asked = request.maxOutputTokens;
  if (asked !== undefined) {
    const limit = Math.min(asked, model.maxOutput ?? Number.MAX_SAFE_INTEGER);
    const outputTokens = Math.max(limit, options.leastLimit) * choices;
    const surcharge = surchargeOf(request, counted, model, inputTokens, outputTokens, options.hosted);
    const want = money(priceOf(model, inputTokens, outputTokens) + surcharge);
    const input = { inputTokens, likelyInput, unsureInput: counted.unsure };
    return { ...input, outputTokens, choices, limit, explicit: true, growing: false, want, least: want, surcharge };
  }
  const ceiling = longestAnswer(model);
  const usualLength = Math.min(usualOutput(model, options), ceiling);
  const outputTokens = usualLength * choices;
  const surcharge = surchargeOf(request, counted, model, inputTokens, outputTokens, options.hosted);
  const price = (output: number): Money => money(priceOf(model, inputTokens, output) + surcharge);
  const usual = price(outputTokens);
  const least = price(Math.min(SHORT_ANSWER_TOKENS, usualLength) * choices);
  const held = growing ? { want: usual } : { want: price(ceiling * choices), usual };
  const input = { inputTokens, likelyInput, unsureInput: counted.unsure };
  return { ...input, outputTokens, choices, explicit: false, growing, ...held, least, surcharge };
}

/**
 * What is counted in TPM, where `limit` is allowed in a minute. Without `max_tokens` the output is our guess, and a
 * guess alone must not exceed a small limit for ever.
 */
export function tokensToReserve(estimate: Estimate, limit: number): number {
  const input = estimate.inputTokens - estimate.unsureInput;
  const tokens = input + estimate.outputTokens;
  return estimate.explicit ? tokens : Math.max(input, Math.min(tokens, limit));
}

/**
 * Audio, spoken answers and cache writes may cost more than text input, and unused tokens of a predicted answer are
 * charged as output.
 */
function surchargeOf(
  { priced }: ChatRequest,
  { audio, kept, predicted }: InputTokens,
  model: Model,
  inputTokens: number,
  outputTokens: number,
  hosted: HostedCalls | undefined,
): Money {
  if (audio === 0 && kept === undefined && priced === undefined) return ZERO;
  const plain = highestUnitPrice(model.price, 'inputFresh', inputTokens);
  const above = (bucket: Bucket, base: bigint): bigint => {
    const each = highestUnitPrice(model.price, bucket, inputTokens);
    return each > base ? each - base : 0n;
  };
  let sum = BigInt(audio) * above('audioInput', plain);
  if (kept !== undefined) sum += BigInt(inputTokens) * above(kept === '1h' ? 'cacheWrite1h' : 'cacheWrite5m', plain);
  if (priced?.speaks) sum += BigInt(outputTokens) * above('audioOutput', outputPrice(model, inputTokens));
  if (predicted > 0) sum += BigInt(predicted) * above('output', plain);
  if (hosted) sum += hostedMost(hosted, model, { input: inputTokens, output: outputTokens, kept: kept !== undefined });
  return money(sum);
}

function usualOutput(model: Model, { account, history, defaultOutput, leastOutput }: EstimateOptions): number {
  const learned = history.typicalOutput(account, model.id);
  return learned === undefined ? defaultOutput : Math.max(learned, Math.min(leastOutput, defaultOutput));
}

export function longestAnswer({ maxOutput, context }: Model): number {
  return maxOutput ?? context ?? MAX_UNKNOWN_ANSWER_TOKENS;
}

/** The hold must cover whichever of the models answers in the end. */
export function estimateModels(
  request: ChatRequest,
  models: readonly Model[],
  options: EstimateOptions,
  counted: InputTokens = countInput(request, options.media),
): Estimate {
  const first = models[0] as Model;
  const all = estimateChat(request, counted, first, options);
  if (models.length === 1) return all;
  all.candidates = [{ model: first, inputTokens: all.inputTokens }];
  for (const model of models.slice(1)) {
    const one = estimateChat(request, counted, model, options);
    all.candidates.push({ model, inputTokens: one.inputTokens });
    all.inputTokens = Math.max(all.inputTokens, one.inputTokens);
    all.outputTokens = Math.max(all.outputTokens, one.outputTokens);
    all.want = max(all.want, one.want);
    all.least = max(all.least, one.least);
    all.surcharge = max(all.surcharge, one.surcharge);
    if (all.limit !== undefined && one.limit !== undefined) all.limit = Math.max(all.limit, one.limit);
    if (all.usual !== undefined && one.usual !== undefined) all.usual = max(all.usual, one.usual);
  }
  return all;
}

/** How many output tokens `amount` pays for, whichever of the models answers: the most expensive of them decides. */
export function affordableByAny(estimate: Estimate, model: Model, amount: Money): number {
  const candidates = estimate.candidates ?? [{ model, inputTokens: estimate.inputTokens }];
  const left = money(amount - estimate.surcharge);
  return Math.min(...candidates.map((one) => affordableOutput(one.model, one.inputTokens, left)));
}

/** How many output tokens `amount` buys from `model`, which is the one that answers. */
export function affordableByOne(estimate: Estimate, model: Model, amount: Money): number {
  return affordableOutput(model, inputOf(estimate, model), money(amount - estimate.surcharge));
}

export function inputOf({ candidates, inputTokens }: Estimate, model: Model): number {
  return candidates?.find((candidate) => candidate.model === model)?.inputTokens ?? inputTokens;
}

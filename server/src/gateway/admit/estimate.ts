/** Step 7, first half: one estimate of tokens and money, which then feeds TPM, caps and wallet alike. */
import type { Model } from '../../catalog/index.ts';
import type { ChatRequest, Part } from '../../core/chat.ts';
import { type Money, max, money } from '../../core/money.ts';
import { dearestUnitPrice } from '../../core/price.ts';
import type { TokenCount } from '../../core/token-estimate.ts';
import type { History } from './history.ts';
import { countInputText } from './remembered-counts.ts';

/** "A short answer": when not even this fits, the request is refused with 402. */
const SHORT_ANSWER_TOKENS = 16;
/** Of a model whose longest answer nobody wrote down. */
const LONGEST_UNKNOWN_ANSWER = 128_000;
/** Role, separators and the like, as the OpenAI protocol counts them. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_TOOL = 12;
/** Between OpenAI's 765 and Anthropic's 1,600 for a full-size picture. */
const TOKENS_PER_IMAGE = 1_100;
const TOKENS_PER_SMALL_IMAGE = 85;
/** Compressed speech is about 4 KB of base64 a second and 10 tokens a second. */
const AUDIO_CHARACTERS_PER_TOKEN = 400;
/** A PDF page is about 60 KB of base64 and 2,000 tokens. */
const FILE_CHARACTERS_PER_TOKEN = 30;

export interface Estimate {
  /** Never far below what any provider will count: holds and TPM are made of it. */
  inputTokens: number;
  /** As providers most likely count it: for charges that no provider reported, and for what clients are shown. */
  likelyInput: number;
  /** Output tokens taken from TPM: `max_tokens` where given, else a realistic length. */
  outputTokens: number;
  /** The client set a limit, so the hold covers the worst case and is all or nothing. */
  explicit: boolean;
  /** The output can be seen growing, so the hold grows with it; otherwise what is held is the limit sent upstream. */
  growing: boolean;
  want: Money;
  /** What a realistic length costs, where `want` is the longest possible answer. */
  usual?: Money;
  least: Money;
  /** Only when several models may answer: each with its own count of the input. */
  candidates?: { model: Model; inputTokens: number }[];
}

export interface EstimateOptions {
  account: string;
  history: History;
  /** Held for where nothing is known. */
  defaultOutput: number;
  /** No learned length is shorter than this, so that a series of short answers does not make every longer one stop for more. */
  leastOutput: number;
  extraInput: number;
  growing: boolean;
}

function estimateChat(request: ChatRequest, counted: TokenCount, model: Model, options: EstimateOptions): Estimate {
  const { account, history, extraInput, growing } = options;
  const inputTokens = Math.ceil((counted.most + extraInput) * history.ratio(account, model.id));
  const likelyInput = counted.likely + extraInput;
  const choices = request.sampling.count ?? 1;
  const asked = request.maxOutputTokens;
  if (asked !== undefined) {
    const outputTokens = Math.min(asked, model.maxOutput ?? Number.MAX_SAFE_INTEGER) * choices;
    const want = priceOf(model, inputTokens, outputTokens);
    return { inputTokens, likelyInput, outputTokens, explicit: true, growing: false, want, least: want };
  }
  const ceiling = longestAnswer(model);
  const usualLength = Math.min(usualOutput(model, options), ceiling);
  const outputTokens = usualLength * choices;
  const usual = priceOf(model, inputTokens, outputTokens);
  const least = priceOf(model, inputTokens, Math.min(SHORT_ANSWER_TOKENS, usualLength) * choices);
  const held = growing ? { want: usual } : { want: priceOf(model, inputTokens, ceiling * choices), usual };
  return { inputTokens, likelyInput, outputTokens, explicit: false, growing, ...held, least };
}

function usualOutput(model: Model, { account, history, defaultOutput, leastOutput }: EstimateOptions): number {
  const learned = history.typicalOutput(account, model.id);
  return learned === undefined ? defaultOutput : Math.max(learned, Math.min(leastOutput, defaultOutput));
}

export function longestAnswer({ maxOutput, context }: Model): number {
  return maxOutput ?? context ?? LONGEST_UNKNOWN_ANSWER;
}

/** The hold must cover whichever of the models answers in the end. */
export function estimateModels(request: ChatRequest, models: readonly Model[], options: EstimateOptions): Estimate {
  const first = models[0] as Model;
  const counted = countInput(request);
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
    if (all.usual !== undefined && one.usual !== undefined) all.usual = max(all.usual, one.usual);
  }
  return all;
}

/** How many output tokens `amount` pays for, whichever of the models answers: the dearest of them decides. */
export function affordableByAny(estimate: Estimate, model: Model, amount: Money): number {
  const candidates = estimate.candidates ?? [{ model, inputTokens: estimate.inputTokens }];
  return Math.min(...candidates.map((one) => affordableOutput(one.model, one.inputTokens, amount)));
}

/** The same for one model, after its input is paid. */
export function affordableOutput(model: Model, inputTokens: number, amount: Money): number {
  const each = outputPrice(model, inputTokens);
  const left = amount - priceOf(model, inputTokens, 0);
  if (left <= 0n) return 0;
  return each === 0n ? Number.MAX_SAFE_INTEGER : Number(left / each);
}

export function priceOf(model: Model, inputTokens: number, outputTokens: number): Money {
  const { price } = model;
  const input = BigInt(inputTokens) * dearestUnitPrice(price, 'inputFresh', inputTokens);
  return money(price.perRequest + input + BigInt(outputTokens) * outputPrice(model, inputTokens));
}

/** Reasoning may be priced apart and dearer; a hold must cover whichever the model decides to produce. */
export function outputPrice({ price }: Model, inputTokens: number): Money {
  const output = dearestUnitPrice(price, 'output', inputTokens);
  return max(money(output), money(dearestUnitPrice(price, 'reasoning', inputTokens)));
}

/** What a hold makes of the words of a request, as the surest and the likeliest count. */
export function countInput(request: ChatRequest): TokenCount {
  const sum = new InputCount();
  sum.tokens(3);
  for (const message of request.messages) {
    sum.tokens(TOKENS_PER_MESSAGE);
    for (const part of message.parts) countPart(part, sum);
  }
  for (const tool of request.tools) {
    sum.tokens(TOKENS_PER_TOOL);
    sum.text(tool.name);
    sum.text(tool.description ?? '');
    if (tool.parameters) sum.text(JSON.stringify(tool.parameters));
  }
  if (request.output.kind === 'json-schema') sum.text(JSON.stringify(request.output.schema));
  return sum;
}

class InputCount implements TokenCount {
  likely = 0;
  most = 0;

  tokens(count: number): void {
    this.likely += count;
    this.most += count;
  }

  text(text: string): void {
    const { likely, most } = countInputText(text);
    this.likely += likely;
    this.most += most;
  }
}

function countPart(part: Part, sum: InputCount): void {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      sum.text(part.text);
      break;
    case 'reasoning':
      sum.text(part.text);
      sum.tokens(Math.ceil((part.encrypted?.length ?? 0) / 6));
      break;
    case 'tool-call':
      sum.tokens(8);
      sum.text(part.name);
      sum.text(part.arguments);
      break;
    case 'tool-result':
      sum.tokens(6);
      for (const inner of part.content) countPart(inner, sum);
      break;
    case 'image':
      sum.tokens(part.detail === 'low' ? TOKENS_PER_SMALL_IMAGE : TOKENS_PER_IMAGE);
      break;
    case 'audio':
      sum.tokens(Math.ceil(part.data.length / AUDIO_CHARACTERS_PER_TOKEN));
      break;
    case 'file':
      countFile(part, sum);
  }
}

function countFile({ source }: Extract<Part, { kind: 'file' }>, sum: InputCount): void {
  if (source.kind === 'text') sum.text(source.text);
  else sum.tokens(source.kind === 'data' ? Math.ceil(source.data.length / FILE_CHARACTERS_PER_TOKEN) : 2_000);
}

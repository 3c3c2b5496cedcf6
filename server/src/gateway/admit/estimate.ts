/** Step 7, first half: one estimate of tokens and money, which then feeds TPM, caps and wallet alike. */
import type { Model } from '../../catalog/index.ts';
import type { ChatRequest, Part } from '../../core/chat.ts';
import { type Money, max, money } from '../../core/money.ts';
import { unitPrice } from '../../core/price.ts';
import { estimateTokens } from '../../core/token-estimate.ts';
import type { History } from './history.ts';

/** "A short answer": when not even this fits, the request is refused with 402. */
const SHORT_ANSWER_TOKENS = 16;
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
  inputTokens: number;
  /** Output tokens held for: `max_tokens` where given, else a realistic length. */
  outputTokens: number;
  /** The client set a limit, so the hold is not elastic. */
  explicit: boolean;
  want: Money;
  least: Money;
  /** Only when several models may answer: each with its own count of the input. */
  candidates?: { model: Model; inputTokens: number }[];
}

function estimateChat(
  request: ChatRequest,
  model: Model,
  history: History,
  defaultOutput: number,
  extraInput: number,
): Estimate {
  const inputTokens = Math.ceil((estimateInput(request) + extraInput) * history.ratio(model.id));
  const asked = request.maxOutputTokens;
  const ceiling = model.maxOutput ?? Number.MAX_SAFE_INTEGER;
  const choices = request.sampling.count ?? 1;
  const perChoice = Math.min(asked ?? history.typicalOutput(model.id) ?? defaultOutput, ceiling);
  const outputTokens = perChoice * choices;
  const least = asked === undefined ? Math.min(SHORT_ANSWER_TOKENS, perChoice) * choices : outputTokens;
  const want = priceOf(model, inputTokens, outputTokens);
  return {
    inputTokens,
    outputTokens,
    explicit: asked !== undefined,
    want,
    least: least === outputTokens ? want : priceOf(model, inputTokens, least),
  };
}

/** The hold must cover whichever of the models answers in the end. */
export function estimateModels(
  request: ChatRequest,
  models: readonly Model[],
  history: History,
  defaultOutput: number,
  extraInput: number,
): Estimate {
  const first = models[0] as Model;
  const all = estimateChat(request, first, history, defaultOutput, extraInput);
  if (models.length === 1) return all;
  all.candidates = [{ model: first, inputTokens: all.inputTokens }];
  for (const model of models.slice(1)) {
    const { inputTokens, outputTokens, want, least } = estimateChat(request, model, history, defaultOutput, extraInput);
    all.candidates.push({ model, inputTokens });
    all.inputTokens = Math.max(all.inputTokens, inputTokens);
    all.outputTokens = Math.max(all.outputTokens, outputTokens);
    all.want = max(all.want, want);
    all.least = max(all.least, least);
  }
  return all;
}

/** How many output tokens `amount` pays for, whichever of the models answers: the dearest of them decides. */
export function affordableByAny(estimate: Estimate, model: Model, amount: Money): number {
  const candidates = estimate.candidates ?? [{ model, inputTokens: estimate.inputTokens }];
  return Math.min(...candidates.map((one) => affordableOutput(one.model, one.inputTokens, amount)));
}

/** The same for one model, after its input is paid. */
function affordableOutput(model: Model, inputTokens: number, amount: Money): number {
  const each = outputPrice(model);
  const left = amount - priceOf(model, inputTokens, 0);
  if (left <= 0n) return 0;
  return each === 0n ? Number.MAX_SAFE_INTEGER : Number(left / each);
}

export function priceOf(model: Model, inputTokens: number, outputTokens: number): Money {
  const { price } = model;
  const input = BigInt(inputTokens) * unitPrice(price, 'inputFresh');
  return money(price.perRequest + input + BigInt(outputTokens) * outputPrice(model));
}

/** Reasoning may be priced apart and dearer; a hold must cover whichever the model decides to produce. */
function outputPrice({ price }: Model): bigint {
  return max(money(unitPrice(price, 'output')), money(unitPrice(price, 'reasoning')));
}

export function estimateInput(request: ChatRequest): number {
  let tokens = 3;
  for (const message of request.messages) {
    tokens += TOKENS_PER_MESSAGE;
    for (const part of message.parts) tokens += estimatePart(part);
  }
  for (const tool of request.tools) {
    tokens += TOKENS_PER_TOOL + estimateTokens(tool.name) + estimateTokens(tool.description ?? '');
    if (tool.parameters) tokens += estimateTokens(JSON.stringify(tool.parameters));
  }
  if (request.output.kind === 'json-schema') tokens += estimateTokens(JSON.stringify(request.output.schema));
  return tokens;
}

function estimatePart(part: Part): number {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return estimateTokens(part.text);
    case 'reasoning':
      return estimateTokens(part.text) + Math.ceil((part.encrypted?.length ?? 0) / 6);
    case 'tool-call':
      return 8 + estimateTokens(part.name) + estimateTokens(part.arguments);
    case 'tool-result':
      return part.content.reduce((sum, inner) => sum + estimatePart(inner), 6);
    case 'image':
      return part.detail === 'low' ? TOKENS_PER_SMALL_IMAGE : TOKENS_PER_IMAGE;
    case 'audio':
      return Math.ceil(part.data.length / AUDIO_CHARACTERS_PER_TOKEN);
    case 'file':
      return estimateFile(part);
  }
}

function estimateFile({ source }: Extract<Part, { kind: 'file' }>): number {
  if (source.kind === 'text') return estimateTokens(source.text);
  if (source.kind === 'data') return Math.ceil(source.data.length / FILE_CHARACTERS_PER_TOKEN);
  return 2_000;
}

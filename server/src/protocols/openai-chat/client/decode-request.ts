/** A chat-completion body to the canonical request. Throws nothing but invalid_request, which names the field. */
import type { ChatRequest, PricedExtras, ReasoningRequest, Sampling } from '../../../core/chat.ts';
import { expected } from '../../../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { HOSTED_TOOLS } from '../../foreign-fields.ts';
import {
  asArray,
  asBoolean,
  asName,
  asObject,
  asString,
  asTokenCount,
  definedFields,
  fieldsBeside,
  integerBetween,
  numberBetween,
  optional,
  refuseParam,
} from '../../read-fields.ts';
import { decodeServiceExtension } from '../../service-extension.ts';
import { MAX_LOGIT_BIASES, MAX_MODEL_NAME, MAX_STOP_SEQUENCES, MAX_USER } from '../bounds.ts';
import { decodeMessages } from '../decode-messages.ts';
import { REQUEST_FIELDS } from '../own-fields.ts';
import { decodeOutput, decodeToolChoice, decodeTools } from './decode-tools.ts';
import { readEffort } from './read-effort.ts';

const REASONING_FIELDS: ReadonlySet<string> = new Set(['effort', 'max_tokens', 'summary', 'enabled']);

/** Fields that make a `Sampling`. */
const SAMPLING_FIELDS: ReadonlySet<string> = new Set([
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'n',
  'logprobs',
  'top_logprobs',
]);

/** Fields that OpenRouter alone has. */
const OPENROUTER_FIELDS = ['reasoning', 'include_reasoning', 'plugins', 'models', 'provider', 'transforms', 'route'];

/** Shared by all requests that leave something out, so it must never be changed. */
const NOTHING = Object.freeze({});

const readModel = (value: Json, param: string): string => asName(value, param, MAX_MODEL_NAME);
const readTemperature = numberBetween(0, 2);
const readTopP = numberBetween(0, 1);
const readPenalty = numberBetween(-2, 2);
const readBias = numberBetween(-100, 100);
const readSeed = integerBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
const readTopK = integerBetween(0, 1_000_000);
const readCount = integerBetween(1, 128);
const readTopLogprobs = integerBetween(0, 20);

export function decodeRequest(body: JsonObject): ChatRequest {
  const model = optional(body['model'], 'model', readModel);
  const messages = decodeMessages(body['messages']);
  const { tools, hosted } = decodeTools(body);
  const toolChoice = decodeToolChoice(body, tools, hosted !== undefined);
  const parallelToolCalls = optional(body['parallel_tool_calls'], 'parallel_tool_calls', asBoolean);
  const maxTokens = optional(body['max_tokens'], 'max_tokens', asTokenCount);
  const maxCompletionTokens = optional(body['max_completion_tokens'], 'max_completion_tokens', asTokenCount);
  // Clients that serve old and new models alike send both; the newer field is the one they mean.
  const maxOutputTokens = maxCompletionTokens ?? maxTokens;
  const reasoning = decodeReasoningRequest(body);
  const user = decodeUser(body);
  const streamOptions = optional(body['stream_options'], 'stream_options', asObject);
  const unknown = fieldsBeside(body, REQUEST_FIELDS);
  const rest = hosted ? { ...unknown, [HOSTED_TOOLS]: hosted.map(({ index, tool }) => ({ index, tool })) } : unknown;
  const request: ChatRequest = {
    model,
    messages,
    tools,
    output: decodeOutput(body['response_format']),
    sampling: decodeSampling(body),
    stream: optional(body['stream'], 'stream', asBoolean) ?? false,
    includeUsage: asksUsage(body, streamOptions),
    svc: decodeServiceExtension(body['svc']),
    extras: rest ? { 'openai-chat': rest } : NOTHING,
  };
  if (toolChoice) request.toolChoice = toolChoice;
  if (parallelToolCalls !== undefined) request.parallelToolCalls = parallelToolCalls;
  if (maxOutputTokens !== undefined) request.maxOutputTokens = maxOutputTokens;
  if (reasoning) request.reasoning = reasoning;
  if (user !== undefined) request.user = user;
  const priced = rest && pricedFields(rest);
  if (priced) request.priced = priced;
  return request;
}

/** Returns undefined where nothing is said, so that a setting of the key can decide. */
function asksUsage(body: JsonObject, streamOptions: JsonObject | undefined): boolean | undefined {
  const asked = optional(streamOptions?.['include_usage'], 'stream_options.include_usage', asBoolean);
  if (asked !== undefined || body['stream'] !== true) return asked;
  const { usage } = body;
  if (isJsonObject(usage) && typeof usage['include'] === 'boolean') return usage['include'];
  // OpenRouter's clients read the usage of every stream and never ask for it.
  for (const field of OPENROUTER_FIELDS) if ((body[field] ?? null) !== null) return true;
  return undefined;
}

function pricedFields({ modalities, prediction = null }: JsonObject): PricedExtras | undefined {
  const speaks =
    Array.isArray(modalities) &&
    modalities.some((kind) => typeof kind === 'string' && kind.trim().toLowerCase() === 'audio');
  if (!speaks && prediction === null) return undefined;
  return { ...(speaks && { speaks }), ...(prediction !== null && { prediction }) };
}

/** Most requests leave all of it to the model. */
function decodeSampling(body: JsonObject): Sampling {
  for (const field in body) if (SAMPLING_FIELDS.has(field)) return readSampling(body);
  return NOTHING;
}

function readSampling(body: JsonObject): Sampling {
  return definedFields<Sampling>({
    temperature: optional(body['temperature'], 'temperature', readTemperature),
    topP: optional(body['top_p'], 'top_p', readTopP),
    topK: optional(body['top_k'], 'top_k', readTopK),
    seed: optional(body['seed'], 'seed', readSeed),
    stop: optional(body['stop'], 'stop', readStop),
    presencePenalty: optional(body['presence_penalty'], 'presence_penalty', readPenalty),
    frequencyPenalty: optional(body['frequency_penalty'], 'frequency_penalty', readPenalty),
    logitBias: optional(body['logit_bias'], 'logit_bias', readLogitBias),
    count: optional(body['n'], 'n', readCount),
    logprobs: optional(body['logprobs'], 'logprobs', asBoolean),
    topLogprobs: optional(body['top_logprobs'], 'top_logprobs', readTopLogprobs),
  });
}

function readStop(value: Json, param: string): string[] | undefined {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) refuseParam(param, reasons.mustBe(param, expected.textOrTexts));
  const list = asArray(value, param, MAX_STOP_SEQUENCES).map((item, index) => asString(item, `${param}.${index}`));
  return list.length === 0 ? undefined : list;
}

function readLogitBias(value: Json, param: string): JsonObject {
  const biases = asObject(value, param);
  const tokens = Object.keys(biases);
  if (tokens.length > MAX_LOGIT_BIASES) refuseParam(param, reasons.tooLong(param, MAX_LOGIT_BIASES));
  for (const token of tokens) readBias(biases[token] ?? null, `${param}.${token}`);
  return biases;
}

function decodeUser({ user, safety_identifier: identifier }: JsonObject): string | undefined {
  return readUser(user, 'user') ?? readUser(identifier, 'safety_identifier');
}

/** SDKs that fill in every field send an empty user, which names nobody. */
function readUser(value: Json | undefined, param: string): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : asName(value, param, MAX_USER);
}

/** OpenAI's `reasoning_effort` and OpenRouter's `reasoning` object; the object is the more precise of the two. */
function decodeReasoningRequest(body: JsonObject): ReasoningRequest | undefined {
  const plainEffort = optional(body['reasoning_effort'], 'reasoning_effort', readEffort);
  const wire = optional(body['reasoning'], 'reasoning', asObject);
  if (!wire) return plainEffort && { effort: plainEffort };
  const enabled = optional(wire['enabled'], 'reasoning.enabled', asBoolean);
  const rest = fieldsBeside(wire, REASONING_FIELDS);
  const reasoning = definedFields<ReasoningRequest>({
    effort: optional(wire['effort'], 'reasoning.effort', readEffort) ?? plainEffort,
    budgetTokens: optional(wire['max_tokens'], 'reasoning.max_tokens', asTokenCount),
    mode: enabled === undefined ? undefined : enabled ? 'enabled' : 'disabled',
    summary: optional(wire['summary'], 'reasoning.summary', (value, param) => asName(value, param, 32)),
    extras: rest && { 'openai-chat': rest },
  });
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

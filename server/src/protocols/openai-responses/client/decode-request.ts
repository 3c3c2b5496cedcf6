/** A Responses body to the canonical request. Throws nothing but invalid_request, which names the field. */
import type { ChatRequest, Message, OutputKind, ReasoningRequest, Sampling } from '../../../core/chat.ts';
import { expected } from '../../../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { ANSWERED, HOSTED_TOOLS, OPTIONAL_TOOLS } from '../../foreign-fields.ts';
import type { DecodedTools } from '../../hosted-tools.ts';
import { UNNAMED_SCHEMA } from '../../openai-chat/client/decode-tools.ts';
import { readEffort } from '../../openai-chat/client/read-effort.ts';
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
  oneOf,
  optional,
  refuseParam,
} from '../../read-fields.ts';
import { decodeServiceExtension } from '../../service-extension.ts';
import { MAX_MODEL_NAME, MAX_RESPONSE_ID, MAX_USER } from '../bounds.ts';
import { ENCRYPTED_REASONING, keep, PROTOCOL, REQUEST_FIELDS, TEXT_LOGPROBS } from '../own-fields.ts';
import { decodeInput } from './decode-input.ts';
import { type DecodedChoice, decodeToolChoice, decodeTools } from './decode-tools.ts';

const REASONING_FIELDS: ReadonlySet<string> = new Set(['effort', 'summary', 'generate_summary']);
const TEXT_FIELDS: ReadonlySet<string> = new Set(['format']);
/** OpenAI's own rule for the name of a schema; some providers answer 500 to other names. */
const SCHEMA_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_INCLUDES = 64;

const readTemperature = numberBetween(0, 2);
const readTopP = numberBetween(0, 1);
const readTopLogprobs = integerBetween(0, 20);
const readModel = (value: Json, param: string): string => asName(value, param, MAX_MODEL_NAME);
const readUser = (value: Json, param: string): string => asName(value, param, MAX_USER);

export function decodeRequest(body: JsonObject): ChatRequest {
  const tools = decodeTools(body['tools']);
  const chosen = decodeToolChoice(body['tool_choice'], tools);
  const parallelToolCalls = optional(body['parallel_tool_calls'], 'parallel_tool_calls', asBoolean);
  const maxOutputTokens = optional(body['max_output_tokens'], 'max_output_tokens', asTokenCount);
  const reasoning = optional(body['reasoning'], 'reasoning', decodeReasoning);
  const text = optional(body['text'], 'text', asObject) ?? {};
  const include = decodeInclude(body['include']);
  const user = userOf(body);
  const own = ownFields(body, text, include, tools, chosen);
  return {
    model: optional(body['model'], 'model', readModel),
    messages: [...decodeInstructions(body['instructions']), ...(storedPrompt(body) ?? decodeInput(body['input']))],
    tools: tools.tools,
    ...(chosen && 'choice' in chosen && { toolChoice: chosen.choice }),
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
    output: decodeFormat(text['format']),
    sampling: decodeSampling(body, include),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(reasoning && { reasoning }),
    stream: optional(body['stream'], 'stream', asBoolean) ?? false,
    includeUsage: true,
    ...(user !== undefined && { user }),
    svc: decodeServiceExtension(body['svc']),
    extras: { [PROTOCOL]: own },
  };
}

/** `"conv_…"` or `{ id }`. Its items are put in front of the input before a body is decoded. */
function readConversation(value: Json, param: string): JsonObject {
  const id = typeof value === 'string' ? value : asObject(value, param)['id'];
  return { id: asName(id, typeof value === 'string' ? param : `${param}.id`, MAX_RESPONSE_ID) };
}

/** Fields that only this protocol has: for a provider that speaks it, and for the answer, which repeats them. */
function ownFields(
  body: JsonObject,
  text: JsonObject,
  include: readonly string[],
  tools: DecodedTools,
  chosen: DecodedChoice,
): JsonObject {
  const truncation = optional(body['truncation'], 'truncation', oneOf(['auto', 'disabled']));
  const asked = include.filter((word) => word !== ENCRYPTED_REASONING);
  const textRest = fieldsBeside(text, TEXT_FIELDS);
  const streamOptions = optional(body['stream_options'], 'stream_options', asObject);
  const conversation = optional(body['conversation'], 'conversation', readConversation);
  const background = optional(body['background'], 'background', asBoolean);
  const previous = optional(body['previous_response_id'], 'previous_response_id', (value, param) =>
    asName(value, param, MAX_RESPONSE_ID),
  );
  return {
    ...fieldsBeside(body, REQUEST_FIELDS),
    ...(textRest && { text: textRest }),
    ...(asked.length > 0 && { include: asked }),
    ...(truncation === 'auto' && { truncation }),
    ...hostedTools(tools, chosen),
    [ANSWERED]: {
      store: optional(body['store'], 'store', asBoolean) ?? true,
      metadata: optional(body['metadata'], 'metadata', asObject) ?? {},
      ...(previous !== undefined && { previous_response_id: previous }),
      ...(conversation && { conversation }),
      ...(background && { background }),
      ...(streamOptions && { stream_options: streamOptions }),
      ...(body['safety_identifier'] !== undefined && { safety_identifier: body['safety_identifier'] }),
    },
  };
}

/**
 * A tool that a provider of another protocol cannot run makes the request fail there, by name, because the answer would
 * differ. Only the web search that coding agents always offer may be left out, as long as nothing forces its use.
 */
function hostedTools({ tools, hosted }: DecodedTools, chosen: DecodedChoice): JsonObject {
  if (hosted.length === 0) return {};
  const kind = chosen && 'choice' in chosen ? chosen.choice.kind : undefined;
  const forced = chosen !== undefined && ('hostedChoice' in chosen || (kind === 'required' && tools.length === 0));
  const isOptional = (tool: JsonObject): boolean => !forced && isWebSearch(tool['type']);
  const needed = hosted.filter(({ tool }) => !isOptional(tool)).map((entry) => ({ ...entry }));
  const spare = hosted.filter(({ tool }) => isOptional(tool)).map((entry) => ({ ...entry }));
  return {
    ...(needed.length > 0 && { [HOSTED_TOOLS]: needed }),
    ...(spare.length > 0 && { [OPTIONAL_TOOLS]: spare }),
    ...(chosen && 'hostedChoice' in chosen && { tool_choice: chosen.hostedChoice }),
  };
}

function decodeInstructions(value: Json | undefined): Message[] {
  const text = optional(value, 'instructions', asString);
  if (!text) return [];
  return [{ role: 'system', parts: [{ kind: 'text', text }], ...keep({ instructions: true }) }];
}

/**
 * A prompt stored at the provider needs no input. No other protocol can use it, and our own passages cannot be put
 * before it.
 */
function storedPrompt({ input = null, prompt = null, svc }: JsonObject): Message[] | undefined {
  if (input !== null || !isJsonObject(prompt) || typeof prompt['id'] !== 'string') return undefined;
  if (decodeServiceExtension(svc).knowledgeBaseIds.length > 0) return undefined;
  return [{ role: 'user', parts: [{ kind: 'text', text: '', ...keep({ block: prompt, at: 'prompt' }) }] }];
}

function decodeReasoning(value: Json, param: string): ReasoningRequest | undefined {
  const wire = asObject(value, param);
  const rest = fieldsBeside(wire, REASONING_FIELDS);
  const readWord = (given: Json, path: string): string => asName(given, path, 32);
  const reasoning = definedFields<ReasoningRequest>({
    effort: optional(wire['effort'], `${param}.effort`, readEffort),
    summary:
      optional(wire['summary'], `${param}.summary`, readWord) ??
      optional(wire['generate_summary'], `${param}.generate_summary`, readWord),
    extras: rest && { [PROTOCOL]: rest },
  });
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

function decodeSampling(body: JsonObject, include: readonly string[]): Sampling {
  const topLogprobs = optional(body['top_logprobs'], 'top_logprobs', readTopLogprobs) || undefined;
  return definedFields<Sampling>({
    temperature: optional(body['temperature'], 'temperature', readTemperature),
    topP: optional(body['top_p'], 'top_p', readTopP),
    logprobs: topLogprobs !== undefined || include.includes(TEXT_LOGPROBS) ? true : undefined,
    topLogprobs,
  });
}

function decodeInclude(value: Json | undefined): string[] {
  const list = optional(value, 'include', (given, param) => asArray(given, param, MAX_INCLUDES)) ?? [];
  return list.map((item, index) => asString(item, `include.${index}`));
}

function decodeFormat(value: Json | undefined): OutputKind {
  const param = 'text.format';
  const format = optional(value, param, asObject);
  if (!format) return { kind: 'text' };
  const type = oneOf(['text', 'json_object', 'json_schema'])(format['type'] ?? null, `${param}.type`);
  if (type === 'text') return { kind: 'text' };
  if (type === 'json_object') return { kind: 'json' };
  const name = optional(format['name'], `${param}.name`, asString) ?? UNNAMED_SCHEMA;
  if (!SCHEMA_NAME.test(name)) {
    refuseParam(`${param}.name`, reasons.mustBe(`${param}.name`, expected.toolName));
  }
  const description = optional(format['description'], `${param}.description`, asString);
  const strict = optional(format['strict'], `${param}.strict`, asBoolean);
  return {
    kind: 'json-schema',
    name,
    schema: asObject(format['schema'], `${param}.schema`),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  };
}

function userOf(body: JsonObject): string | undefined {
  // SDKs that fill in every field send an empty user; it names nobody.
  const named = (field: string): string | undefined =>
    body[field] === '' ? undefined : optional(body[field], field, readUser);
  return named('user') ?? named('safety_identifier');
}

/** The type is tested first, because an arbitrary object cannot always be converted to text. */
function isWebSearch(type: Json | undefined): boolean {
  return typeof type === 'string' && type.startsWith('web_search');
}

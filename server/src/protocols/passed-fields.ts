/**
 * What of a client's request may reach a provider. Some fields change what the provider charges: faster tiers, tools that it
 * runs itself, plugins, other models. At the normal price they must not pass, so every protocol has a list of the fields
 * that do; others are dropped with a warning, and what the client clearly wants to pay for is refused by name. An operator
 * who has an arrangement with a provider names further fields in `pass_fields`, or lets all of them pass.
 */
import type { HostedCalls, HostedUse, ProtocolId } from '../core/chat.ts';
import { invalidRequest } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Price } from '../core/price.ts';
import { reasons } from '../core/reasons.ts';
import { toolChangesIn } from './anthropic-messages/client/tool-changes.ts';
import { boundedTool, isHostedShell, isSold } from './hosted-use.ts';
import type { Quirks } from './protocol.ts';
import { askedTier } from './service-tier.ts';

interface PassedFields {
  fields: ReadonlySet<string>;
  /** Tools that cost nothing but tokens. A tool without a type is a function. */
  tools: RegExp;
  /** Tools that clients always offer: dropped, since most requests do not need them. */
  habitualTools?: RegExp;
}

const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

const SAMPLING = `temperature top_p top_k min_p top_a typical_p seed random_seed stop n logit_bias logprobs top_logprobs
  presence_penalty frequency_penalty repetition_penalty repeat_penalty do_sample min_tokens ignore_eos
  mirostat mirostat_tau mirostat_eta samplers`;
const REASONING = `reasoning_effort reasoning include_reasoning reasoning_format reasoning_split thinking enable_thinking
  thinking_budget chat_template_kwargs verbosity prompt_mode clear_thinking preserve_thinking`;
const STRUCTURE = `response_format guided_json guided_regex guided_choice guided_grammar structured_outputs grammar format
  json_schema`;

const PASSED: Record<ProtocolId, PassedFields> = {
  'openai-chat': {
    fields: words(`model messages max_tokens max_completion_tokens stream stream_options tools tool_choice
      parallel_tool_calls functions function_call modalities audio prediction user safety_identifier metadata store
      prompt_cache_key prompt_cache_retention cache_control service_tier usage transforms safe_prompt safety_mode documents
      cache_prompt id_slot keep_alive options think skip_special_tokens add_generation_prompt
      continue_final_message request_id tool_stream
      ${SAMPLING} ${REASONING} ${STRUCTURE}`),
    tools: /^(?:function|custom|allowed_tools)$/,
  },
  'anthropic-messages': {
    fields:
      words(`model messages max_tokens metadata stop_sequences stream system temperature thinking tool_choice tools
      top_k top_p context_management output_config output_format cache_control service_tier speed`),
    tools: /^(?:custom|function|(?:bash|text_editor|computer|memory|tool_search_tool)_.*)$/,
  },
  'openai-responses': {
    fields:
      words(`model input instructions max_output_tokens max_tool_calls metadata parallel_tool_calls prompt_cache_key
      prompt_cache_retention reasoning safety_identifier store stream stream_options temperature text tool_choice tools
      top_logprobs top_p truncation user include client_metadata context_management service_tier`),
    tools: /^(?:function|custom|namespace|tool_search|local_shell|shell|apply_patch|computer.*|allowed_tools)$/,
    habitualTools: /^web_search/,
  },
  // Its requests are decoded and encoded again (relay/relay.ts), so we write every field of them.
  'gemini-generate': { fields: new Set(), tools: /./ },
  'bedrock-converse': { fields: new Set(), tools: /./ },
};

const EMBEDDING_FIELDS =
  words(`model input dimensions encoding_format user output_dtype output_dimension input_type task
  task_type truncate truncation normalized late_chunking embedding_type prompt_name query_instruction title`);
const AUDIO_FIELDS =
  words(`file model language prompt response_format temperature stream user input voice instructions speed
  stream_format include[] timestamp_granularities[] chunking_strategy known_speaker_names[] known_speaker_references[]
  sample_rate volume gain emotion`);

/** Types of blocks around a definition, or that name a tool defined before. */
const NAMED_TOOL = /^(?:tool_definition|(?:tool|mcp_tool|mcp_toolset)_reference)$/;

/** Values of `service_tier` and `speed` that cost no more than the normal price. */
const PLAIN_TIERS = /^(?:auto|default|standard|standard_only|flex|on_demand)$/;

/** Protocols whose requests are written from the canonical form, field by field. */
function isOurOwn(protocol: ProtocolId): boolean {
  return protocol === 'gemini-generate' || protocol === 'bedrock-converse';
}

/** What is sold beside the model's tokens: it passes at its own price. */
export interface SoldBeside {
  price: Price;
  hosted: HostedCalls | undefined;
}

/** Replaces `body` by one with only what may pass; throws invalid_request for what is refused by name. */
export function passListed(
  protocol: ProtocolId,
  body: JsonObject,
  quirks: Quirks,
  warnings: string[],
  sold?: SoldBeside,
): JsonObject {
  if (quirks.passFields === 'all' || isOurOwn(protocol)) return body;
  const { fields, tools } = PASSED[protocol];
  if (!sellsTier(protocol, body, sold)) {
    checkTier(body, 'service_tier', quirks);
    checkTier(body, 'speed', quirks);
  }
  if (protocol === 'anthropic-messages') checkAddedTools(body['messages'], tools);
  if (protocol === 'openai-responses') {
    checkFoundTools(body['input'], tools);
    checkStoredPrompt(body, quirks);
  }
  const passed = passOnly(fields, body, quirks, warnings);
  return passTools(passed, protocol, warnings, sold);
}

/** Each field is checked alone: a value that is sold in one field lets nothing pass in the other. */
function sellsTier(protocol: ProtocolId, body: JsonObject, sold: SoldBeside | undefined): boolean {
  if (!sold?.price.serviceTiers) return false;
  const tier = askedTier(protocol, body);
  if (tier === undefined || tier === 'auto' || sold.price.serviceTiers[tier] === undefined) return false;
  const other = protocol === 'anthropic-messages' ? body['service_tier'] : body['speed'];
  return (other ?? null) === null || (typeof other === 'string' && PLAIN_TIERS.test(other));
}

export function passEmbeddingFields(body: JsonObject, quirks: Quirks, warnings: string[]): JsonObject {
  return passNamed(EMBEDDING_FIELDS, body, quirks, warnings);
}

/** Does the same for an endpoint that keeps its own list of fields. */
export function passNamed(
  fields: ReadonlySet<string>,
  body: JsonObject,
  quirks: Quirks,
  warnings: string[],
): JsonObject {
  return quirks.passFields === 'all' ? body : passOnly(fields, body, quirks, warnings);
}

export function passesAudioField(name: string, { passFields = [] }: Quirks): boolean {
  return passFields === 'all' || AUDIO_FIELDS.has(name) || passFields.includes(name);
}

export function droppedWarning(field: string): string {
  return `${field} dropped: it may change the price, and this provider is not set to be sent it`;
}

/** Nearly always all fields pass, and then the body is not copied. */
function passOnly(
  fields: ReadonlySet<string>,
  body: JsonObject,
  { passFields = [] }: Quirks,
  warnings: string[],
): JsonObject {
  let dropped: string[] | undefined;
  for (const name in body) {
    if (fields.has(name) || passFields.includes(name) || body[name] === undefined) continue;
    dropped ??= [];
    dropped.push(name);
  }
  if (!dropped) return body;
  const kept: JsonObject = {};
  for (const name in body) if (!dropped.includes(name)) kept[name] = body[name];
  warnings.push(...dropped.map(droppedWarning));
  return kept;
}

function checkTier(body: JsonObject, field: 'service_tier' | 'speed', { passFields = [] }: Quirks): void {
  const tier = body[field] ?? null;
  if (tier === null || passFields.includes(field)) return;
  if (typeof tier === 'string' && PLAIN_TIERS.test(tier)) return;
  throw invalidRequest(field, reasons.costsMore(field, typeof tier === 'string' ? tier : JSON.stringify(tier)));
}

function passTools(
  body: JsonObject,
  protocol: ProtocolId,
  warnings: string[],
  sold: SoldBeside | undefined,
): JsonObject {
  const { tools } = body;
  if (!Array.isArray(tools)) return body;
  const { tools: free, habitualTools: habitual } = PASSED[protocol];
  let kept: Json[] | undefined;
  let calls = 0;
  for (const [index, tool] of tools.entries()) {
    const type = isJsonObject(tool) ? (tool['type'] ?? 'function') : 'function';
    if (typeof type === 'string' && free.test(type) && !(isJsonObject(tool) && isHostedShell(tool))) {
      const inner = isJsonObject(tool) ? tool['tools'] : undefined;
      if (Array.isArray(inner)) checkList(inner, `tools.${index}.tools`, free);
      kept?.push(tool);
      continue;
    }
    const use = sold && soldUse(tool, index, sold);
    if (use) {
      kept ??= tools.slice(0, index);
      kept.push(boundedTool(tool as JsonObject, use));
      calls = Math.max(calls, use.calls);
      continue;
    }
    if (typeof type !== 'string' || !habitual?.test(type)) {
      throw invalidRequest(`tools.${index}`, reasons.costsMore(`tools.${index}`, String(type)));
    }
    kept ??= tools.slice(0, index);
    warnings.push(droppedWarning(`tools.${index} (${type})`));
  }
  if (!kept) return body;
  const passed = withTools(body, kept, kept.length === tools.length);
  return calls > 0 && protocol === 'openai-responses' ? { ...passed, max_tool_calls: calls } : passed;
}

function soldUse(tool: Json, index: number, { price, hosted }: SoldBeside): HostedUse | undefined {
  const type = isJsonObject(tool) ? tool['type'] : undefined;
  const use = hosted?.uses.find((one) => one.index === index && one.type === type);
  return use && isSold(price, use) ? use : undefined;
}

/** Messages can also add tools in the middle of a conversation. */
function checkAddedTools(messages: Json | undefined, free: RegExp): void {
  if (!Array.isArray(messages)) return;
  for (const [at, message] of messages.entries()) {
    const content = isJsonObject(message) ? message['content'] : undefined;
    if (!Array.isArray(content)) continue;
    for (const [index, block] of content.entries()) {
      if (!isJsonObject(block)) continue;
      for (const { tool } of toolChangesIn(block)) {
        const expensive =
          expensiveType(tool, free) ?? expensiveType(isJsonObject(tool) ? tool['definition'] : undefined, free);
        if (expensive === undefined) continue;
        const param = `messages.${at}.content.${index}.tool`;
        throw invalidRequest(param, reasons.costsMore(param, expensive));
      }
    }
  }
}

/** We cannot know what a prompt stored at the provider contains; beside an input it is dropped, alone it is kept. */
function checkStoredPrompt({ prompt = null, input }: JsonObject, { passFields = [] }: Quirks): void {
  if (prompt === null || input !== undefined || passFields.includes('prompt')) return;
  throw invalidRequest('prompt', reasons.notCarried('prompt'));
}

/** Items of the input are checked likewise: what a search of the client found, or what was added later. */
function checkFoundTools(input: Json | undefined, free: RegExp): void {
  if (!Array.isArray(input)) return;
  for (const [at, item] of input.entries()) {
    const tools = isJsonObject(item) ? item['tools'] : undefined;
    // A list of what some server offers is history and starts nothing.
    if (!Array.isArray(tools) || (isJsonObject(item) && item['type'] === 'mcp_list_tools')) continue;
    checkList(tools, `input.${at}.tools`, free);
  }
}

function checkList(tools: readonly Json[], param: string, free: RegExp): void {
  for (const [index, tool] of tools.entries()) {
    const expensive = expensiveType(tool, free);
    if (expensive !== undefined)
      throw invalidRequest(`${param}.${index}`, reasons.costsMore(`${param}.${index}`, expensive));
    const inner = isJsonObject(tool) ? tool['tools'] : undefined;
    if (Array.isArray(inner)) checkList(inner, `${param}.${index}.tools`, free);
  }
}

function expensiveType(tool: Json | undefined, free: RegExp): string | undefined {
  const type = isJsonObject(tool) ? (tool['type'] ?? 'custom') : 'custom';
  const isHosted = isJsonObject(tool) && isHostedShell(tool);
  if (!isHosted && typeof type === 'string' && (free.test(type) || NAMED_TOOL.test(type))) return undefined;
  return typeof type === 'string' ? type : JSON.stringify(type);
}

/**
 * The choice of a removed tool is removed with it, and so is a choice among none. Where nothing was removed, the
 * client's choice stands.
 */
function withTools(body: JsonObject, tools: Json[], isWhole: boolean): JsonObject {
  const { tools: _tools, tool_choice: choice, ...rest } = body;
  if (tools.length === 0) return rest;
  const isGone = !isWhole && isJsonObject(choice) && choosesGone(choice, new Set(tools.map(typeOfTool)));
  return { ...rest, tools, ...(choice !== undefined && !isGone && { tool_choice: choice }) };
}

function choosesGone({ type = null, tools }: JsonObject, kept: ReadonlySet<Json | undefined>): boolean {
  const types = type === 'allowed_tools' && Array.isArray(tools) ? tools.map(typeOfTool) : [type];
  return types.some((one) => one !== 'function' && one !== 'custom' && !kept.has(one));
}

function typeOfTool(tool: Json): Json | undefined {
  return isJsonObject(tool) ? tool['type'] : undefined;
}

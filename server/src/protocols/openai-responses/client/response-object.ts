/** The response object: what the SDKs require, the request's own settings repeated, and the answer. */
import type { ChatRequest } from '../../../core/chat.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { ANSWERED } from '../../foreign-fields.ts';
import type { AnswerClosing, ClientView } from '../../protocol.ts';
import { encodeServiceExtension } from '../../service-extension.ts';
import { encodeFormat, otherTextFields } from '../encode-settings.ts';
import { encodeToolChoice, encodeTools } from '../encode-tools.ts';
import { kept } from '../own-fields.ts';
import { encodeUsage } from '../usage.ts';

export interface ResponseOutcome {
  status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed';
  output: JsonObject[];
  incompleteReason?: string;
  /** The tier as the provider reported it. */
  serviceTier?: string;
  error?: JsonObject;
  closing?: AnswerClosing;
}

export function responseObject(view: ClientView, outcome: ResponseOutcome): JsonObject {
  const { status, output, incompleteReason, error, closing, serviceTier } = outcome;
  return {
    ...requestEcho(view.request),
    id: view.responseId,
    object: 'response',
    created_at: view.created,
    completed_at: null,
    status,
    error: error ?? null,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    model: view.model,
    output,
    ...(serviceTier !== undefined && { service_tier: serviceTier }),
    usage: null,
    ...(closing && closingFields(closing)),
  };
}

/** What the gateway itself adds to every answer: usage with its cost, and the sources it drew on. */
export function closingFields(closing: AnswerClosing): JsonObject {
  const svc = encodeServiceExtension(closing);
  return { usage: encodeUsage(closing), ...(svc && { svc }) };
}

/** The request as the client may see it again. */
export function requestEcho(request: ChatRequest): JsonObject {
  const { sampling, reasoning } = request;
  const own = kept(request) ?? {};
  return {
    background: false,
    frequency_penalty: own['frequency_penalty'] ?? 0,
    instructions: instructionsOf(request),
    max_output_tokens: request.maxOutputTokens ?? null,
    max_tool_calls: own['max_tool_calls'] ?? null,
    metadata: {},
    parallel_tool_calls: request.parallelToolCalls ?? true,
    presence_penalty: own['presence_penalty'] ?? 0,
    previous_response_id: null,
    prompt_cache_key: own['prompt_cache_key'] ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: null,
    service_tier: 'default',
    store: true,
    temperature: sampling.temperature ?? 1,
    text: { verbosity: 'medium', ...otherTextFields(request), format: encodeFormat(request.output) },
    tool_choice: encodeToolChoice(request) ?? 'auto',
    tools: encodeTools(request),
    top_logprobs: sampling.topLogprobs ?? 0,
    top_p: sampling.topP ?? 1,
    truncation: own['truncation'] ?? 'disabled',
    user: request.user ?? null,
    ...answeredFields(request),
  };
}

/** `store`, `metadata`, `previous_response_id`: fields that the gateway handles, as the client wrote them. */
function answeredFields(request: ChatRequest): JsonObject {
  const answered = kept(request)?.[ANSWERED];
  if (!isJsonObject(answered)) return {};
  const { stream_options: _options, ...fields } = answered;
  return fields;
}

function instructionsOf({ messages }: ChatRequest): string | null {
  const message = messages.find((candidate) => kept(candidate)?.['instructions'] === true);
  const part = message?.parts[0];
  return part?.kind === 'text' ? part.text : null;
}

/** The canonical request as a Responses body for a provider. */
import type { ChatRequest } from '../../../core/chat.ts';
import type { JsonObject } from '../../../core/json.ts';
import {
  ANSWERED,
  foreignFieldWarnings,
  HOSTED_TOOLS,
  OPTIONAL_TOOLS,
  refuseForeignContent,
} from '../../foreign-fields.ts';
import type { CodecTarget, HttpParts } from '../../protocol.ts';
import { encodeReasoning, encodeSampling, encodeText, includes } from '../encode-settings.ts';
import { encodeToolChoice, encodeTools } from '../encode-tools.ts';
import { ENCRYPTED_REASONING, kept, PROTOCOL } from '../own-fields.ts';
import { encodeInput } from './encode-input.ts';

/** The provider refuses a lower limit. */
export const MIN_OUTPUT_TOKENS = 16;
const SAMPLING_FIELDS = ['temperature', 'top_p'];

export function encodeRequest(request: ChatRequest, target: CodecTarget): HttpParts {
  refuseForeignContent(request, PROTOCOL);
  const warnings = foreignFieldWarnings(request, PROTOCOL);
  if (request.messages.some(({ name }) => name !== undefined)) {
    warnings.push("name dropped: the provider's API has no such field");
  }
  const { instructions, input } = encodeInput(request.messages, target.quirks, warnings);
  const include = includes(request, target.capabilities.has('reasoning') ? [ENCRYPTED_REASONING] : []);
  const body: JsonObject = {
    ...otherFields(request),
    model: target.model,
    ...(instructions !== undefined && { instructions }),
    input,
    ...toolFields(request, target),
    ...encodeText(request),
    ...encodeReasoning(request, target, warnings),
    ...encodeSampling(request, warnings),
    ...outputLimit(target, warnings),
    ...(request.user !== undefined && { user: request.user }),
    ...(include.length > 0 && { include }),
    // We store answers, if anybody does: no client of ours could ask for what a provider stores under its own id.
    store: false,
    ...(target.stream && { stream: true }),
  };
  dropRefused(body, target, warnings);
  return httpParts(body, target, warnings);
}

export function httpParts(body: JsonObject, target: CodecTarget, warnings: string[]): HttpParts {
  const { azure } = target.quirks;
  const path = azure ? `/responses?api-version=${encodeURIComponent(azure.apiVersion)}` : '/responses';
  return { path, headers: { accept: target.stream ? 'text/event-stream' : 'application/json' }, body, warnings };
}

export function outputLimit({ maxOutputTokens }: CodecTarget, warnings: string[]): JsonObject {
  if (maxOutputTokens === undefined) return {};
  if (maxOutputTokens < MIN_OUTPUT_TOKENS) {
    warnings.push(`max_output_tokens raised to ${MIN_OUTPUT_TOKENS}: the least the provider takes`);
  }
  return { max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, maxOutputTokens) };
}

export function dropRefused(body: JsonObject, { quirks }: CodecTarget, warnings: string[]): void {
  const refused = [...(quirks.rejectsSampling ? SAMPLING_FIELDS : []), ...(quirks.dropFields ?? [])];
  for (const field of refused) {
    if (body[field] === undefined) continue;
    delete body[field];
    warnings.push(`${field} dropped: the model does not take it`);
  }
}

function toolFields(request: ChatRequest, target: CodecTarget): JsonObject {
  const tools = encodeTools(request, target.quirks.rejectsStrictTools);
  if (tools.length === 0) return {};
  const choice = encodeToolChoice(request);
  const { parallelToolCalls } = request;
  return {
    tools,
    ...(choice !== undefined && { tool_choice: choice }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  };
}

/** Top-level fields of a request that came in this protocol and goes out in it. */
function otherFields(request: ChatRequest): JsonObject {
  const {
    [HOSTED_TOOLS]: _hosted,
    [OPTIONAL_TOOLS]: _optional,
    [ANSWERED]: _answered,
    include: _include,
    text: _text,
    tool_choice: _choice,
    ...rest
  } = kept(request) ?? {};
  return rest;
}

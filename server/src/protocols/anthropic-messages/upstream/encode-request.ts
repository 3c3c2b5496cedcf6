/**
 * The canonical chat → a Messages request.
 *
 * The path begins with `/v1`, as in the vendor's own documentation: a provider's base address of this protocol is written
 * without it (`https://api.anthropic.com`). An address that ends in `/v1` is joined as it stands and would give `/v1/v1`.
 */
import type { ChatRequest } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { DECLARED_TOOLS, foreignFieldWarnings, HOSTED_TOOLS, refuseForeignContent } from '../../foreign-fields.ts';
import type { CodecTarget, HttpParts } from '../../protocol.ts';
import { isUnsignedReasoning } from '../encode-blocks.ts';
import { kept, PROTOCOL } from '../own-fields.ts';
import { encodeConversation } from './encode-messages.ts';
import { encodeSampling } from './encode-sampling.ts';
import { encodeTools, isForced } from './encode-tools.ts';
import { endsInLoopWithoutThinking, planThinking, type Thinking } from './thinking.ts';

export const MESSAGES_PATH = '/v1/messages';
export const UNSIGNED_REASONING = 'earlier reasoning dropped: it was not signed by this provider';
export const REQUEST_HEADERS = { 'anthropic-version': '2023-06-01' };

/** The protocol requires a limit; this one is for models whose limit is unknown. */
const FALLBACK_MAX_TOKENS = 4096;

export function encodeRequest(request: ChatRequest, target: CodecTarget): HttpParts {
  refuseForeignContent(request, PROTOCOL);
  const warnings = foreignFieldWarnings(request, PROTOCOL);
  const { system, messages: turns } = encodeConversation(request);
  const messages: JsonObject[] = turns.map(({ role, content }) => ({ role, content }));
  if (request.messages.some(({ name }) => name !== undefined)) {
    warnings.push("name dropped: the provider's API has no such field");
  }
  if (request.messages.some(({ parts }) => parts.some(isUnsignedReasoning))) warnings.push(UNSIGNED_REASONING);
  const maxTokens = outputLimit(target.maxOutputTokens ?? request.maxOutputTokens, target, warnings);
  const plan = thinkingFor(request, target, maxTokens, endsInLoopWithoutThinking(messages), warnings);
  const thinks = plan.thinking !== undefined && plan.thinking['type'] !== 'disabled';
  const limits = { rejected: target.quirks.rejectsSampling === true, thinking: thinks };
  const body: JsonObject = {
    ...otherFields(request),
    model: target.model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system }),
    messages,
    ...encodeTools(request, target, warnings),
    ...encodeSampling(request.sampling, limits, warnings),
    ...(plan.thinking && { thinking: plan.thinking }),
    ...encodeOutputConfig(request, target, plan.effort),
    ...encodeMetadata(request, warnings),
    ...(target.stream && { stream: true }),
  };
  dropRefusedFields(body, target, warnings);
  return { path: MESSAGES_PATH, headers: { ...REQUEST_HEADERS }, body, warnings };
}

export function outputLimit(requested: number | undefined, target: CodecTarget, warnings: string[]): number {
  const most = target.modelMaxOutput;
  if (requested === undefined) return most ?? FALLBACK_MAX_TOKENS;
  if (most === undefined || requested <= most) return requested;
  warnings.push(`max_tokens lowered to ${most}: the most the model can write`);
  return most;
}

function thinkingFor(
  request: ChatRequest,
  target: CodecTarget,
  maxTokens: number,
  loopWithoutThinking: boolean,
  warnings: string[],
): Thinking {
  const { reasoning } = request;
  if (reasoning && !target.capabilities.has('reasoning')) {
    if (reasoning.mode !== 'disabled' && reasoning.effort !== 'none') {
      warnings.push('reasoning dropped: the model does not reason');
    }
    return {};
  }
  const adaptive = target.quirks.adaptiveThinking === true;
  const limits = { maxTokens, adaptive, forcedTool: isForced(request.toolChoice), loopWithoutThinking };
  return planThinking(reasoning, limits, warnings);
}

/** Top-level fields of a request that came in this protocol and goes out in it. */
function otherFields(request: ChatRequest): JsonObject {
  const {
    [HOSTED_TOOLS]: _hosted,
    [DECLARED_TOOLS]: _declared,
    metadata: _metadata,
    output_config: _config,
    ...rest
  } = kept(request) ?? {};
  return rest;
}

function encodeOutputConfig(request: ChatRequest, target: CodecTarget, effort: string | undefined): JsonObject {
  const { output } = request;
  if (output.kind === 'json-schema' && !target.capabilities.has('json_schema')) {
    throw invalidRequest(
      'response_format',
      reasons.notSupportedByModel(
        { fa: 'پاسخ با طرح‌وارهٔ «json_schema»', en: 'json_schema' },
        request.model ?? target.model,
      ),
    );
  }
  const other = kept(request)?.['output_config'];
  const config: JsonObject = {
    ...(isJsonObject(other) && other),
    ...(effort !== undefined && { effort }),
    ...(output.kind === 'json-schema' && { format: { type: 'json_schema', schema: output.schema } }),
  };
  return Object.keys(config).length > 0 ? { output_config: config } : {};
}

/** The provider refuses what looks like personal data as a user id. */
const LOOKS_PERSONAL = /^[^\s@{}"]+@[^\s@{}"]+$|^\+[\d\s()-]{7,20}$/;
const MAX_USER_ID_CHARS = 512;

function encodeMetadata(request: ChatRequest, warnings: string[]): JsonObject {
  const other = kept(request)?.['metadata'];
  const metadata: JsonObject = isJsonObject(other) ? { ...other } : {};
  const { user } = request;
  if (user !== undefined) {
    if (user.length <= MAX_USER_ID_CHARS && !LOOKS_PERSONAL.test(user)) metadata['user_id'] = user;
    else warnings.push('user dropped: the provider refuses addresses, phone numbers and very long ids');
  }
  return Object.keys(metadata).length > 0 ? { metadata } : {};
}

export function dropRefusedFields(body: JsonObject, target: CodecTarget, warnings: string[]): void {
  for (const field of target.quirks.dropFields ?? []) {
    if (body[field] === undefined) continue;
    delete body[field];
    warnings.push(`${field} dropped: the provider does not accept it`);
  }
}

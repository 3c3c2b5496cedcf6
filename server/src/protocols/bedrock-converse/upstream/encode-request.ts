/**
 * A canonical request as a call of Converse. Fields of one maker's models go into a separate object, by the model's
 * name.
 */
import type { ChatRequest } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { encodeSampling } from '../../anthropic-messages/upstream/encode-sampling.ts';
import { isForced } from '../../anthropic-messages/upstream/encode-tools.ts';
import { planThinking, type Thinking } from '../../anthropic-messages/upstream/thinking.ts';
import { foreignFieldWarnings, refuseForeignContent } from '../../foreign-fields.ts';
import type { CodecTarget, HttpParts } from '../../protocol.ts';
import { effortOf, isReasoningOff } from '../../reasoning-effort.ts';
import { PROTOCOL } from '../own-fields.ts';
import { encodeConversation } from './encode-messages.ts';
import { encodeTools } from './encode-tools.ts';

/** Thinking must fit below the limit, so there has to be one. */
const USUAL_MAX_TOKENS = 8_192;
const CLAUDE = /(?:^|[./])anthropic\./;
const GPT = /(?:^|[./])openai\./;
const NOVA_TWO = /(?:^|[./])amazon\.nova-[2-9]/;

export function encodeRequest(request: ChatRequest, target: CodecTarget): HttpParts {
  refuseForeignContent(request, PROTOCOL);
  const warnings = foreignFieldWarnings(request, PROTOCOL);
  if (request.messages.some(({ name }) => name !== undefined))
    warnings.push("name dropped: the provider's API has no such field");
  if (request.user !== undefined) warnings.push("user dropped: the provider's API has no such field");
  const { system, messages } = encodeConversation(request);
  const maxTokens = target.maxOutputTokens ?? request.maxOutputTokens;
  const own = ownFields(request, target, maxTokens, warnings);
  const body: JsonObject = {
    messages,
    ...(system.length > 0 && { system }),
    ...inference(request, target, maxTokens, own, warnings),
    ...encodeTools(request, target, warnings),
    ...outputConfig(request, target),
  };
  const method = target.stream ? 'converse-stream' : 'converse';
  const path = `/model/${encodeURIComponent(target.model)}/${method}`;
  return { path, headers: { accept: target.stream ? '*/*' : 'application/json' }, body, warnings };
}

function inference(
  request: ChatRequest,
  { quirks, model }: CodecTarget,
  maxTokens: number | undefined,
  own: JsonObject,
  warnings: string[],
): JsonObject {
  const limits = { rejected: quirks.rejectsSampling === true, thinking: isThinking(own) };
  const {
    temperature,
    top_p: topP,
    top_k: topK,
    stop_sequences: stop,
  } = encodeSampling(request.sampling, limits, warnings);
  const config: JsonObject = {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(stop !== undefined && { stopSequences: stop }),
  };
  const fields = { ...own };
  if (topK !== undefined && CLAUDE.test(model)) fields['top_k'] = topK;
  else if (topK !== undefined) warnings.push("top_k dropped: the provider's API has no such field");
  return {
    ...(Object.keys(config).length > 0 && { inferenceConfig: config }),
    ...(Object.keys(fields).length > 0 && { additionalModelRequestFields: fields }),
  };
}

function isThinking({ thinking }: JsonObject): boolean {
  return thinking !== undefined && (thinking as JsonObject)['type'] !== 'disabled';
}

/** Each maker has its own form of asking for thinking. */
function ownFields(
  request: ChatRequest,
  target: CodecTarget,
  maxTokens: number | undefined,
  warnings: string[],
): JsonObject {
  const { reasoning } = request;
  if (!reasoning) return {};
  if (!target.capabilities.has('reasoning')) {
    if (!isReasoningOff(reasoning)) warnings.push('reasoning dropped: the model does not reason');
    return {};
  }
  if (CLAUDE.test(target.model)) return claudeThinking(request, target, maxTokens, warnings);
  const effort = effortOf(reasoning);
  if (effort === undefined || effort === 'none') return {};
  if (GPT.test(target.model))
    return { reasoning_effort: effort === 'minimal' ? 'low' : effort === 'xhigh' ? 'high' : effort };
  if (NOVA_TWO.test(target.model))
    return {
      reasoningConfig: {
        type: 'enabled',
        maxReasoningEffort: effort === 'low' || effort === 'minimal' ? 'low' : effort === 'medium' ? 'medium' : 'high',
      },
    };
  warnings.push("reasoning dropped: the provider's API has no field for it");
  return {};
}

function claudeThinking(
  request: ChatRequest,
  target: CodecTarget,
  maxTokens: number | undefined,
  warnings: string[],
): JsonObject {
  const limits = {
    maxTokens: maxTokens ?? target.modelMaxOutput ?? USUAL_MAX_TOKENS,
    adaptive: target.quirks.adaptiveThinking === true,
    forcedTool: isForced(request.toolChoice),
    loopWithoutThinking: endsInLoopWithoutThinking(request),
  };
  const { thinking, effort }: Thinking = planThinking(request.reasoning, limits, warnings);
  return { ...(thinking && { thinking }), ...(effort !== undefined && { output_config: { effort } }) };
}

/** Whether the history ends in results of calls that came without thinking of this protocol. */
function endsInLoopWithoutThinking({ messages }: ChatRequest): boolean {
  if (messages.at(-1)?.role !== 'tool') return false;
  const turn = messages.findLast(({ role }) => role === 'assistant');
  return turn !== undefined && !turn.parts.some((part) => part.kind === 'reasoning' && part.origin === PROTOCOL);
}

function outputConfig({ output, model }: ChatRequest, target: CodecTarget): JsonObject {
  if (output.kind !== 'json-schema') return {};
  if (!target.capabilities.has('json_schema')) {
    const what = { fa: 'پاسخ با طرح‌وارهٔ «json_schema»', en: 'json_schema' };
    throw invalidRequest('response_format', reasons.notSupportedByModel(what, model ?? target.model));
  }
  const { name, description, schema } = output;
  const jsonSchema = { name, ...(description !== undefined && { description }), schema: JSON.stringify(schema) };
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
}

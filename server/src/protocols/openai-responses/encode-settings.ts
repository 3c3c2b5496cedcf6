/** Reasoning, form of the text and sampling on the wire: for the provider, and repeated to the client in its answer. */
import type { ChatRequest, OutputKind } from '../../core/chat.ts';
import { invalidRequest } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { CodecTarget } from '../protocol.ts';
import { effortOf, isReasoningOff } from '../reasoning-effort.ts';
import { protocolReasons } from '../reasons.ts';
import { kept, TEXT_LOGPROBS } from './own-fields.ts';

export function encodeFormat(output: OutputKind): JsonObject {
  switch (output.kind) {
    case 'text':
      return { type: 'text' };
    case 'json':
      return { type: 'json_object' };
    case 'json-schema': {
      const { kind: _kind, ...schema } = output;
      return { type: 'json_schema', ...schema };
    }
  }
}

/** Verbosity and whatever else stands beside the format. */
export function otherTextFields(request: ChatRequest): JsonObject {
  const text = kept(request)?.['text'];
  return isJsonObject(text) ? text : {};
}

export function encodeText(request: ChatRequest): JsonObject {
  const other = otherTextFields(request);
  if (request.output.kind === 'text' && Object.keys(other).length === 0) return {};
  return { text: { ...other, format: encodeFormat(request.output) } };
}

export function encodeReasoning(request: ChatRequest, target: CodecTarget, warnings: string[]): JsonObject {
  const reasoning = request.reasoning;
  if (!reasoning) return {};
  if (!target.capabilities.has('reasoning')) {
    if (!isReasoningOff(reasoning)) warnings.push('reasoning dropped: the model does not reason');
    return {};
  }
  const effort = effortOf(reasoning);
  const wire: JsonObject = {
    ...kept(reasoning),
    ...(effort !== undefined && { effort }),
    ...(reasoning.summary !== undefined && { summary: summaryWord(reasoning.summary) }),
  };
  return Object.keys(wire).length > 0 ? { reasoning: wire } : {};
}

/** Other protocols have their own values for how reasoning is shown. */
function summaryWord(word: string): string {
  return ['auto', 'concise', 'detailed'].includes(word) ? word : 'auto';
}

const MISSING: [keyof ChatRequest['sampling'], string][] = [
  ['topK', 'top_k'],
  ['seed', 'seed'],
  ['stop', 'stop'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['logitBias', 'logit_bias'],
];

export function encodeSampling({ sampling }: ChatRequest, warnings: string[]): JsonObject {
  if (sampling.count !== undefined && sampling.count > 1) {
    throw invalidRequest('n', protocolReasons.oneAnswerOnly(sampling.count));
  }
  for (const [field, name] of MISSING) {
    if (sampling[field] !== undefined) warnings.push(`${name} dropped: the provider's API has no such field`);
  }
  const { temperature, topP, topLogprobs } = sampling;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topLogprobs !== undefined && { top_logprobs: topLogprobs }),
  };
}

/** Values that must be named in `include`. */
export function includes(request: ChatRequest, more: readonly string[]): string[] {
  const asked = kept(request)?.['include'];
  const words = Array.isArray(asked) ? asked.filter((word) => typeof word === 'string') : [];
  return [...new Set([...words, ...(request.sampling.logprobs ? [TEXT_LOGPROBS] : []), ...more])];
}

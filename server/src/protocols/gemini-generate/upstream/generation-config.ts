/** Sampling, limits and the form of the answer: everything that lives in `generationConfig`. */
import type { ChatRequest, OutputKind, Sampling } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { CodecTarget } from '../../protocol.ts';
import { kept } from '../own-fields.ts';
import { familyOf, type GeminiFamily, isBeforeThinking } from './model-family.ts';
import { toSchemaSubset } from './schema-subset.ts';
import { thinkingConfig } from './thinking.ts';

type Drop = (field: string) => void;

export function generationConfig(request: ChatRequest, target: CodecTarget, drop: Drop): JsonObject {
  const family = familyOf(target.model);
  const carried = kept(request)?.['generationConfig'];
  const config: JsonObject = {
    ...(isJsonObject(carried) && carried),
    ...samplingFields(request.sampling, target, drop),
    ...outputFields(request.output, family),
  };
  const maxOutputTokens = target.maxOutputTokens ?? request.maxOutputTokens;
  if (maxOutputTokens !== undefined) config['maxOutputTokens'] = maxOutputTokens;
  const thinking = thinkingConfig(request.reasoning, family, drop);
  if (thinking) config['thinkingConfig'] = thinking;
  return config;
}

function samplingFields(sampling: Sampling, { quirks }: CodecTarget, drop: Drop): JsonObject {
  const refused = new Set(quirks.dropFields ?? []);
  if (quirks.rejectsSampling) for (const field of ['temperature', 'top_p', 'top_k']) refused.add(field);
  // The client's name of the field, ours on the wire, and the value.
  const wanted: [field: string, key: string, value: Json | undefined][] = [
    ['temperature', 'temperature', sampling.temperature],
    ['top_p', 'topP', sampling.topP],
    ['top_k', 'topK', sampling.topK],
    ['seed', 'seed', sampling.seed],
    ['stop', 'stopSequences', sampling.stop?.length ? sampling.stop : undefined],
    ['presence_penalty', 'presencePenalty', sampling.presencePenalty],
    ['frequency_penalty', 'frequencyPenalty', sampling.frequencyPenalty],
    ['n', 'candidateCount', sampling.count === 1 ? undefined : sampling.count],
    ['logprobs', 'responseLogprobs', sampling.logprobs || undefined],
    ['top_logprobs', 'logprobs', sampling.logprobs ? sampling.topLogprobs || undefined : undefined],
  ];
  const fields: JsonObject = {};
  for (const [field, key, value] of wanted) {
    if (value === undefined) continue;
    if (refused.has(field)) drop(field);
    else fields[key] = value;
  }
  if (sampling.logitBias && Object.keys(sampling.logitBias).length > 0) drop('logit_bias');
  return fields;
}

function outputFields(output: OutputKind, family: GeminiFamily): JsonObject {
  if (output.kind === 'text') return {};
  if (output.kind === 'json') return { responseMimeType: 'application/json' };
  // Plain JSON Schema is exact; models from before it need the subset.
  const subset = isBeforeThinking(family) ? toSchemaSubset(output.schema) : undefined;
  return {
    responseMimeType: 'application/json',
    ...(subset ? { responseSchema: subset } : { responseJsonSchema: output.schema }),
  };
}

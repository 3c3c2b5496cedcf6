/**
 * Fields of a model that OpenRouter's clients require, beside the fields of the other two protocols. Their prices are
 * texts per token; ours are in toman here too, as `pricing.currency` says.
 */
import { KIND_FACTS, type ModelKind } from '@dargah/core/model-kinds.ts';
import { money, toTomanText } from '../core/money.ts';
import type { Price } from '../core/price.ts';
import type { Model } from './model.ts';

/** The parameters that a request may have, by what the model can do. */
const ALWAYS = ['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'stop'];
const OF_CAPABILITY: Readonly<Record<string, readonly string[]>> = {
  tools: ['tools', 'tool_choice', 'parallel_tool_calls'],
  json_object: ['response_format'],
  json_schema: ['response_format', 'structured_outputs'],
  reasoning: ['reasoning', 'include_reasoning', 'reasoning_effort'],
  seed: ['seed'],
  logprobs: ['logprobs', 'top_logprobs'],
};

export function openRouterFields({ id, name, kind, capabilities, context, maxOutput }: Model) {
  const input = inputsOf(kind, capabilities);
  const output = [KIND_FACTS[kind].gives];
  return {
    name,
    canonical_slug: id,
    architecture: {
      modality: `${input.join('+')}->${output.join('+')}`,
      input_modalities: input,
      output_modalities: output,
      tokenizer: 'Other',
      instruct_type: null,
    },
    top_provider: {
      context_length: context ?? null,
      max_completion_tokens: maxOutput ?? null,
      is_moderated: false,
    },
    supported_parameters: kind === 'chat' ? parametersOf(capabilities) : [],
    supported_voices: null,
    per_request_limits: null,
    default_parameters: null,
    links: { details: `/api/v1/models/${id}` },
  };
}

/** Toman for one token or call, as texts: names that its clients read as texts are never numbers. */
export function openRouterPrices({ perUnit }: Price) {
  const forOne = (value: bigint | undefined) => toTomanText(money(value ?? 0n));
  const { inputFresh, output, audioOutput, webSearches } = perUnit;
  return {
    prompt: forOne(inputFresh),
    completion: forOne(output),
    ...(audioOutput !== undefined && { audio_output: forOne(audioOutput) }),
    ...(webSearches !== undefined && { web_search: forOne(webSearches) }),
  };
}

function inputsOf(kind: ModelKind, capabilities: ReadonlySet<string>): string[] {
  const { takes } = KIND_FACTS[kind];
  if (takes === 'audio') return [takes];
  const further = [
    ['vision', 'image'],
    ['files', 'file'],
    ['audio_input', 'audio'],
  ] as const;
  return [takes, ...further.flatMap(([capability, name]) => (capabilities.has(capability) ? [name] : []))];
}

function parametersOf(capabilities: ReadonlySet<string>): string[] {
  const further = [...capabilities].flatMap((capability) => OF_CAPABILITY[capability] ?? []);
  return [...new Set([...ALWAYS, ...further])].sort();
}

/** Finish reasons of the chat protocol and of its many variants. */
import type { Finish, FinishKind } from '../../core/chat.ts';
import type { Json } from '../../core/json.ts';

const KINDS: Record<string, FinishKind> = {
  stop: 'stop',
  end_turn: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  safety: 'content-filter',
  refusal: 'content-filter',
  recitation: 'content-filter',
  sensitive: 'content-filter',
};

const REASON_OF_KIND: Record<FinishKind, string> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

/** Returns undefined while the answer goes on; Snowflake writes '' for that, everybody else null. */
export function decodeFinish(value: Json | undefined): Finish | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return { kind: KINDS[value.toLowerCase()] ?? 'stop', raw: value };
}

/** The contract has four reasons; a provider's own is never passed on. */
export function encodeFinish({ kind }: Finish): string {
  return REASON_OF_KIND[kind];
}

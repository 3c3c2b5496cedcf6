/** Names of the Responses protocol, and fields that only it understands. */
import type { Extras } from '../../core/chat.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { keptFieldsOf } from '../kept-fields.ts';

export const PROTOCOL = 'openai-responses';

export const { keep, kept, keptBlock } = keptFieldsOf(PROTOCOL);

/** Ids of our own answers and items have these prefixes; the provider refuses items with another one. */
export const ITEM_PREFIX = {
  message: 'msg_',
  function_call: 'fc_',
  custom_tool_call: 'ctc_',
  reasoning: 'rs_',
  image_generation_call: 'ig_',
} as const;

export const ENCRYPTED_REASONING = 'reasoning.encrypted_content';
export const TEXT_LOGPROBS = 'message.output_text.logprobs';

/** Top-level fields with a place in the canonical form; all others travel as extras. */
export const REQUEST_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'store',
  'include',
  'metadata',
  'user',
  'safety_identifier',
  'truncation',
  'previous_response_id',
  'conversation',
  'background',
  'stream',
  'stream_options',
  'svc',
]);

/** The fields of the item that a part came in (`id`, `status`, `phase`); parts of one item share one object. */
export function keptItem(carrier: { extras?: Extras }): JsonObject | undefined {
  const item = kept(carrier)?.['item'];
  return isJsonObject(item) ? item : undefined;
}

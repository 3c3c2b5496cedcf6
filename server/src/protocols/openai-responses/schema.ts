/** The bounds and words of the Responses protocol, and what this protocol alone understands. */
import type { Extras } from '../../core/chat.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';

export const PROTOCOL = 'openai-responses';

/** Longer than any real conversation; keeps a hostile body from costing more than its bytes. */
export const MAX_ITEMS = 10_000;
export const MAX_PARTS = 2_000;
export const MAX_TOOLS = 1_024;
export const MAX_MODEL_NAME = 256;
export const MAX_NAME = 256;
/** Call ids carry signatures of other protocols. */
export const MAX_TOOL_ID = 16_384;
export const MAX_USER = 1_024;
export const MAX_RESPONSE_ID = 128;

/** Our own answers, and every other item, have these prefixes; the provider refuses items with another one. */
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

export function keep(fields: JsonObject | undefined): { extras?: Extras } {
  return fields && Object.keys(fields).length > 0 ? { extras: { [PROTOCOL]: fields } } : {};
}

export function kept(carrier: { extras?: Extras } | undefined): JsonObject | undefined {
  return carrier?.extras?.[PROTOCOL];
}

/** An item we do not model, or whose every byte counts, as it came; it wins over the canonical part in this protocol. */
export function keptBlock(carrier: { extras?: Extras }): JsonObject | undefined {
  const block = kept(carrier)?.['block'];
  return isJsonObject(block) ? block : undefined;
}

/** The fields of the item that a part came in (`id`, `status`, `phase`); parts of one item share one object. */
export function keptItem(carrier: { extras?: Extras }): JsonObject | undefined {
  const item = kept(carrier)?.['item'];
  return isJsonObject(item) ? item : undefined;
}

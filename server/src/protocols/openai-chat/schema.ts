/** The bounds and words of the chat protocol, in one place. */
import type { ReasoningEffort } from '../../core/chat.ts';

/** Longer than any real conversation; keeps a hostile body from costing more than its bytes. */
export const MAX_MESSAGES = 10_000;
export const MAX_PARTS = 2_000;
/** OpenAI allows 128; gateways in front of tool servers offer several hundred. */
export const MAX_TOOLS = 1_024;
export const MAX_TOOL_CALLS = 1_024;
/** OpenAI allows 4, other providers up to 16. */
export const MAX_STOP_SEQUENCES = 16;
export const MAX_LOGIT_BIASES = 1_024;
export const MAX_MODEL_NAME = 256;
/** OpenAI allows 64 for tool names; names of tool servers are longer, and ids carry signatures at some providers. */
export const MAX_NAME = 256;
export const MAX_TOOL_ID = 16_384;
export const MAX_USER = 1_024;

export const EFFORTS: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

export const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

/** Top-level fields with a place in the canonical form; all others travel as extras. */
export const REQUEST_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'seed',
  'user',
  'svc',
  'n',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'presence_penalty',
  'frequency_penalty',
  'reasoning_effort',
  'reasoning',
  'functions',
  'function_call',
]);

export const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'refusal',
  'audio',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  // Clients push our own answer back into the history; what we wrote there as decoration is not sent on.
  'annotations',
  'images',
]);

/** Field names of the chat protocol. */

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
  // Clients send our own answers back in the history; fields that we only added for display are not sent on.
  'annotations',
  'images',
]);

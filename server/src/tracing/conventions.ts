/**
 * The names of OpenTelemetry's conventions for generative AI, in one place: they are still in development and change. The
 * conventions count cached tokens as part of the input.
 */

export const ATTRIBUTE = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  inputMessages: 'gen_ai.input.messages',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  firstChunkSeconds: 'gen_ai.response.time_to_first_chunk',
  errorType: 'error.type',
  httpStatus: 'http.response.status_code',
} as const;

/** Our own attributes, where the conventions have no name. */
export const OWN = {
  requestId: 'dargah.request.id',
  account: 'dargah.account.id',
  key: 'dargah.key.id',
  endpoint: 'dargah.endpoint',
  state: 'dargah.state',
  costToman: 'dargah.cost.toman',
  usageSource: 'dargah.usage.source',
  route: 'dargah.route.id',
  outcome: 'dargah.attempt.outcome',
} as const;

const OPERATIONS: Record<string, string> = {
  'chat.completions': 'chat',
  messages: 'chat',
  responses: 'chat',
  completions: 'text_completion',
  embeddings: 'embeddings',
  'audio.speech': 'text_to_speech',
  'audio.transcriptions': 'speech_to_text',
  'audio.translations': 'speech_to_text',
};

export function operationOf(endpoint: string): string {
  return OPERATIONS[endpoint] ?? endpoint;
}

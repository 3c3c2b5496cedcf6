import type { Vendor } from './vendor.ts';

/** Spoken to through Cohere's compatibility address. */
export const cohere: Vendor = {
  id: 'cohere',
  name: { fa: 'کوهیر', en: 'Cohere' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.cohere.ai/compatibility/v1',
  auth: 'bearer',
  keyEnv: ['COHERE_API_KEY', 'CO_API_KEY'],
  baseUrlEnv: 'COHERE_BASE_URL',
  quirks: {
    maxTokensField: 'max_tokens',
    rerankStyle: 'cohere',
    dropFields: ['logit_bias', 'top_logprobs', 'n', 'user', 'store', 'parallel_tool_calls'],
  },
};

import type { Vendor } from './vendor.ts';

export const perplexity: Vendor = {
  id: 'perplexity',
  name: { fa: 'پرپلکسیتی', en: 'Perplexity' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.perplexity.ai',
  auth: 'bearer',
  keyEnv: ['PERPLEXITY_API_KEY'],
  baseUrlEnv: 'PERPLEXITY_BASE_URL',
  quirks: {
    maxTokensField: 'max_tokens',
    noDeveloperRole: true,
    dropFields: ['seed', 'n', 'logit_bias', 'logprobs', 'top_logprobs', 'user', 'store'],
  },
};

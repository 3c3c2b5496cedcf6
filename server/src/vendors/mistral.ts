import type { Vendor } from './vendor.ts';

export const mistral: Vendor = {
  id: 'mistral',
  name: { fa: 'میسترال', en: 'Mistral AI' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.mistral.ai/v1',
  auth: 'bearer',
  keyEnv: ['MISTRAL_API_KEY'],
  baseUrlEnv: 'MISTRAL_BASE_URL',
  // Unknown fields are answered with 422; usage comes in the finish chunk without being asked for.
  quirks: {
    maxTokensField: 'max_tokens',
    rejectsStreamOptions: true,
    noDeveloperRole: true,
    begunTurn: 'prefix',
    dropFields: [
      'seed',
      'user',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'store',
      'service_tier',
      'safety_identifier',
    ],
  },
};

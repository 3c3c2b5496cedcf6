import type { Vendor } from './vendor.ts';

export const cerebras: Vendor = {
  id: 'cerebras',
  name: { fa: 'سربراس', en: 'Cerebras' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.cerebras.ai/v1',
  auth: 'bearer',
  keyEnv: ['CEREBRAS_API_KEY'],
  baseUrlEnv: 'CEREBRAS_BASE_URL',
  quirks: {
    noDeveloperRole: true,
    dropFields: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'store'],
  },
};

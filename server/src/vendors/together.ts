import type { Vendor } from './vendor.ts';

export const together: Vendor = {
  id: 'together',
  name: { fa: 'توگدر', en: 'Together AI' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.together.ai/v1',
  auth: 'bearer',
  keyEnv: ['TOGETHER_API_KEY'],
  baseUrlEnv: 'TOGETHER_BASE_URL',
  quirks: { maxTokensField: 'max_tokens', noDeveloperRole: true, rejectsStrictTools: true },
};

import type { Vendor } from './vendor.ts';

export const fireworks: Vendor = {
  id: 'fireworks',
  name: { fa: 'فایرورکس', en: 'Fireworks AI' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  auth: 'bearer',
  keyEnv: ['FIREWORKS_API_KEY'],
  baseUrlEnv: 'FIREWORKS_BASE_URL',
  quirks: { maxTokensField: 'max_tokens', noDeveloperRole: true, rejectsStrictTools: true },
};

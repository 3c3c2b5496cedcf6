import type { Vendor } from './vendor.ts';

export const groq: Vendor = {
  id: 'groq',
  name: { fa: 'گروک (Groq)', en: 'Groq' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.groq.com/openai/v1',
  auth: 'bearer',
  keyEnv: ['GROQ_API_KEY'],
  baseUrlEnv: 'GROQ_BASE_URL',
  quirks: { dropFields: ['logprobs', 'top_logprobs', 'logit_bias'] },
  modelRules: [{ match: /^llama/, quirks: { reasoningStyle: 'none' } }],
};

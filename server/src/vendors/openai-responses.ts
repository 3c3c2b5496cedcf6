import type { Vendor } from './vendor.ts';

/** The same OpenAI, for the models it serves in the Responses protocol only (the pro and codex lines). */
export const openaiResponses: Vendor = {
  id: 'openai-responses',
  name: { fa: 'اوپن‌ای‌آی (Responses)', en: 'OpenAI (Responses)' },
  protocol: 'openai-responses',
  baseUrl: 'https://api.openai.com/v1',
  auth: 'bearer',
  keyEnv: ['OPENAI_API_KEY'],
  baseUrlEnv: 'OPENAI_BASE_URL',
  quirks: { rejectsSampling: true },
};

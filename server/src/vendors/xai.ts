import type { Vendor } from './vendor.ts';

export const xai: Vendor = {
  id: 'xai',
  name: { fa: 'ایکس‌ای‌آی', en: 'xAI' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.x.ai/v1',
  auth: 'bearer',
  keyEnv: ['XAI_API_KEY'],
  baseUrlEnv: 'XAI_BASE_URL',
  quirks: { noDeveloperRole: true, imageStyle: 'xai' },
  modelRules: [
    // Reasoning Grok models refuse these three.
    { match: /^grok-[4-9]/, quirks: { dropFields: ['presence_penalty', 'frequency_penalty', 'stop'] } },
  ],
};

import type { Vendor } from './vendor.ts';

/** The same Google in OpenAI's clothes: its embeddings are asked for in that shape. */
export const googleCompat: Vendor = {
  id: 'google-compat',
  name: { fa: 'گوگل (سازگار)', en: 'Google (compatible)' },
  protocol: 'openai-chat',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  auth: 'bearer',
  keyEnv: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  baseUrlEnv: 'GEMINI_COMPAT_BASE_URL',
  quirks: { maxTokensField: 'max_tokens', noDeveloperRole: true },
};

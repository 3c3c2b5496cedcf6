import type { Vendor } from './vendor.ts';

export const google: Vendor = {
  id: 'google',
  name: { fa: 'گوگل', en: 'Google' },
  protocol: 'gemini-generate',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  auth: 'x-goog-api-key',
  keyEnv: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  baseUrlEnv: 'GEMINI_BASE_URL',
  quirks: {},
};

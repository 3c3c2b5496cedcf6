import type { Vendor } from './vendor.ts';

/** A second way to many models: its catalog entries become routes of the same public model, tried after the maker's own. */
export const openrouter: Vendor = {
  id: 'openrouter',
  name: { fa: 'اوپن‌روتر', en: 'OpenRouter' },
  protocol: 'openai-chat',
  baseUrl: 'https://openrouter.ai/api/v1',
  auth: 'bearer',
  keyEnv: ['OPENROUTER_API_KEY'],
  baseUrlEnv: 'OPENROUTER_BASE_URL',
  quirks: { reasoningStyle: 'openrouter', replayReasoningAs: 'reasoning_details', noDeveloperRole: true },
  modelRules: [{ match: /^openai\//, quirks: { noDeveloperRole: false } }],
};

import type { Vendor } from './vendor.ts';

export const deepseek: Vendor = {
  id: 'deepseek',
  name: { fa: 'دیپ‌سیک', en: 'DeepSeek' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.deepseek.com',
  auth: 'bearer',
  keyEnv: ['DEEPSEEK_API_KEY'],
  baseUrlEnv: 'DEEPSEEK_BASE_URL',
  // It continues a begun turn only at its beta address (quirk begun_turn: prefix), and answers 400 to a tool turn
  // without its earlier reasoning_content.
  quirks: {
    maxTokensField: 'max_tokens',
    noDeveloperRole: true,
    reasoningStyle: 'thinking-switch',
    replayReasoningAs: 'reasoning_content',
  },
};

import type { Vendor } from './vendor.ts';

export const moonshot: Vendor = {
  id: 'moonshot',
  name: { fa: 'مون‌شات (کیمی)', en: 'Moonshot AI (Kimi)' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.moonshot.ai/v1',
  auth: 'bearer',
  keyEnv: ['MOONSHOT_API_KEY'],
  baseUrlEnv: 'MOONSHOT_BASE_URL',
  quirks: {
    maxTokensField: 'max_tokens',
    noDeveloperRole: true,
    begunTurn: 'partial',
    rejectsStrictTools: true,
    reasoningStyle: 'thinking-switch',
    replayReasoningAs: 'reasoning_content',
  },
};

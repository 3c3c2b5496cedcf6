import type { Vendor } from './vendor.ts';

export const zai: Vendor = {
  id: 'zai',
  name: { fa: 'زد.ای‌آی (GLM)', en: 'Z.ai (GLM)' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  auth: 'bearer',
  keyEnv: ['ZAI_API_KEY', 'ZHIPUAI_API_KEY'],
  baseUrlEnv: 'ZAI_BASE_URL',
  quirks: {
    maxTokensField: 'max_tokens',
    noDeveloperRole: true,
    reasoningStyle: 'thinking-switch',
    replayReasoningAs: 'reasoning_content',
  },
};

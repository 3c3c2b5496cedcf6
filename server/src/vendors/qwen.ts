import type { Vendor } from './vendor.ts';

/** Alibaba's DashScope, international region; `DASHSCOPE_BASE_URL` chooses another. */
export const qwen: Vendor = {
  id: 'qwen',
  name: { fa: 'کوئن (علی‌بابا)', en: 'Qwen (Alibaba)' },
  protocol: 'openai-chat',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  auth: 'bearer',
  keyEnv: ['DASHSCOPE_API_KEY', 'QWEN_API_KEY'],
  baseUrlEnv: 'DASHSCOPE_BASE_URL',
  quirks: {
    maxTokensField: 'max_tokens',
    noDeveloperRole: true,
    begunTurn: 'partial',
    rejectsStrictTools: true,
    reasoningStyle: 'none',
    replayReasoningAs: 'reasoning_content',
  },
  // Its embedding address takes ten texts a call.
  modelRules: [{ match: /^text-embedding/, quirks: { embeddings: { maxInputs: 10 } } }],
};

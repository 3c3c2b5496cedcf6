import { readOpenAiModelList } from './ollama.ts';
import type { Vendor } from './vendor.ts';

/** vLLM, and any other server that speaks the chat protocol; also the vendor of config providers that name none. */
export const vllm: Vendor = {
  id: 'vllm',
  name: { fa: 'vLLM یا سرور سازگار', en: 'vLLM or a compatible server' },
  protocol: 'openai-chat',
  baseUrl: 'http://127.0.0.1:8000/v1',
  auth: 'none',
  keyEnv: [],
  baseUrlEnv: 'VLLM_BASE_URL',
  quirks: { maxTokensField: 'max_tokens', noDeveloperRole: true },
  discovery: { path: '/models', readModels: readOpenAiModelList },
};

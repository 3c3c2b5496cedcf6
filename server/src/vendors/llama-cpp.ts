import { readOpenAiModelList } from './ollama.ts';
import type { Vendor } from './vendor.ts';

export const llamaCpp: Vendor = {
  id: 'llama-cpp',
  name: { fa: 'لاماسی‌پی‌پی (محلی)', en: 'llama.cpp (local)' },
  protocol: 'openai-chat',
  baseUrl: 'http://127.0.0.1:8080/v1',
  auth: 'none',
  keyEnv: [],
  baseUrlEnv: 'LLAMA_CPP_BASE_URL',
  quirks: { maxTokensField: 'max_tokens', noDeveloperRole: true },
  discovery: { path: '/models', readModels: readOpenAiModelList },
};

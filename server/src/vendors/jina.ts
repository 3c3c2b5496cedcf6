import type { Vendor } from './vendor.ts';

/** Embeddings and reranking only. */
export const jina: Vendor = {
  id: 'jina',
  name: { fa: 'جینا', en: 'Jina AI' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.jina.ai/v1',
  auth: 'bearer',
  keyEnv: ['JINA_API_KEY'],
  baseUrlEnv: 'JINA_BASE_URL',
  quirks: { dropFields: ['user', 'max_tokens_per_doc'] },
};

import type { Vendor } from './vendor.ts';

/** Embeddings and reranking only. */
export const voyage: Vendor = {
  id: 'voyage',
  name: { fa: 'وویج', en: 'Voyage AI' },
  protocol: 'openai-chat',
  baseUrl: 'https://api.voyageai.com/v1',
  auth: 'bearer',
  keyEnv: ['VOYAGE_API_KEY'],
  baseUrlEnv: 'VOYAGE_BASE_URL',
  quirks: { rerankStyle: 'voyage', dropFields: ['user'] },
};

export type * from './embedding.ts';
export { isEmbeddingFailure, joinResponses, splitInputs } from './embedding.ts';
export { geminiEmbeddings } from './gemini-upstream.ts';
export { decodeEmbeddingRequest, encodeEmbeddingResponse } from './openai-client.ts';
export { openaiEmbeddings } from './openai-upstream.ts';

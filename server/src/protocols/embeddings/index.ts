export type * from './embedding.ts';
export { isEmbeddingFailure, joinResponses, splitInputs } from './embedding.ts';
export {
  decodeBatchEmbed,
  decodeEmbedContent,
  encodeBatchEmbed,
  encodeEmbedContent,
} from './gemini-client.ts';
export { geminiEmbeddings } from './gemini-upstream.ts';
export { decodeEmbeddingRequest, type EmbeddingView, encodeEmbeddingResponse } from './openai-client.ts';
export { openaiEmbeddings } from './openai-upstream.ts';

export type * from './rerank.ts';
export { decodeRerankRequest, encodeRerankResponse } from './rerank-client.ts';
export { decodeRerank, encodeRerank } from './rerank-upstream.ts';

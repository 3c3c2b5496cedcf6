import type { FastifyInstance } from 'fastify';
import { answerEmbeddings } from '../../gateway/index.ts';
import { type ClientCodec, decodeEmbeddingRequest } from '../../protocols/index.ts';
import { EmbeddingsRequest } from '../openapi/bodies/embeddings.ts';
import { gated } from '../openapi/gated-codec.ts';
import { type Serving, serve } from '../serve.ts';

const decode = gated(EmbeddingsRequest, decodeEmbeddingRequest);

export function embeddings(app: FastifyInstance, serving: Serving, style: ClientCodec): void {
  app.post(
    '/api/v1/embeddings',
    serve(serving, 'embeddings', style, (call) => answerEmbeddings(call, serving.gw, decode)),
  );
}

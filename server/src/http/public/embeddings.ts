import type { FastifyInstance } from 'fastify';
import { answerEmbeddings } from '../../gateway/index.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { type Serving, serve } from '../serve.ts';

export function embeddings(app: FastifyInstance, serving: Serving, style: ClientCodec): void {
  app.post(
    '/api/v1/embeddings',
    serve(serving, 'embeddings', style, (call) => answerEmbeddings(call, serving.gw)),
  );
}

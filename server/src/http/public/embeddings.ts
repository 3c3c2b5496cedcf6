import { answerEmbeddings } from '../../gateway/index.ts';
import { type ClientCodec, decodeEmbeddingRequest } from '../../protocols/index.ts';
import type { DirectLane } from '../direct-lane.ts';
import { EmbeddingsRequest } from '../openapi/bodies/embeddings.ts';
import { gated } from '../openapi/gated-codec.ts';
import type { Serving } from '../serve.ts';

const decode = gated(EmbeddingsRequest, decodeEmbeddingRequest);

export function embeddings(lane: DirectLane, { gw }: Serving, codec: ClientCodec): void {
  lane.post('/api/v1/embeddings', 'embeddings', codec, (call) => answerEmbeddings(call, gw, decode));
}

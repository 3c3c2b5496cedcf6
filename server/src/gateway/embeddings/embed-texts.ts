/** Vectors for the gateway's own use, in the name of an account: planned, admitted, charged and logged like a request of its own. */
import { GatewayError } from '../../core/errors.ts';
import { type KeySnapshot, UNLIMITED_KEY } from '../../keys/index.ts';
import type { EmbeddingResponse } from '../../protocols/index.ts';
import { recordRefusal } from '../admit/refusals.ts';
import { checkModelKind, resolveModel } from '../admit/resolve.ts';
import type { Gateway } from '../gateway.ts';
import { anyModel, ownCall } from '../own-call.ts';
import type { PaidEndpoint } from '../paid/paid-endpoint.ts';
import { answerPaid } from '../paid/run-paid-request.ts';
import { type AskedEmbeddings, EMBEDDING, embedded } from './embeddings.ts';

export interface TextsToEmbed {
  /** Whose limits apply: a caller's key, or the account itself for work in the background. */
  key: KeySnapshot;
  model: string;
  texts: string[];
}

/** There is no body to read, and the result is the vectors themselves. */
const ownVectors: PaidEndpoint<AskedEmbeddings, AskedEmbeddings, EmbeddingResponse, EmbeddingResponse> = {
  ...EMBEDDING,
  read: (_call, _key, asked) => asked,
  whole: {
    produced: ({ run }, response) => embedded(response, run.likelyInput),
    answer: (_paid, { begun }) => begun,
  },
};

export async function embedTexts({ key, model, texts }: TextsToEmbed, gw: Gateway): Promise<Float32Array[]> {
  const call = ownCall('embeddings', gw);
  const payer = anyModel(key);
  call.metadata.key = payer;
  const request = { model, inputs: texts, encoding: 'float' as const, svc: { knowledgeBaseIds: [] }, extras: {} };
  try {
    const asked = { request, stream: false, stopsWhenGone: false };
    const response = await answerPaid(call, payer, ownVectors, asked, gw);
    if (response.vectors.length !== texts.length)
      throw new GatewayError('upstream_error', {
        cause: `${response.vectors.length} vectors for ${texts.length} texts`,
      });
    return response.vectors.map((vector) => Float32Array.from(vector));
  } catch (error) {
    if (error instanceof GatewayError) recordRefusal(call, error, gw);
    throw error;
  }
}

/** For work that no key asked for. Its spending counts on the account alone. */
export function accountItself(account: KeySnapshot['account']): KeySnapshot {
  return { id: `knowledge.${account.id}`, name: 'knowledge bases', rules: UNLIMITED_KEY, account };
}

export function checkEmbeddingModel(model: string, key: KeySnapshot | undefined, gw: Gateway): void {
  if (key) resolveModel(model, key, gw.catalog.current(), 'embedding');
  else checkModelKind(model, 'embedding', 'embedding_model', gw);
}

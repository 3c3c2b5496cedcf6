/**
 * Ranks texts for the gateway's own use, in the name of an account: admitted, charged and logged like a request of its
 * own.
 */
import { GatewayError } from '../../core/errors.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { RerankResponse } from '../../protocols/index.ts';
import { recordRefusal } from '../admit/refusals.ts';
import type { Gateway } from '../gateway.ts';
import { anyModel, ownCall } from '../own-call.ts';
import type { PaidEndpoint } from '../paid/paid-endpoint.ts';
import { answerPaid } from '../paid/run-paid-request.ts';
import { type AskedRerank, RERANK, ranked } from './rerank.ts';

export interface TextsToRank {
  /** Whose limits it counts against: a caller's key, or the account itself. */
  key: KeySnapshot;
  model: string;
  query: string;
  texts: string[];
}

const ownOrder: PaidEndpoint<AskedRerank, AskedRerank, RerankResponse, RerankResponse> = {
  ...RERANK,
  read: (_call, _key, asked) => asked,
  whole: { produced: ranked, answer: (_paid, { begun }) => begun },
};

/** The indices of the texts, best first. */
export async function rankTexts({ key, model, query, texts }: TextsToRank, gw: Gateway): Promise<number[]> {
  const call = ownCall('rerank', gw);
  const payer = anyModel(key);
  call.metadata.key = payer;
  const request = { model, query, documents: texts, returnDocuments: false, svc: { knowledgeBaseIds: [] }, extras: {} };
  try {
    const { results } = await answerPaid(call, payer, ownOrder, { request, stream: false, stopsWhenGone: false }, gw);
    return results.map(({ index }) => index);
  } catch (error) {
    if (error instanceof GatewayError) recordRefusal(call, error, gw);
    throw error;
  }
}

/** Reranking on the paid path: nothing is streamed, and what is charged is the search, the tokens it read, or both. */
import type { Model } from '../../catalog/index.ts';
import { jsonAnswer } from '../../core/answer.ts';
import { parseTrustedJson } from '../../core/json.ts';
import { whenResolved } from '../../core/maybe-promise.ts';
import { money } from '../../core/money.ts';
import { type Price, unitPrice } from '../../core/price.ts';
import type { Usage } from '../../core/usage.ts';
import {
  decodeRerank,
  decodeRerankRequest,
  encodeRerank,
  encodeRerankResponse,
  type RerankRequest,
  type RerankResponse,
} from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import { type Estimate, knownPrice } from '../admit/estimate.ts';
import { readJsonBody } from '../admit/read-body.ts';
import type { Failed, Question } from '../attempt/question.ts';
import type { Gateway } from '../gateway.ts';
import type { Asked, PaidEndpoint, PaidRequest } from '../paid/paid-endpoint.ts';
import { priceOf } from '../price-of-tokens.ts';
import type { RequestOutput } from '../settle/request-output.ts';
import { type CountedPairs, countPairs } from './count-pairs.ts';

/** Vendors that bill by search bill one search for this many documents. */
const DOCUMENTS_PER_SEARCH = 100;
/** Vendors split long documents into pieces of about this many tokens, each of which counts as a document. */
const TOKENS_PER_PIECE = 500;

export interface AskedRerank extends Asked {
  readonly request: RerankRequest;
}

type RerankEndpoint<Source, Result> = PaidEndpoint<Source, AskedRerank, RerankResponse, Result>;

/** Everything except reading the body and writing the answer, which rank-texts.ts does not need. */
export const RERANK: Pick<RerankEndpoint<never, never>, 'kind' | 'estimate' | 'question'> = {
  kind: 'rerank',
  estimate: ({ request }, { model }, key, gw) =>
    whenResolved(countPairs(request, gw.randomBytes), (counted) =>
      estimateOf(request, model, counted, gw.history.ratio(key.account.id, model.id)),
    ),
  question: ({ asked }, target, gw) => rerankQuestion(asked.request, target, gw),
};

export const rerankEndpoint: PaidEndpoint<undefined, AskedRerank, RerankResponse> = {
  ...RERANK,
  read: (call) => ({ request: decodeRerankRequest(readJsonBody(call)), stream: false, stopsWhenGone: false }),
  whole: {
    produced: ranked,
    answer({ asked: { request }, run }, { begun }, settlement) {
      return jsonAnswer(encodeRerankResponse(begun, { id: run.call.id, model: run.model.id, request }, settlement));
    },
  },
};

export function ranked({ asked, run }: PaidRequest<AskedRerank>, response: RerankResponse): RequestOutput {
  const usage = usageOf(run.model.price, response, asked.request, run.likelyInput);
  return { finishSeen: true, generated: true, delivered: true, reported: usage, counted: () => usage };
}

/**
 * The provider's count; where a priced bucket was not reported our own estimate is charged, so that nothing is free.
 */
function usageOf(
  { perUnit }: Price,
  { counted, raw }: RerankResponse,
  { documents }: RerankRequest,
  likelyInput: number,
): Usage {
  const buckets: Usage['buckets'] = { ...counted };
  let source: Usage['source'] = 'upstream';
  if (perUnit.searches !== undefined && buckets.searches === undefined) {
    buckets.searches = Math.ceil(documents.length / DOCUMENTS_PER_SEARCH);
    source = 'estimated';
  }
  if (perUnit.inputFresh !== undefined && buckets.inputFresh === undefined) {
    buckets.inputFresh = likelyInput;
    source = 'estimated';
  }
  return { buckets, source, ...(raw !== undefined && { raw }) };
}

function estimateOf(
  { documents }: RerankRequest,
  model: Model,
  { likely, max, documents: inDocuments }: CountedPairs,
  ratio: number,
): Estimate {
  const inputTokens = Math.ceil(max * ratio);
  const pieces = documents.length + Math.floor(inDocuments / TOKENS_PER_PIECE);
  const searches = Math.ceil(pieces / DOCUMENTS_PER_SEARCH);
  const want = money(priceOf(model, inputTokens, 0) + BigInt(searches) * unitPrice(model.price, 'searches'));
  const usual = Math.ceil(documents.length / DOCUMENTS_PER_SEARCH);
  const inputUsage: Usage = { buckets: { inputFresh: likely, searches: usual }, source: 'estimated' };
  return { ...knownPrice({ inputTokens, likelyInput: likely, outputTokens: 0 }, want), inputUsage };
}

function rerankQuestion(request: RerankRequest, { route }: Target, gw: Gateway): Question<RerankResponse> | Failed {
  const { protocol } = route.provider;
  if (protocol !== 'openai-chat' && protocol !== 'openai-responses')
    return { failure: { kind: 'model-gone', message: `${protocol} has no reranking` }, status: null };
  const { path, headers, body, warnings } = encodeRerank(request, route.upstreamModel, route.quirks);
  return {
    path,
    headers,
    body: JSON.stringify(body),
    warnings,
    whole: true,
    decodeFailure: gw.upstreamProtocols['openai-chat'].upstream.decodeFailure,
    async open(reply) {
      reply.markFirstEvent();
      const response = decodeRerank(parseTrustedJson(await reply.text(gw.settings.maxResponseBytes)), request);
      return 'kind' in response ? { failure: response, status: reply.status } : { begun: response };
    },
  };
}

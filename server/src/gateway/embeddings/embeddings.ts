/** Embeddings on the paid path: nothing is streamed, and only the input is charged. */
import type { Model } from '../../catalog/index.ts';
import { jsonAnswer } from '../../core/answer.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { whenResolved } from '../../core/maybe-promise.ts';
import type { TokenCount } from '../../core/token-estimate.ts';
import type { Usage } from '../../core/usage.ts';
import type { UpstreamReply } from '../../platform/upstream/index.ts';
import {
  type EmbeddingRequest,
  type EmbeddingResponse,
  type EmbeddingTarget,
  type EmbeddingUpstreamCodec,
  type EmbeddingView,
  isEmbeddingFailure,
  joinResponses,
  splitInputs,
} from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import { cacheOf } from '../admit/cache-of.ts';
import { type Estimate, knownPrice } from '../admit/estimate.ts';
import { readJsonBody } from '../admit/read-body.ts';
import type { Failed, Opened, Question } from '../attempt/question.ts';
import type { Gateway } from '../gateway.ts';
import type { Asked, PaidEndpoint } from '../paid/paid-endpoint.ts';
import { priceOf } from '../price-of-tokens.ts';
import type { RequestOutput, Settlement } from '../settle/request-output.ts';
import { cachedVectors } from './cached-vectors.ts';
import { countInputs } from './count-inputs.ts';

export interface AskedEmbeddings extends Asked {
  readonly request: EmbeddingRequest;
}

type EmbeddingsEndpoint<Source, Result> = PaidEndpoint<Source, AskedEmbeddings, EmbeddingResponse, Result>;

/** Everything except reading the body and writing the answer, which embed-texts.ts does not need. */
export const EMBEDDING: Pick<EmbeddingsEndpoint<never, never>, 'kind' | 'estimate' | 'question'> = {
  kind: 'embedding',
  estimate: ({ request }, { model }, key, gw) =>
    whenResolved(countInputs(request, gw.randomBytes), (counted) =>
      inputOnly(model, counted, gw.history.ratio(key.account.id, model.id)),
    ),
  question: ({ asked }, target, gw) => embeddingQuestion(asked.request, target, gw),
};

/** How callers of one protocol ask, and how they are answered. */
export interface EmbeddingClient {
  decode(body: JsonObject): EmbeddingRequest;
  encode(response: EmbeddingResponse, view: EmbeddingView, closing: Settlement): JsonObject;
}

interface AskedByClient extends AskedEmbeddings {
  readonly client: EmbeddingClient;
}

export const embeddingsEndpoint: PaidEndpoint<EmbeddingClient, AskedByClient, EmbeddingResponse> = {
  ...EMBEDDING,
  read(call, key, client, { settings }) {
    const request = client.decode(readJsonBody(call));
    const cache = cacheOf(request.svc, key.rules.cacheSeconds, settings.cacheMaxSeconds);
    return { request, stream: false, stopsWhenGone: false, client, cache };
  },
  cached: cachedVectors,
  whole: {
    produced: ({ run }, response) => embedded(response, run.likelyInput),
    answer({ asked: { request, client }, run }, { begun }, settlement) {
      const { encoding, numbers } = request;
      return jsonAnswer(
        client.encode(begun, { model: run.model.id, encoding, ...(numbers && { numbers }) }, settlement),
      );
    },
  },
};

export function embedded({ usage }: EmbeddingResponse, likelyInput: number): RequestOutput {
  const counted: Usage = { buckets: { inputFresh: likelyInput, output: 0 }, source: 'estimated' };
  const reported: Usage | undefined = usage && { ...usage, buckets: { ...usage.buckets, output: 0 } };
  return { finishSeen: true, generated: true, delivered: true, reported, counted: () => counted };
}

function inputOnly(model: Model, { likely, max }: TokenCount, ratio: number): Estimate {
  const inputTokens = Math.ceil(max * ratio);
  const want = priceOf(model, inputTokens, 0);
  return knownPrice({ inputTokens, likelyInput: likely, outputTokens: 0 }, want);
}

/** A vendor takes a limited number of inputs per call; more go in batches to the same route. */
function embeddingQuestion(
  request: EmbeddingRequest,
  { route }: Target,
  gw: Gateway,
): Question<EmbeddingResponse> | Failed {
  const { protocol } = route.provider;
  const codec = gw.embeddingProtocols[protocol];
  if (!codec) return { failure: { kind: 'model-gone', message: `${protocol} has no embeddings` }, status: null };
  const target = { model: route.upstreamModel, quirks: route.quirks };
  const batches = splitInputs(request, codec.maxInputs(target));
  return batchQuestion({ codec, target, batches, responses: [], maxBytes: gw.settings.maxResponseBytes });
}

interface Batches {
  codec: EmbeddingUpstreamCodec;
  target: EmbeddingTarget;
  batches: EmbeddingRequest[];
  /** The sum over the batches that were answered. */
  responses: EmbeddingResponse[];
  maxBytes: number;
}

function batchQuestion(work: Batches): Question<EmbeddingResponse> {
  const { codec, target, batches, responses } = work;
  const batch = batches[responses.length] as EmbeddingRequest;
  const { path, headers, body, warnings } = codec.encodeRequest(batch, target);
  return {
    path,
    headers,
    body: JSON.stringify(body),
    warnings,
    whole: true,
    decodeFailure: codec.decodeFailure,
    open: (reply) => openBatch(work, batch, reply),
  };
}

async function openBatch(
  work: Batches,
  batch: EmbeddingRequest,
  reply: UpstreamReply,
): Promise<Opened<EmbeddingResponse>> {
  const { codec, target, batches, responses, maxBytes } = work;
  const { status } = reply;
  reply.markFirstEvent();
  const answer = parseTrustedJson(await reply.text(maxBytes));
  if (!isJsonObject(answer))
    return { failure: { kind: 'malformed', message: 'the body is not a JSON object' }, status };
  const response = codec.decodeResponse(answer, batch, target);
  if (isEmbeddingFailure(response)) return { failure: response, status };
  responses.push(response);
  if (responses.length < batches.length) return { next: batchQuestion(work) };
  return { begun: joinResponses(responses) };
}

/** The request path of embeddings: the numbered steps of chat.ts without knowledge and without streams. */
import type { Model } from '../../catalog/index.ts';
import { type Answer, jsonAnswer } from '../../core/answer.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import type { TokenCount } from '../../core/token-estimate.ts';
import type { Usage } from '../../core/usage.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import {
  decodeEmbeddingRequest,
  type EmbeddingRequest,
  type EmbeddingResponse,
  encodeEmbeddingResponse,
  isEmbeddingFailure,
  joinResponses,
  splitInputs,
} from '../../protocols/index.ts';
import { admit } from '../admit/admit.ts';
import { type Estimate, knownPrice } from '../admit/estimate.ts';
import { checkBeforeParsing } from '../admit/large-body.ts';
import { planModel } from '../admit/plan.ts';
import { readJsonBody } from '../admit/read-body.ts';
import { answerCaller } from '../admit/replay.ts';
import { resolveRequest } from '../admit/resolve.ts';
import { attemptRoutes } from '../attempt/attempt-routes.ts';
import { type Attempt, callProvider } from '../attempt/call-provider.ts';
import type { AttemptResult } from '../attempt/try-route.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { priceOf } from '../price-of-tokens.ts';
import type { Settlement } from '../settle/request-output.ts';
import { Run } from '../settle/run.ts';
import { countInputs } from './count-inputs.ts';

export function answerEmbeddings(
  call: Call,
  gw: Gateway,
  decode: (body: JsonObject) => EmbeddingRequest = decodeEmbeddingRequest,
): Promise<Answer> {
  return answerCaller(call, gw, async (key) => {
    const checking = checkBeforeParsing(call, key, gw);
    if (checking) await checking;
    const request = decode(readJsonBody(call));
    const { response, model, usage, cost } = await embed(call, key, request, gw);
    return jsonAnswer(
      encodeEmbeddingResponse(
        response,
        { model: model.id, encoding: request.encoding, ...(request.numbers && { numbers: request.numbers }) },
        { usage, cost },
      ),
    );
  });
}

export interface Embedded extends Settlement {
  response: EmbeddingResponse;
  model: Model;
}

/** Steps 5 to 11, also for vectors that the gateway itself needs in somebody's name (embed-texts.ts). */
export async function embed(call: Call, key: KeySnapshot, request: EmbeddingRequest, gw: Gateway): Promise<Embedded> {
  const model = resolveRequest('embedding', request, key, gw.catalog.current(), call.metadata);
  const plan = planModel(model, key, request.svc.routing, gw);
  const counting = countInputs(request, gw.randomBytes);
  const counted = counting instanceof Promise ? await counting : counting;
  const estimate = inputOnly(model, counted, gw.history.ratio(key.account.id, model.id));
  const { inputTokens, likelyInput } = estimate;
  const { hold, counters, budgets } = await admit(call, key, model, estimate, 1, gw);
  const run = new Run(
    { call, key, model, hold, counters, budgets, stream: false, user: request.user, inputTokens, likelyInput },
    gw,
  );
  await run.begin();
  try {
    run.plan = plan.explanation;
    const winner = await attemptRoutes(
      run,
      plan.targets,
      (target, cancellation) => ask({ run, target, cancellation }, request, gw),
      gw,
    );
    winner.done('ok');
    const { begun: response } = winner;
    const counted: Usage = { buckets: { inputFresh: likelyInput, output: 0 }, source: 'estimated' };
    const reported: Usage | undefined = response.usage && {
      ...response.usage,
      buckets: { ...response.usage.buckets, output: 0 },
    };
    const produced = { finishSeen: true, generated: true, delivered: true, reported, counted: () => counted };
    const { usage, cost } = await run.settle({ by: 'finish' }, produced);
    return { response, model, usage, cost };
  } catch (error) {
    throw await run.fail(error);
  }
}

function inputOnly(model: Model, { likely, max }: TokenCount, ratio: number): Estimate {
  const inputTokens = Math.ceil(max * ratio);
  const want = priceOf(model, inputTokens, 0);
  return knownPrice({ inputTokens, likelyInput: likely, outputTokens: 0 }, want);
}

/** A vendor takes so many inputs at once; more go one batch after the other on the same route. */
async function ask(
  attempt: Attempt,
  request: EmbeddingRequest,
  gw: Gateway,
): Promise<AttemptResult<EmbeddingResponse>> {
  const { provider, upstreamModel, quirks } = attempt.target.route;
  const codec = gw.embeddingProtocols[provider.protocol];
  if (!codec)
    return { failure: { kind: 'model-gone', message: `${provider.protocol} has no embeddings` }, status: null };
  const target = { model: upstreamModel, quirks };
  const responses: EmbeddingResponse[] = [];
  for (const batch of splitInputs(request, codec.maxInputs(target))) {
    const { path, headers, body, warnings } = codec.encodeRequest(batch, target);
    const { decodeFailure } = codec;
    const result = await callProvider<EmbeddingResponse>(
      attempt,
      { path, headers, body: JSON.stringify(body), warnings, whole: true, decodeFailure },
      async (reply) => {
        reply.markFirstEvent();
        const answer = parseTrustedJson(await reply.text(gw.settings.maxResponseBytes));
        if (!isJsonObject(answer))
          return { failure: { kind: 'malformed', message: 'the body is not a JSON object' }, status: reply.status };
        const response = codec.decodeResponse(answer, batch, target);
        return isEmbeddingFailure(response) ? { failure: response, status: reply.status } : { begun: response };
      },
      gw,
    );
    if ('failure' in result) return result;
    responses.push(result.begun);
  }
  return { begun: joinResponses(responses) };
}

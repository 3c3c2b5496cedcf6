/**
 * Moderation on the paid path. Vendors hardly report usage and charge nothing, so a model with a price is charged by
 * our own count.
 */
import { type CatalogSnapshot, isShownTo } from '../../catalog/index.ts';
import { jsonAnswer } from '../../core/answer.ts';
import { invalidRequest } from '../../core/errors.ts';
import { parseTrustedJson } from '../../core/json.ts';
import { whenResolved } from '../../core/maybe-promise.ts';
import { reasons } from '../../core/reasons.ts';
import type { Usage } from '../../core/usage.ts';
import { type KeySnapshot, permitsModel } from '../../keys/index.ts';
import {
  decodeModeration,
  decodeModerationRequest,
  encodeModeration,
  encodeModerationResponse,
  type ModerationRequest,
  type ModerationResponse,
} from '../../protocols/index.ts';
import { knownPrice } from '../admit/estimate.ts';
import { readJsonBody } from '../admit/read-body.ts';
import { refuseWhatChatsCan } from '../admit/resolve.ts';
import { countInputs } from '../embeddings/count-inputs.ts';
import type { Asked, PaidEndpoint } from '../paid/paid-endpoint.ts';
import { priceOf } from '../price-of-tokens.ts';

/** Tokens of a picture, where tokens have a price: about a large one. */
const PICTURE_TOKENS = 1_000;

interface AskedModeration extends Asked {
  readonly request: ModerationRequest;
}

export const moderationsEndpoint: PaidEndpoint<undefined, AskedModeration, ModerationResponse> = {
  kind: 'moderation',
  read(call, key, _source, gw) {
    const request = decodeModerationRequest(readJsonBody(call));
    request.model ??= usualModel(key, gw.catalog.current());
    return { request, stream: false, stopsWhenGone: false };
  },
  checkModel(request, model) {
    refuseWhatChatsCan(request, model);
    const { pictures } = request;
    const { id, capabilities } = model;
    if (pictures.length === 0 || capabilities.has('vision')) return;
    throw invalidRequest('input', reasons.notSupportedByModel({ fa: 'ورودی تصویر', en: 'image input' }, id));
  },
  estimate: ({ request: { texts, pictures } }, { model }, key, gw) =>
    whenResolved(countInputs({ inputs: texts, extras: {} }, gw.randomBytes), ({ likely, max }) => {
      const ofPictures = pictures.length * PICTURE_TOKENS;
      const inputTokens = Math.ceil(max * gw.history.ratio(key.account.id, model.id)) + ofPictures;
      const tokens = { inputTokens, likelyInput: likely + ofPictures, outputTokens: 0 };
      return knownPrice(tokens, priceOf(model, inputTokens, 0));
    }),
  question({ asked: { request } }, { route }, gw) {
    const { protocol } = route.provider;
    if (protocol !== 'openai-chat' && protocol !== 'openai-responses')
      return { failure: { kind: 'model-gone', message: `${protocol} has no moderation` }, status: null };
    const { body, ...parts } = encodeModeration(request, route.upstreamModel, route.quirks);
    return {
      ...parts,
      body: JSON.stringify(body),
      whole: true,
      decodeFailure: gw.upstreamProtocols['openai-chat'].upstream.decodeFailure,
      async open(reply) {
        reply.markFirstEvent();
        const response = decodeModeration(parseTrustedJson(await reply.text(gw.settings.maxResponseBytes)), request);
        return 'kind' in response ? { failure: response, status: reply.status } : { begun: response };
      },
    };
  },
  whole: {
    produced({ run }, { inputTokens }) {
      const usage: Usage = {
        buckets: { inputFresh: inputTokens ?? run.likelyInput },
        source: inputTokens === undefined ? 'estimated' : 'upstream',
      };
      return { finishSeen: true, generated: true, delivered: true, reported: usage, counted: () => usage };
    },
    answer: ({ run }, { begun }, settlement) =>
      jsonAnswer(encodeModerationResponse(begun, { id: run.call.id, model: run.model.id }, settlement)),
  },
};

/**
 * OpenAI's clients leave the model out: then the key's default is used, or the first real model that the key may use.
 */
function usualModel(key: KeySnapshot, { models, groups }: CatalogSnapshot): string | undefined {
  const { defaultModel } = key.rules;
  if (defaultModel != null && models.get(defaultModel)?.kind === 'moderation') return defaultModel;
  const usable = [...models.values()].filter(
    (model) =>
      model.kind === 'moderation' && isShownTo(model, key.account.id) && permitsModel(key, model.id, model.id, groups),
  );
  return (usable.find(({ simulated }) => !simulated) ?? usable[0])?.id;
}

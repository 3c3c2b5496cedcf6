/**
 * Pictures on the paid path: as a whole, or as events while they are drawn. Charged per picture or by tokens, as
 * priced.
 */
import { jsonAnswer } from '../../core/answer.ts';
import type { JsonObject } from '../../core/json.ts';
import { whenResolved } from '../../core/maybe-promise.ts';
import { costOf } from '../../core/price.ts';
import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts';
import {
  decodeImageRequest,
  encodeImageResponse,
  estimateImages,
  type ImageRequest,
  imageUsage,
  imageUsageResponse,
  pictureKind,
  readImageTokens,
} from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import { knownPrice } from '../admit/estimate.ts';
import { readJsonBody } from '../admit/read-body.ts';
import { deliverAudioEvents } from '../audio/deliver-audio-events.ts';
import { countInputs } from '../embeddings/count-inputs.ts';
import type { Asked, PaidEndpoint, PaidRequest } from '../paid/paid-endpoint.ts';
import { type BegunImages, imageQuestion } from './ask-images.ts';

interface AskedImages extends Asked {
  readonly request: ImageRequest;
}

type ImagesEndpoint<Source> = PaidEndpoint<Source, AskedImages, BegunImages>;

const IMAGES: Omit<ImagesEndpoint<never>, 'read'> = {
  kind: 'image',
  estimate: ({ request }, { model, targets }, _key, gw) =>
    whenResolved(countInputs({ inputs: [request.prompt], extras: {} }, gw.randomBytes), ({ likely, max }) => {
      const kind = pictureKind(request, {}, targets.every(sendsKind));
      const most = estimateImages(model.price, request, max, true, kind);
      const tokens = { inputTokens: promptTokens(most), likelyInput: likely, outputTokens: completionTokens(most) };
      const inputUsage = estimateImages(model.price, request, likely, false, kind);
      return { ...knownPrice(tokens, costOf(model.price, most)), inputUsage };
    }),
  question: ({ asked, run }, target, gw) => imageQuestion(asked.request, target, gw, run.key.account.id),
  stream: {
    open(paid, winner, gw) {
      const { begun } = winner;
      if (begun.kind !== 'events') return undefined;
      const { run } = paid;
      // A picture that was begun and not reported is charged at its most likely price, because its provider bills it
      // too.
      const usageOf = (reported: unknown) => {
        const counted = readImageTokens(reported as JsonObject | undefined) ?? begun.counted;
        return usageOfImages(paid, 1, counted, reported as JsonObject | undefined, {});
      };
      const events = { run, winner, events: begun.events, usageOf, usageResponse: imageUsageResponse };
      return deliverAudioEvents({ ...events, lastIsContent: true }, gw);
    },
  },
  whole: {
    produced(paid, begun) {
      if (begun.kind !== 'whole') throw new Error('events were opened for a request that wanted none');
      const { images, counted, raw, facts } = begun.response;
      const usage = usageOfImages(paid, images.length, counted, raw, facts);
      return { finishSeen: true, generated: true, delivered: true, reported: usage, counted: () => usage };
    },
    answer(_paid, { begun }, settlement, gw) {
      if (begun.kind !== 'whole') throw new Error('events were opened for a request that wanted none');
      const created = Math.floor(gw.clock.now() / 1000);
      return jsonAnswer(encodeImageResponse(begun.response, created, settlement));
    },
  },
};

function usageOfImages(
  { asked: { request }, run }: PaidRequest<AskedImages>,
  images: number,
  counted: Usage['buckets'] | undefined,
  raw: JsonObject | undefined,
  facts: JsonObject,
): Usage {
  const picture = pictureKind(request, facts, run.target !== undefined && sendsKind(run.target));
  const came = { images, counted, picture, ...(raw !== undefined && { raw }) };
  return imageUsage(run.model.price, request, came, run.likelyInput);
}

/** xAI and Google take a ratio of sides and no quality, so what was asked for is not what was drawn. */
function sendsKind({ route }: Target): boolean {
  return route.provider.protocol !== 'gemini-generate' && route.quirks.imageStyle !== 'xai';
}

export const generationsEndpoint: ImagesEndpoint<undefined> = {
  ...IMAGES,
  read: (call) => readAs(readJsonBody(call), 'generations'),
};

/** Its body was a form or JSON; either way it is read by the time the endpoint sees it. */
export const editsEndpoint: ImagesEndpoint<JsonObject> = {
  ...IMAGES,
  read: (_call, _key, body) => readAs(body, 'edits'),
};

function readAs(body: JsonObject, task: ImageRequest['task']): AskedImages {
  const request = decodeImageRequest(body, task);
  return { request, stream: request.stream, stopsWhenGone: request.stream };
}

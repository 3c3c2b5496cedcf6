/** One route asked for pictures. A vendor that draws one at a time is asked again until all are there. */
import { parseTrustedJson } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import type { UpstreamReply } from '../../platform/upstream/index.ts';
import {
  decodeGeminiImages,
  decodeOpenaiImages,
  encodeGeminiImages,
  encodeOpenaiImages,
  eventOfImage,
  type ImageRequest,
  type ImageResponse,
  readImageEvent,
} from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Failed, Opened, Question } from '../attempt/question.ts';
import { eventsAtOnce, eventsOfFrames, type OpenedEvents, openEvents } from '../audio/audio-event-source.ts';
import type { Gateway } from '../gateway.ts';

export type BegunImages =
  | { kind: 'whole'; response: ImageResponse }
  /** `counted`: known where a whole answer was turned into an event. */
  | { kind: 'events'; events: OpenedEvents; counted: Usage['buckets'] | undefined };

/** A frame holds a whole picture in base64. */
const MAX_FRAME_CHARS = 64 * 1024 * 1024;

export function imageQuestion(request: ImageRequest, { route }: Target, gw: Gateway): Question<BegunImages> | Failed {
  const { protocol } = route.provider;
  if (protocol === 'gemini-generate') return geminiQuestion(request, route.upstreamModel, [], gw);
  if (protocol !== 'openai-chat' && protocol !== 'openai-responses')
    return { failure: { kind: 'model-gone', message: `${protocol} has no pictures` }, status: null };
  const boundary = () => `----dargah${Buffer.from(gw.randomBytes(18)).toString('hex')}`;
  return {
    ...encodeOpenaiImages(request, route.upstreamModel, route.quirks, boundary),
    whole: !request.stream,
    decodeFailure: gw.upstreamProtocols['openai-chat'].upstream.decodeFailure,
    open: (reply, contentType) => openReply(reply, contentType, request, gw),
  };
}

async function openReply(
  reply: UpstreamReply,
  contentType: string,
  request: ImageRequest,
  gw: Gateway,
): Promise<Opened<BegunImages>> {
  const { status } = reply;
  if (contentType.includes('text/event-stream') && request.stream) {
    const opened = await openEvents(eventsOfFrames(reply, readImageEvent, MAX_FRAME_CHARS), true);
    if ('failure' in opened) return { failure: opened.failure, status };
    reply.markFirstEvent();
    return { begun: { kind: 'events', events: opened, counted: undefined } };
  }
  reply.markFirstEvent();
  const response = decodeOpenaiImages(parseTrustedJson(await reply.text(gw.settings.maxResponseBytes)));
  return 'kind' in response ? { failure: response, status } : { begun: begunOf(response, request, gw) };
}

function begunOf(response: ImageResponse, request: ImageRequest, gw: Gateway): BegunImages {
  if (!request.stream) return { kind: 'whole', response };
  const first = [eventOfImage(response, request, Math.floor(gw.clock.now() / 1000))];
  return { kind: 'events', events: { source: eventsAtOnce([]), first }, counted: response.counted };
}

function geminiQuestion(
  request: ImageRequest,
  model: string,
  before: readonly ImageResponse[],
  gw: Gateway,
): Question<BegunImages> {
  return {
    ...encodeGeminiImages(request, model),
    whole: true,
    decodeFailure: gw.upstreamProtocols['gemini-generate'].upstream.decodeFailure,
    async open(reply) {
      reply.markFirstEvent();
      const response = decodeGeminiImages(parseTrustedJson(await reply.text(gw.settings.maxResponseBytes)));
      if ('kind' in response) return { failure: response, status: reply.status };
      const all = [...before, response];
      if (all.length < request.count) return { next: geminiQuestion(request, model, all, gw) };
      return { begun: begunOf(joined(all), request, gw) };
    },
  };
}

/** A part without a count makes the whole unknown: a part of the count is no count. */
function joined(responses: readonly ImageResponse[]): ImageResponse {
  const [first] = responses;
  if (first && responses.length === 1) return first;
  const images = responses.flatMap((response) => response.images);
  const counted: Usage['buckets'] = {};
  for (const response of responses) {
    if (!response.counted) return { images, facts: {} };
    for (const [bucket, units] of Object.entries(response.counted)) {
      const name = bucket as keyof typeof counted;
      counted[name] = (counted[name] ?? 0) + units;
    }
  }
  return { images, facts: {}, counted };
}

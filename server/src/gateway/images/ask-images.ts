/** Asks one route for pictures. A vendor that draws one at a time is asked again until all are there. */
import { parseTrustedJson } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { SafeFetchError, type UpstreamReply } from '../../platform/upstream/index.ts';
import {
  addressesIn,
  decodeGeminiImages,
  decodeOpenaiImages,
  encodeGeminiImages,
  encodeOpenaiImages,
  eventOfImage,
  type ImageRequest,
  type ImageResponse,
  readImageEvent,
  withFetched,
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
/** Pictures that a vendor returns by address instead of bytes. */
const MAX_ADDRESSES = 10;
const MAX_PICTURE_BYTES = 32 * 1024 * 1024;
const FETCH_MS = 30_000;

/** `account`: whose pictures are stored, when they are returned by address. */
export function imageQuestion(
  request: ImageRequest,
  { route }: Target,
  gw: Gateway,
  account: string,
): Question<BegunImages> | Failed {
  const { protocol } = route.provider;
  if (protocol === 'gemini-generate') return geminiQuestion(request, route.upstreamModel, [], gw, account);
  if (protocol !== 'openai-chat' && protocol !== 'openai-responses')
    return { failure: { kind: 'model-gone', message: `${protocol} has no pictures` }, status: null };
  const boundary = () => `----dargah${Buffer.from(gw.randomBytes(18)).toString('hex')}`;
  return {
    ...encodeOpenaiImages(request, route.upstreamModel, route.quirks, boundary),
    whole: !request.stream,
    decodeFailure: gw.upstreamProtocols['openai-chat'].upstream.decodeFailure,
    open: (reply, contentType) => openReply(reply, contentType, request, gw, account),
  };
}

async function openReply(
  reply: UpstreamReply,
  contentType: string,
  request: ImageRequest,
  gw: Gateway,
  account: string,
): Promise<Opened<BegunImages>> {
  const { status } = reply;
  if (contentType.includes('text/event-stream') && request.stream) {
    const opened = await openEvents(eventsOfFrames(reply, readImageEvent, MAX_FRAME_CHARS), true);
    if ('failure' in opened) return { failure: opened.failure, status };
    reply.markFirstEvent();
    return { begun: { kind: 'events', events: opened, counted: undefined } };
  }
  reply.markFirstEvent();
  const answer = parseTrustedJson(await reply.text(gw.settings.maxResponseBytes));
  const addresses = addressesIn(answer);
  if (addresses.length > MAX_ADDRESSES)
    return { failure: { kind: 'malformed', message: 'too many addresses' }, status };
  let whole = answer;
  try {
    if (addresses.length > 0) whole = withFetched(answer, await fetchAll(addresses, gw));
  } catch (error) {
    if (!(error instanceof SafeFetchError)) throw error;
    return { failure: { kind: 'malformed', message: `its address gives no picture: ${error.message}` }, status };
  }
  const response = decodeOpenaiImages(whole);
  return 'kind' in response ? { failure: response, status } : { begun: await begunOf(response, request, gw, account) };
}

/**
 * A provider's address is never passed on: it reveals the provider and may lead anywhere. It is fetched like an address
 * from a user.
 */
function fetchAll(addresses: readonly string[], gw: Gateway): Promise<string[]> {
  const limits = { maxBytes: MAX_PICTURE_BYTES, totalMs: FETCH_MS, types: ['image/*'] };
  return Promise.all(
    addresses.map(async (url) => Buffer.from((await gw.fetchMedia(url, limits)).bytes).toString('base64')),
  );
}

/** Stored before the request is charged, so that a picture that cannot be fetched costs nothing. */
async function kept(response: ImageResponse, gw: Gateway, account: string): Promise<ImageResponse> {
  const pictures = response.images.map(({ base64 }) => Buffer.from(base64, 'base64'));
  const addresses = await gw.pictures.keep(account, pictures);
  const images = response.images.map((image, at) => ({ ...image, address: addresses[at] ?? '' }));
  return { ...response, images };
}

async function begunOf(
  response: ImageResponse,
  request: ImageRequest,
  gw: Gateway,
  account: string,
): Promise<BegunImages> {
  if (!request.stream)
    return { kind: 'whole', response: request.byAddress ? await kept(response, gw, account) : response };
  const first = [eventOfImage(response, request, Math.floor(gw.clock.now() / 1000))];
  return { kind: 'events', events: { source: eventsAtOnce([]), first }, counted: response.counted };
}

function geminiQuestion(
  request: ImageRequest,
  model: string,
  before: readonly ImageResponse[],
  gw: Gateway,
  account: string,
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
      if (all.length < request.count) return { next: geminiQuestion(request, model, all, gw, account) };
      return { begun: await begunOf(joined(all), request, gw, account) };
    },
  };
}

/** One batch without a count makes the sum unknown, because a partial sum would be too low. */
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

/**
 * Asks one route for speech. It has answered when the first audio arrives; an error with status 200, and silence, are
 * failures.
 */
import { isJsonObject, parseTrustedJson } from '../../core/json.ts';
import type { UpstreamReply } from '../../platform/upstream/index.ts';
import { encodeSpeechRequest, type SpeechRequest, speechContentType } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import type { AttemptResult, Failed, Question } from '../attempt/question.ts';
import type { Gateway } from '../gateway.ts';
import { audioQuestion } from './ask-audio.ts';
import { eventsOfBytes, eventsOfFrames, type OpenedEvents, openEvents } from './audio-event-source.ts';

export type BegunSpeech =
  | { kind: 'events'; events: OpenedEvents }
  | { kind: 'bytes'; reply: UpstreamReply; first: Uint8Array; contentType: string };

export function speechQuestion(request: SpeechRequest, target: Target, gw: Gateway): Question<BegunSpeech> | Failed {
  const { route } = target;
  return audioQuestion(
    target,
    () => {
      const parts = encodeSpeechRequest(request, { model: route.upstreamModel, quirks: route.quirks });
      return { ...parts, headers: {}, body: JSON.stringify(parts.body), whole: request.stream !== 'sse' };
    },
    (reply, contentType) => open(reply, contentType, request, gw),
    gw,
  );
}

async function open(
  reply: UpstreamReply,
  contentType: string,
  request: SpeechRequest,
  gw: Gateway,
): Promise<AttemptResult<BegunSpeech>> {
  const { status } = reply;
  if (contentType.includes('json')) {
    const text = await reply.text(gw.settings.maxResponseBytes);
    return { failure: jsonInsteadOfAudio(text, reply, gw), status };
  }
  const wantsEvents = request.stream === 'sse';
  if (contentType.includes('text/event-stream')) {
    if (!wantsEvents) return { failure: { kind: 'malformed', status, message: 'events instead of audio' }, status };
    return events(await openEvents(eventsOfFrames(reply), false), reply);
  }
  if (contentType.startsWith('text/')) {
    return { failure: { kind: 'malformed', status, message: `${contentType} instead of audio` }, status };
  }
  const first = await firstBytes(reply);
  if (!first) return { failure: { kind: 'empty', status, message: 'no audio' }, status };
  if (wantsEvents) return events(await openEvents(eventsOfBytes(reply, first), false), reply);
  reply.markFirstEvent();
  return { begun: { kind: 'bytes', reply, first, contentType: speechContentType(request.format, contentType) } };
}

function events(opened: Awaited<ReturnType<typeof openEvents>>, reply: UpstreamReply): AttemptResult<BegunSpeech> {
  if ('failure' in opened) return { failure: opened.failure, status: reply.status };
  reply.markFirstEvent();
  return { begun: { kind: 'events', events: opened } };
}

async function firstBytes(reply: UpstreamReply): Promise<Uint8Array | undefined> {
  for (let chunk = await reply.read(); chunk; chunk = await reply.read()) if (chunk.length > 0) return chunk;
  return undefined;
}

/** An error that came with status 200 is judged by its own text; any other JSON is not audio either. */
function jsonInsteadOfAudio(text: string, reply: UpstreamReply, gw: Gateway) {
  const body = parseTrustedJson(text);
  const isError = isJsonObject(body) && body['error'] !== undefined;
  if (!isError) return { kind: 'malformed', status: reply.status, message: 'JSON instead of audio' } as const;
  return gw.upstreamProtocols['openai-chat'].upstream.decodeFailure(502, reply.headers, text);
}

/**
 * Asks one route for a transcription: the form is built again with the route's own name of the model, and the file is
 * read again.
 */
import type { Json } from '../../core/json.ts';
import type { UploadedFile } from '../../platform/upload-files.ts';
import type { UpstreamReply } from '../../platform/upstream/index.ts';
import {
  type EncodedForm,
  encodeForm,
  encodeTranscriptionRequest,
  readTranscript,
  type TranscriptAnswer,
  type TranscriptionRequest,
  transcriptEvents,
} from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import type { AttemptResult, Failed, Question } from '../attempt/question.ts';
import type { Gateway } from '../gateway.ts';
import { audioQuestion } from './ask-audio.ts';
import { eventsAtOnce, eventsOfFrames, type OpenedEvents, openEvents } from './audio-event-source.ts';

export type BegunTranscript =
  | { kind: 'whole'; answer: TranscriptAnswer }
  /** `duration`: known when a whole answer was turned into events. */
  | { kind: 'events'; events: OpenedEvents; duration: Json | undefined };

export interface AudioRecording {
  file: UploadedFile;
  name: string;
  fileType: string;
}

export function transcriptionQuestion(
  request: TranscriptionRequest,
  recording: AudioRecording,
  target: Target,
  gw: Gateway,
): Question<BegunTranscript> | Failed {
  return audioQuestion(
    target,
    () => encode(request, recording, target, gw),
    (reply, contentType) => open(reply, contentType, request, gw),
    gw,
  );
}

function encode(request: TranscriptionRequest, recording: AudioRecording, { route }: Target, gw: Gateway) {
  const target = { model: route.upstreamModel, quirks: route.quirks };
  const { path, fields, warnings } = encodeTranscriptionRequest(request, target);
  const { file, name, fileType } = recording;
  const boundary = `----dargah${Buffer.from(gw.randomBytes(18)).toString('hex')}`;
  const form = encodeForm(fields, { field: 'file', name, type: fileType, size: file.size }, boundary);
  return {
    path,
    headers: { 'content-type': form.contentType, 'content-length': String(form.contentLength) },
    body: formBytes(form, file),
    warnings,
    whole: !request.stream,
  };
}

async function* formBytes({ before, after }: EncodedForm, file: UploadedFile): AsyncGenerator<Uint8Array> {
  yield before;
  yield* file.read();
  yield after;
}

async function open(
  reply: UpstreamReply,
  contentType: string,
  request: TranscriptionRequest,
  gw: Gateway,
): Promise<AttemptResult<BegunTranscript>> {
  const { status } = reply;
  if (contentType.includes('text/event-stream')) {
    if (!request.stream) {
      return { failure: { kind: 'malformed', status, message: 'events instead of a transcript' }, status };
    }
    const opened = await openEvents(eventsOfFrames(reply), true);
    if ('failure' in opened) return { failure: opened.failure, status };
    reply.markFirstEvent();
    return { begun: { kind: 'events', events: opened, duration: undefined } };
  }
  // The headers have arrived; from here on only silence times out.
  reply.markFirstEvent();
  const text = await reply.text(gw.settings.maxResponseBytes);
  const answer = readTranscript(text, contentType, request.format);
  if ('failure' in answer) return { failure: answer.failure, status };
  if (!request.stream) return { begun: { kind: 'whole', answer } };
  const body = answer.kind === 'json' ? answer.body : { text: answer.text };
  const events: OpenedEvents = { source: eventsAtOnce([]), first: transcriptEvents(body) };
  return { begun: { kind: 'events', events, duration: answer.duration } };
}

/** Transcriptions and translations on the paid path. */
import { type Answer, jsonAnswer } from '../../core/answer.ts';
import { invalidRequest } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import type { Usage } from '../../core/usage.ts';
import type { UploadedFile } from '../../platform/upload-files.ts';
import {
  audioFileName,
  decodeTranscriptionRequest,
  estimateTranscription,
  measureSeconds,
  type TranscriptAnswer,
  type TranscriptionRequest,
  transcriptionUsage,
  transcriptionUsageResponse,
} from '../../protocols/index.ts';
import type { WinningAttempt } from '../attempt/attempt-tracker.ts';
import type { Gateway } from '../gateway.ts';
import type { Asked, PaidEndpoint, PaidRequest } from '../paid/paid-endpoint.ts';
import type { ReceivedForm } from '../paid/run-paid-upload.ts';
import { gatewayReasons } from '../reasons.ts';
import { type AudioRecording, type BegunTranscript, transcriptionQuestion } from './ask-transcription.ts';
import { audioOutputOf, estimateAudio } from './audio-output.ts';
import { deliverAudioEvents } from './deliver-audio-events.ts';

/** A header that claims more than a day of sound in one file is forged. */
const MAX_SECONDS = 24 * 3600;

export interface TranscriptionSource {
  task: TranscriptionRequest['task'];
  form: ReceivedForm;
}

interface AskedTranscription extends Asked {
  readonly request: TranscriptionRequest;
  readonly recording: AudioRecording;
  readonly seconds: number;
}

type Paid = PaidRequest<AskedTranscription>;

export const transcriptionEndpoint: PaidEndpoint<TranscriptionSource, AskedTranscription, BegunTranscript> = {
  kind: 'transcription',
  read(_call, _key, { task, form }) {
    const request = decodeTranscriptionRequest(task, form.fields);
    const { file, fileType } = form;
    const recording = { file, name: checkedName(form), fileType };
    const { stream } = request;
    return { request, stream, stopsWhenGone: stream, recording, seconds: lengthOf(file) };
  },
  estimate: ({ seconds }, { model }) => estimateAudio(model, estimateTranscription(model.price, seconds)),
  question: ({ asked: { request, recording } }, target, gw) => transcriptionQuestion(request, recording, target, gw),
  stream: { open: deliverEvents },
  whole: {
    produced: (paid, begun) =>
      audioOutputOf({ finished: true, delivered: true, usage: usageOf(paid, answerOf(begun)) }),
    answer(_paid, { begun }, settlement) {
      const answer = answerOf(begun);
      if (answer.kind === 'json') return jsonAnswer({ ...answer.body, usage: transcriptionUsageResponse(settlement) });
      return { kind: 'body', status: 200, contentType: 'text/plain; charset=utf-8', body: answer.text };
    },
  },
};

function deliverEvents({ asked, run }: Paid, winner: WinningAttempt<BegunTranscript>, gw: Gateway): Answer | undefined {
  const { begun } = winner;
  if (begun.kind !== 'events') return undefined;
  const { events, duration } = begun;
  const usage = (reported: Json | undefined): Usage =>
    transcriptionUsage(run.model.price, { reported, duration, measuredSeconds: asked.seconds });
  return deliverAudioEvents({ run, winner, events, usageOf: usage, usageResponse: transcriptionUsageResponse }, gw);
}

function answerOf(begun: BegunTranscript): TranscriptAnswer {
  if (begun.kind !== 'whole') throw new Error('events were opened for a request that wanted none');
  return begun.answer;
}

function usageOf({ asked: { seconds }, run }: Paid, answer: TranscriptAnswer): Usage {
  const heard = answer.kind === 'text' ? Math.max(seconds, answer.captionsEnd) : seconds;
  return transcriptionUsage(run.model.price, {
    reported: answer.usage,
    duration: answer.duration,
    measuredSeconds: heard,
  });
}

function checkedName({ file, fileName, fileType }: ReceivedForm): string {
  if (file.size === 0) {
    throw invalidRequest('file', gatewayReasons.emptyFile);
  }
  return audioFileName(fileName, fileType, file.head);
}

function lengthOf(file: UploadedFile): number {
  const seconds = measureSeconds(file);
  if (seconds > MAX_SECONDS) throw invalidRequest('file', reasons.tooLong('file', MAX_SECONDS));
  return seconds;
}

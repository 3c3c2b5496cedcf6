/**
 * The request path of transcriptions and translations: the numbered steps of chat.ts. The file lies on disk until a route has
 * answered, so that the next route can be sent the same bytes; it is gone before the answer is.
 */

import { createHash } from 'node:crypto';
import { type Answer, jsonAnswer } from '../../core/answer.ts';
import { invalidRequest } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { UploadedFile } from '../../platform/upload-files.ts';
import {
  audioFileName,
  decodeTranscriptionRequest,
  estimateTranscription,
  type FormField,
  measureSeconds,
  type TranscriptionRequest,
  transcriptionUsage,
  transcriptionUsageResponse,
} from '../../protocols/index.ts';
import { admit } from '../admit/admit.ts';
import { authenticate } from '../admit/authenticate.ts';
import { planModel } from '../admit/plan.ts';
import { answerOncePerKey } from '../admit/replay.ts';
import { resolveRequest } from '../admit/resolve.ts';
import { attemptRoutes } from '../attempt/attempt-routes.ts';
import type { WinningAttempt } from '../attempt/attempt-tracker.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';
import { Run } from '../settle/run.ts';
import { askTranscription, type BegunTranscript } from './ask-transcription.ts';
import { audioOutputOf, estimateAudio } from './audio-output.ts';
import { deliverAudioEvents } from './deliver-audio-events.ts';

/** More than a day of sound in one file is a forged header. */
const MAX_SECONDS = 24 * 3600;

export interface ReceivedForm {
  fields: FormField[];
  file: UploadedFile;
  fileName: string;
  fileType: string;
}

/** `receive` reads the form from the wire; only a known caller may make us write to the disk. */
export async function answerTranscription(
  call: Call,
  task: TranscriptionRequest['task'],
  receive: () => Promise<ReceivedForm>,
  gw: Gateway,
): Promise<Answer> {
  const key = await authenticate(call, gw);
  const form = await receive();
  try {
    // The same call object for both: the right to charge under an Idempotency-Key is noted on it.
    const identified = { ...call, body: digestOf(form) };
    return await answerOncePerKey(identified, key, gw, () => transcribe(identified, key, task, form, gw));
  } finally {
    await form.file.remove();
  }
}

async function transcribe(
  call: Call,
  key: KeySnapshot,
  task: TranscriptionRequest['task'],
  form: ReceivedForm,
  gw: Gateway,
): Promise<Answer> {
  const request = decodeTranscriptionRequest(task, form.fields);
  const recording = { ...form, name: checkedName(form), seconds: lengthOf(form.file) };
  const model = resolveRequest('transcription', request, key, gw.catalog.current(), call.metadata);
  const plan = planModel(model, key, request.svc.routing, gw);
  const inputUsage = estimateTranscription(model.price, recording.seconds);
  const estimate = estimateAudio(model, inputUsage);
  const { hold, counters, budgets } = await admit(call, key, model, estimate, 1, gw);
  const { stream, user } = request;
  const { inputTokens, likelyInput } = estimate;
  const run = new Run(
    { call, key, model, hold, counters, budgets, stream, user, inputTokens, likelyInput, inputUsage },
    gw,
  );
  await run.begin();
  try {
    run.plan = plan.explanation;
    if (stream && call.idempotencyKey === undefined) call.client.onGone(() => run.cancellation.cancel('client gone'));
    const winner = await attemptRoutes(
      run,
      plan.targets,
      (target, cancellation) => askTranscription({ run, target, cancellation }, request, recording, gw),
      gw,
    );
    return await deliver(run, winner, recording.seconds, gw);
  } catch (error) {
    throw await run.fail(error);
  }
}

async function deliver(
  run: Run,
  winner: WinningAttempt<BegunTranscript>,
  measuredSeconds: number,
  gw: Gateway,
): Promise<Answer> {
  const { begun } = winner;
  const { price } = run.model;
  if (begun.kind === 'events') {
    const usageOf = (reported: Json | undefined) =>
      transcriptionUsage(price, { reported, duration: begun.duration, measuredSeconds });
    return deliverAudioEvents(
      { run, winner, events: begun.events, usageOf, usageResponse: transcriptionUsageResponse },
      gw,
    );
  }
  winner.done('ok');
  const { answer } = begun;
  const heard = answer.kind === 'text' ? Math.max(measuredSeconds, answer.captionsEnd) : measuredSeconds;
  const usage = transcriptionUsage(price, {
    reported: answer.usage,
    duration: answer.duration,
    measuredSeconds: heard,
  });
  const settlement = await run.settle({ by: 'finish' }, audioOutputOf({ finished: true, delivered: true, usage }));
  if (answer.kind === 'json') return jsonAnswer({ ...answer.body, usage: transcriptionUsageResponse(settlement) });
  return { kind: 'body', status: 200, contentType: 'text/plain; charset=utf-8', body: answer.text };
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

/** Two sendings of the same form differ in their boundary, so its meaning is compared and not its bytes. */
function digestOf({ fields, file, fileName }: ReceivedForm): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([fields, fileName, file.digest]))
    .digest();
}

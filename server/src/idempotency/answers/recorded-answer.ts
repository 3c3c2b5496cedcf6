/** What is kept of an answer under its Idempotency-Key, and how a later request is given it. */

import type { Answer, BodyAnswer, StreamAnswer, StreamReplay } from '../../core/answer.ts';
import { invalidRequest } from '../../core/errors.ts';
import type { Money } from '../../core/money.ts';
import { framesOf, ReplayBuffer } from '../../replay/index.ts';
import type { SharedAnswer } from '../claims/shared-answer.ts';
import { idempotencyReasons } from '../reasons.ts';
import { answerGone, UNSHARED } from './refusals.ts';

/** What an answer's headers are written from. While a stream runs, its fields are still being filled. */
export interface RecordedMetadata {
  model?: string;
  cost?: Money;
  warnings: string[];
}

export interface RecordedAnswer {
  /** The id of the request that was charged. */
  requestId: string;
  metadata: RecordedMetadata;
  /** After so many frames of a numbered stream. Throws when the answer was too long to be kept. */
  again(after: number): Answer;
}

/** The header of a stream whose frames are numbered. */
export const RESUME_SECONDS = 'x-svc-resume-seconds';
export const LAST_EVENT_ID = 'Last-Event-ID';

export function recordedBody(answer: BodyAnswer, requestId: string, metadata: RecordedMetadata): RecordedAnswer {
  return { requestId, metadata, again: () => answer };
}

/** Keeps the replay buffer and not the answer object, which would keep the whole request in memory. */
export function recordedStream(
  { contentType, headers }: StreamAnswer,
  replayBuffer: ReplayBuffer,
  requestId: string,
  metadata: RecordedMetadata,
): RecordedAnswer {
  const again = (after: number): Answer => {
    if (replayBuffer.dropped > 0) throw answerGone(requestId);
    if (after > 0 && (headers?.[RESUME_SECONDS] === undefined || after > replayBuffer.length))
      throw invalidRequest(LAST_EVENT_ID, idempotencyReasons.noSuchFrame);
    const run: StreamAnswer['run'] = (sink) => replayBuffer.play(sink, after);
    return { kind: 'stream', contentType, ...(headers ? { headers } : {}), run };
  };
  return { requestId, metadata, again };
}

/** A stream whose frames are kept elsewhere while it runs. */
export function recordedReplay(
  { contentType, headers }: StreamAnswer,
  replay: StreamReplay,
  requestId: string,
  metadata: RecordedMetadata,
): RecordedAnswer {
  const again = (after: number): Answer => ({
    kind: 'stream',
    contentType,
    ...(headers ? { headers } : {}),
    run: (sink) => replay.play(sink, after),
  });
  return { requestId, metadata, again };
}

export function recordedElsewhere(shared: SharedAnswer, requestId: string): RecordedAnswer {
  const { kind, status, contentType, headers, body, model, cost, warnings } = shared;
  const metadata: RecordedMetadata = {
    warnings,
    ...(model === undefined ? {} : { model }),
    ...(cost === undefined ? {} : { cost }),
  };
  if (kind === 'body') return recordedBody({ kind, status, contentType, headers, body }, requestId, metadata);
  const run: StreamAnswer['run'] = () => Promise.resolve();
  const isNumbered = headers[RESUME_SECONDS] !== undefined;
  const pieces = isNumbered ? framesOf(Buffer.from(body).toString('utf8')) : [body];
  return recordedStream({ kind, contentType, headers, run }, ReplayBuffer.of(pieces), requestId, metadata);
}

export function sharedFrom(answer: Answer, body: Uint8Array, metadata: RecordedMetadata): SharedAnswer {
  const { kind, contentType, headers = {} } = answer;
  const status = answer.kind === 'body' ? answer.status : 200;
  const { model, cost, warnings } = metadata;
  // The warning that the answer was not shared is left out, because whoever reads this copy has it from all replicas' store.
  const lasting = warnings.filter((warning) => warning !== UNSHARED);
  return { kind, status, contentType, headers, model, cost, warnings: lasting, body };
}

/** Sent with an answer that is a replay of the first one. */
export const REPLAYED = 'x-svc-idempotent-replay';

export function replay(
  { requestId, metadata, again }: RecordedAnswer,
  call: { metadata: RecordedMetadata },
  after: number,
): Answer {
  const answer = again(after);
  Object.assign(call.metadata, { model: metadata.model, cost: metadata.cost, warnings: metadata.warnings });
  // Names the request whose receipt this is: the first one.
  const headers = { ...answer.headers, [REPLAYED]: 'true', 'x-svc-original-request-id': requestId };
  return { ...answer, headers };
}

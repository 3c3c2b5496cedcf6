/** What is kept of an answer under its Idempotency-Key, and how a later request is given it. */

import type { Answer, BodyAnswer, StreamAnswer } from '../../core/answer.ts';
import type { Money } from '../../core/money.ts';
import type { SharedAnswer } from '../claims/shared-answer.ts';
import { answerGone, UNSHARED } from './refusals.ts';
import { ReplayBuffer } from './replay-buffer.ts';

/** What an answer's headers are written from. While a stream runs, its fields are still being filled. */
export interface RecordedMetadata {
  model?: string;
  cost?: Money;
  warnings: string[];
}

export interface RecordedAnswer {
  /** Of the request that was charged. */
  requestId: string;
  metadata: RecordedMetadata;
  /** Throws when the answer was too long to be kept. */
  again(): Answer;
}

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
  const again = (): Answer => {
    if (replayBuffer.tooLong) throw answerGone(requestId);
    return { kind: 'stream', contentType, ...(headers ? { headers } : {}), run: (sink) => replayBuffer.play(sink) };
  };
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
  return recordedStream({ kind, contentType, headers, run }, ReplayBuffer.of(body), requestId, metadata);
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

export function replay({ requestId, metadata, again }: RecordedAnswer, call: { metadata: RecordedMetadata }): Answer {
  const answer = again();
  Object.assign(call.metadata, { model: metadata.model, cost: metadata.cost, warnings: metadata.warnings });
  // Names the request whose receipt this is: the first one.
  const headers = { ...answer.headers, [REPLAYED]: 'true', 'x-svc-original-request-id': requestId };
  return { ...answer, headers };
}

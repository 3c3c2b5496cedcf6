/** What is kept of an answer under its Idempotency-Key, and how a later request is given it. */

import type { Answer, BodyAnswer, StreamAnswer } from '../../core/answer.ts';
import type { Money } from '../../core/money.ts';
import type { SharedAnswer } from '../claims/shared-answer.ts';
import { AnswerTape } from './answer-tape.ts';
import { answerGone, UNSHARED } from './refusals.ts';

/** What an answer's headers are written from. While a stream runs, its fields are still being filled. */
export interface ShownTrail {
  model?: string;
  cost?: Money;
  warnings: string[];
}

export interface RecordedAnswer {
  /** Of the request that was charged. */
  requestId: string;
  trail: ShownTrail;
  /** Throws when the answer was too long to be kept. */
  again(): Answer;
}

export function recordedBody(answer: BodyAnswer, requestId: string, trail: ShownTrail): RecordedAnswer {
  return { requestId, trail, again: () => answer };
}

/** Keeps the tape and not the answer object, which would keep the whole request in memory. */
export function recordedStream(
  { contentType, headers }: StreamAnswer,
  tape: AnswerTape,
  requestId: string,
  trail: ShownTrail,
): RecordedAnswer {
  const again = (): Answer => {
    if (tape.tooLong) throw answerGone(requestId);
    return { kind: 'stream', contentType, ...(headers ? { headers } : {}), run: (sink) => tape.play(sink) };
  };
  return { requestId, trail, again };
}

export function recordedElsewhere(shared: SharedAnswer, requestId: string): RecordedAnswer {
  const { kind, status, contentType, headers, body, model, cost, warnings } = shared;
  const trail: ShownTrail = {
    warnings,
    ...(model === undefined ? {} : { model }),
    ...(cost === undefined ? {} : { cost }),
  };
  if (kind === 'body') return recordedBody({ kind, status, contentType, headers, body }, requestId, trail);
  const run: StreamAnswer['run'] = () => Promise.resolve();
  return recordedStream({ kind, contentType, headers, run }, AnswerTape.of(body), requestId, trail);
}

export function sharedFrom(answer: Answer, body: Uint8Array, trail: ShownTrail): SharedAnswer {
  const { kind, contentType, headers = {} } = answer;
  const status = answer.kind === 'body' ? answer.status : 200;
  const { model, cost, warnings } = trail;
  // The warning that the answer was not shared is left out, because whoever reads this copy has it from all replicas' store.
  const lasting = warnings.filter((warning) => warning !== UNSHARED);
  return { kind, status, contentType, headers, model, cost, warnings: lasting, body };
}

/** The header that marks an answer given again. */
export const REPLAYED = 'x-svc-idempotent-replay';

export function replay({ requestId, trail, again }: RecordedAnswer, call: { trail: ShownTrail }): Answer {
  const answer = again();
  Object.assign(call.trail, { model: trail.model, cost: trail.cost, warnings: trail.warnings });
  // Names the request whose receipt this is: the first one.
  const headers = { ...answer.headers, [REPLAYED]: 'true', 'x-svc-original-request-id': requestId };
  return { ...answer, headers };
}

/**
 * `Idempotency-Key`: the same key with the same body gets the first answer, also while it is still being given, and is
 * charged once, on whichever replica it is asked. A different body under the same key is refused.
 */
import type { Answer, StreamAnswer } from '../core/answer.ts';
import { invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import type { KeySnapshot } from '../keys/index.ts';
import type { Idempotency, IdempotentCall } from './answers/idempotency.ts';

const MAX_KEY_CHARACTERS = 255;

/** A request that names an Idempotency-Key. */
interface KeyedCall extends IdempotentCall {
  endpoint: string;
  startedMs: number;
}

/** Where answers are stored, and how long a request may wait for another one's answer. */
interface Keeper {
  idempotency: Idempotency;
  settings: { totalDeadlineMs: number };
}

/** How much of the answer the caller has, and how one is followed that another replica makes. */
interface Continued {
  after: number;
  join(requestId: string): Promise<StreamAnswer | undefined>;
}

/** `name` is what the header says. */
export function withIdempotency(
  call: KeyedCall,
  name: string,
  key: KeySnapshot,
  { idempotency, settings }: Keeper,
  { after, join }: Continued,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  if (name.length === 0 || name.length > MAX_KEY_CHARACTERS) {
    throw invalidRequest('Idempotency-Key', reasons.tooLong('Idempotency-Key', MAX_KEY_CHARACTERS));
  }
  const { id: accountId } = key.account;
  const deadlineAtMs = call.startedMs + settings.totalDeadlineMs;
  const request = { name: `${accountId} ${call.endpoint} ${name}`, accountId, deadlineAtMs, after, join };
  return idempotency.once(request, call, answer);
}

/**
 * `Idempotency-Key`: the same key with the same body gets the first answer, also while it is still being given, and is
 * charged once, on whichever replica it is asked. A different body under the same key is refused.
 */
import { invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import type { KeySnapshot } from '../keys/index.ts';
import type { Answer, Call } from './call.ts';
import type { Gateway } from './gateway.ts';

const MAX_KEY_CHARACTERS = 255;

export async function withIdempotency(
  call: Call,
  key: KeySnapshot,
  gw: Gateway,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  const name = call.idempotencyKey;
  if (name === undefined) return answer();
  if (name.length === 0 || name.length > MAX_KEY_CHARACTERS) {
    throw invalidRequest('Idempotency-Key', reasons.tooLong('Idempotency-Key', MAX_KEY_CHARACTERS));
  }
  const { id: accountId } = key.account;
  const deadlineAtMs = call.startedMs + gw.settings.totalDeadlineMs;
  return gw.idempotency.once({ name: `${accountId} ${call.endpoint} ${name}`, accountId, deadlineAtMs }, call, answer);
}

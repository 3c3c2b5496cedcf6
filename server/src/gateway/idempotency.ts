/**
 * `Idempotency-Key`: the same key with the same body gets the first answer, also while it is still being given, and is
 * charged once. A different body under the same key is refused.
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
  return gw.idempotency.once(`${key.account.id} ${call.endpoint} ${name}`, call, answer);
}

/**
 * `Idempotency-Key`: the same key with the same body gets the first answer, also while it is still being given, and is
 * charged once, on whichever replica it is asked. A different body under the same key is refused.
 */
import { invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import type { Caller } from '../gateway/admit/authenticate.ts';
import type { Answer, Call } from '../gateway/call.ts';
import type { Gateway } from '../gateway/gateway.ts';

const MAX_KEY_CHARACTERS = 255;

export function withIdempotency(
  call: Call,
  caller: Caller,
  gw: Gateway,
  answer: (caller: Caller) => Promise<Answer>,
): Promise<Answer> {
  const name = call.idempotencyKey;
  return name === undefined ? answer(caller) : answerUnder(name, call, caller, gw, answer);
}

async function answerUnder(
  name: string,
  call: Call,
  caller: Caller,
  gw: Gateway,
  answer: (caller: Caller) => Promise<Answer>,
): Promise<Answer> {
  const key = await caller;
  if (name.length === 0 || name.length > MAX_KEY_CHARACTERS) {
    throw invalidRequest('Idempotency-Key', reasons.tooLong('Idempotency-Key', MAX_KEY_CHARACTERS));
  }
  const { id: accountId } = key.account;
  const deadlineAtMs = call.startedMs + gw.settings.totalDeadlineMs;
  const request = { name: `${accountId} ${call.endpoint} ${name}`, accountId, deadlineAtMs };
  return gw.idempotency.once(request, call, () => answer(key));
}

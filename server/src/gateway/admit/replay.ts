/** Answers under an Idempotency-Key belong to the account; which of its keys may read one again is for the key's rules. */
import type { Answer } from '../../core/answer.ts';
import { GatewayError } from '../../core/errors.ts';
import { REPLAYED, withIdempotency } from '../../idempotency/index.ts';
import { type KeySnapshot, permitsModel } from '../../keys/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { authenticate } from './authenticate.ts';

/** Steps 2 and 3, then the answer; it is given once to a caller who names an Idempotency-Key. */
export function answerCaller(call: Call, gw: Gateway, answer: (key: KeySnapshot) => Promise<Answer>): Promise<Answer> {
  const known = (key: KeySnapshot) => answerOncePerKey(call, key, gw, () => answer(key));
  const caller = authenticate(call, gw);
  return caller instanceof Promise ? caller.then(known) : known(caller);
}

export function answerOncePerKey(
  call: Call,
  key: KeySnapshot,
  gw: Gateway,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  const { idempotencyKey } = call;
  return idempotencyKey === undefined ? answer() : answerOrReplay(call, idempotencyKey, key, gw, answer);
}

async function answerOrReplay(
  call: Call,
  idempotencyKey: string,
  key: KeySnapshot,
  gw: Gateway,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  const given = await withIdempotency(call, idempotencyKey, key, gw, answer);
  const { model } = call.metadata;
  if (given.headers?.[REPLAYED] === undefined || model === undefined) return given;
  if (permitsModel(key, model, model, gw.catalog.current().groups)) return given;
  throw new GatewayError('model_not_allowed', { param: 'model' });
}

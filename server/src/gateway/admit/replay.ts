/** Answers under an Idempotency-Key belong to the account; which of its keys may read one again is for the key's rules. */
import type { Answer } from '../../core/answer.ts';
import { GatewayError } from '../../core/errors.ts';
import { REPLAYED, withIdempotency } from '../../idempotency/index.ts';
import { permitsModel } from '../../keys/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import type { FoundKey } from './authenticate.ts';

export function answerOncePerKey(
  call: Call,
  caller: FoundKey,
  gw: Gateway,
  answer: (key: FoundKey) => Promise<Answer>,
): Promise<Answer> {
  if (call.idempotencyKey === undefined) return answer(caller);
  return withIdempotency(call, caller, gw, answer).then(async (given) => {
    const { model } = call.trail;
    if (given.headers?.[REPLAYED] === undefined || model === undefined) return given;
    if (permitsModel(await caller, model, model, gw.catalog.current().groups)) return given;
    throw new GatewayError('model_not_allowed', { param: 'model' });
  });
}

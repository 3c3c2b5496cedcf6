/** Answers under an Idempotency-Key belong to the account; which of its keys may read one again is for the key's rules. */
import type { Answer } from '../../core/answer.ts';
import { REPLAYED, withIdempotency } from '../../idempotency/index.ts';
import { type KeySnapshot, modelRefusal, permitsModel } from '../../keys/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';

/** Answers, or gives the answer again that a caller got before under the same Idempotency-Key. */
export async function answerOrReplay(
  call: Call,
  idempotencyKey: string,
  key: KeySnapshot,
  gw: Gateway,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  const given = await withIdempotency(call, idempotencyKey, key, gw, answer);
  const { model } = call.metadata;
  if (given.headers?.[REPLAYED] === undefined || model === undefined) return given;
  const { groups } = gw.catalog.current();
  if (permitsModel(key, model, model, groups)) return given;
  throw modelRefusal(key, model, model, groups);
}

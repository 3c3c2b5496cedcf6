/**
 * Answers under an Idempotency-Key belong to the account; the key's rules decide which of its keys may read one again.
 */
import type { Answer } from '../../core/answer.ts';
import { GatewayError } from '../../core/errors.ts';
import { REPLAYED, withIdempotency } from '../../idempotency/index.ts';
import { type KeySnapshot, modelRefusal, permitsModel } from '../../keys/index.ts';
import type { Call } from '../call.ts';
import { joinElsewhere, lastEventIdOf } from '../continue-stream.ts';
import type { Gateway } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';

/** Answers, or replays the answer that was given under the same Idempotency-Key. */
export async function answerOrReplay(
  call: Call,
  idempotencyKey: string,
  key: KeySnapshot,
  gw: Gateway,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  const after = lastEventIdOf(call.headers);
  const join = (requestId: string) => joinElsewhere(requestId, after, key, gw);
  const given = await withIdempotency(call, idempotencyKey, key, gw, { after, join }, () => {
    // It would be a different answer, and the reader would miss its beginning.
    if (after > 0) throw new GatewayError('stream_gone', { reason: gatewayReasons.nothingToContinue });
    return answer();
  });
  const { model } = call.metadata;
  if (given.headers?.[REPLAYED] === undefined || model === undefined) return given;
  const { groups } = gw.catalog.current();
  if (permitsModel(key, model, model, groups)) return given;
  throw modelRefusal(key, model, model, groups);
}

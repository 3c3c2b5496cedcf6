/** The request path of endpoints whose body is held as a whole but not read before its caller is known, whatever its form is. */
import { createHash } from 'node:crypto';
import type { Answer } from '../../core/answer.ts';
import type { JsonObject } from '../../core/json.ts';
import { authenticate } from '../admit/authenticate.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { memoryOf } from '../request-memory.ts';
import type { Asked, PaidEndpoint } from './paid-endpoint.ts';
import { answerOnce } from './run-paid-request.ts';

export interface HeldBody {
  /** What reading it will hold at most. */
  bytes: number;
  receive(): Promise<JsonObject>;
}

export async function runPaidForm<A extends Asked, Begun>(
  call: Call,
  endpoint: PaidEndpoint<JsonObject, A, Begun>,
  { bytes, receive }: HeldBody,
  gw: Gateway,
): Promise<Answer> {
  const key = await authenticate(call, gw);
  await memoryOf(call, gw).reserve('media', bytes);
  const body = await receive();
  // Two sendings of the same form differ in their boundary, so its meaning is compared and not its bytes.
  const digest = createHash('sha256').update(JSON.stringify(body)).digest();
  return answerOnce({ ...call, body: digest }, key, endpoint, body, gw);
}

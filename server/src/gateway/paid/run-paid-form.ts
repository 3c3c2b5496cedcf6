/**
 * The request path of endpoints whose body is read as a whole, but only once its caller is known, whatever its form is.
 */
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
  /** The most memory that reading it takes. */
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
  // The boundary differs each time a form is sent, so its fields are compared and not its bytes.
  const digest = createHash('sha256').update(JSON.stringify(body)).digest();
  return answerOnce({ ...call, body: digest }, key, endpoint, body, gw);
}

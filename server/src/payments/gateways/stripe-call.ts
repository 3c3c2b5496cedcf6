/**
 * Calls to Stripe: how they are signed and repeated, how it names its errors, and what happens when it does not answer.
 */
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { PaymentUnreachable } from '../gateway.ts';
import type { AskGateway, GatewayAnswer } from './ask.ts';

/** The limit for a page of a list, whose entries carry the objects that they refer to. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

export interface StripeAccess {
  ask: AskGateway;
  secretKey: string;
  baseUrl: string;
}

export type StripeCall = (
  method: 'GET' | 'POST',
  path: string,
  form?: Record<string, string>,
  idempotencyKey?: string,
) => Promise<GatewayAnswer>;

export function stripeCaller({ ask, baseUrl, secretKey }: StripeAccess): StripeCall {
  return (method, path, form, idempotencyKey) =>
    ask({
      url: `${baseUrl}${path}`,
      method,
      headers: {
        authorization: `Bearer ${secretKey}`,
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(form ? { body: new URLSearchParams(form).toString() } : {}),
      ...(method === 'GET' ? { maxBytes: MAX_LIST_BYTES } : {}),
    });
}

export function stripeCode(status: number, body: JsonObject): string {
  const error = isJsonObject(body['error']) ? body['error'] : {};
  return String(error['code'] ?? error['type'] ?? `http-${status}`);
}

export function asUnreachable(error: unknown): { kind: 'unreachable'; code: string } {
  if (error instanceof PaymentUnreachable) return { kind: 'unreachable', code: error.code };
  throw error;
}

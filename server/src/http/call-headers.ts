/** All that a call may read of a request's headers; the lane (packages/http-lane) keeps no others. */
export const CALL_HEADERS = [
  'authorization',
  'x-api-key',
  'referer',
  'origin',
  'accept-language',
  'idempotency-key',
  'x-svc-hop',
  'anthropic-beta',
  'content-type',
  'x-forwarded-for',
  'traceparent',
] as const;

export type CallHeaders = { [name in (typeof CALL_HEADERS)[number]]?: string | string[] | undefined };

/** Where a call comes from; Node's own request object fits. */
export interface Incoming {
  headers: CallHeaders;
  socket: { remoteAddress?: string | undefined };
}

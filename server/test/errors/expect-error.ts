/** What the contract promises of every error, checked at once. The table is the contract's own, not the source's. */
import { expect } from 'vitest';

export type WireProtocol = 'chat' | 'messages';
type Row = { status: number; chat: string; messages: string; retry: boolean };

const invalid = { chat: 'invalid_request_error', messages: 'invalid_request_error', retry: false };
const permission = { status: 403, chat: 'permission_error', messages: 'permission_error', retry: false };
const billing = { status: 402, chat: 'billing_error', messages: 'billing_error', retry: false };
const missing = { status: 404, chat: 'not_found_error', messages: 'not_found_error', retry: false };

const CONTRACT = {
  invalid_request: { status: 400, ...invalid },
  too_large: { status: 413, ...invalid },
  invalid_api_key: { status: 401, chat: 'authentication_error', messages: 'authentication_error', retry: false },
  insufficient_balance: billing,
  spend_cap_reached: billing,
  account_blocked: permission,
  key_paused: permission,
  key_expired: permission,
  ip_not_allowed: permission,
  endpoint_not_allowed: permission,
  model_not_allowed: permission,
  price_above_limit: permission,
  data_policy_unmet: permission,
  not_for_sale: permission,
  model_not_found: missing,
  rate_limited: { status: 429, chat: 'rate_limit_error', messages: 'rate_limit_error', retry: true },
  upstream_error: { status: 502, chat: 'upstream_error', messages: 'api_error', retry: true },
  upstream_timeout: { status: 504, chat: 'upstream_error', messages: 'timeout_error', retry: true },
  not_found: missing,
  overloaded: { status: 503, chat: 'api_error', messages: 'overloaded_error', retry: true },
  internal_error: { status: 500, chat: 'api_error', messages: 'api_error', retry: true },
} as const satisfies Record<string, Row>;

export type ContractCode = keyof typeof CONTRACT;

const PERSIAN = /[\u0600-\u06ff]/;
/** Go's way to write a duration: `0s`, `850ms`, `1s`, `1m0s`. */
const GO_DURATION = /^(\d+ms|(\d+h)?(\d+m)?\d+(\.\d+)?s)$/;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

export interface ErrorBody {
  message: string;
  type: string;
  code: string;
  param?: string | null;
  retry_after_ms?: number;
  [detail: string]: unknown;
}

export interface Expected {
  protocol?: WireProtocol;
  language?: 'fa' | 'en';
  param?: string | null;
}

/** Returns `error` of the body, for what is particular to the case. */
export async function expectError(
  response: Response,
  code: ContractCode,
  { protocol = 'chat', language = 'fa', param }: Expected = {},
): Promise<ErrorBody> {
  const row = CONTRACT[code];
  const text = await response.text();
  expect(`${response.status} ${text}`).toMatch(new RegExp(`^${row.status} `));
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const body = JSON.parse(text);
  const error = body.error as ErrorBody;
  expect(error.code).toBe(code === 'too_large' ? 'invalid_request' : code);
  expect(error.type).toBe(row[protocol]);
  expect(PERSIAN.test(error.message)).toBe(language === 'fa');
  // A request of more than a whole minute's tokens never fits, however long it waits.
  const neverFits = 'requested_tokens' in error;
  expect(response.headers.get('x-should-retry')).toBe(String(row.retry && !neverFits));
  expectEveryResponse(response, protocol);
  if (param !== undefined) expect(error.param ?? null).toBe(param);
  if (protocol === 'chat') {
    expect(Object.keys(body)).toEqual(['error']);
    expect(error).toHaveProperty('param');
  } else {
    expect(body.type).toBe('error');
    expect(body.request_id).toBe(response.headers.get('request-id'));
    expect(error['details']).toEqual({ error_code: error.code });
  }
  expectRetryAdvice(response, error);
  return error;
}

/** Promised of every response, whatever it is: three names of one id, and the rate headers. */
export function expectEveryResponse({ headers }: Pick<Response, 'headers'>, protocol: WireProtocol = 'chat'): void {
  const id = headers.get('x-svc-request-id');
  expect(id).toMatch(/^req_/);
  expect(headers.get('x-request-id')).toBe(id);
  expect(headers.get('request-id')).toBe(id);
  for (const what of ['requests', 'tokens']) {
    expect(headers.get(`x-ratelimit-limit-${what}`)).toMatch(/^\d+$/);
    expect(headers.get(`x-ratelimit-remaining-${what}`)).toMatch(/^\d+$/);
    expect(headers.get(`x-ratelimit-reset-${what}`)).toMatch(GO_DURATION);
    if (protocol === 'chat') continue;
    expect(headers.get(`anthropic-ratelimit-${what}-limit`)).toMatch(/^\d+$/);
    expect(headers.get(`anthropic-ratelimit-${what}-remaining`)).toMatch(/^\d+$/);
    expect(headers.get(`anthropic-ratelimit-${what}-reset`)).toMatch(RFC_3339);
  }
}

function expectRetryAdvice({ status, headers }: Response, error: ErrorBody): void {
  const seconds = headers.get('retry-after');
  if (status !== 429 && status !== 503) {
    expect(seconds).toBeNull();
    return;
  }
  expect(seconds).toMatch(/^([1-9]|[1-5]\d|60)$/);
  const exact = Number(headers.get('retry-after-ms'));
  expect(exact).toBeGreaterThan(0);
  expect(Math.min(60, Math.ceil(exact / 1000))).toBe(Number(seconds));
  expect(error.retry_after_ms).toBe(exact);
}

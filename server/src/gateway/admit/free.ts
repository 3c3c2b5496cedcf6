/** Endpoints that cost nothing: they do not count in RPM and share a generous rate limit of their own. */
import { NO_MONEY } from '../../admission/index.ts';
import { GatewayError } from '../../core/errors.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { authenticate } from './authenticate.ts';
import { readWindowsForHeaders } from './refusals.ts';

/** Coding agents send dozens of count_tokens within milliseconds; a hundred a second is generous and still a bound. */
const FREE_REQUESTS_PER_MINUTE = 6_000;

export async function admitFree(call: Call, gw: Gateway): Promise<KeySnapshot> {
  const key = await authenticate(call, gw);
  await reserveFree(call, key, gw);
  return key;
}

/** For a caller who is authenticated already. */
export async function reserveFree(call: Call, key: KeySnapshot, gw: Gateway): Promise<void> {
  const [id, home] = [`free:key:${key.id}`, key.account.id];
  const result = await gw.admission.reserve({
    requestId: call.id,
    checks: [{ kind: 'window', name: 'free-requests', id, home, limit: FREE_REQUESTS_PER_MINUTE, amount: 1 }],
    money: NO_MONEY,
  });
  await readWindowsForHeaders(call, gw);
  if (!result.ok)
    throw new GatewayError('rate_limited', {
      retryAfterMs: result.retryAfterMs ?? 1_000,
      detail: { limit: 'free_requests' },
    });
}

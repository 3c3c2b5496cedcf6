/** Steps 2 and 3: who calls, and whether the key's own rules admit this request at all. */
import { NO_MONEY } from '../../admission/index.ts';
import { callerOf } from '../../core/caller-network.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { type MaybePromise, whenResolved } from '../../core/maybe-promise.ts';
import { checkKeyRules, type KeySnapshot } from '../../keys/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';

/** The most gateways in a row: a company's behind a provider's behind ours is the longest sensible chain. */
const MAX_HOPS = 3;

/** Returns at once for a key that is in memory. Throws, or rejects, with the refusal. */
export function authenticate(call: Call, gw: Gateway): MaybePromise<KeySnapshot> {
  if (call.keyText === undefined)
    return call.own ? letKeyIn(call, call.own, gw) : refuseGuess(call, 'invalid_api_key', gw);
  return whenResolved(
    gw.keys.find(call.keyText, () => refuseWhenGuessedTooOften(call, gw)),
    (found) => (found === 'unknown' ? refuseGuess(call, 'invalid_api_key', gw) : letKeyIn(call, found, gw)),
  );
}

/** For a credential that was made with a key: the key's own rules apply. */
export function authenticateByDigest(call: Call, keyDigest: string, gw: Gateway): MaybePromise<KeySnapshot> {
  return whenResolved(gw.keys.findDigest(keyDigest), (found) => {
    if (found === 'unknown') throw new GatewayError('invalid_api_key');
    return letKeyIn(call, found, gw);
  });
}

function letKeyIn(call: Call, key: KeySnapshot, gw: Gateway): KeySnapshot {
  call.metadata.key = key;
  checkKeyRules(key, { endpoint: call.endpoint, ip: call.ip, referrer: call.referrer, nowMs: gw.clock.now() });
  const waitMs = gw.refusals.waitOf(key.id);
  if (waitMs !== undefined)
    throw new GatewayError('rate_limited', { retryAfterMs: waitMs, detail: { limit: 'refusals' } });
  if (call.hop > MAX_HOPS) throw runsInCircles();
  return key;
}

/** A gateway that is, through others, its own provider would call itself for ever. */
function runsInCircles(): GatewayError {
  return invalidRequest('x-svc-hop', gatewayReasons.runsInCircles);
}

/** An address that has used up its failures causes no query to the database. Keys in memory are never affected. */
async function refuseWhenGuessedTooOften(call: Call, gw: Gateway): Promise<void> {
  const check = failureCheck(call, gw, 0);
  const windows = await gw.admission.windows([check]);
  const state = windows.get(check.id);
  if (state === undefined || state.remaining > 0) return;
  call.metadata.windows = windows;
  throw tooManyFailures(state.resetMs);
}

/** Counts a wrong secret against its address, since guessing is limited, and refuses it with `code`, or with 429 when there were too many. */
export async function refuseGuess(call: Call, code: 'invalid_api_key' | 'unauthorized', gw: Gateway): Promise<never> {
  const check = failureCheck(call, gw, 1);
  const result = await gw.admission.reserve({ requestId: call.id, checks: [check], money: NO_MONEY });
  call.metadata.windows = result.windows;
  if (result.ok) throw new GatewayError(code);
  throw tooManyFailures(result.retryAfterMs ?? 1_000);
}

function tooManyFailures(retryAfterMs: number): GatewayError {
  return new GatewayError('rate_limited', { retryAfterMs, detail: { limit: 'failed_authentications' } });
}

export function failureCheck(call: Pick<Call, 'ip'>, gw: Gateway, amount: number) {
  const caller = callerOf(call.ip);
  return {
    kind: 'window',
    name: 'ip-failures',
    id: `auth:ip:${caller}`,
    home: caller,
    limit: gw.settings.authFailuresPerMinute,
    amount,
  } as const;
}

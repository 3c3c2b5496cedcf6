/**
 * One line of a batch, run as a call in the name of its key: the same rules, limits, caps, routes and charge as any
 * request. Interactive requests come first: a line leaves half of each rate to them, and waits where a limit has no
 * room.
 */
import type { Endpoint } from '@dargah/core/endpoints.ts';
import { AdmissionUnavailable } from '../admission/index.ts';
import type { Answer } from '../core/answer.ts';
import { asGatewayError, GatewayError } from '../core/errors.ts';
import { timeOfId } from '../core/ids.ts';
import { ZERO } from '../core/money.ts';
import type { KeySnapshot } from '../keys/index.ts';
import type { ClientCodec } from '../protocols/index.ts';
import { standingLimitChecks } from './admit/limit-checks.ts';
import { noteRefusal } from './admit/refusals.ts';
import type { Call } from './call.ts';
import type { Gateway } from './gateway.ts';
import { ownCall } from './own-call.ts';

/** An endpoint that lines may ask. */
export interface LineEndpoint {
  name: Endpoint;
  client: ClientCodec;
  answer(call: Call): Promise<Answer>;
}

export interface LineOrder {
  key: KeySnapshot;
  batchId: string;
  pricePercent: number;
  requestId: string;
  body: Buffer;
}

export type AnsweredLine =
  | { kind: 'answered'; status: number; body: string; cost: bigint }
  | { kind: 'later'; afterMs: number }
  | { kind: 'no-money'; status: number; body: string; record(): void };

const MONEY: ReadonlySet<string> = new Set(['insufficient_balance', 'spend_cap_reached']);
const MAX_WAIT_MS = 60_000;

export async function answerLine(order: LineOrder, endpoint: LineEndpoint, gw: Gateway): Promise<AnsweredLine> {
  const key = keyOfLines(order.key, order.pricePercent);
  const waitMs = await waitForOthers(key, gw);
  if (waitMs !== undefined) return { kind: 'later', afterMs: waitMs };
  const call = callOf(order, key, endpoint, gw);
  try {
    const answer = await endpoint.answer(call);
    if (answer.kind === 'stream')
      throw new GatewayError('internal_error', { cause: 'a line was answered by a stream' });
    const body = typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body).toString('utf8');
    return { kind: 'answered', status: answer.status, body, cost: call.metadata.cost ?? ZERO };
  } catch (error) {
    return refused(call, endpoint, error, gw);
  } finally {
    call.metadata.memory?.release();
  }
}

function refused(call: Call, { client }: LineEndpoint, error: unknown, gw: Gateway): AnsweredLine {
  if (error instanceof AdmissionUnavailable) return { kind: 'later', afterMs: 1_000 };
  const shown = asGatewayError(error);
  const { code, options, status } = shown;
  // Nothing was sent and nothing is held.
  if ((code === 'rate_limited' || code === 'overloaded') && shown.shouldRetry && call.metadata.state === undefined)
    return { kind: 'later', afterMs: Math.min(options.retryAfterMs ?? 1_000, MAX_WAIT_MS) };
  const body = JSON.stringify(client.encodeError(shown, { requestId: call.id, language: call.language }));
  const record = () => noteRefusal(call, shown, gw);
  if (MONEY.has(code) && call.metadata.state === undefined) return { kind: 'no-money', status, body, record };
  if (code === 'internal_error') gw.log.error({ requestId: call.id, err: shown.cause ?? shown }, 'a line failed');
  record();
  return { kind: 'answered', status, body, cost: call.metadata.cost ?? ZERO };
}

function callOf(
  { requestId, batchId, pricePercent, body }: LineOrder,
  own: KeySnapshot,
  to: LineEndpoint,
  gw: Gateway,
) {
  const call: Call = {
    ...ownCall(to.name, gw),
    id: requestId,
    // The id is derived from the line, so that a repeated line has one row and one charge.
    receivedAt: timeOfId(requestId) ?? gw.clock.now(),
    own,
    batch: { id: batchId, pricePercent },
    contentType: 'application/json',
    body,
  };
  return call;
}

const ofLines = new WeakMap<KeySnapshot, Map<number, KeySnapshot>>();

/** The caller's address was checked when the batch was made; nobody calls now. */
function keyOfLines(key: KeySnapshot, pricePercent: number): KeySnapshot {
  let known = ofLines.get(key);
  if (!known) {
    known = new Map();
    ofLines.set(key, known);
  }
  let own = known.get(pricePercent);
  if (!own) {
    own = { ...key, rules: { ...key.rules, ips: null, referrers: null }, pricePercent };
    known.set(pricePercent, own);
  }
  return own;
}

/** Returns undefined when at least half of every rate is free. */
async function waitForOthers(key: KeySnapshot, gw: Gateway): Promise<number | undefined> {
  const { rates } = standingLimitChecks(key, gw.settings.walletMinimum, gw.clock.now());
  const windows = await gw.admission.windows(rates);
  for (const { id, limit } of rates) {
    const state = windows.get(id);
    if (state && state.remaining < Math.floor(limit / 2)) return Math.min(Math.max(state.resetMs, 250), 5_000);
  }
  return undefined;
}

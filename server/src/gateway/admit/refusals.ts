/** What a refused request still gets: the state of its limits in the headers, and a row in the request log. */
import { NO_MONEY } from '../../admission/index.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { refusedRecord } from '../settle/record.ts';
import { failureCheck } from './authenticate.ts';
import { standingLimitChecks } from './limit-checks.ts';

/** A flood of refusals must not fill the journal that charges need: beyond this depth they are counted, but get no row. */
const MAX_JOURNALED = 2_000;

/** Reads the windows for the headers where no reservation has read them yet. */
export async function readWindowsForHeaders(call: Call, gw: Gateway): Promise<void> {
  if (call.metadata.windows.size > 0) return;
  const { key } = call.metadata;
  if (!key) {
    call.metadata.windows = await gw.admission.windows([failureCheck(call, gw, 0)]);
    return;
  }
  const { rates } = standingLimitChecks(key, gw.settings.walletMinimum, gw.clock.now());
  call.metadata.windows = await gw.admission.windows(rates);
}

/** Requests of unknown callers get no row, because nobody could read it. Settled requests have a row already. */
export function recordRefusal(call: Call, error: GatewayError, gw: Gateway): void {
  gw.metrics.refused(call.endpoint, error.code);
  const { key, state } = call.metadata;
  if (!key || state !== undefined || gw.journal.depth() > MAX_JOURNALED) return;
  call.metadata.state = 'refused';
  const write = (warnings: string[]): void => writeRow(call, key, error, warnings, gw);
  const kind = `${error.code} ${call.endpoint}`;
  const ours = isOfOurMaking(error, gw);
  const ownRow = gw.refusals.count(key, kind, ours, (others) =>
    write([`${others} more requests of this minute were refused like this one`]),
  );
  if (ownRow) write([]);
  if (!ours) void countTogether(call, key, error, gw);
}

/** A refused line of a batch gets a row but is not counted: the batch repeats it, not the customer. */
export function noteRefusal(call: Call, error: GatewayError, gw: Gateway): void {
  gw.metrics.refused(call.endpoint, error.code);
  const { key, state } = call.metadata;
  if (!key || state !== undefined || gw.journal.depth() > MAX_JOURNALED) return;
  call.metadata.state = 'refused';
  writeRow(call, key, error, [], gw);
}

/**
 * Causes that are not the caller's: a full disk, overload, shutdown, a failing provider. Without Redis a rate is
 * refused as soon as this replica's lease of it is used up.
 */
function isOfOurMaking({ code, status }: GatewayError, gw: Gateway): boolean {
  return status >= 500 || (code === 'rate_limited' && gw.admission.health().mode === 'degraded');
}

/**
 * Counts a refusal in the window that replicas share, so that one limit holds over all of them. The caller does not
 * wait for it, and a refusal because of this limit is not counted again.
 */
async function countTogether(
  { id: requestId }: Call,
  key: KeySnapshot,
  error: GatewayError,
  gw: Gateway,
): Promise<void> {
  if (error.options.detail?.['limit'] === 'refusals') return;
  const [id, home] = [`refused:key:${key.id}`, key.account.id];
  const check = { kind: 'window', name: 'key-refusals', id, home, limit: gw.refusals.max, amount: 1 } as const;
  try {
    const { ok } = await gw.admission.reserve({ requestId, checks: [check], money: NO_MONEY });
    if (!ok) gw.refusals.reached(key);
  } catch {
    // Without the shared count each replica still counts its own.
  }
}

function writeRow(call: Call, key: KeySnapshot, error: GatewayError, warnings: string[], gw: Gateway): void {
  const durationMs = Math.round(gw.clock.monotonicMs() - call.startedMs);
  gw.journal
    .close(refusedRecord(call, key, error, durationMs, warnings))
    .catch((failure) => gw.log.warn({ requestId: call.id, err: failure }, 'a refusal was not journaled'));
}

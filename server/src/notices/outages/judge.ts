/**
 * When an outage begins and when it is over, as pure functions of the counts. The bounds are documented in
 * docs/operators.md.
 */
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Severity } from '../event-kind.ts';
import type { MinuteOfHealth, RecentCounts } from './health-rows.ts';

const FAILED = 5;
const SHARE = 0.2;
const FAILED_ALONE = 3;
const ROUTE_REQUESTS = 10;
const ROUTE_SHARE = 0.5;
const CRITICAL_SHARE = 0.5;
export const CRITICAL_MODELS = 3;
const ANSWERED = 5;
const WELL_SHARE = 0.05;
const RECENT_MINUTES = 5;
const QUIET_MINUTES = 30;

export function shareOf(failed: number, answered: number): number {
  return failed + answered === 0 ? 0 : failed / (failed + answered);
}

/** True when customers meet failures: a large share of many requests, or nothing but failures. */
export function failsCustomers({ answered, failed, answeredBefore, failedBefore }: RecentCounts): boolean {
  if (failed >= FAILED && shareOf(failed, answered) >= SHARE) return true;
  return failed + failedBefore >= FAILED_ALONE && answered + answeredBefore === 0;
}

/** True when a route has failed for ten minutes. */
export function failsAsRoute({ answered, failed, answeredBefore, failedBefore }: RecentCounts): boolean {
  const fails = (bad: number, good: number) => bad + good >= ROUTE_REQUESTS && shareOf(bad, good) >= ROUTE_SHARE;
  return fails(failed, answered) && fails(failedBefore, answeredBefore);
}

/** Critical when half of all requests fail, or several models of one provider do. */
export function severityOf(all: { answered: number; failed: number }, modelsOfProvider: number): Severity {
  return shareOf(all.failed, all.answered) >= CRITICAL_SHARE || modelsOfProvider >= CRITICAL_MODELS
    ? 'critical'
    : 'major';
}

export function startOfMinute(ms: number): number {
  return ms - (ms % MINUTE_MS);
}

/**
 * `recovered`: enough was answered and hardly anything failed for five minutes, or since the last failure. `quiet`: nothing has
 * failed for half an hour, and too little was asked to be sure. `minutes` are those of the last half hour and one before it.
 */
export function endOf(
  minutes: readonly MinuteOfHealth[],
  nowMs: number,
  enough: number = ANSWERED,
): 'recovered' | 'quiet' | undefined {
  const recentMs = startOfMinute(nowMs) - (RECENT_MINUTES - 1) * MINUTE_MS;
  const recent = minutes.filter(({ minute }) => minute.getTime() >= recentMs);
  const [failed, answered] = [sumOf(recent, 'failed'), sumOf(recent, 'answered')];
  if (answered >= ANSWERED && shareOf(failed, answered) < WELL_SHARE) return 'recovered';
  const failedMs = Math.max(0, ...minutes.filter((one) => one.failed > 0).map(({ minute }) => minute.getTime()));
  const answeredSince = sumOf(
    minutes.filter(({ minute }) => minute.getTime() > failedMs),
    'answered',
  );
  // A credential that answers once is accepted again; a model that answers once may only be lucky.
  if ((failedMs < recentMs || enough < ANSWERED) && answeredSince >= enough) return 'recovered';
  return failedMs <= nowMs - QUIET_MINUTES * MINUTE_MS ? 'quiet' : undefined;
}

function sumOf(rows: readonly MinuteOfHealth[], field: 'answered' | 'failed'): number {
  return rows.reduce((total, row) => total + row[field], 0);
}

/** `/api/console/usage`: sums over time and by what was used, in the account's calendar. */

import { getUsageBreakdown, getUsageSeries } from '@dargah/api/console/usage.ts';
import type { AccountService } from '../../accounts/index.ts';
import type { Clock } from '../../core/clock.ts';
import { money, toTomanText } from '../../core/money.ts';
import type { KeyService } from '../../keys/index.ts';
import { namesOfMakers } from '../../people/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { NO_USAGE, type UsageReports, type UsageSum } from '../../requestlog/index.ts';
import type { Register } from '../routes/register.ts';
import { intervalAt, intervalsOf, spanOf } from './period.ts';

export interface UsageServices {
  db: Queryable;
  clock: Clock;
  accounts: AccountService;
  keys: KeyService;
  reports: UsageReports;
}

export function usageRoutes(register: Register, services: UsageServices): void {
  const { db, clock, accounts, keys, reports } = services;
  register(getUsageSeries, async ({ who, query }) => {
    const { calendar } = await accounts.get(who.accountId);
    const span = spanOf(query, calendar, clock.now());
    const { interval = 'day', key_id: keyId, member, model, endpoint, user, tag } = query;
    const filter = { accountId: who.accountId, ...span, keyId, member, model, endpoint, user, tag };
    const rows = await reports.series(filter, interval === 'hour' ? 'hour' : 'day', calendar.timeZone);
    const sums = new Map<number, UsageSum>();
    for (const row of rows) {
      const { start } = intervalAt(row.start, interval as 'day', calendar);
      sums.set(start, added(sums.get(start), row));
    }
    const data = intervalsOf(span, interval as 'day', calendar).map(({ start, label }) => ({
      start: new Date(start).toISOString(),
      label,
      ...sumView(sums.get(start) ?? NO_USAGE),
    }));
    const total = sumView(await reports.total(filter));
    return { object: 'usage_series', interval, ...boundsView(span), data, total };
  });
  register(getUsageBreakdown, async ({ who, query }) => {
    const { calendar } = await accounts.get(who.accountId);
    const span = spanOf(query, calendar, clock.now());
    const { by, key_id: keyId, member, model, endpoint, user, tag, limit = 50 } = query;
    const filter = { accountId: who.accountId, ...span, keyId, member, model, endpoint, user, tag };
    const rows = await reports.breakdown(filter, by as 'model', limit);
    const shown = rows.map(({ value }) => value);
    const names =
      by === 'member'
        ? await namesOfMakers(db, who.accountId, shown)
        : await keys.namesOf(who.accountId, by === 'key' ? shown : []);
    const data = rows.map(({ value, ...sum }) => ({ value, name: names.get(value) ?? null, ...sumView(sum) }));
    return { object: 'usage_breakdown', by, ...boundsView(span), data, total: sumView(await reports.total(filter)) };
  });
}

function boundsView({ from, to }: { from: number; to: number }) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** Adds the days of a month: percentiles of percentiles mean nothing, so the month shows its worst day. */
function added(sum: UsageSum | undefined, row: UsageSum): UsageSum {
  if (!sum) return row;
  const worst = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.max(a, b));
  return {
    requests: sum.requests + row.requests,
    errors: sum.errors + row.errors,
    inputTokens: sum.inputTokens + row.inputTokens,
    cachedTokens: sum.cachedTokens + row.cachedTokens,
    outputTokens: sum.outputTokens + row.outputTokens,
    cacheAsked: sum.cacheAsked + row.cacheAsked,
    cacheHits: sum.cacheHits + row.cacheHits,
    cost: sum.cost + row.cost,
    saved: sum.saved + row.saved,
    p50Ms: worst(sum.p50Ms, row.p50Ms),
    p95Ms: worst(sum.p95Ms, row.p95Ms),
  };
}

function sumView(sum: UsageSum) {
  return {
    requests: sum.requests,
    errors: sum.errors,
    input_tokens: sum.inputTokens,
    cached_tokens: sum.cachedTokens,
    output_tokens: sum.outputTokens,
    cache_asked: sum.cacheAsked,
    cache_hits: sum.cacheHits,
    cost: toTomanText(money(sum.cost)),
    cache_saved: toTomanText(money(sum.saved)),
    p50_ms: sum.p50Ms,
    p95_ms: sum.p95Ms,
  };
}

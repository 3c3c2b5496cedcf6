/** Sums of the request log for usage pages: over time in the account's own zone, and by model, key and other values. */
import { type Money, money } from '../core/money.ts';
import type { Database } from '../platform/db/database.ts';
import type { ArchivedDays } from './archive/archived-days.ts';
import { createArchivedUsage } from './archive/archived-usage.ts';
import type { UsageFilter, UsageGrouping } from './request-filter.ts';
import {
  CHARGED_TO_ACCOUNT,
  CHARGED_TO_KEY,
  KEYS_LAST_USED,
  sumOfAll,
  sumsOfGroups,
  sumsOfSpans,
} from './usage-rows.ts';
import type { UsageSum } from './usage-sums.ts';

export interface UsageReports {
  /** Only spans in which something happened; `start` is the beginning of the span in the given zone. */
  series(filter: UsageFilter, span: 'hour' | 'day', timeZone: string): Promise<(UsageSum & { start: number })[]>;
  breakdown(filter: UsageFilter, by: UsageGrouping, limit: number): Promise<(UsageSum & { value: string })[]>;
  total(filter: UsageFilter): Promise<UsageSum>;
  /** By key, as RFC 3339. Refused calls count too, because somebody has the key's secret. */
  lastUsed(accountId: string): Promise<ReadonlyMap<string, string>>;
  /** Everything that the account was ever charged. */
  charged(accountId: string): Promise<Money>;
  /** What a key was ever charged, and since the present day, week and month began (UTC). */
  chargedToKey(accountId: string, keyId: string, nowMs: number): Promise<KeyCharges>;
}

export type KeyCharges = Record<'total' | 'day' | 'week' | 'month', Money>;

export function createUsageReports(db: Database, archived?: ArchivedDays): UsageReports {
  const old = archived && createArchivedUsage(db, archived);
  return {
    series: async (filter, span, timeZone) =>
      (await old?.series(filter, span, timeZone)) ?? sumsOfSpans(db, filter, span, timeZone),
    breakdown: async (filter, by, limit) =>
      (await old?.breakdown(filter, by, limit)) ?? sumsOfGroups(db, filter, by, limit),
    total: async (filter) => (await old?.total(filter)) ?? sumOfAll(db, filter),
    async lastUsed(accountId) {
      const rows = await KEYS_LAST_USED.rows(db, [accountId]);
      return new Map(
        rows.flatMap(({ key_id, last_at }) => (last_at === null ? [] : [[key_id, last_at.toISOString()]])),
      );
    },
    async charged(accountId) {
      const { cost } = await CHARGED_TO_ACCOUNT.only(db, [accountId]);
      return money(BigInt(cost));
    },
    async chargedToKey(accountId, keyId, nowMs) {
      const today = new Date(nowMs).toISOString().slice(0, 10);
      const row = await CHARGED_TO_KEY.only(db, [accountId, keyId, today]);
      const sum = (span: keyof KeyCharges): Money => money(BigInt(row[span]));
      return { total: sum('total'), day: sum('day'), week: sum('week'), month: sum('month') };
    },
  };
}

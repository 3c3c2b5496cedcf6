/**
 * Profit: what customers were charged and did not get back, less what providers cost. An unknown cost does not count as
 * zero: the report gives the profit of the part whose cost is known, and beside it how much is unknown.
 */

import { HOME_OFFSET_MS } from '@dargah/core/home-zone.ts';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { type Money, money } from '../core/money.ts';
import { arithmeticOf } from '../keys/index.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Days, Sums } from './profit-rows.ts';
import { accountsBySales, sealedBy, sealedByRoute, sealedOfAccounts, VENDORS_OF_PROVIDERS } from './profit-rows.ts';
import { addSums, NO_SUMS, OpenDays, type OpenRow, type OpenSums } from './profit-sums.ts';

export type ProfitGroup = 'day' | 'month' | 'vendor' | 'model' | 'account' | 'provider';
export type ProfitCalendar = 'jalali' | 'gregorian';

export interface ProfitRow {
  value: string;
  requests: number;
  /** What was charged, less what was refunded. */
  revenue: Money;
  /** The cost of answers where it is known. */
  providerCost: Money;
  /** The cost of attempts that were not sold. */
  waste: Money;
  /** The profit of the part whose cost is known, which is the profit if the rest had cost what it earned. */
  profitLow: Money;
  /** The profit if the rest had cost nothing. */
  profitHigh: Money;
  /** Null while the cost of more than a hundredth of the sales is unknown. */
  profit: Money | null;
  /** The share of profit in the sales whose cost is known; null without any. */
  marginKnown: number | null;
  /** Requests that were answered at an unknown cost, and what they were sold for. */
  unknownCost: number;
  revenueUnknownCost: Money;
}

export interface ProfitReport {
  rows: ProfitRow[];
  total: ProfitRow;
  next: string | null;
}

export interface ProfitQuery {
  by: ProfitGroup;
  /** Days of Tehran, both included. */
  days: Days;
  calendar?: ProfitCalendar;
  after?: string | undefined;
  limit?: number | undefined;
}

export interface ProfitReports {
  /** Undefined when `after` is not a place that this report has written. */
  read(query: ProfitQuery): Promise<ProfitReport | undefined>;
  /**
   * Routes without a cost in a period: how many, and what they were sold for. The checklist of a month's end uses it.
   */
  unknownCosts(days: Days): Promise<{ routes: number; requests: number; revenue: Money }>;
  /** By model and provider, over sealed and open days. */
  byRoute(days: Days): Promise<(Sums & { model: string; provider: string })[]>;
}

/** Above this share no single figure for profit is shown. */
const MAX_UNKNOWN_PERCENT = 1n;
const USUAL_ROWS = 100;
const MAX_ROWS = 200;

export function createProfitReports(db: Database, clock: Clock): ProfitReports {
  const open = new OpenDays(db, clock);
  return {
    async read(query) {
      const place = readPlace(query.after);
      if (place === null) return undefined;
      const known = await open.read();
      const total = await totalOf(db, query.days, known);
      const page = { place, limit: Math.min(Math.max(1, query.limit ?? USUAL_ROWS), MAX_ROWS) };
      const found =
        query.by === 'account'
          ? await accountPage(db, query.days, known, page)
          : pageOf(await groups(db, query, known), query.by, page);
      return { ...found, total: profitRow('total', total) };
    },
    async unknownCosts(days) {
      const rows = (await byRoute(db, days, await open.read())).filter(({ unknownRequests }) => unknownRequests > 0n);
      const sum = (of: (row: Sums) => bigint) => rows.reduce((all, row) => all + of(row), 0n);
      return {
        routes: rows.length,
        requests: Number(sum(({ unknownRequests }) => unknownRequests)),
        revenue: money(sum(({ unknownRevenue }) => unknownRevenue)),
      };
    },
    byRoute: async (days) => byRoute(db, days, await open.read()),
  };
}

function profitRow(value: string, sums: Sums): ProfitRow {
  const { cost, waste, unknownRevenue } = sums;
  const revenue = sums.revenue - sums.refunded;
  const known = revenue - unknownRevenue;
  const low = known - cost - waste;
  const isKnown = unknownRevenue * 100n <= sums.revenue * MAX_UNKNOWN_PERCENT;
  return {
    value,
    requests: Number(sums.requests),
    revenue: money(revenue),
    providerCost: money(cost),
    waste: money(waste),
    profitLow: money(low),
    profitHigh: money(low + unknownRevenue),
    profit: isKnown ? money(low) : null,
    marginKnown: known > 0n ? Number((low * 10_000n) / known) / 10_000 : null,
    unknownCost: Number(sums.unknownRequests),
    revenueUnknownCost: money(unknownRevenue),
  };
}

function within({ first, last }: Days, { day }: OpenRow): boolean {
  return day >= first && day <= last;
}

async function totalOf(db: Queryable, days: Days, open: OpenSums): Promise<Sums> {
  let total = NO_SUMS;
  for (const sums of (await sealedBy(db, 'day', days, open.sealedTo)).values()) total = addSums(total, sums);
  for (const row of open.rows) if (row.accountId === null && within(days, row)) total = addSums(total, row.sums);
  return total;
}

/** Every group except accounts is short enough to be sorted here. */
async function groups(db: Queryable, { by, days, calendar }: ProfitQuery, open: OpenSums): Promise<ProfitRow[]> {
  const key = by === 'day' || by === 'month' ? 'day' : by === 'model' ? 'model' : 'provider';
  const named = await nameOf(db, by, calendar ?? 'jalali');
  const all = new Map<string, Sums>();
  const add = (value: string, sums: Sums) => {
    const name = named(value);
    all.set(name, addSums(all.get(name) ?? NO_SUMS, sums));
  };
  for (const [value, sums] of await sealedBy(db, key, days, open.sealedTo)) add(value, sums);
  for (const row of open.rows) if (row.accountId === null && within(days, row)) add(row[key] ?? '', row.sums);
  return [...all].map(([value, sums]) => profitRow(value, sums));
}

async function nameOf(db: Queryable, by: ProfitGroup, calendar: ProfitCalendar): Promise<(value: string) => string> {
  if (by === 'month') return (day) => monthOf(day, calendar);
  if (by !== 'vendor') return (value) => value;
  const rows = await VENDORS_OF_PROVIDERS.rows(db);
  const vendors = new Map(rows.map(({ id, vendor }) => [id, vendor ?? id]));
  return (provider) => vendors.get(provider) ?? provider;
}

function monthOf(day: string, calendar: ProfitCalendar): string {
  const { year, month } = arithmeticOf(calendar).fromDay(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
  return `${year}-${String(month).padStart(2, '0')}`;
}

/** The first day of the month of this moment, as a day of Tehran. */
export function monthStart(nowMs: number, calendar: ProfitCalendar): string {
  const arithmetic = arithmeticOf(calendar);
  const { year, month } = arithmetic.fromDay(Math.floor((nowMs + HOME_OFFSET_MS) / DAY_MS));
  return new Date(arithmetic.toDay(year, month, 1) * DAY_MS).toISOString().slice(0, 10);
}

interface Place {
  /** What the last row shown was sold for; for days and months the value alone gives the place. */
  net: string;
  id: string;
}

interface PageSize {
  place: Place | undefined;
  limit: number;
}

function pageOf(rows: ProfitRow[], by: ProfitGroup, { place, limit }: PageSize): Omit<ProfitReport, 'total'> {
  const isTime = by === 'day' || by === 'month';
  const before = (a: Place, b: Place) => {
    if (isTime) return a.id > b.id;
    const difference = BigInt(b.net) - BigInt(a.net);
    return difference < 0n || (difference === 0n && a.id < b.id);
  };
  const placeOf = ({ value, revenue }: ProfitRow): Place => ({ net: String(revenue), id: value });
  const sorted = rows.sort((a, b) => (before(placeOf(a), placeOf(b)) ? -1 : 1));
  const left = place === undefined ? sorted : sorted.filter((row) => before(place, placeOf(row)));
  const shown = left.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, next: left.length > limit && last ? writePlace(placeOf(last)) : null };
}

async function accountPage(db: Queryable, days: Days, open: OpenSums, { place, limit }: PageSize) {
  const openOf = new Map<string, Sums>();
  for (const row of open.rows)
    if (row.accountId !== null && within(days, row))
      openOf.set(row.accountId, addSums(openOf.get(row.accountId) ?? NO_SUMS, row.sums));
  const net = new Map([...openOf].map(([id, { revenue, refunded }]) => [id, revenue - refunded]));
  const sold = await accountsBySales(db, days, { to: open.sealedTo, net }, { after: place, fetch: limit + 1 });
  const shown = sold.slice(0, limit);
  const last = shown.at(-1);
  const ids = shown.map(({ id }) => id);
  const sealed = await sealedOfAccounts(db, ids, days, open.sealedTo);
  return {
    rows: ids.map((id) => profitRow(id, addSums(sealed.get(id) ?? NO_SUMS, openOf.get(id) ?? NO_SUMS))),
    next: sold.length > limit && last ? writePlace(last) : null,
  };
}

async function byRoute(db: Queryable, days: Days, open: OpenSums) {
  const all = new Map<string, Sums & { model: string; provider: string }>();
  const add = (model: string, provider: string, sums: Sums) => {
    const key = JSON.stringify([model, provider]);
    all.set(key, { ...addSums(all.get(key) ?? NO_SUMS, sums), model, provider });
  };
  for (const { model, provider, sums } of await sealedByRoute(db, days, open.sealedTo)) add(model, provider, sums);
  for (const row of open.rows)
    if (row.model !== null && row.provider !== null && within(days, row)) add(row.model, row.provider, row.sums);
  return [...all.values()];
}

function writePlace({ net, id }: Place): string {
  return Buffer.from(`${net}.${id}`).toString('base64url');
}

/** Null for what `writePlace` did not make. */
function readPlace(after: string | undefined): Place | undefined | null {
  if (after === undefined) return undefined;
  const match = /^(-?\d{1,38})\.(.{0,300})$/s.exec(Buffer.from(after, 'base64url').toString());
  return match ? { net: match[1] ?? '0', id: match[2] ?? '' } : null;
}

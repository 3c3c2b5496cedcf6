/**
 * What was counted, as people read it: days of vendors, of models and of routes. Nothing is estimated; a day without
 * measurements says so.
 */

import { HOME_OFFSET_MS } from '@dargah/core/home-zone.ts';
import { DAY_MS, HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../platform/db/index.ts';
import {
  DAYS_OF_ROUTES,
  DAYS_OF_VENDORS,
  HOURS_OF_ROUTES,
  STEPS_OF_MODEL,
  SUMS_OF_MODELS,
  type UptimeDayRow,
  type UptimeStepRow,
} from './uptime-rows.ts';
import { quantile, STEPS } from './waiting-times.ts';

export interface Share {
  answered: number;
  failed: number;
}

export interface Day extends Share {
  /** When it began, in Tehran. */
  startMs: number;
}

export interface UptimeHistory {
  /** Oldest first, one per day, including days without a request. */
  days: Day[];
  /** Over all these days. */
  total: Share;
  /** Over the last two hours. */
  lately: Share;
}

export interface RouteHistory extends UptimeHistory {
  /** Median and slowest twentieth of the last seven days, to within an eighth. */
  firstTokenMs: number | undefined;
  slowFirstTokenMs: number | undefined;
}

export interface UptimeOverview {
  /** By the first part of the model's id. */
  vendors: ReadonlyMap<string, UptimeHistory>;
  /** Over the last thirty days. */
  models: ReadonlyMap<string, Share>;
}

export interface ModelUptime {
  whole: RouteHistory;
  /** By the route's id, which readers must not see. */
  routes: ReadonlyMap<string, RouteHistory>;
}

export interface UptimeReports {
  overview(): Promise<UptimeOverview>;
  ofModel(id: string): Promise<ModelUptime>;
  /** The last 24 hours of each route, by the route's id; `id` is the key of the table. */
  lastDayOf(id: string): Promise<ReadonlyMap<string, RouteDay>>;
}

export interface RouteDay extends Share {
  /** The time to the first token at which the slowest twentieth begins. */
  slowFirstTokenMs: number | undefined;
}

const LATELY_MS = 2 * HOUR_MS;
const SHOWN_DAYS = 90;
const MODEL_DAYS = 30;
const SPEED_DAYS = 7;

export function createUptimeReports({ db, clock }: { db: Database; clock: Clock }): UptimeReports {
  const since = () => {
    const now = clock.now();
    return {
      today: dayAt(now),
      from: new Date(startOf(dayAt(now) - SHOWN_DAYS + 1)),
      lately: new Date(now - LATELY_MS),
    };
  };
  return {
    async overview() {
      const { today, from, lately } = since();
      const days = await DAYS_OF_VENDORS.rows(db, [from, lately]);
      const models = await SUMS_OF_MODELS.rows(db, [new Date(startOf(today - MODEL_DAYS + 1))]);
      return {
        vendors: histories(days, today),
        models: new Map(models.map(({ id, answered, failed }) => [id, shareOf(answered, failed)])),
      };
    },
    async ofModel(id) {
      const { today, from, lately } = since();
      const days = await DAYS_OF_ROUTES.rows(db, [from, lately, id]);
      const steps = await STEPS_OF_MODEL.rows(db, [id, new Date(startOf(today - SPEED_DAYS + 1))]);
      const routes = new Map(
        [...histories(days, today)].map(([route, history]) => [route, { ...history, ...speedOf(route, steps) }]),
      );
      const whole = routes.get('') ?? { ...emptyHistory(today), firstTokenMs: undefined, slowFirstTokenMs: undefined };
      routes.delete('');
      return { whole, routes };
    },
    async lastDayOf(id) {
      const rows = await HOURS_OF_ROUTES.rows(db, [id, new Date(clock.now() - DAY_MS)]);
      const found = new Map<string, { share: Share; steps: number[] }>();
      for (const { route, answered, failed, first_token: counted } of rows) {
        const sum = found.get(route) ?? { share: { answered: 0, failed: 0 }, steps: new Array<number>(STEPS).fill(0) };
        found.set(route, sum);
        add(sum.share, shareOf(answered, failed));
        for (const [step, times] of counted.entries()) sum.steps[step] = (sum.steps[step] ?? 0) + times;
      }
      return new Map(
        [...found].map(([route, { share, steps }]) => [route, { ...share, slowFirstTokenMs: quantile(steps, 0.95) }]),
      );
    },
  };
}

function histories(rows: readonly UptimeDayRow[], today: number): Map<string, UptimeHistory> {
  const found = new Map<string, UptimeHistory>();
  for (const { subject, day, answered, failed, lately_answered, lately_failed } of rows) {
    const history = found.get(subject) ?? emptyHistory(today);
    found.set(subject, history);
    const at = history.days[SHOWN_DAYS - 1 - (today - day)];
    for (const share of at ? [at, history.total] : []) add(share, shareOf(answered, failed));
    add(history.lately, shareOf(lately_answered, lately_failed));
  }
  return found;
}

function emptyHistory(today: number): UptimeHistory {
  return {
    days: Array.from({ length: SHOWN_DAYS }, (_, at) => ({
      startMs: startOf(today - SHOWN_DAYS + 1 + at),
      answered: 0,
      failed: 0,
    })),
    total: { answered: 0, failed: 0 },
    lately: { answered: 0, failed: 0 },
  };
}

function speedOf(route: string, steps: readonly UptimeStepRow[]) {
  const counts = new Array<number>(STEPS).fill(0);
  for (const { route: of, step, times } of steps) if (of === route) counts[step - 1] = Number(times);
  return { firstTokenMs: quantile(counts, 0.5), slowFirstTokenMs: quantile(counts, 0.95) };
}

function add(to: Share, more: Share): void {
  to.answered += more.answered;
  to.failed += more.failed;
}

function shareOf(answered: bigint, failed: bigint): Share {
  return { answered: Number(answered), failed: Number(failed) };
}

function dayAt(ms: number): number {
  return Math.floor((ms + HOME_OFFSET_MS) / DAY_MS);
}

function startOf(day: number): number {
  return day * DAY_MS - HOME_OFFSET_MS;
}

/**
 * How requests ended, counted per hour: each model as customers met it, and each of its routes. Counting is a few
 * additions in memory; they are written to the database once a minute. A process that is killed loses the counts of its
 * last minute.
 */

import { HOME_OFFSET_MS } from '@dargah/core/home-zone.ts';
import { DAY_MS, HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { NamedValues } from '../core/named-values.ts';
import type { Background } from '../platform/background.ts';
import { type Database, inBatches } from '../platform/db/index.ts';
import type { CountedRequest } from './counted-request.ts';
import { HEALTH_FLUSH_MS, HEALTH_FORGET_MS, HealthMinutes } from './health-minutes.ts';
import { ADD_HOURS, FORGET_HOURS } from './uptime-rows.ts';
import { NO_VERDICT, WELL } from './verdicts.ts';
import { STEPS, stepOf } from './waiting-times.ts';

export interface Uptime {
  finished(request: CountedRequest): void;
  /** Writes what was counted since the last flush. */
  flush(): Promise<void>;
  /** The counts per minute, for outages. */
  readonly health: Pick<HealthMinutes, 'flush' | 'watchCredentials'>;
}

interface Counts {
  model: string;
  route: string;
  hour: number;
  answered: number;
  failed: number;
  firstToken: Int32Array;
}

const FLUSH_MS = 60_000;
/** Far above any catalog, so that a fault elsewhere cannot fill the memory. */
const MAX_COUNTED = 20_000;

function hourOf(ms: number): number {
  return Math.floor((ms + HOME_OFFSET_MS) / HOUR_MS) * HOUR_MS - HOME_OFFSET_MS;
}

class CountedUptime implements Uptime {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly health: HealthMinutes;
  #counts = new NamedValues<Counts>();
  /** The name of the hour is formatted once an hour, and not for every request. */
  #hour = { ms: Number.NaN, name: '' };

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.health = new HealthMinutes(db, clock);
  }

  finished(request: CountedRequest): void {
    this.health.finished(request);
    const { model, state, status, firstEventMs, attempts } = request;
    const hour = hourOf(this.#clock.now());
    // A client that left, or was refused by a rule, has seen neither a success nor a failure of ours.
    if (state !== 'client_closed' && state !== 'refused')
      this.#count(model, '', hour, state !== 'interrupted' && status < 500, firstEventMs);
    for (const { route, outcome, firstEventMs: ownMs } of attempts)
      if (!NO_VERDICT.has(outcome)) this.#count(model, route, hour, WELL.has(outcome), ownMs);
  }

  #count(model: string, route: string, hour: number, isWell: boolean, firstEventMs: number | null): void {
    const counts = this.#countsOf(model, route, hour);
    if (counts === undefined) return;
    if (isWell) counts.answered++;
    else counts.failed++;
    if (!isWell || firstEventMs === null) return;
    const step = stepOf(firstEventMs);
    counts.firstToken[step] = (counts.firstToken[step] ?? 0) + 1;
  }

  #countsOf(model: string, route: string, hour: number): Counts | undefined {
    if (this.#hour.ms !== hour) this.#hour = { ms: hour, name: `${hour}` };
    const { name } = this.#hour;
    const known = this.#counts.find(name, model, route);
    if (known || this.#counts.size >= MAX_COUNTED) return known;
    const counts = { model, route, hour, answered: 0, failed: 0, firstToken: new Int32Array(STEPS) };
    this.#counts.set([name, model, route], counts);
    return counts;
  }

  async flush(): Promise<void> {
    const written = this.#counts;
    if (written.size === 0) return;
    this.#counts = new NamedValues();
    const counted = Array.from(written.entries(), ([, counts]) => counts);
    try {
      await this.#add(counted);
    } catch (error) {
      for (const counts of counted) this.#takeBack(counts);
      throw error;
    }
  }

  /** In the same order on all replicas, so that their locks never deadlock. */
  async #add(counts: Counts[]): Promise<void> {
    const rows = counts
      .sort((a, b) => compare(a.model, b.model) || compare(a.route, b.route) || a.hour - b.hour)
      .map(({ model, route, hour, answered, failed, firstToken }) => ({
        model_id: model,
        route,
        hour: new Date(hour).toISOString(),
        answered,
        failed,
        first_token: [...firstToken],
      }));
    await ADD_HOURS.run(this.#db, [JSON.stringify(rows)]);
  }

  /** The database was unreachable, so the counts wait for the next flush. */
  #takeBack(counts: Counts): void {
    const now = this.#countsOf(counts.model, counts.route, counts.hour);
    if (now === undefined) return;
    now.answered += counts.answered;
    now.failed += counts.failed;
    counts.firstToken.forEach((one, step) => {
      now.firstToken[step] = (now.firstToken[step] ?? 0) + one;
    });
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface UptimeOptions {
  db: Database;
  clock: Clock;
  background: Background;
  /** Older hours are deleted. */
  keepDays(): number;
}

export function createUptime({ db, clock, background, keepDays }: UptimeOptions): Uptime {
  const uptime = new CountedUptime(db, clock);
  background.every(FLUSH_MS, 'uptime', () => uptime.flush());
  background.every(HEALTH_FLUSH_MS, 'health of models', () => uptime.health.flush());
  background.every(HEALTH_FORGET_MS, 'retention of health', () => uptime.health.forget());
  background.every(HOUR_MS, 'uptime retention', async () => {
    await inBatches(() => FORGET_HOURS.rows(db, [new Date(clock.now() - keepDays() * DAY_MS)]));
  });
  return uptime;
}

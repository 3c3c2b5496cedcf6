/** Rates of reasoning in the database: read at the start, written in intervals, merged over all replicas. */

import { DAY_MS, HOUR_MS, SECOND_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import type { Background } from '../platform/background.ts';
import { type Database, inBatches } from '../platform/db/index.ts';
import { type MeasuredOf, ReasoningRates } from './rates.ts';
import { ADD_RATES, FORGET_RATES, RATES_SINCE, USUAL_RATES } from './reasoning-rate-rows.ts';

/** A killed process loses what it measured in this time; until it is measured again the operator's rate applies. */
const FLUSH_MS = 10 * SECOND_MS;
/**
 * How often rates measured by other replicas are read; until then an account has its own rate here, or the operator's.
 */
const READ_MS = 60 * SECOND_MS;
/** Rows written while a read ran are read again by the next one. */
const OVERLAP_MS = 10 * SECOND_MS;
/** An account that has not used a model for this long begins again with the operator's rate. */
const KEPT_DAYS = 180;

export interface KeptRates {
  rates: ReasoningRates;
  /** Writes what was learned since the last time. */
  flush(): Promise<void>;
}

export interface KeptRatesOptions {
  db: Database;
  clock: Clock;
  background: Background;
}

export async function createReasoningRates({ db, clock, background }: KeptRatesOptions): Promise<KeptRates> {
  const rates = new ReasoningRates();
  let readAt = 0;
  const readNews = async () => {
    const from = new Date(readAt - OVERLAP_MS);
    readAt = clock.now();
    const rows = await RATES_SINCE.rows(db, [from]);
    if (rows.length === 0) return;
    rates.read(rows);
    rates.readUsual(await USUAL_RATES.rows(db));
  };
  const flush = () => rates.handOver((measured) => add(db, measured, new Date(clock.now())));
  await readNews();
  background.every(FLUSH_MS, 'reasoning rates', flush);
  background.every(READ_MS, 'reasoning rates of other replicas', readNews);
  background.every(HOUR_MS, 'reasoning rates retention', async () => {
    await inBatches(() => FORGET_RATES.rows(db, [new Date(clock.now() - KEPT_DAYS * DAY_MS)]));
  });
  return { rates, flush };
}

/** Adds to the stored sums, in the same order on all replicas, so that they never deadlock. */
async function add(db: Database, measured: MeasuredOf[], now: Date): Promise<MeasuredOf[]> {
  const ordered = measured.toSorted((a, b) => compare(a.account, b.account) || compare(a.model, b.model));
  return ADD_RATES.rows(db, [JSON.stringify(ordered), now]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

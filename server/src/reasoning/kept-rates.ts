/** Rates of reasoning in the database: read at the start, written in intervals, merged over all replicas. */

import { DAY_MS, HOUR_MS, SECOND_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import type { Background } from '../platform/background.ts';
import { type Database, inBatches, ROWS_PER_STATEMENT } from '../platform/db/index.ts';
import { type MeasuredOf, REMEMBERED_TOKENS, ReasoningRates } from './rates.ts';

/** A killed process forgets the lessons of so long; until they are learned again the operator's rate serves. */
const FLUSH_MS = 10 * SECOND_MS;
/** What other replicas learned is read this often; until then an account has its own rate here or the operator's. */
const READ_MS = 60 * SECOND_MS;
/** Rows that were written while a read ran are read again by the next. */
const OVERLAP_MS = 10 * SECOND_MS;
const READ_ROWS = 20_000;
/** An account that has not used a model for so long begins again with the operator's rate. */
const KEPT_DAYS = 180;

/** The rate of fewer accounts is no common one. */
const ENOUGH_ACCOUNTS = 3;

const COLUMNS = 'account_id as account, model_id as model, tokens, weighted';

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
    const rows = await db.query<MeasuredOf>(
      `select ${COLUMNS} from (
         select * from reasoning_rate where updated_at >= $1 order by updated_at desc limit ${READ_ROWS}) as latest
       order by updated_at`,
      [from],
    );
    if (rows.length === 0) return;
    rates.read(rows);
    rates.readUsual(await usualRates(db));
  };
  const flush = () => rates.handOver((measured) => add(db, measured, new Date(clock.now())));
  await readNews();
  background.every(FLUSH_MS, 'reasoning rates', flush);
  background.every(READ_MS, 'reasoning rates of other replicas', readNews);
  background.every(HOUR_MS, 'reasoning rates retention', async () => {
    await inBatches(() =>
      db.query(
        `delete from reasoning_rate where (account_id, model_id) in (
           select account_id, model_id from reasoning_rate where updated_at < $1
           order by updated_at limit ${ROWS_PER_STATEMENT}) returning model_id`,
        [new Date(clock.now() - KEPT_DAYS * DAY_MS)],
      ),
    );
  });
  return { rates, flush };
}

async function usualRates(db: Database): Promise<{ model: string; rate: number }[]> {
  return db.query(
    `select model_id as model, percentile_cont(0.5) within group (order by weighted / tokens) as rate
     from reasoning_rate group by model_id having count(*) >= ${ENOUGH_ACCOUNTS}`,
  );
}

/** Adds to what is there, in one order on all replicas, so that they never wait for each other in a ring. */
async function add(db: Database, measured: MeasuredOf[], now: Date): Promise<MeasuredOf[]> {
  const ordered = measured.toSorted((a, b) => compare(a.account, b.account) || compare(a.model, b.model));
  const faded = `least(1, ${REMEMBERED_TOKENS} / (kept.tokens + excluded.tokens))`;
  return db.query<MeasuredOf>(
    `insert into reasoning_rate as kept (account_id, model_id, tokens, weighted, updated_at)
     select account, model, tokens, weighted, $2::timestamptz from jsonb_to_recordset($1::jsonb)
       as given (account text, model text, tokens double precision, weighted double precision)
     on conflict (account_id, model_id) do update set
       tokens = (kept.tokens + excluded.tokens) * ${faded},
       weighted = (kept.weighted + excluded.weighted) * ${faded},
       updated_at = excluded.updated_at
     returning ${COLUMNS}`,
    [JSON.stringify(ordered), now],
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

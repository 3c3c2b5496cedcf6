/** Every statement on `reasoning_rate`. */

import { column, columnsOf, ROWS_PER_STATEMENT, readAs, statement } from '../platform/db/index.ts';
import { REMEMBERED_TOKENS } from './rates.ts';

const READ_ROWS = 20_000;

/** A rate that fewer accounts measured is not representative. */
const ENOUGH_ACCOUNTS = 3;

const measuredRow = {
  account: readAs('account_id', column.text),
  model: readAs('model_id', column.text),
  tokens: column.float,
  weighted: column.float,
};
const COLUMNS = columnsOf(measuredRow);
/** The more was measured before, the less of it is kept beside the new measurements. */
const FADED = `least(1, ${REMEMBERED_TOKENS} / (kept.tokens + excluded.tokens))`;

export const RATES_SINCE = statement(
  measuredRow,
  `select ${COLUMNS} from (
     select * from reasoning_rate where updated_at >= $1 order by updated_at desc limit ${READ_ROWS}) as latest
   order by updated_at`,
);

export const FORGET_RATES = statement(
  { model_id: column.text },
  `delete from reasoning_rate where (account_id, model_id) in (
     select account_id, model_id from reasoning_rate where updated_at < $1
     order by updated_at limit ${ROWS_PER_STATEMENT}) returning model_id`,
);

export const USUAL_RATES = statement(
  { model: column.text, rate: column.float },
  `select model_id as model, percentile_cont(0.5) within group (order by weighted / tokens) as rate
   from reasoning_rate group by model_id having count(*) >= ${ENOUGH_ACCOUNTS}`,
);

/** Adds new measurements to the stored sums. */
export const ADD_RATES = statement(
  measuredRow,
  `insert into reasoning_rate as kept (account_id, model_id, tokens, weighted, updated_at)
   select account, model, tokens, weighted, $2::timestamptz from jsonb_to_recordset($1::jsonb)
     as given (account text, model text, tokens double precision, weighted double precision)
   on conflict (account_id, model_id) do update set
     tokens = (kept.tokens + excluded.tokens) * ${FADED},
     weighted = (kept.weighted + excluded.weighted) * ${FADED},
     updated_at = excluded.updated_at
   returning ${COLUMNS}`,
);

/** Statements of the checks of the books, and the one that computes spend counters again. */

import { GIVEN_BACK } from '@dargah/core/transfer-kinds.ts';
import { column, notNull, orNull, statementFor } from '../../platform/db/index.ts';
import { spentSql } from '../../requestlog/index.ts';
import { CHECKS, type ProofCheck } from './checks-sql.ts';
import { ALL_ROWS, OPEN_ROWS, OPEN_ROWS_AND_ORDERS, type RowsToRead } from './rows-to-read-sql.ts';

const MAX_SHOWN = 5;

/** One statement is one snapshot, so that requests may be charged meanwhile. $1 the last wallet of the slice before. */
const spendAgainSql = (accounts: number) => `
with part as materialized (
  select id, substr(id, 8) as account_id from ledger_account where id like 'wallet:%' and id > $1 order by id limit ${accounts}
), counted as (
  select budget, sum(amount) as amount from (
    ${spentSql('part join request_log log on log.account_id = part.account_id')}
    union all
    select budget, -refund.amount from part join ledger_transfer refund on refund.account_id = part.account_id and refund.kind in ${GIVEN_BACK}
      join request_log log on log.id = refund.request_id
      cross join spend_counters(log.counters, log.key_id, log.account_id) as budget where log.counters <> ''
  ) as leg group by budget
), wrong as (
  select counted.budget || ': ' || coalesce(counter.spent, 0) || ' instead of ' || counted.amount + coalesce(carried.spent, 0) as said
  from counted left join spend_counter counter on counter.id = counted.budget left join spend_carried carried on carried.id = counted.budget
  where coalesce(counter.spent, 0) <> counted.amount + coalesce(carried.spent, 0)
)
select (select count(*) from part) as accounts, (select max(id) from part) as last, (select count(*) from wrong) as total,
  array(select said from wrong limit 5) as such`;

export const SPEND_AGAIN = statementFor(
  { accounts: column.bigint, last: orNull(column.text), total: column.bigint, such: column.texts },
  spendAgainSql,
  [1],
);

const everyCheck = CHECKS.flatMap((check) =>
  [ALL_ROWS, OPEN_ROWS, OPEN_ROWS_AND_ORDERS].map((from): [ProofCheck, RowsToRead] => [check, from]),
);

/** The first faults that a check finds, each with how many there are. */
export const FAULTS = statementFor(
  { about: notNull(column.text), written: orNull(column.text), expected: orNull(column.text), total: column.bigint },
  ({ faults }: ProofCheck, from: RowsToRead) =>
    `select *, count(*) over () as total from (${faults(from)}) as fault limit ${MAX_SHOWN}`,
  ...everyCheck,
);

/** How many rows a check has to look at. */
export const SEEN = statementFor(
  { seen: column.bigint },
  ({ seen }: ProofCheck, from: RowsToRead) => seen(from),
  ...everyCheck,
);

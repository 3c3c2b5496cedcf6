/** Spend counters made anew from every request that is in the log and from what was carried over, some accounts at a time. */
import { GIVEN_BACK } from '@dargah/core/transfer-kinds.ts';
import type { SealDayOptions } from '../seal/seal-day.ts';
import { type Faults, mergeFaults } from '../seal/walk.ts';

/** Rows of a slice, in accounts: each has many requests. */
const ROWS_PER_ACCOUNT = 50;
const FEWEST_ACCOUNTS = 20;

/** One statement is one snapshot, so that requests may be charged meanwhile. $1 the last wallet of the slice before. */
const statement = (accounts: number) => `
with part as materialized (
  select id, substr(id, 8) as account_id from ledger_account where id like 'wallet:%' and id > $1 order by id limit ${accounts}
), counted as (
  select budget, sum(amount) as amount from (
    select budget, log.cost as amount from part join request_log log on log.account_id = part.account_id
      cross join spend_counters(log.counters, log.key_id, log.account_id) as budget where log.cost > 0 and log.counters <> ''
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

interface Slice {
  accounts: bigint;
  last: string | null;
  total: bigint;
  such: string[];
}

export async function spendAgain({ db, pace, keepLease }: SealDayOptions): Promise<Faults> {
  let faults: Faults = {};
  for (let after = ''; ; ) {
    const { slice, isLast } = await pace.slice(async (rows) => {
      const accounts = Math.max(FEWEST_ACCOUNTS, Math.round(rows / ROWS_PER_ACCOUNT));
      return db.report(
        async (tx) => {
          const [found] = await tx.query<Slice>(statement(accounts), [after]);
          await keepLease(tx, 0);
          return { slice: found, isLast: Number(found?.accounts ?? 0) < accounts };
        },
        { for: 'job' },
      );
    });
    const { total = 0n, such = [] } = slice ?? {};
    faults = mergeFaults(faults, { 'spend-counters': { total: Number(total), such } });
    if (isLast || slice?.last == null) return faults;
    after = slice.last;
  }
}

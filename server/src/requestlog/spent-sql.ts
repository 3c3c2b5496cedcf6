/**
 * What requests were charged, as SQL for rows `budget, amount`. Requests of a key have the same counters until a period ends, so they
 * are added up before the text of their counters is taken apart: a tenth of the work, and the same sums. `rows` follows `from` and
 * calls them `log`.
 */
export const spentSql = (rows: string): string => `
  select budget, same.amount from (
    select log.counters, log.key_id, log.account_id, sum(log.cost) as amount from ${rows}
    where log.cost > 0 and log.counters <> '' group by log.counters, log.key_id, log.account_id
  ) as same cross join spend_counters(same.counters, same.key_id, same.account_id) as budget`;

/** What is read and written of `guarantee_credit` and `guarantee_day`. */

import type { CreditState } from '@dargah/core/guarantee-states.ts';
import { column, command, type Queryable, type RowOf, statement } from '../platform/db/index.ts';

const owedRow = { request_id: column.text, account_id: column.text, day: column.text, amount: column.text };
export type OwedRow = RowOf<typeof owedRow>;

const BATCH = 100;

const STILL_WAITING = statement(
  {},
  `select from guarantee_credit where request_id = $1 and state = 'waiting' for update skip locked`,
);

export async function isStillWaiting(tx: Queryable, { request_id: id }: OwedRow): Promise<boolean> {
  const rows = await STILL_WAITING.rows(tx, [id]);
  return rows.length > 0;
}

const COUNT_FREE = statement(
  { free: column.int },
  `insert into guarantee_day as known (account_id, day, free) select $1, $2::date, 1 where $3::int > 0
   on conflict (account_id, day) do update set free = known.free + 1 where known.free < $3::int returning free`,
);

/** False when the account has had its free answers of that day. */
export async function countFreeAnswer(
  tx: Queryable,
  { account_id: accountId, day }: OwedRow,
  max: number,
): Promise<boolean> {
  const rows = await COUNT_FREE.rows(tx, [accountId, day, max]);
  return rows.length > 0;
}

const DECIDE_CREDIT = command(
  `update guarantee_credit set state = $2, decided_at = $3 where request_id = $1 and state = 'waiting'`,
);

export async function markDecided(on: Queryable, { request_id: id }: OwedRow, state: CreditState, at: Date) {
  await DECIDE_CREDIT.run(on, [id, state, at]);
}

export const INSERT_OWED = command(`insert into guarantee_credit (request_id, account_id, day, amount, created_at)
   select id, account_id, home_day($4::timestamptz), amount::numeric, $4
   from unnest($1::text[], $2::text[], $3::text[]) as owed (id, account_id, amount)
   where exists (select from account where account.id = owed.account_id)
   on conflict (request_id) do nothing`);

export const WAITING_CREDITS = statement(
  owedRow,
  `select request_id, account_id, day::text as day, amount::text as amount from guarantee_credit
   where state = 'waiting' order by created_at limit ${BATCH}`,
);

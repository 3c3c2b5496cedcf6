/** What is read and written of `guarantee_credit` and `guarantee_day`. */

import type { CreditState } from '@dargah/core/guarantee-states.ts';
import type { Money } from '../core/money.ts';
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

/** What the guarantee has cost for an account on a day. */
const BORNE = `(select coalesce(sum(amount), 0) from guarantee_credit
                 where account_id = $1 and day = $2::date and state in ('credited', 'asked'))`;

const LOCK_DAY = command(
  `insert into guarantee_day as known (account_id, day, free) values ($1, $2::date, 0)
   on conflict (account_id, day) do update set free = known.free`,
);

const COUNT_FREE = statement(
  { free: column.int },
  `update guarantee_day set free = free + 1
   where account_id = $1 and day = $2::date and free < $3::int and ${BORNE} + $4::numeric <= $5::numeric returning free`,
);

/** The limits of an account and a day. */
export interface GuaranteeBounds {
  answers: number;
  amount: Money;
}

/** Counts a free answer. Returns false when the account has had its free answers of that day, or their worth. */
export async function countFreeAnswer(
  tx: Queryable,
  { account_id: accountId, day, amount }: OwedRow,
  most: GuaranteeBounds,
): Promise<boolean> {
  // Taken one at a time, so that each sees what the others have counted.
  await LOCK_DAY.run(tx, [accountId, day]);
  const rows = await COUNT_FREE.rows(tx, [accountId, day, most.answers, amount, String(most.amount)]);
  return rows.length > 0;
}

const HOME_DAY = statement({ day: column.text }, 'select home_day($1::timestamptz)::text as day');

const INSERT_ASKED = statement(
  { request_id: column.text },
  `insert into guarantee_credit (request_id, account_id, day, amount, state, created_at, decided_at)
   select $3, $1, $2::date, $4::numeric, 'asked', $6::timestamptz, $6
   where ${BORNE} + $4::numeric <= $5::numeric on conflict (request_id) do nothing returning request_id`,
);

/** Records what a second attempt costs the operator. Returns false when the account has used up that day's amount. */
export async function countSecondAsk(
  tx: Queryable,
  { requestId, accountId, amount }: { requestId: string; accountId: string; amount: Money },
  most: Money,
  now: Date,
): Promise<boolean> {
  const day = (await HOME_DAY.first(tx, [now]))?.day;
  await LOCK_DAY.run(tx, [accountId, day]);
  // A separate name, because the request itself may still be owed a credit.
  const asked = [accountId, day, `${requestId}:again`, String(amount), String(most), now];
  return (await INSERT_ASKED.rows(tx, asked)).length > 0;
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

/** How much of an account's credit was given and is not used yet. Gifts are used before what was paid for. */
import { type Money, money, ZERO } from '../core/money.ts';
import type { Queryable } from '../platform/db/database.ts';

/** An SQL term: gifts as they are booked, and as 0.1.0 booked them: redeemed codes and welcome credit. */
export const IS_GIFT = `(kind = 'gift' or kind = 'adjustment' and (id like 'welcome:%' or id like 'topup:%'))`;

/**
 * What was given less what was charged, where charges beyond all gifts so far count for nothing: the lowest point of the running
 * difference is the zero. What was refunded of a request is taken as paid credit.
 */
const LEFT = `
with moved as (
  select created_at, seq, case when credit = 'wallet:' || account_id then amount else -amount end as amount
  from ledger_transfer where account_id = $1 and created_at >= $2 and (kind = 'charge' or ${IS_GIFT})
), running as (
  select sum(amount) over (order by created_at, seq) as sum, row_number() over (order by created_at desc, seq desc) as back from moved
)
select (max(sum) filter (where back = 1) - least(0, min(sum)))::text as amount from running`;

export async function giftLeft(db: Queryable, accountId: string): Promise<Money> {
  const [first] = await db.query<{ at: Date | null }>(
    `select min(created_at) as at from ledger_transfer
     where account_id = $1 and kind not in ('charge', 'provider-cost') and ${IS_GIFT}`,
    [accountId],
  );
  if (!first?.at) return ZERO;
  const [left] = await db.query<{ amount: string | null }>(LEFT, [accountId, first.at]);
  return money(BigInt(left?.amount ?? 0));
}

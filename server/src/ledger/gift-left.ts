/** How much of an account's gifts is not used yet. Gifts are used before paid credit. */

import { type Money, money, ZERO } from '../core/money.ts';
import type { Queryable } from '../platform/db/database.ts';
import { FIRST_GIFT, GIFT_LEFT } from './book-rows.ts';

export async function giftLeft(db: Queryable, accountId: string): Promise<Money> {
  const first = await FIRST_GIFT.first(db, [accountId]);
  if (!first?.at) return ZERO;
  const left = await GIFT_LEFT.first(db, [accountId, first.at]);
  return money(BigInt(left?.amount ?? 0));
}

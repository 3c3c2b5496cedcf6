/** What is read and written of `gift_code`. */
import type { Money } from '../core/money.ts';

import { money } from '../core/money.ts';
import { column, command, orNull, type RowOf, statement } from '../platform/db/index.ts';

export interface GiftCode {
  id: string;
  batch: string;
  last4: string;
  amount: Money;
  note: string | null;
  expiresAt: Date | null;
  createdAt: Date;
  state: 'usable' | 'redeemed' | 'revoked' | 'expired';
  orderId: string | null;
}

const giftRow = {
  id: column.text,
  batch: column.text,
  last4: column.text,
  amount: column.text,
  note: orNull(column.text),
  expires_at: orNull(column.timestamp),
  created_at: column.timestamp,
  revoked_at: orNull(column.timestamp),
  order_id: orNull(column.text),
};
type GiftRow = RowOf<typeof giftRow>;

export function toGiftCode(row: GiftRow, nowMs: number): GiftCode {
  const { id, batch, last4, note, expires_at: expiresAt, created_at: createdAt, order_id: orderId } = row;
  const expired = expiresAt !== null && expiresAt.getTime() <= nowMs;
  const unused = row.revoked_at !== null ? 'revoked' : expired ? 'expired' : 'usable';
  const state = orderId !== null ? 'redeemed' : unused;
  return { id, batch, last4, amount: money(BigInt(row.amount)), note, expiresAt, createdAt, state, orderId };
}

export const INSERT_GIFT_CODES =
  command(`insert into gift_code (id, batch, digest, last4, amount, note, expires_at, created_by, created_at)
           select id, $3, decode(digest, 'hex'), last4, $4, $5, $6, $7, $8
           from unnest($1::text[], $2::text[], $9::text[]) as made(id, digest, last4)`);

export const USABLE_GIFT = statement(
  { id: column.text, amount: column.text },
  `select id, amount::text as amount from gift_code
   where digest = $1 and order_id is null and revoked_at is null and (expires_at is null or expires_at > $2)
   for update`,
);

export const REDEEM_GIFT = command('update gift_code set order_id = $2, redeemed_at = $3 where id = $1');

export const REVOKE_GIFT = statement(
  { id: column.text },
  'update gift_code set revoked_at = $2 where id = $1 and order_id is null and revoked_at is null returning id',
);

export const GIFT_CODES = statement(
  giftRow,
  `select id, batch, last4, amount::text as amount, note, expires_at, created_at, revoked_at, order_id from gift_code
   where ($1::timestamptz is null or (created_at, id) < ($1, $2)) order by created_at desc, id desc limit $3`,
);

/** Statements that read stored documents, unused gifts, and the balances of the books. */
import { column, orNull, statement } from '../platform/db/index.ts';

export const STORED_DOCUMENT = statement(
  {
    id: column.text,
    kind: column.text,
    datedOn: column.text,
    number: orNull(column.text),
    party: orNull(column.text),
    note: orNull(column.text),
    createdBy: column.text,
    approvedBy: orNull(column.text),
    reverses: orNull(column.text),
    createdAt: column.timestamp,
  },
  `select id, kind, to_char(dated_on, 'YYYY-MM-DD') as "datedOn", number, party, note, created_by as "createdBy",
     approved_by as "approvedBy", reverses, created_at as "createdAt"
   from document where id = $1`,
);

export const LINES_OF_DOCUMENT = statement(
  {
    id: column.text,
    debit: column.text,
    credit: column.text,
    amount: column.text,
    units: orNull(column.text),
    unit: orNull(column.text),
  },
  `select id, debit, credit, amount::text as amount, trim_scale(units)::text as units, unit
   from ledger_transfer where document_id = $1 order by seq`,
);

/** An SQL term for gifts, both as they are booked now and as 0.1.0 booked them: redeemed codes and welcome credit. */
export const IS_GIFT = `(kind = 'gift' or kind = 'adjustment' and (id like 'welcome:%' or id like 'topup:%'))`;

/**
 * What was given less what was charged. Charges beyond all gifts so far do not count: the lowest point of the running
 * difference is the zero. A refund of a request counts as paid credit.
 */
const LEFT = `
with moved as (
  select created_at, seq, case when credit = 'wallet:' || account_id then amount else -amount end as amount
  from ledger_transfer where account_id = $1 and created_at >= $2 and (kind = 'charge' or ${IS_GIFT})
), running as (
  select sum(amount) over (order by created_at, seq) as sum, row_number() over (order by created_at desc, seq desc) as back from moved
)
select (max(sum) filter (where back = 1) - least(0, min(sum)))::text as amount from running`;

export const FIRST_GIFT = statement(
  { at: orNull(column.timestamp) },
  `select min(created_at) as at from ledger_transfer
   where account_id = $1 and kind not in ('charge', 'provider-cost') and ${IS_GIFT}`,
);

export const GIFT_LEFT = statement({ amount: orNull(column.text) }, LEFT);

export const ROWS_IN_BOOKS = statement(
  { transfers: column.bigint, requests: column.bigint },
  'select (select count(*) from ledger_transfer) as transfers, (select count(*) from request_log) as requests',
);

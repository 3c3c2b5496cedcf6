/** Matches the lines of a settlement with our orders and documents: one statement for each kind of line. */

import { AGREED_MATCHES } from '../payments/index.ts';
import { column, command, statement } from '../platform/db/index.ts';

const settled = (key: string) =>
  `exists (select from settlement_line taken where taken.settles = ${key} and taken.match in ${AGREED_MATCHES})`;

/** $1 settlement, $2 gateway, $3 unit. When two lines claim an order, the first line gets it. */
export const MATCH_PAYMENTS = command(`
with line as (
  select number, reference, external_id, gross from settlement_line
  where settlement_id = $1 and kind = 'payment' and match in ('none', 'proposed')
), candidate as (
  select number, o.id, 1 as rank, o.units = gross and o.unit = $3 as same, o.state in ('credited', 'refunded') as paid,
    ${settled(`'payment:' || o.id`)} as taken
  from line join payment_order o on o.gateway = $2 and o.reference = line.reference
  union all
  select number, o.id, 2, o.units = gross and o.unit = $3, o.state in ('credited', 'refunded'), ${settled(`'payment:' || o.id`)}
  from line join payment_order o on o.gateway = $2 and o.external_id = line.external_id
), chosen as (
  select number,
    case when count(distinct id) filter (where rank = 1 and same and paid and not taken) = 1 then 1
      when count(distinct id) filter (where rank = 2 and same and paid and not taken) = 1 then 2 end as rank,
    min(id) filter (where rank = 1 and same and paid and not taken) as first,
    min(id) filter (where rank = 2 and same and paid and not taken) as second,
    case when bool_or(same and paid) then 'twice' when bool_or(same) then 'not-paid' else 'differs' end as problem
  from candidate group by number
), once as (
  select number, rank, problem, case rank when 1 then first when 2 then second end as id,
    row_number() over (partition by case rank when 1 then first when 2 then second end order by rank, number) as turn
  from chosen
), told as (select number, rank, problem, case when turn = 1 then id end as id from once)
update settlement_line as line set
  match = case when told.id is null then 'none' when told.rank = 1 then 'reference' else 'external' end,
  problem = case when told.id is null then told.problem end,
  settles = 'payment:' || told.id,
  order_id = told.id,
  ours = o.amount + o.vat,
  rate = o.rate
from told left join payment_order o on o.id = told.id
where line.settlement_id = $1 and line.number = told.number`);

/**
 * Lines without any reference: the n-th line of an amount on a day is matched with our n-th open order of that amount
 * and day.
 */
export const PROPOSE_PAYMENTS = command(`
with line as (
  select number, gross, day, row_number() over (partition by gross, day order by number) as turn from settlement_line
  where settlement_id = $1 and kind = 'payment' and match in ('none', 'proposed') and problem is null
), days as (select min(day) - 1 as first, max(day) + 2 as last from line),
ours as (
  select o.id, o.amount, o.vat, o.rate, o.units, home_day(o.created_at) as day,
    row_number() over (partition by o.units, home_day(o.created_at) order by o.created_at, o.id) as turn
  from payment_order o, days
  where o.gateway = $2 and o.unit = $3 and o.state in ('credited', 'refunded') and o.created_at >= days.first and o.created_at < days.last
    and not ${settled(`'payment:' || o.id`)}
)
update settlement_line as line set match = 'proposed', settles = 'payment:' || ours.id, order_id = ours.id,
  ours = ours.amount + ours.vat, rate = ours.rate
from line as open join ours on ours.units = open.gross and ours.day = open.day and ours.turn = open.turn
where line.settlement_id = $1 and line.number = open.number`);

/** What the gateway itself refunded for us, whole and in parts. */
const REFUNDS_OF_GATEWAY = `
  select 'refund:' || o.id || ':' || o.refund_number as key, o.id as order_id, o.reference, o.external_id, o.refund_reference as refund,
    o.units, o.amount + o.vat as ours, o.rate, o.updated_at
  from payment_order o
  where o.gateway = $2 and o.state = 'refunded' and o.refund_state = 'sent' and coalesce(o.refund_from, 'gateway:' || o.gateway) = 'gateway:' || $2
    and not exists (select from payment_refund part where part.order_id = o.id and part.state <> 'undone')
  union all
  select 'refund:' || o.id || ':' || part.number, o.id, o.reference, o.external_id, part.reference, part.units, part.amount + part.vat,
    o.rate, part.updated_at
  from payment_refund part join payment_order o on o.id = part.order_id
  where o.gateway = $2 and part.state = 'sent' and part.source = 'gateway:' || $2`;

export const MATCH_REFUNDS = command(`
with line as (
  select number, reference, external_id, gross from settlement_line
  where settlement_id = $1 and kind = 'refund' and match in ('none', 'proposed')
), refund as (${REFUNDS_OF_GATEWAY}),
candidate as (
  select number, refund.*, case when refund.refund = line.external_id then 1 else 2 end as rank
  from line join refund on (refund.refund = line.external_id or refund.reference = line.reference) and refund.units = -line.gross
  where $3::text is not null and not ${settled('refund.key')}
), found as (select distinct on (number) * from candidate order by number, rank, key),
once as (select *, row_number() over (partition by key order by rank, number) as turn from found)
update settlement_line as line set match = case once.rank when 1 then 'external' else 'reference' end, problem = null,
  settles = once.key, order_id = once.order_id, ours = -once.ours, rate = once.rate
from once where line.settlement_id = $1 and line.number = once.number and once.turn = 1`);

/** A dispute is a document of ours that has the gateway's id. */
export const MATCH_DISPUTES = command(`
with found as (
  select line.number, 'dispute:' || document.id as key, document.party,
    (select coalesce(sum(case when debit = 'gateway:' || $2 then amount else -amount end), 0) from ledger_transfer
     where document_id = document.id and 'gateway:' || $2 in (debit, credit)) as ours
  from settlement_line line join document
    on document.id = case when line.gross < 0 then 'chargeback:' else 'chargeback-won:' end || line.external_id
  where line.settlement_id = $1 and line.kind = 'dispute' and line.match in ('none', 'proposed') and $3::text is not null
    and not ${settled(`'dispute:' || document.id`)}
)
update settlement_line as line set match = 'external', problem = null, settles = found.key, ours = found.ours
from found where line.settlement_id = $1 and line.number = found.number`);

/**
 * For settlements that state only the sum: takes what we credited and refunded between the settlement before and this
 * one.
 */
export const ASSUME = command(`
with part as (
  select 'payment' as kind, 'payment:' || o.id as key, o.id as order_id, o.reference, o.external_id, home_day(o.created_at) as day,
    o.units as gross, o.amount + o.vat as ours, o.rate
  from payment_order o
  where o.gateway = $2 and o.unit = $3 and o.state in ('credited', 'refunded') and o.created_at <= $4 and o.created_at > $5
    and not ${settled(`'payment:' || o.id`)}
  union all
  select 'refund', refund.key, order_id, reference, external_id, home_day(updated_at), -units, -refund.ours, rate
  from (${REFUNDS_OF_GATEWAY}) as refund
  where updated_at <= $4 and updated_at > $5 and not ${settled('refund.key')}
)
insert into settlement_line (settlement_id, number, kind, reference, external_id, day, gross, fee, match, settles, order_id, ours, rate)
select $1, row_number() over (order by day, key), kind, reference, external_id, day, gross, 0, 'assumed', key, order_id, ours, rate from part`);

/** What was paid before the books began is not matched. */
const BOOKS_BEGIN = `coalesce((select max(paid_at) from settlement where kind = 'opening' and source = $1), '-infinity'::timestamptz)`;

/**
 * What moved the book of a bank, document by document. A refund sent by hand is two documents, its credit and its tax,
 * and one movement at the bank: it is found by the document of its credit. A reversed document never moved the bank.
 */
export function bankPapers(bank: string, during: (time: string) => string = () => 'true'): string {
  const book = `'bank:' || ${bank}`;
  return `
  select document.id, document.number, document.dated_on as day,
    sum(case when debit = ${book} then ledger_transfer.amount else -ledger_transfer.amount end) as moved
  from ledger_transfer join document on document.id = ledger_transfer.document_id
  where ledger_transfer.kind not in ('charge', 'provider-cost') and ${book} in (debit, credit) and ${during('ledger_transfer.created_at')}
    and document.kind not in ('refund', 'credit-note') and document.reverses is null
    and not exists (select from document back where back.reverses = document.id)
  group by document.id, document.number, document.dated_on
  union all
  select 'refund:' || o.id || ':' || o.refund_number, o.refund_reference, home_day(o.updated_at), -(o.amount + o.vat)
  from payment_order o
  where o.state = 'refunded' and o.refund_state = 'sent' and o.refund_from = ${book} and ${during('o.updated_at')}
    and not exists (select from payment_refund part where part.order_id = o.id and part.state <> 'undone')
  union all
  select 'refund:' || part.order_id || ':' || part.number, part.reference, home_day(part.updated_at), -(part.amount + part.vat)
  from payment_refund part where part.state = 'sent' and part.source = ${book} and ${during('part.updated_at')}`;
}

const AROUND = (time: string) => `${time} >= (select first from days) and ${time} < (select last from days)`;

/** $1 settlement, $2 bank. Documents around the days of the statement are considered. */
export const MATCH_BANK = command(`
with line as (
  select number, reference, gross, day from settlement_line where settlement_id = $1 and match in ('none', 'proposed')
), days as (select min(day) - 60 as first, max(day) + 60 as last from line),
paper as (${bankPapers('$2', AROUND)}), open as (select * from paper where not ${settled(`'document:' || paper.id`)}),
value as (select number, reference, day, gross * (case $3 when 'IRT' then 1000000 else 100000 end) as amount from line),
named as (
  select distinct on (value.number) value.number, open.id, open.moved from value
  join open on open.number = value.reference and open.moved = value.amount order by value.number, open.id
), named_once as (select *, row_number() over (partition by id order by number) as turn from named),
rest as (
  select value.*, row_number() over (partition by amount, day order by number) as turn from value
  where not exists (select from named_once where named_once.number = value.number and turn = 1)
), rest_open as (
  select open.*, row_number() over (partition by moved, day order by id) as turn from open
  where not exists (select from named_once where named_once.id = open.id and turn = 1)
), proposed as (
  select rest.number, rest_open.id, rest_open.moved from rest
  join rest_open on rest_open.moved = rest.amount and rest_open.day = rest.day and rest_open.turn = rest.turn
), result as (
  select number, id, moved, 'reference' as match from named_once where turn = 1
  union all select number, id, moved, 'proposed' from proposed
)
update settlement_line as line set match = result.match, problem = null, settles = 'document:' || result.id, ours = result.moved,
  order_id = case when result.id like 'topup:%' then substr(result.id, 7) when result.id like 'refund:%' then split_part(result.id, ':', 2) end
from result where line.settlement_id = $1 and line.number = result.number`);

/** Payouts that are not booked yet: booking their line now would count the money twice. */
export const WAITING_PAYOUTS = command(`
update settlement_line as line set problem = 'payout-waits'
where line.settlement_id = $1 and line.match = 'none' and line.gross > 0 and exists (
  select from settlement payout where payout.kind = 'gateway' and payout.state <> 'booked'
    and payout.units * (case payout.unit when 'IRT' then 1000000 when 'IRR' then 100000 else 0 end)
      = line.gross * (case $2 when 'IRT' then 1000000 else 100000 end)
    and home_day(payout.paid_at) between line.day - 3 and line.day + 3)`);

export const BOOKS_BEGAN = statement({ at: column.text }, `select ${BOOKS_BEGIN}::text as at`);

export const FORGET_GUESSES =
  command(`update settlement_line set match = 'none', settles = null, order_id = null, ours = null, rate = null, problem = null
   where settlement_id = $1 and match in ('none', 'proposed')`);

export const NO_NESTED_LOOPS = command('set local enable_nestloop = off');

export const NESTED_LOOPS = command('set local enable_nestloop = on');

export const FORGET_BANK_GUESSES =
  command(`update settlement_line set match = 'none', settles = null, order_id = null, ours = null, problem = null
   where settlement_id = $1 and match in ('none', 'proposed')`);

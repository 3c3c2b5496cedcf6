/**
 * The statements for what people decide about lines of settlements, what is found later, and what bank statements say
 * of a transfer.
 */

import { AGREED_MATCHES } from '../payments/index.ts';
import { column, command, notNull, orNull, statement } from '../platform/db/index.ts';
import { bankPapers } from './settlement-match-sql.ts';

/** An order fits only a line of its own gateway and amount; a document fits only one of its own bank and amount. */
const FITS = `
select 'payment:' || o.id as settles, o.id as order_id, (o.amount + o.vat)::text as ours, o.rate::text as rate
from payment_order o, settlement_line line
where line.settlement_id = $1 and line.number = $2 and 'payment:' || o.id = $3 and line.kind = 'payment'
  and o.gateway = $4 and o.units = line.gross and o.unit = $5 and o.state in ('credited', 'refunded')
union all
select 'document:' || paper.id, null, paper.moved::text, null
from (${bankPapers('$4')}) as paper, settlement_line line
where line.settlement_id = $1 and line.number = $2 and line.kind = 'movement' and 'document:' || paper.id = $3
  and paper.id = substr($3, 10) and paper.moved = line.gross * (case $5 when 'IRT' then 1000000 else 100000 end)`;

export const DISCARD_SETTLEMENT = command('delete from settlement where id = $1');

export const LAST_READ = statement(
  { at: orNull(column.timestamp) },
  `select max(paid_at) as at from settlement where kind in ('gateway', 'opening') and source = $1`,
);

export const DELETE_LINE = command('delete from settlement_line where settlement_id = $1 and number = $2');

export const CLEAR_LINE =
  command(`update settlement_line set match = 'none', problem = null, settles = null, order_id = null, ours = null, rate = null
   where settlement_id = $1 and number = $2`);

export const FITTING = statement(
  { settles: column.text, order_id: orNull(column.text), ours: column.text, rate: orNull(column.text) },
  FITS,
);

export const MATCH_BY_DOCUMENT = command(
  `update settlement_line set match = 'hand', settles = $3, ours = $4 where settlement_id = $1 and number = $2`,
);

export const REMEMBER_COLUMNS =
  command(`insert into settlement_columns (source, columns, updated_at) values ($1, $2, $3)
   on conflict (source) do update set columns = excluded.columns, updated_at = excluded.updated_at`);

export const KNOWN_COLUMNS = statement(
  { source: column.text, columns: column.jsonOf<Record<string, string>>() },
  'select source, columns from settlement_columns order by source',
);

export const HELD_FOR_ORDER = statement(
  { id: column.text, bank: notNull(column.text), amount: column.text },
  `select document.id, o.bank, line.amount::text as amount from payment_order o
   join document on document.kind = 'unmatched' and document.number = o.reference and document.party = 'bank:' || o.bank
   join ledger_transfer line on line.document_id = document.id and line.credit = 'unmatched' and line.amount = o.amount + o.vat
   where o.id = $1 and not exists (select from document back where back.id = 'found:' || document.id)
   order by document.created_at, document.id limit 1`,
);

export const HELD_BY_LINE = statement(
  { id: column.text, amount: column.text, order_id: column.text },
  `select document.id, held.amount::text as amount, o.id as order_id
   from settlement_line line join document on line.settles = 'document:' || document.id and document.kind = 'unmatched'
   join ledger_transfer held on held.document_id = document.id and held.credit = 'unmatched'
   join payment_order o on 'document:topup:' || o.id = $3 and o.gateway = 'bank-transfer' and o.bank = $4
     and o.state in ('credited', 'refunded') and o.amount + o.vat = held.amount
   where line.settlement_id = $1 and line.number = $2
     and not exists (select from settlement_line taken where taken.settles = $3 and taken.match in ${AGREED_MATCHES})`,
);

export const UNMATCHED_LOCKED = statement(
  { posted: column.text },
  `select posted::text as posted from ledger_account where id = 'unmatched' for update`,
);

export const GIVE_LINE_TO_ORDER = command(`update settlement_line set settles = 'document:topup:' || $2, order_id = $2
   where settles = 'document:' || $1 and match in ${AGREED_MATCHES}`);

/** A bank books a transfer of the evening, or of a holiday, up to so many days later. */
const DAYS_AROUND = 3;

const MICRO = `(case settlement.unit when 'IRT' then 1000000 else 100000 end)`;

export const LAST_STATEMENT_DAY = statement(
  { day: orNull(column.text) },
  `select max(line.day)::text as day from settlement_line line
   where line.settlement_id in (select id from settlement where kind = 'bank' and source = $1 order by paid_at desc, id desc limit 20)`,
);

export const MATCH_BY_HAND =
  command(`update settlement_line set match = 'hand', problem = null, settles = $3, order_id = $4, ours = $5, rate = $6
   where settlement_id = $1 and number = $2`);

const bankLines = (where: string) =>
  statement(
    {
      settlementId: column.text,
      reference: orNull(column.text),
      day: column.text,
      amount: column.text,
      text: orNull(column.text),
      taken: column.boolean,
    },
    `select settlement.id as "settlementId", line.reference, line.day::text as day, (line.gross * ${MICRO})::text as amount, line.text,
       line.match in ${AGREED_MATCHES} and line.settles is distinct from 'document:topup:' || $2
         and not exists (select from document where document.kind = 'unmatched' and line.settles = 'document:' || document.id) as taken
     from settlement_line line join settlement on settlement.id = line.settlement_id
     where line.kind = 'movement' and line.gross > 0 and settlement.kind = 'bank' and settlement.source = $1 and ${where}
     order by line.day desc, settlement.id, line.number limit $3`,
  );

/** $1 bank, $2 order, $3 how many, $4 number. */
export const BANK_LINES_NAMED = bankLines('line.reference = $4');
/** $1 bank, $2 order, $3 how many, $4 amount, $5 day. */
export const BANK_LINES_AROUND =
  bankLines(`line.gross * ${MICRO} = $4::numeric and line.gross in ($4::numeric / 1000000, $4::numeric / 100000)
    and line.day between $5::date - ${DAYS_AROUND} and $5::date + ${DAYS_AROUND}`);

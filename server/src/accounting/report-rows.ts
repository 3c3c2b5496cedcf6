/** The statements of reports: trial balance, profit and loss, cash, tax, and the journal of a month. */

import { lineSql } from '@dargah/core/chart.ts';
import { column, orNull, statement, statementFor } from '../platform/db/index.ts';
import { BOOK_SUMS_IN_EACH_FORM, balancesInEachForm, SUMS_IN_EACH_FORM } from './day-sums-sql.ts';

const RESULT_BOOKS = `book in (${['revenue', 'costs', 'gateway-fees', 'bank-fees', 'promotions', 'corrections', 'bad-debt', 'fx-difference'].map((id) => `'${id}'`).join(', ')})`;

const IN_SPANS = 'unnest($3::date[], $4::date[]) with ordinality as span (first_day, last_day, place)';

const CASH = `(book like 'bank:%' or book like 'gateway:%' or book like 'fx:%')`;

export const SALES_OF_SPANS = statement(
  { place: column.int, requests: column.text, unknown: column.text, revenue: column.text },
  `select span.place::int as place,
     (select coalesce(sum(requests), 0) from ledger_seal where day between span.first_day and span.last_day)::text as requests,
     unknown.requests::text as unknown, unknown.revenue::text as revenue
   from ${IN_SPANS} cross join lateral (
     select coalesce(sum(cost_unknown_requests), 0) as requests, coalesce(sum(revenue_unknown_cost), 0) as revenue
     from money_day where day between span.first_day and span.last_day and cost_unknown_requests > 0
   ) as unknown where $1::date <= $2::date order by span.place`,
);

/** Invoices that were made for real money; specimens have numbers below zero. */
const PAPERS = `
  select span.place::int as place, count(*) filter (where kind = 'invoice') as invoices,
    count(*) filter (where kind = 'credit-note') as notes,
    coalesce(sum(amount) filter (where kind = 'invoice'), 0)::text as sold, coalesce(sum(vat) filter (where kind = 'invoice'), 0)::text as vat,
    coalesce(sum(amount) filter (where kind = 'credit-note'), 0)::text as returned,
    coalesce(sum(vat) filter (where kind = 'credit-note'), 0)::text as note_vat
  from unnest($1::date[], $2::date[]) with ordinality as span (first_day, last_day, place)
  left join invoice on number > 0 and issued_at >= span.first_day::timestamp at time zone $3
    and issued_at < (span.last_day + 1)::timestamp at time zone $3
  group by span.place order by span.place`;

/** The kinds of entries whose document is an invoice or a credit note. */
const OF_PAPERS = `('vat', 'chargeback')`;

export const PAPERS_OF_SPANS = statement(
  {
    place: column.int,
    invoices: column.bigint,
    notes: column.bigint,
    sold: column.text,
    vat: column.text,
    returned: column.text,
    note_vat: column.text,
  },
  PAPERS,
);

const FOLDED = `kind in ('charge', 'provider-cost')`;

const SINGLE = `t.kind not in ('charge', 'provider-cost')`;

const COLUMNS = `t.id, t.kind, t.debit, t.credit, t.amount, t.account_id, t.note, t.document_id`;

/** The lines that stand for a whole day. They come first, so a page that goes on after them does not sum them again. */
const foldedLines = (sums: string): string => `
    select 0 as place, concat_ws('|', sums.day::text, sums.kind, debit, credit) as id, sums.kind, debit, credit, amount, transfers,
      null::text as account_id, null::text as note, null::text as document_id
    from ${sums} as sums where ${FOLDED}
    union all`;

/** $1, $2 the day; $3 place and $4 id to go on after; $5 how many; $6 the zone. */
const journalSql = (folded: string): string => `
  select to_char($1::date, 'YYYY-MM-DD') as day, line.id, line.kind, debit, credit, line.amount::text as amount, transfers,
    account_id as "accountId", line.note, document_id as "documentId", document.kind as "documentKind", document.number,
    to_char(document.dated_on, 'YYYY-MM-DD') as "datedOn", place
  from (${folded}
    select 1 as place, ${COLUMNS.replace('t.amount,', 't.amount, 1::bigint as transfers,')} from ledger_transfer t
    where ${SINGLE} and t.created_at >= $1::date::timestamp at time zone $6 and t.created_at < ($2::date + 1)::timestamp at time zone $6
      and not exists (select from late_request late where late.id = t.id)
    union all
    select 1, ${COLUMNS.replace('t.amount,', 't.amount, 1::bigint,')} from late_request late join ledger_transfer t on t.id = late.id
    where late.booked_on between $1::date and $2::date and ${SINGLE}
  ) as line left join document on document.id = document_id
  where (place, line.id) > ($3::int, $4::text) order by place, line.id limit $5`;

const eachForm = (forms: readonly string[]) => forms.map((form): [string] => [form]);
const sums = eachForm(BOOK_SUMS_IN_EACH_FORM);

/** What moved in each line of the trial balance, from day $1 to day $2. */
export const MOVED_IN_LINES = statementFor(
  { book: column.text, moved_debit: column.text, moved_credit: column.text },
  (
    from: string,
  ) => `select ${lineSql('book')} as book, sum(debit)::text as moved_debit, sum(credit)::text as moved_credit
   from ${from} as leg group by 1`,
  ...sums,
);

/** The balance of each line of the trial balance on day $1. */
export const STANDING_IN_LINES = statementFor(
  { book: column.text, accounts: column.int, debit: column.text, credit: column.text },
  (
    balances: string,
  ) => `select ${lineSql('id')} as book, count(*)::int as accounts, sum(greatest(-posted, 0))::text as debit,
     sum(greatest(posted, 0))::text as credit
   from ${balances} as balance group by 1`,
  ...eachForm(balancesInEachForm()),
);

/** The accounts of a line. $1 day, $2 line, $3 the account to go on after, $4 how many. */
export const WITHIN_LINE = `${lineSql('account.id')} = $2 and account.id > $3`;
export const ACCOUNTS_OF_LINE = statementFor(
  { id: column.text, name: orNull(column.text), posted: column.text },
  (balances: string) => `select balance.id, account.name, balance.posted::text as posted
   from ${balances} as balance
   left join account on balance.id = 'wallet:' || account.id
   order by balance.id limit $4`,
  ...eachForm(balancesInEachForm(WITHIN_LINE)),
);

/** $1, $2 the first and the last day; $3, $4 those of each span. */
export const RESULTS_OF_SPANS = statementFor(
  { place: column.int, book: column.text, kind: column.text, amount: column.text },
  (from: string) => `select span.place::int as place, book, kind, sum(credit - debit)::text as amount
   from ${from} as leg join ${IN_SPANS} on leg.day between span.first_day and span.last_day
   where ${RESULT_BOOKS} group by 1, 2, 3`,
  ...sums,
);

export const WITHIN_CASH = CASH.replaceAll('book', 'account.id');
export const CASH_AT = statementFor(
  { id: column.text, posted: column.text },
  (balances: string) => `select id as id, posted::text as posted from ${balances} as balance`,
  ...eachForm(balancesInEachForm(WITHIN_CASH)),
);

export const CASH_OF_DAYS = statementFor(
  { day: column.text, book: column.text, came: column.text, went: column.text },
  (from: string) => `select day::text as day, book, sum(debit)::text as came, sum(credit)::text as went
   from ${from} as leg where ${CASH} group by leg.day, book order by leg.day, book`,
  ...sums,
);

/** $1, $2 the first and the last day; $3, $4 those of each month. */
export const VAT_OF_SPANS = statementFor(
  { place: column.int, booked: column.text, paid: column.text, other: column.text, input: column.text },
  (from: string) => `select span.place::int as place,
     coalesce(sum(credit - debit) filter (where book = 'vat-payable'), 0)::text as booked,
     coalesce(sum(debit - credit) filter (where book = 'vat-payable' and kind = 'tax-payment'), 0)::text as paid,
     coalesce(sum(credit - debit) filter (where book = 'vat-payable' and kind <> 'tax-payment' and kind not in ${OF_PAPERS}), 0)::text as other,
     coalesce(sum(debit - credit) filter (where book = 'vat-input' and kind <> 'tax-payment'), 0)::text as input
   from unnest($3::date[], $4::date[]) with ordinality as span (first_day, last_day, place)
   left join ${from} as leg
     on leg.day between span.first_day and span.last_day and book in ('vat-payable', 'vat-input')
   group by span.place`,
  ...sums,
);

export const VAT_STANDING = statementFor(
  { payable: column.text, input: column.text },
  (from: string) => `select coalesce(sum(credit - debit) filter (where book = 'vat-payable'), 0)::text as payable,
     coalesce(sum(debit - credit) filter (where book = 'vat-input'), 0)::text as input
   from ${from} as leg where book in ('vat-payable', 'vat-input')`,
  ...sums,
);

/** Lines of the journal on one day. Without `daySums`, the lines that stand for the whole day are left out. */
export const JOURNAL_LINES = statementFor(
  {
    day: column.text,
    id: column.text,
    kind: column.text,
    debit: column.text,
    credit: column.text,
    amount: column.text,
    transfers: column.bigint,
    accountId: orNull(column.text),
    note: orNull(column.text),
    documentId: orNull(column.text),
    documentKind: orNull(column.text),
    number: orNull(column.text),
    datedOn: orNull(column.text),
    place: column.int,
  },
  (daySums: string | undefined) => journalSql(daySums === undefined ? '' : foldedLines(daySums)),
  [undefined],
  ...eachForm(SUMS_IN_EACH_FORM),
);

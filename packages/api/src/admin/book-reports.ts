/** Reports of the books, described: at any day, month, season or year; invoices and what the tax office knows of them; files. */
import Type from 'typebox';
import { MONEY_READ, staff } from '../access.ts';
import { inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Time, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import {
  BooksDay,
  BooksDayInput,
  dayRange,
  MonthInput,
  OneAccountId,
  REPORT_SPANS,
  SeasonInput,
  spanFields,
  TAX_STATES,
} from './book-spans.ts';

const tag = 'Service';
const path = '/api/admin/books';
const FINANCE = staff('owner', 'finance');

export const getBooksTrial = describeRoute({
  method: 'GET',
  path: `${path}/trial-balance`,
  operationId: 'getBooksTrial',
  tag,
  summary: { fa: 'تراز آزمایشی در هر روز', en: 'Trial balance at any day, with what moved until then' },
  description: 'From the sums of sealed days. Without days: the running month, as it stands now.',
  query: inputObject(dayRange),
  result: responseObject(
    {
      object: Type.Literal('trial_balance'),
      first_day: BooksDay,
      last_day: BooksDay,
      lines: Type.Array(
        responseObject({
          book: Type.String(),
          code: nullable(Type.String()),
          class: nullable(Type.String()),
          accounts: Type.Integer(),
          moved_debit: Toman,
          moved_credit: Toman,
          debit: Toman,
          credit: Toman,
        }),
      ),
      moved_debit: Toman,
      moved_credit: Toman,
      debit: Toman,
      credit: Toman,
    },
    'TrialBalanceAtDay',
  ),
  access: MONEY_READ,
});

export const listBookAccounts = describeRoute({
  method: 'GET',
  path: `${path}/accounts`,
  operationId: 'listBookAccounts',
  tag,
  summary: {
    fa: 'حساب‌های پشت یک سطر تراز، در هر روز',
    en: 'The accounts behind a line of the trial balance, at any day',
  },
  description: '`wallets` are the balances of customers.',
  query: inputObject({
    ...PAGE_QUERY,
    book: Type.String({ minLength: 1, maxLength: 100 }),
    day: Type.Optional(BooksDayInput),
  }),
  result: pageOf(
    responseObject(
      {
        id: Type.String(),
        name: nullable(Type.String()),
        day: BooksDay,
        balance: { ...Toman, description: 'Positive: on the credit side.' },
      },
      'BookAccount',
    ),
  ),
  access: MONEY_READ,
});

export const getProfitAndLoss = describeRoute({
  method: 'GET',
  path: `${path}/profit-and-loss`,
  operationId: 'getProfitAndLoss',
  tag,
  summary: { fa: 'سود و زیان ماه، فصل و سال', en: 'Profit and loss by month, season or year, side by side' },
  query: inputObject({
    by: Type.Optional(Type.Enum([...REPORT_SPANS])),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 36 })),
    until: Type.Optional(Type.String({ maxLength: 8, description: 'The last one: `1405-08`, `1405-q3`, `1405`.' })),
  }),
  result: responseObject(
    {
      object: Type.Literal('profit_and_loss'),
      spans: Type.Array(responseObject(spanFields)),
      lines: Type.Array(
        responseObject({
          book: Type.String(),
          code: nullable(Type.String()),
          kind: Type.String(),
          amounts: Type.Array({ ...Toman, description: 'Income is positive, expense negative.' }),
        }),
      ),
      profit: Type.Array(Toman),
      requests: Type.Array(Type.Integer()),
      unknown_cost: Type.Array(
        responseObject({
          requests: Type.Integer(),
          revenue: { ...Toman, description: 'Sold at a cost that nobody knows; no cost of it is in the lines.' },
        }),
      ),
    },
    'ProfitAndLoss',
  ),
  errors: ['not_found'],
  access: MONEY_READ,
});

export const listCash = describeRoute({
  method: 'GET',
  path: `${path}/cash`,
  operationId: 'listCash',
  tag,
  summary: { fa: 'پول هر درگاه و بانک، روز به روز', en: 'Money of each gateway and bank, day by day' },
  query: inputObject(dayRange),
  result: responseObject(
    {
      object: Type.Literal('cash'),
      first_day: BooksDay,
      last_day: BooksDay,
      rows: Type.Array(responseObject({ day: BooksDay, book: Type.String(), in: Toman, out: Toman, balance: Toman })),
    },
    'CashByDay',
  ),
  access: MONEY_READ,
});

export const listJournal = describeRoute({
  method: 'GET',
  path: `${path}/journal`,
  operationId: 'listJournal',
  tag,
  summary: { fa: 'دفتر روزنامهٔ یک ماه', en: 'The journal of a month; charges are one line a day' },
  query: inputObject({ ...PAGE_QUERY, month: Type.Optional(MonthInput) }),
  result: pageOf(
    responseObject(
      {
        id: Type.String(),
        day: BooksDay,
        kind: Type.String(),
        debit: Type.String(),
        credit: Type.String(),
        amount: Toman,
        transfers: Type.Integer(),
        account_id: nullable(Type.String()),
        document_id: nullable(Type.String()),
        document_kind: nullable(Type.String()),
        number: nullable(Type.String()),
        dated_on: nullable(Type.String({ description: "The paper's own day." })),
        note: nullable(Type.String()),
      },
      'JournalLine',
    ),
  ),
  errors: ['not_found'],
  access: MONEY_READ,
});

const vatSums = {
  invoices: Type.Integer(),
  sold: Toman,
  invoice_vat: Toman,
  credit_notes: Type.Integer(),
  returned: Toman,
  credit_note_vat: Toman,
  input_vat: { ...Toman, description: 'Tax on what was bought.' },
  paid: { ...Toman, description: 'Paid to the tax office or set off.' },
  other: { ...Toman, description: 'Booked with neither an invoice nor a credit note.' },
  booked: { ...Toman, description: 'What the book of tax payable moved by.' },
  difference: { ...Toman, description: 'Booked, less what the papers say; zero, or they disagree.' },
};

export const getVatSeason = describeRoute({
  method: 'GET',
  path: `${path}/vat`,
  operationId: 'getVatSeason',
  tag,
  summary: { fa: 'گزارش ارزش افزودهٔ فصل', en: 'VAT of a season: papers against the book' },
  query: inputObject({ season: Type.Optional(SeasonInput) }),
  result: responseObject(
    {
      object: Type.Literal('vat_season'),
      ...spanFields,
      months: Type.Array(responseObject({ ...spanFields, ...vatSums })),
      total: responseObject(vatSums),
      payable: { ...Toman, description: 'What stands in the book of tax payable at the end.' },
      input: { ...Toman, description: 'What stands in the book of tax on purchases at the end.' },
      to_send: responseObject({
        count: Type.Integer({ description: 'Invoices that were not sent to the tax office, of all seasons.' }),
        until: nullable({ ...BooksDay, description: 'The last day for the oldest of them.' }),
      }),
    },
    'VatSeason',
  ),
  errors: ['not_found'],
  access: MONEY_READ,
});

const INVOICE_SERIES = ['official', 'receipt', 'specimen'] as const;
const invoiceFilter = {
  from: Type.Optional(BooksDayInput),
  to: Type.Optional(BooksDayInput),
  season: Type.Optional(SeasonInput),
  kind: Type.Optional(Type.Enum(['invoice', 'credit-note'])),
  account_id: OneAccountId,
  number: Type.Optional(Type.String({ maxLength: 20, description: '`1405-000012`, or the number alone.' })),
  series: Type.Optional(
    Type.Enum([...INVOICE_SERIES], {
      description: '`receipt`: issued while no seller was named; `specimen`: of play money.',
    }),
  ),
  tax_state: Type.Optional(Type.Enum([...TAX_STATES, 'to-send'], { description: '`to-send`: not sent, or refused.' })),
};

export const listInvoicePapers = describeRoute({
  method: 'GET',
  path: `${path}/invoices`,
  operationId: 'listInvoicePapers',
  tag,
  summary: {
    fa: 'فهرست صورت‌حساب‌ها و برگشت‌ها',
    en: 'Invoices and credit notes, with what the tax office knows of each',
  },
  query: inputObject({ ...PAGE_QUERY, ...invoiceFilter }),
  result: pageOf(
    responseObject(
      {
        id: Type.String(),
        number: Type.String({ examples: ['1405-000012'] }),
        series: Type.Enum([...INVOICE_SERIES], {
          description: 'Each has numbers without a gap; only papers of the official one go to the tax office.',
        }),
        kind: Type.Enum(['invoice', 'credit-note']),
        account_id: Type.String(),
        account_name: Type.String(),
        order_id: nullable(Type.String()),
        corrects: nullable(Type.String({ description: 'The number of the invoice that a credit note takes back.' })),
        amount: Toman,
        vat: Toman,
        total: Toman,
        issued_at: Time,
        jalali_date: Type.String({ examples: ['1405/08/25'] }),
        specimen: Type.Boolean({ description: 'Of play money: the tax office has nothing to do with it.' }),
        tax_state: Type.Enum([...TAX_STATES]),
        tax_number: nullable(Type.String()),
        tax_reference: nullable(Type.String()),
        tax_message: nullable(Type.String()),
        send_until: nullable({ ...BooksDay, description: 'The last day to send it; null where it needs no sending.' }),
        pdf_url: Type.String(),
      },
      'InvoicePaper',
    ),
  ),
  errors: ['not_found'],
  access: MONEY_READ,
});

export const importTaxResults = describeRoute({
  method: 'POST',
  path: `${path}/tax-results`,
  operationId: 'importTaxResults',
  tag,
  summary: { fa: 'ورود نتیجهٔ سازمان مالیاتی', en: 'Read the result file of the tax office' },
  description:
    'CSV with a head: `inno` (the number of the invoice), `state` (`sent`, `accepted` or `refused`), and where they are known `taxid`, `reference`, `message`. At most 5,000 rows. Wrong rows are named by their line, and then no row counts.',
  body: inputObject({ text: Type.String({ minLength: 1, maxLength: 1_000_000 }) }, 'TaxResults'),
  result: responseObject({ object: Type.Literal('tax_results'), changed: Type.Integer() }),
  access: FINANCE,
});

export const getBooksFile = describeRoute({
  method: 'GET',
  path: `${path}/files/:report`,
  operationId: 'getBooksFile',
  tag,
  summary: { fa: 'گزارش به صورت CSV', en: 'A report as CSV' },
  description:
    'UTF-8 with its mark, raw numbers, both calendars. `report` is `trial-balance` (`from`, `to`), `accounts` (`book`, `day`), `profit` (`by`, `count`, `until`), `cash` (`from`, `to`), `journal` (`month`), `vat` (`season`), `invoices` or `tax` (the filters of the list of invoices; `tax` has the fields of the tax office, in rial).',
  params: { report: 'Which one.' },
  query: inputObject({
    ...invoiceFilter,
    day: Type.Optional(BooksDayInput),
    book: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    by: Type.Optional(Type.Enum([...REPORT_SPANS])),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 36 })),
    until: Type.Optional(Type.String({ maxLength: 8 })),
    month: Type.Optional(MonthInput),
    language: Type.Optional(Type.Enum(['fa', 'en'], { description: 'Of the heads of its columns.' })),
  }),
  result: Type.String(),
  resultType: 'text/csv',
  errors: ['not_found'],
  access: MONEY_READ,
});

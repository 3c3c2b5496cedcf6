/**
 * The chart of accounts: the one list of books. A book that is not in it is refused, the trial balance is ordered and
 * named by it, and the web reads the names from here. It imports nothing but a type, so that browsers can load it.
 */
import type { Text } from './text.ts';

/** `legacy`: a book that 0.1.0 wrote into. Its balance is zero since the cut-over and stays so. */
export type BookClass = 'asset' | 'liability' | 'equity' | 'income' | 'expense' | 'legacy';

export interface Book {
  /** The id of one book. An id that ends with a colon stands for many books whose ids begin with it. */
  id: string;
  /** The number accountants give it; null for closed books. */
  code: string | null;
  class: BookClass;
  name: Text;
  /**
   * The name of the one line that all these books share in the trial balance, because there may be a million of them.
   */
  sharedLine?: string;
}

const CHART: readonly Book[] = [
  { id: 'bank:', code: '1101', class: 'asset', name: { fa: 'حساب‌های بانکی', en: 'Bank accounts' } },
  { id: 'gateway:', code: '1102', class: 'asset', name: { fa: 'طلب از درگاه‌ها', en: 'Held by gateways' } },
  { id: 'fx:', code: '1103', class: 'asset', name: { fa: 'موجودی ارزی', en: 'Foreign currency' } },
  { id: 'disputes', code: '1104', class: 'asset', name: { fa: 'پرداخت‌های مورد اعتراض', en: 'Disputed payments' } },
  { id: 'vat-input', code: '1401', class: 'asset', name: { fa: 'مالیات ارزش افزودهٔ خرید', en: 'VAT on purchases' } },
  {
    id: 'undocumented',
    code: '1901',
    class: 'asset',
    name: { fa: 'شارژ دستی بدون سند', en: 'Credit by hand without a paper' },
  },
  {
    id: 'wallet:',
    code: '2101',
    class: 'liability',
    name: { fa: 'موجودی کیف پول مشتریان', en: 'Wallets of customers' },
    sharedLine: 'wallets',
  },
  {
    id: 'vat-payable',
    code: '2201',
    class: 'liability',
    name: { fa: 'مالیات ارزش افزودهٔ پرداختنی', en: 'VAT payable' },
  },
  {
    id: 'provider:',
    code: '2301',
    class: 'liability',
    name: { fa: 'بدهی به ارائه‌دهندگان', en: 'Owed to providers' },
    sharedLine: 'providers',
  },
  { id: 'unmatched', code: '2901', class: 'liability', name: { fa: 'واریزی‌های نامشخص', en: 'Money without an order' } },
  { id: 'opening', code: '3101', class: 'equity', name: { fa: 'افتتاحیه', en: 'Opening balances' } },
  { id: 'owner', code: '3201', class: 'equity', name: { fa: 'حساب مالک', en: "Owner's account" } },
  { id: 'play-money', code: '3901', class: 'equity', name: { fa: 'پول آزمایشی', en: 'Play money' } },
  { id: 'revenue', code: '4101', class: 'income', name: { fa: 'درآمد فروش', en: 'Revenue' } },
  { id: 'costs', code: '5101', class: 'expense', name: { fa: 'بهای تمام‌شدهٔ خدمات', en: 'Cost of services' } },
  { id: 'gateway-fees', code: '5201', class: 'expense', name: { fa: 'کارمزد درگاه', en: 'Gateway fees' } },
  { id: 'bank-fees', code: '5202', class: 'expense', name: { fa: 'کارمزد بانک', en: 'Bank fees' } },
  { id: 'promotions', code: '5301', class: 'expense', name: { fa: 'تخفیف و هدیه', en: 'Gifts and promotions' } },
  { id: 'corrections', code: '5401', class: 'expense', name: { fa: 'اصلاحات', en: 'Corrections' } },
  { id: 'bad-debt', code: '5501', class: 'expense', name: { fa: 'مطالبات سوخت‌شده', en: 'Bad debt' } },
  { id: 'fx-difference', code: '5901', class: 'expense', name: { fa: 'تسعیر ارز', en: 'Exchange differences' } },
  { id: 'cash', code: null, class: 'legacy', name: { fa: 'پول دریافتی (بسته)', en: 'Money received (closed)' } },
  { id: 'adjustments', code: null, class: 'legacy', name: { fa: 'اصلاح‌ها (بسته)', en: 'Adjustments (closed)' } },
];

const SINGLE = new Map(CHART.filter(({ id }) => !id.endsWith(':')).map((book) => [book.id, book]));
const MANY = CHART.filter(({ id }) => id.endsWith(':'));

/** Returns undefined for a book that is not in the chart. A book of many needs a name after its colon. */
export function bookOf(id: string): Book | undefined {
  return SINGLE.get(id) ?? MANY.find((book) => id.startsWith(book.id) && id.length > book.id.length);
}

/** The entry of a line in the trial balance: the line is one book, or the sum of many. */
export function bookOfLine(line: string): Book | undefined {
  return CHART.find(({ sharedLine }) => sharedLine === line) ?? bookOf(line);
}

/** The part after the colon: `melli` of `bank:melli`; undefined for a book without one. */
export function partOf(id: string): string | undefined {
  const book = bookOf(id);
  return book?.id.endsWith(':') ? id.slice(book.id.length) : undefined;
}

/** An SQL term: the line of the trial balance that the account `column` stands on. */
export function lineSql(column: string): string {
  const shared = CHART.flatMap(({ id, sharedLine }) =>
    sharedLine === undefined ? [] : [`when ${column} like '${id}%' then '${sharedLine}'`],
  );
  return `case ${shared.join(' ')} else ${column} end`;
}

/** An SQL term: whether the account `column` is a book of the chart. */
export function inChartSql(column: string): string {
  const single = [...SINGLE.keys()].map((id) => `'${id}'`).join(', ');
  return `(${column} in (${single}) or ${MANY.map(({ id }) => `${column} like '${id}_%'`).join(' or ')})`;
}

/** The names of the columns of files, and of the books in them. */
import { bookOfLine, partOf } from '@dargah/core/chart.ts';
import type { Language, Text } from '@dargah/core/text.ts';

export const HEADS = {
  jalali: { fa: 'تاریخ شمسی', en: 'jalali_date' },
  gregorian: { fa: 'تاریخ میلادی', en: 'gregorian_date' },
  code: { fa: 'کد', en: 'code' },
  book: { fa: 'شناسهٔ دفتر', en: 'book' },
  name: { fa: 'نام', en: 'name' },
  movedDebit: { fa: 'گردش بدهکار', en: 'moved_debit' },
  movedCredit: { fa: 'گردش بستانکار', en: 'moved_credit' },
  debit: { fa: 'ماندهٔ بدهکار', en: 'debit' },
  credit: { fa: 'ماندهٔ بستانکار', en: 'credit' },
  kind: { fa: 'نوع', en: 'kind' },
  profit: { fa: 'سود', en: 'profit' },
  came: { fa: 'ورود', en: 'in' },
  went: { fa: 'خروج', en: 'out' },
  balance: { fa: 'مانده', en: 'balance' },
  debitBook: { fa: 'دفتر بدهکار', en: 'debit_book' },
  creditBook: { fa: 'دفتر بستانکار', en: 'credit_book' },
  amount: { fa: 'مبلغ (تومان)', en: 'amount_toman' },
  transfers: { fa: 'تعداد گردش', en: 'transfers' },
  id: { fa: 'شناسه', en: 'id' },
  account: { fa: 'حساب', en: 'account' },
  document: { fa: 'سند', en: 'document' },
  documentKind: { fa: 'نوع سند', en: 'document_kind' },
  number: { fa: 'شماره', en: 'number' },
  datedOn: { fa: 'تاریخ سند', en: 'paper_date' },
  note: { fa: 'شرح', en: 'note' },
  month: { fa: 'ماه', en: 'month' },
  invoices: { fa: 'تعداد صورت‌حساب', en: 'invoices' },
  sold: { fa: 'فروش (تومان)', en: 'sold_toman' },
  invoiceVat: { fa: 'مالیات صورت‌حساب‌ها (تومان)', en: 'invoice_vat_toman' },
  creditNotes: { fa: 'تعداد برگشت', en: 'credit_notes' },
  returned: { fa: 'برگشت (تومان)', en: 'returned_toman' },
  creditNoteVat: { fa: 'مالیات برگشت‌ها (تومان)', en: 'credit_note_vat_toman' },
  inputVat: { fa: 'مالیات خرید (تومان)', en: 'input_vat_toman' },
  paid: { fa: 'پرداخت به سازمان (تومان)', en: 'paid_toman' },
  other: { fa: 'بدون صورت‌حساب (تومان)', en: 'without_invoice_toman' },
  booked: { fa: 'گردش دفتر ۲۲۰۱ (تومان)', en: 'book_2201_toman' },
  difference: { fa: 'اختلاف (تومان)', en: 'difference_toman' },
  vat: { fa: 'مالیات (تومان)', en: 'vat_toman' },
  total: { fa: 'جمع (تومان)', en: 'total_toman' },
  totalRial: { fa: 'جمع (ریال)', en: 'total_rial' },
  corrects: { fa: 'اصلاح صورت‌حساب', en: 'corrects' },
  order: { fa: 'سفارش', en: 'order' },
  taxState: { fa: 'وضعیت مالیاتی', en: 'tax_state' },
  taxNumber: { fa: 'شمارهٔ مالیاتی', en: 'tax_number' },
  reference: { fa: 'ارجاع', en: 'reference' },
  message: { fa: 'پیام', en: 'message' },
} as const satisfies Record<string, Text>;

export const head = (language: Language, ...names: (keyof typeof HEADS)[]): string[] =>
  names.map((name) => HEADS[name][language]);

/** The name of a line, such as `حساب‌های بانکی melli`. */
export function lineName(line: string, language: Language): string {
  const part = partOf(line);
  const name = bookOfLine(line)?.name[language] ?? line;
  return part === undefined ? name : `${name} ${part}`;
}

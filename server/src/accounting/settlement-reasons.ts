/** Reasons for refusals of a settlement or one of its rows, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const settlementReasons = {
  unreadable: {
    'too-many-rows': { fa: 'فایل بیش از ۲۰٬۰۰۰ سطر دارد.', en: 'The file has more than 20,000 rows.' },
    'open-quote': { fa: 'گیومهٔ این سطر بسته نشده است.', en: 'A quote of this row is never closed.' },
    'too-many-cells': { fa: 'این سطر بیش از ۶۰ ستون دارد.', en: 'This row has more than 60 columns.' },
  },
  emptyFile: { fa: 'فایل سطری ندارد.', en: 'The file has no rows.' },
  noColumn: (name: string): Text => ({
    fa: `ستون «${name}» در فایل نیست.`,
    en: `The file has no column '${name}'.`,
  }),
  badDate: {
    fa: 'تاریخ خوانده نشد؛ مانند «1405/08/26» یا «2026-11-17» بنویسید.',
    en: 'This is no date; write it as 1405/08/26 or 2026-11-17.',
  },
  badAmount: {
    fa: 'مبلغ خوانده نشد؛ باید عدد صحیح باشد.',
    en: 'This is no amount; it must be a whole number.',
  },
  badRows: (count: number): Text => ({
    fa: `${count} سطر خوانده نشد و چیزی ثبت نشد.`,
    en: `${count} rows could not be read, and nothing was stored.`,
  }),
  columnsMissing: {
    fa: 'ستون تاریخ و ستون مبلغ را مشخص کنید.',
    en: 'Say which columns hold the date and the amount.',
  },
  otherContent: {
    fa: 'تسویه‌ای با همین شناسه و محتوای دیگر ثبت شده است.',
    en: 'A settlement with this id and another content is already there.',
  },
  nothingNew: {
    fa: 'همهٔ سطرهای این فایل پیش‌تر خوانده شده‌اند.',
    en: 'Every row of this file was read before.',
  },
  foundBefore: {
    fa: 'واریزی با همین شماره و مبلغ پیش‌تر بدون سفارش ثبت شده و به حسابی داده شده است. سندهای «واریزی نامشخص» را ببینید.',
    en: 'Money of this number and amount was booked without an order before and is an account’s already. Look at the papers of money without an order.',
  },
  isBooked: { fa: 'این تسویه در دفترها ثبت شده است.', en: 'This settlement is booked.' },
  changedSince: {
    fa: 'مبلغ‌ها از زمانی که دیدید تغییر کرده‌اند؛ صفحه را دوباره ببینید.',
    en: 'The sums changed since you saw them; look again.',
  },
  notYours: {
    fa: 'این سفارش یا سند با این سطر نمی‌خواند.',
    en: 'That order or paper does not fit this line.',
  },
  settledBefore: {
    fa: 'این سفارش یا سند پیش‌تر با سطر دیگری تسویه شده است.',
    en: 'That order or paper is settled by another line.',
  },
  noList: {
    fa: 'این درگاه فهرست تسویه نمی‌دهد یا توکن آن وارد نشده است؛ فایل آن را وارد کنید.',
    en: 'This gateway gives no list of payouts, or its token is missing; import its file instead.',
  },
  gatewaySilent: (code: string): Text => ({
    fa: `درگاه پاسخ نداد (${code}).`,
    en: `The gateway did not answer (${code}).`,
  }),
  olderVersionRuns: {
    fa: 'هنوز پروسه‌ای از نسخهٔ قبلی روشن است؛ پس از خاموش شدن آن ثبت کنید.',
    en: 'A process of the version before is still running; book it once that has ended.',
  },
  rateNeeded: {
    fa: 'نرخ ارز برای سطرهای ناشناس لازم است.',
    en: 'The lines without an order need an exchange rate.',
  },
  nothingToBook: { fa: 'چیزی برای ثبت نمانده است.', en: 'There is nothing to book.' },
  openedBefore: {
    fa: 'برای این درگاه پیش‌تر مبلغ اولیه ثبت شده است.',
    en: 'What this gateway paid before the books began is already booked.',
  },
} as const;

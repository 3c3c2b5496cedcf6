/** Reasons for refusals of documents of accounting, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const accountingReasons = {
  notAPaper: {
    fa: 'فقط تصویر PNG، JPEG یا WebP و فایل PDF پذیرفته می‌شود.',
    en: 'Only PNG, JPEG and WebP pictures and PDF files are taken.',
  },
  tooManyFiles: (max: number): Text => ({
    fa: `هر سند حداکثر ${max} فایل دارد.`,
    en: `A paper has at most ${max} files.`,
  }),
  moreThanUnmatched: {
    fa: 'واریزی نامشخص به این اندازه ثبت نشده است.',
    en: 'So much money without an order was never booked.',
  },
  moreThanUndocumented: {
    fa: 'شارژ دستی بدون سند به این اندازه نمانده است.',
    en: 'So much credit without a paper is not left.',
  },
  daysTurned: {
    fa: 'روز پایان نباید پیش از روز شروع باشد.',
    en: 'The last day is before the first.',
  },
  billKnown: {
    fa: 'صورت‌حسابی با این شماره و محتوای دیگر ثبت شده است.',
    en: 'A bill with this number and another content is already there.',
  },
  billPaidBefore: {
    fa: 'این صورت‌حساب از حساب دیگری پرداخت شده است.',
    en: 'This bill was paid before, from another account.',
  },
  entryCleared: {
    fa: 'برای این مورد پیش‌تر سند ثبت شده است، یا مبلغ آن با سند نمی‌خواند.',
    en: 'This entry has its paper already, or its amount is another.',
  },
  noSuchRoute: {
    fa: 'این مدل چنین مسیری ندارد.',
    en: 'The model has no such route.',
  },
  costNotKnown: {
    fa: 'هزینهٔ این مسیر هنوز معلوم نیست؛ اول آن را ثبت کنید.',
    en: 'The cost of this route is not known yet: set it first.',
  },
} as const;

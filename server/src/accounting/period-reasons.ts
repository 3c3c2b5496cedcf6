/** Reasons why a month is not closed, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const periodReasons = {
  notInOrder: (first: string): Text => ({
    fa: `ماه‌ها به ترتیب بسته می‌شوند؛ اول باید «${first}» بسته شود.`,
    en: `Months are closed in order: ${first} comes first.`,
  }),
  tooEarly: (day: string): Text => ({
    fa: `این ماه از روز «${day}» به بعد بسته می‌شود.`,
    en: `This month can be closed from ${day} on.`,
  }),
  isClosed: {
    fa: 'این ماه بسته شده است و دیگر باز نمی‌شود.',
    en: 'This month is closed and never opens again.',
  },
  isAsked: {
    fa: 'بستن این ماه درخواست شده و منتظر تأیید است.',
    en: 'Closing this month was asked for and waits for approval.',
  },
  notAsked: {
    fa: 'کسی بستن این ماه را درخواست نکرده است.',
    en: 'Nobody asked to close this month.',
  },
  forbiddenBy: (checks: readonly string[]): Text => ({
    fa: `هنوز مانعی هست: ${checks.map((one) => `«${one}»`).join('، ')}.`,
    en: `Something still forbids it: ${checks.join(', ')}.`,
  }),
  sentenceMissing: (check: string): Text => ({
    fa: `برای هشدار «${check}» یک جمله بنویسید.`,
    en: `Write a sentence about '${check}'.`,
  }),
  calendarFixed: {
    fa: 'وقتی ماهی بسته یا بستنش درخواست شده باشد، تقویم دفترها عوض نمی‌شود.',
    en: 'The calendar of the books is fixed once a month is closed or asked to be closed.',
  },
  notSealed: {
    fa: 'روزهای این ماه هنوز مهر نشده‌اند.',
    en: 'Days of this month are not sealed yet.',
  },
} as const;

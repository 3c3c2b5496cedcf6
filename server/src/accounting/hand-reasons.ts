/** Reasons for refusals of credit by hand and its approval, in both languages. */
import type { Text } from '@dargah/core/text.ts';

/** An amount for people to read: with separators, in the digits of the language. */
const inPersian = (toman: string) => Number(toman).toLocaleString('fa-IR');
const inEnglish = (toman: string) => Number(toman).toLocaleString('en-US');

export const handReasons = {
  beyondAct: (limit: string): Text => ({
    fa: `سقف شما برای هر بار ${inPersian(limit)} تومان است. برای بیشتر از آن باید نفر دومی تأیید کند.`,
    en: `Your limit for one act is ${inEnglish(limit)} toman. Beyond it a second person must approve.`,
  }),
  beyondAccount: (limit: string, days: number): Text => ({
    fa: `برای یک حساب در ${days} روز حداکثر ${limit} تومان دستی ثبت می‌شود؛ تأیید نفر دوم لازم است.`,
    en: `At most ${limit} toman are booked by hand for one account in ${days} days; a second person must approve more.`,
  }),
  beyondDay: (limit: string, left: string): Text => ({
    fa: `سقف روزانهٔ شما ${inPersian(limit)} تومان است و امروز ${inPersian(left)} تومان از آن مانده است. برای بیشتر از آن باید نفر دومی تأیید کند.`,
    en: `Your limit for one day is ${inEnglish(limit)} toman, and ${inEnglish(left)} of it is left today. Beyond it a second person must approve.`,
  }),
  alwaysApproved: {
    fa: 'این کار همیشه تأیید نفر دوم می‌خواهد.',
    en: 'This always needs the approval of a second person.',
  },
  tokenLimit: {
    fa: 'سقف این توکن را مالک سرویس در صفحهٔ توکن‌ها تعیین می‌کند.',
    en: 'An owner of the service sets the limits of this token.',
  },
  waits: {
    fa: 'درخواست دیگری با همین شماره در انتظار تأیید است.',
    en: 'Another request with this number is waiting for approval.',
  },
  numberUsed: {
    fa: 'این شماره قبلاً برای ثبت دیگری استفاده شده است.',
    en: 'This number was used for another entry.',
  },
  bookedBefore: {
    fa: 'با این شماره قبلاً ثبت شده است؛ این درخواست دیگر اجرا نمی‌شود.',
    en: 'This number was booked before; the request is not carried out again.',
  },
  notWaiting: {
    fa: 'این درخواست دیگر در انتظار تأیید نیست.',
    en: 'This request is no longer waiting for a decision.',
  },
  ownRequest: {
    fa: 'کسی درخواست خودش را تأیید نمی‌کند؛ باید نفر دیگری از مالی یا مالک تصمیم بگیرد.',
    en: 'Nobody approves what they asked for; another person of finance or an owner decides.',
  },
  aloneTooEarly: (minutes: number): Text => ({
    fa: `شما فقط مالک هستید و نفر دومی نیست؛ ${minutes} دقیقه پس از درخواست می‌توانید خودتان تأیید کنید.`,
    en: `You are alone here: you can approve it yourself ${minutes} minutes after asking.`,
  }),
  notAsker: {
    fa: 'فقط کسی که درخواست داده می‌تواند آن را پس بگیرد.',
    en: 'Only who asked can withdraw it.',
  },
  askerGone: {
    fa: 'درخواست‌کننده دیگر اجازهٔ این کار را ندارد.',
    en: 'Whoever asked for this may no longer do it.',
  },
  olderVersionRuns: {
    fa: 'تا نسخهٔ قبلی سرویس روی این پایگاه داده کار می‌کند این نوع سند ثبت نمی‌شود.',
    en: 'While the version before runs on this database, this kind of entry cannot be booked.',
  },
  notAvailable: (available: string): Text => ({
    fa: `کیف پول ${available} تومان در دسترس دارد و بیش از آن برداشت نمی‌شود.`,
    en: `The wallet has ${available} toman available; no more can be taken.`,
  }),
  notOwed: {
    fa: 'بیش از بدهی کیف پول بخشیده نمی‌شود.',
    en: 'No more can be given up than the wallet owes.',
  },
} as const;

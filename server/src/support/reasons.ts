/** Reasons for refusals about tickets and incidents, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const supportReasons = {
  incidentOver: { fa: 'این رخداد پایان یافته است.', en: 'This incident is over.' },
  nothingAsked: { fa: 'این تیکت درخواست بررسی‌نشده‌ای ندارد.', en: 'This ticket has no open wish.' },
  tooMuchAttached: (megabytes: number): Text => ({
    fa: `پیوست‌های تیکت‌های یک حساب روی هم بیش از ${megabytes} مگابایت نمی‌شود. پیام را بدون پیوست بفرستید.`,
    en: `The attachments of an account's tickets may hold ${megabytes} MB in all. Send the message without a file.`,
  }),
} as const;

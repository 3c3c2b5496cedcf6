/** Reasons why the archive's part of an answer is missing, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const archiveReasons = {
  away: {
    fa: 'این بخش در بایگانی درخواست‌هاست و بایگانی الان پاسخ نمی‌دهد. کمی بعد دوباره تلاش کنید.',
    en: 'This part is in the archive of requests, which does not answer just now. Retry shortly.',
  },
  tooMany: {
    fa: 'این بازه گروه‌های بیش از اندازه دارد. بازهٔ کوتاه‌تر یا فیلتر بیشتری انتخاب کنید.',
    en: 'There are too many groups in this span. Ask for a shorter one, or filter it.',
  },
} as const satisfies Record<string, Text>;

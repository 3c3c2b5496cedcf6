/** Why something is refused, in both languages: answers under an Idempotency-Key. */
import type { Text } from '@dargah/core/text.ts';

export const idempotencyReasons = {
  otherBody: { fa: 'این کلید با بدنهٔ دیگری استفاده شده است.', en: 'This key was used with a different body.' },
  answerNotKept: {
    fa: 'پاسخ اولِ این کلید داده شده اما نگه داشته نشده است: بیش از اندازه بلند بود یا جای خود را به پاسخ‌های جدیدتر داد. دوباره چیزی کسر نشد؛ برای پرسش دوباره کلید دیگری بفرستید.',
    en: 'The first answer under this key was given but is not kept: it was too long, or made room for newer ones. Nothing was charged again; to ask again send another key.',
  },
  noSuchFrame: {
    fa: 'پاسخی که زیر این «Idempotency-Key» داده شده فریمی با این شماره ندارد.',
    en: 'The answer under this Idempotency-Key has no frame of this number.',
  },
  stillRunning: {
    fa: 'درخواست اول با همین کلید هنوز در جریان است.',
    en: 'The first request under this key is still running.',
  },
} as const satisfies Record<string, Text>;

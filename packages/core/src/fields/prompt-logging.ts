/** Whether the texts of an account's or a key's requests are kept, and for how long. */
import { fieldTable } from './field.ts';

/** One year: older texts help nobody, and keeping them is a risk. */
export const MAX_DAYS_OF_TEXTS = 365;

export const PROMPT_LOGGING_FIELDS = fieldTable({
  enabled: {
    kind: 'flag',
    label: { fa: 'نگهداری متن', en: 'Texts kept' },
    help: { fa: 'متن پرسش و پاسخ رمزنگاری‌شده نگهداری شود.', en: 'Prompts and answers are kept, encrypted.' },
  },
  days: {
    kind: 'whole',
    initial: 7,
    min: 1,
    max: MAX_DAYS_OF_TEXTS,
    unit: 'days',
    label: { fa: 'روزهای نگهداری', en: 'Days kept' },
    help: { fa: 'متن‌ها پس از این پاک می‌شوند.', en: 'How long texts are kept.' },
  },
});

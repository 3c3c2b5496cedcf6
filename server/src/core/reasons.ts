/** Sentences that explain an invalid field, in both languages. One place, so that wording stays one. */
import type { Text } from './errors.ts';

export const reasons = {
  required: (field: string): Text => ({
    fa: `فیلد «${field}» لازم است.`,
    en: `The field '${field}' is required.`,
  }),
  mustBe: (field: string, expected: string): Text => ({
    fa: `مقدار «${field}» باید ${expected} باشد.`,
    en: `'${field}' must be ${expected}.`,
  }),
  oneOf: (field: string, allowed: readonly string[]): Text => ({
    fa: `مقدار «${field}» باید یکی از این‌ها باشد: ${allowed.join('، ')}.`,
    en: `'${field}' must be one of: ${allowed.join(', ')}.`,
  }),
  tooLong: (field: string, limit: number): Text => ({
    fa: `«${field}» بیش از اندازه بزرگ است (حداکثر ${limit}).`,
    en: `'${field}' is too large (at most ${limit}).`,
  }),
  notSupportedByModel: (what: string, model: string): Text => ({
    fa: `مدل ${model} از ${what} پشتیبانی نمی‌کند.`,
    en: `The model ${model} does not support ${what}.`,
  }),
  notCarried: (field: string): Text => ({
    fa: `«${field}» را نمی‌توان به ارائه‌دهندهٔ این مدل رساند.`,
    en: `'${field}' cannot be carried to this model's provider.`,
  }),
  costsMore: (field: string, value: string): Text => ({
    fa: `«${field}» با مقدار «${value}» نزد ارائه‌دهنده هزینهٔ جداگانه دارد و این سرویس آن را نمی‌فروشد.`,
    en: `'${field}' (${value}) costs extra at the provider, and this service does not sell it.`,
  }),
  unansweredToolCall: (id: string): Text => ({
    fa: `فراخوانی ابزار «${id}» در پیام بعدی پاسخ داده نشده است.`,
    en: `The tool call '${id}' is not answered by a following tool message.`,
  }),
  orphanToolMessage: (id: string): Text => ({
    fa: `پیام tool با شناسهٔ «${id}» به هیچ فراخوانی پیش از خود پاسخ نمی‌دهد.`,
    en: `The tool message '${id}' answers no call before it.`,
  }),
  custom: (fa: string, en: string): Text => ({ fa, en }),
} as const;

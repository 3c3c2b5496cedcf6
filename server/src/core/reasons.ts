/**
 * Sentences that explain an invalid field, in both languages, for whoever reads fields. What several files of one room say is in
 * the `reasons.ts` of that room; a sentence that only one function says may stand beside it.
 */
import type { Text } from '@dargah/core/text.ts';

/** Field names and other English terms stand in quotation marks inside a Persian sentence. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `«${word}»`).join('، ');
}

export const reasons = {
  required: (field: string): Text => ({
    fa: `فیلد «${field}» لازم است.`,
    en: `The field '${field}' is required.`,
  }),
  needsOne: (field: string): Text => ({
    fa: `«${field}» باید حداقل یک عضو داشته باشد.`,
    en: `'${field}' needs at least one item.`,
  }),
  mustBe: (field: string, expected: Text): Text => ({
    fa: `مقدار «${field}» باید ${expected.fa} باشد.`,
    en: `'${field}' must be ${expected.en}.`,
  }),
  mustBeDate: (field: string): Text => ({
    fa: `مقدار «${field}» باید تاریخی مانند «1406/01/01» یا زمانی مانند «2027-03-21T00:00:00+03:30» باشد.`,
    en: `'${field}' must be a date such as 1406/01/01 or 2027-03-21, or a time such as 2027-03-21T00:00:00+03:30.`,
  }),
  oneOf: (field: string, allowed: readonly string[]): Text => ({
    fa: `مقدار «${field}» باید یکی از این‌ها باشد: ${quoted(allowed)}.`,
    en: `'${field}' must be one of: ${allowed.join(', ')}.`,
  }),
  brokenText: (field: string): Text => ({
    fa: `«${field}» کاراکتری دارد که متن نیست: کاراکتر صفر یا نیمهٔ یک کاراکتر.`,
    en: `'${field}' holds what is no text: NUL, or half of a surrogate pair.`,
  }),
  tooLong: (field: string, limit: number): Text => ({
    fa: `«${field}» بیش از اندازه بزرگ است (حداکثر ${limit}).`,
    en: `'${field}' is too large (at most ${limit}).`,
  }),
  notSupportedByModel: (what: Text, model: string): Text => ({
    fa: `مدل «${model}» از ${what.fa} پشتیبانی نمی‌کند.`,
    en: `The model ${model} does not support ${what.en}.`,
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
    fa: `پیام ابزار با شناسهٔ «${id}» به هیچ فراخوانی پیش از خود پاسخ نمی‌دهد.`,
    en: `The tool message '${id}' answers no call before it.`,
  }),
  unknownModel: (id: string): Text => ({
    fa: `شناسهٔ «${id}» در فهرست نیست.`,
    en: `'${id}' is not on the list.`,
  }),
  unknownModelNear: (id: string, near: string): Text => ({
    fa: `شناسهٔ «${id}» در فهرست نیست؛ آیا منظورتان «${near}» بود؟`,
    en: `'${id}' is not on the list; did you mean '${near}'?`,
  }),
  retiredModel: (id: string, successor: string): Text => ({
    fa: `مدل «${id}» دیگر عرضه نمی‌شود؛ به‌جای آن «${successor}» را به کار ببرید.`,
    en: `'${id}' is no longer offered; use '${successor}' instead.`,
  }),
  unknownField: (field: string, near: string | undefined): Text => ({
    fa: `فیلد «${field}» شناخته نیست${near === undefined ? '' : `؛ آیا منظورتان «${near}» بود؟`}${near === undefined ? '.' : ''}`,
    en: `The field '${field}' is not known${near === undefined ? '.' : `; did you mean '${near}'?`}`,
  }),
  wrongBaseAddress: (path: string, base: string): Text => ({
    fa: `آدرس درست «${path}» است؛ آدرس پایهٔ خود را تا «${base}» بنویسید.`,
    en: `The right address is ${path}; your base address should end in ${base}.`,
  }),
  availableAddresses: (paths: string): Text => ({ fa: `آدرس‌های موجود: «${paths}»`, en: `Available: ${paths}` }),
  noSuchBase: (id: string): Text => ({
    fa: `پایگاه دانش «${id}» پیدا نشد.`,
    en: `There is no knowledge base '${id}'.`,
  }),
  callerAddress: (ip: string): Text => ({
    fa: `این درخواست از آدرس «${ip}» آمده است.`,
    en: `This request came from the address ${ip}.`,
  }),
  callerReferrer: (referrer: string | undefined): Text =>
    referrer === undefined
      ? {
          fa: 'این درخواست ارجاع‌دهنده‌ای همراه نداشت («Referer» یا «Origin»).',
          en: 'This request named no referrer (Referer or Origin).',
        }
      : { fa: `ارجاع‌دهندهٔ این درخواست «${referrer}» است.`, en: `The referrer of this request is ${referrer}.` },
  notKnownAmong: (field: string, known: readonly string[]): Text => ({
    fa: `«${field}» شناخته نیست. فیلدهای مجاز: ${quoted(known)}.`,
    en: `'${field}' is not known. Known fields: ${known.join(', ')}.`,
  }),
  /** `what` completes the sentence that the field's name begins. */
  ofField: (field: string, what: Text): Text => ({ fa: `«${field}» ${what.fa}`, en: `'${field}' ${what.en}` }),
} as const;

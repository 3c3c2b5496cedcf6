/** Why a document cannot be read, in both languages, for the person who sent it. */

import type { Text } from '@dargah/core/text.ts';
import { quoted } from '../../core/reasons.ts';

export const unreadableReasons = {
  broken: { fa: 'این فایل خراب یا ناقص است.', en: 'The file is damaged or incomplete.' },
  brokenPdf: { fa: 'این PDF خراب یا ناقص است.', en: 'The PDF is damaged or incomplete.' },
  empty: { fa: 'این فایل خالی است.', en: 'The file is empty.' },
  noText: { fa: 'در این سند متنی نیست.', en: 'There is no text in this document.' },
  noTextInPdf: {
    fa: 'در این PDF متنی نیست؛ شاید تصویر اسکن‌شده باشد.',
    en: 'There is no text in this PDF; it may be a scanned picture.',
  },
  locked: { fa: 'این فایل رمز عبور دارد.', en: 'The file is password-protected.' },
  lockedPdf: {
    fa: 'این PDF رمز عبور دارد؛ نسخهٔ بدون رمز را بفرستید.',
    en: 'The PDF is password-protected; send one without a password.',
  },
  oldOrLockedOffice: {
    fa: 'این فایل یا رمز عبور دارد یا در قالب قدیمی آفیس است؛ آن را بدون رمز و به شکل «docx»، «xlsx» یا «pptx» ذخیره کنید.',
    en: 'The file is password-protected or in an old Office format; save it without a password as docx, xlsx or pptx.',
  },
  invalidJson: { fa: 'این فایل JSON درست نیست.', en: 'The file is not valid JSON.' },
  deepJson: { fa: 'این JSON بیش از اندازه تودرتو است.', en: 'The JSON is nested too deeply.' },
  unpackedTooLarge: {
    fa: 'این فایل فشرده پس از باز شدن از اندازهٔ مجاز بزرگ‌تر می‌شود.',
    en: 'The packed file grows beyond the allowed size when it is unpacked.',
  },
  tooSlow: {
    fa: 'خواندن این سند بیش از اندازه طول کشید؛ آن را به چند سند کوچک‌تر تقسیم کنید.',
    en: 'Reading this document took too long; split it into several documents.',
  },
  tooMuchMemory: {
    fa: 'خواندن این سند حافظهٔ بیش از اندازه می‌خواهد؛ آن را به چند سند کوچک‌تر تقسیم کنید.',
    en: 'Reading this document needs too much memory; split it into several documents.',
  },
  tooMuchText: (limit: number): Text => ({
    fa: `متن این سند از ${limit} کاراکتر بیشتر است؛ آن را به چند سند کوچک‌تر تقسیم کنید.`,
    en: `The text of this document is longer than ${limit} characters; split it into several documents.`,
  }),
  tooManyPages: (limit: number): Text => ({
    fa: `این PDF بیش از ${limit} صفحه دارد.`,
    en: `The PDF has more than ${limit} pages.`,
  }),
  unknownFormat: (known: readonly string[]): Text => ({
    fa: `قالب این فایل شناخته نشد. این قالب‌ها پذیرفته می‌شوند: ${quoted([...known])}.`,
    en: `The format of this file was not recognised. Accepted: ${known.join(', ')}.`,
  }),
  notWhatItSays: (stated: string): Text => ({
    fa: `محتوای این فایل «${stated}» نیست، هرچند نام یا نوع آن چنین می‌گوید.`,
    en: `The content of this file is not ${stated}, although its name or type says so.`,
  }),
} as const;

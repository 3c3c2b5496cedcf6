/** Why requests are refused that a protocol cannot express or carry, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const protocolReasons = {
  blockNotInThisRole: {
    fa: 'این نوع بلوک در این نقش جایی ندارد.',
    en: 'This kind of block does not belong in this role.',
  },
  noThreads: {
    fa: 'گفت‌وگو این‌جا نگه داشته نمی‌شود؛ همهٔ پیام‌ها را بدون «thread» بفرستید.',
    en: "Conversations are not kept here; send all messages without 'thread'.",
  },
  translationNotStreamed: { fa: 'ترجمه استریم نیست.', en: 'Translations are not streamed.' },
  sentTwice: (name: string): Text => ({ fa: `«${name}» دو بار آمده است.`, en: `'${name}' was sent twice.` }),
  noToolsToChoose: { fa: 'بدون «tools» نمی‌توان ابزار خواست.', en: 'It needs tools to choose from.' },
  unknownTool: (tool: string): Text => ({
    fa: `ابزار «${tool}» در «tools» نیست.`,
    en: `The tool '${tool}' is not in tools.`,
  }),
  textsOnly: { fa: 'این مدل فقط متن می‌پذیرد، نه آرایهٔ توکن.', en: 'This model takes texts only, no arrays of tokens.' },
  isEmpty: (param: string): Text => ({ fa: `«${param}» خالی است.`, en: `'${param}' is empty.` }),
  noFileByAddress: {
    fa: 'این مدل فایل را از آدرس وب نمی‌خواند؛ خود داده را به صورت base64 بفرستید.',
    en: 'This model reads no file from a web address; send the data itself as base64.',
  },
  idUsedTwice: (id: string): Text => ({ fa: `شناسهٔ «${id}» تکراری است.`, en: `The id '${id}' is used twice.` }),
  notForChatModels: (field: string): Text => ({
    fa: `مدل‌های گفت‌وگو از «${field}» پشتیبانی نمی‌کنند.`,
    en: `Chat models do not support '${field}'.`,
  }),
  onePromptOnly: {
    fa: 'در هر درخواست یک «prompt» بفرستید.',
    en: 'Send one prompt per request: several are not answered at once.',
  },
  oneAnswerOnly: (count: number): Text => ({
    fa: `این مدل به هر درخواست یک پاسخ می‌دهد. «n» را حذف کنید و درخواست را ${count} بار بفرستید، یا مدل دیگری انتخاب کنید که «n» را می‌پذیرد.`,
    en: `This model gives one answer per request. Leave out 'n' and send the request ${count} times, or choose a model that takes 'n'.`,
  }),
  oneDatum: (names: readonly string[]): Text => ({
    fa: `هر بخش باید دقیقاً یکی از این‌ها را داشته باشد: ${names.map((name) => `«${name}»`).join('، ')}.`,
    en: `A part must hold exactly one of: ${names.join(', ')}.`,
  }),
  sameInAll: (field: string): Text => ({
    fa: `«${field}» باید در همهٔ «requests» یکی باشد.`,
    en: `'${field}' must be the same in all requests.`,
  }),
  noSuchItem: { fa: 'این آیتم نگه داشته نشده است.', en: 'No such item is stored.' },
} as const;

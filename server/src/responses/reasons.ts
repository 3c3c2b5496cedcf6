/** Reasons for refusals about stored answers and conversations, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const conversationReasons = {
  conversationsNotKept: { fa: 'گفت‌وگوها اینجا نگه داشته نمی‌شوند.', en: 'Conversations are not kept here.' },
  conversationFull: {
    fa: 'این گفت‌وگو جای بیشتری ندارد؛ گفت‌وگوی جدیدی شروع کنید.',
    en: 'This conversation has no room for more; begin a new one.',
  },
  accountFull: {
    fa: 'گفت‌وگوهای این حساب جای بیشتری ندارند؛ برخی را پاک کنید.',
    en: 'The conversations of this account have no room for more; delete some.',
  },
} as const satisfies Record<string, Text>;

export const responseReasons = {
  chainTooLong: (most: number): Text => ({
    fa: `این گفت‌وگو بیش از ${most.toLocaleString('fa')} پاسخ پشت سر هم دارد؛ گفت‌وگوی جدیدی شروع کنید.`,
    en: `This chain has more than ${most} answers; begin a new one.`,
  }),
  chainTooLarge: (maxBytes: number): Text => ({
    fa: `پاسخ‌های ذخیره‌شده‌ای که این درخواست می‌خواند روی هم بیش از ${(maxBytes >> 20).toLocaleString('fa')} مگابایت‌اند؛ گفت‌وگوی جدیدی شروع کنید.`,
    en: `The stored answers that this request needs are larger than ${maxBytes >> 20} MB together; begin a new chain.`,
  }),
  tooManyReferences: (most: number): Text => ({
    fa: `بیش از ${most.toLocaleString('fa')} ارجاع به آیتم‌های ذخیره‌شده پذیرفته نیست.`,
    en: `More than ${most} references to stored items are not taken.`,
  }),
};

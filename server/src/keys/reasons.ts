/** Why something is refused, in both languages: keys, accounts and pages of lists. */
import type { Text } from '@dargah/core/text.ts';

export const keyReasons = {
  wrongId: {
    fa: 'شناسه باید ۱ تا ۶۴ حرف لاتین، رقم، نقطه، خط تیره یا زیرخط باشد.',
    en: 'An id is 1 to 64 letters, digits or . _ -',
  },
  wrongName: { fa: 'نام باید ۱ تا ۲۰۰ نویسه باشد.', en: 'A name must be 1 to 200 characters.' },
  wrongKeyText: {
    fa: 'متن کلید باید ۸ تا ۲۰۰ نویسهٔ لاتین بی‌فاصله باشد، و اگر شکل کلید ساخته‌شده را دارد سرجمعش درست باشد.',
    en: 'A key must be 8 to 200 visible ASCII characters, and one in the form of a generated key must have its checksum.',
  },
  keyTextInUse: { fa: 'این متن کلید پیش‌تر به کار رفته است.', en: 'This key text is already in use.' },
  noSuch: (persian: string, id: string, what: string): Text => ({
    fa: `${persian} با شناسهٔ ${id} نیست.`,
    en: `There is no ${what} '${id}'.`,
  }),
  definedInFile: { fa: 'این مورد در پروندهٔ تنظیم تعریف شده است.', en: 'This is defined in the configuration file.' },
  wrongCursor: { fa: 'نشانگر صفحه نامعتبر است.', en: 'The page cursor is not valid.' },
  keyRevoked: { fa: 'این کلید باطل شده است.', en: 'This key is revoked.' },
} as const;

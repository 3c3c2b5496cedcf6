/** Why something is refused, in both languages: knowledge bases and documents. */
import type { Text } from '@dargah/core/text.ts';

export const knowledgeReasons = {
  limitReached: (limit: number, persian: string, english: string): Text => ({
    fa: `حد مجاز ${limit} ${persian} است.`,
    en: `The limit is ${limit} ${english}.`,
  }),
  noSuchDocument: (id: string): Text => ({ fa: `سند «${id}» پیدا نشد.`, en: `There is no document '${id}'.` }),
  limitedKey: {
    fa: 'کلیدی که به پایگاه‌های مشخصی محدود است نمی‌تواند پایگاه جدید بسازد.',
    en: 'A key that is limited to named knowledge bases cannot create one.',
  },
  documentTaken: {
    fa: 'سند دیگری با همین نام یا محتوا در این پایگاه هست.',
    en: 'Another document of this base has the same name or content.',
  },
} as const;

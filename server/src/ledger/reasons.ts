/** Why something is refused, in both languages: transfers. */
import type { Text } from '@dargah/core/text.ts';

export const ledgerReasons = {
  wrongTransferId: (most: number): Text => ({
    fa: `«id» باید از ۱ تا ${most} نویسه باشد و با «req_» یا «supply:» آغاز نشود.`,
    en: `'id' must have 1 to ${most} characters and not begin with req_ or supply:.`,
  }),
  notInTheWallet: { fa: 'موجودی کیف پول به این اندازه نیست.', en: 'The wallet does not hold so much.' },
  transferIdUsed: {
    fa: 'این شناسه پیش‌تر برای انتقال دیگری به کار رفته است.',
    en: 'This id was used for another transfer.',
  },
  refundTooLarge: {
    fa: 'بازگشت از مبلغ درخواست بیشتر است یا چنین درخواستی نیست.',
    en: 'The refund exceeds the charge of that request, or there is no such request.',
  },
} as const;

/** Reasons for refusals about transfers, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const ledgerReasons = {
  wrongTransferId: (most: number): Text => ({
    fa: `«id» باید از ۱ تا ${most} کاراکتر باشد و با «req_»، «supply:»، «waste:»، «probe:»، «continuation:» یا «cost-correction:» شروع نشود.`,
    en: `'id' must have 1 to ${most} characters and not begin with req_, supply:, waste:, probe:, continuation: or cost-correction:.`,
  }),
  noSuchBook: (book: string): Text => ({
    fa: `دفتری به نام «${book}» در سرفصل حساب‌ها نیست.`,
    en: `The chart of accounts has no book '${book}'.`,
  }),
  wrongLine: {
    fa: 'هر سطر سند باید مبلغی مثبت را بین دو دفتر جابه‌جا کند که بیش از یکی از آن‌ها کیف پول نباشد.',
    en: 'Every line must move a positive amount between two books, of which at most one is a wallet.',
  },
  noLines: { fa: 'سند باید حداقل یک سطر داشته باشد.', en: 'A document needs at least one line.' },
  documentIdUsed: {
    fa: 'این شناسه قبلاً برای سند دیگری استفاده شده است.',
    en: 'This id was used for another document.',
  },
  notInTheWallet: { fa: 'موجودی کیف پول به این اندازه نیست.', en: 'The wallet does not hold so much.' },
  transferIdUsed: {
    fa: 'این شناسه قبلاً برای انتقال دیگری استفاده شده است.',
    en: 'This id was used for another transfer.',
  },
  dayMoves: {
    fa: 'روزِ این درخواست همین حالا به بایگانی منتقل می‌شود. کمی بعد دوباره تلاش کنید.',
    en: 'The day of that request is moving to the archive just now. Retry shortly.',
  },
  refundTooLarge: {
    fa: 'بازگشت از مبلغ درخواست بیشتر است یا چنین درخواستی نیست.',
    en: 'The refund exceeds the charge of that request, or there is no such request.',
  },
} as const;

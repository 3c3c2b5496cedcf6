/** Why something is refused, in both languages: papers of accounting. */
export const accountingReasons = {
  moreThanUnmatched: {
    fa: 'واریزی نامشخص به این اندازه ثبت نشده است.',
    en: 'So much money without an order was never booked.',
  },
  moreThanUndocumented: {
    fa: 'شارژ دستی بدون سند به این اندازه نمانده است.',
    en: 'So much credit without a paper is not left.',
  },
} as const;

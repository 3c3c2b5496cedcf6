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
  noSuchRoute: {
    fa: 'این مدل چنین مسیری ندارد.',
    en: 'The model has no such route.',
  },
  costNotKnown: {
    fa: 'هزینهٔ این مسیر هنوز معلوم نیست؛ اول آن را ثبت کنید.',
    en: 'The cost of this route is not known yet: set it first.',
  },
} as const;

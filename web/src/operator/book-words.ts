/** The books themselves and causes of failure, as people say them. */
import type { FailureKind } from '../../../server/src/core/failure.ts';
import { dictionary } from '../words/dictionary.tsx';

const fa = {
  trial: 'تراز آزمایشی',
  book: 'دفتر',
  books: {
    wallets: 'کیف پول مشتریان',
    providers: 'بدهی به ارائه‌دهنده‌ها',
    cash: 'پول دریافتی',
    revenue: 'فروش',
    costs: 'هزینهٔ خرید',
    adjustments: 'اصلاح‌ها',
    opening: 'موجودی اولیه',
  },
  debitShort: 'بدهکار',
  creditShort: 'بستانکار',
  debit: 'بدهکار، تومان',
  credit: 'بستانکار، تومان',
  balanced: 'بدهکار و بستانکار برابرند',
  unbalanced: 'بدهکار و بستانکار برابر نیستند',
  causes: {
    credential: 'کلید پذیرفته نمی‌شود',
    'rate-limited': 'سقف ارائه‌دهنده پر است',
    'model-gone': 'مدل را نمی‌شناسد',
    server: 'خطای سرور ارائه‌دهنده',
    connect: 'وصل نمی‌شود',
    timeout: 'به‌موقع پاسخ نداد',
    malformed: 'پاسخ ناخوانا',
    truncated: 'پاسخ نیمه‌کاره',
    empty: 'پاسخ خالی',
    'client-fault': 'درخواست را نپذیرفت',
    'context-too-long': 'متن بلندتر از کانتکست مدل',
  } satisfies Record<FailureKind, string>,
};

const en: typeof fa = {
  trial: 'Trial balance',
  book: 'Book',
  books: {
    wallets: 'Wallets of customers',
    providers: 'Owed to providers',
    cash: 'Money received',
    revenue: 'Revenue',
    costs: 'Provider cost',
    adjustments: 'Adjustments',
    opening: 'Opening balances',
  },
  debitShort: 'Debit',
  creditShort: 'Credit',
  debit: 'Debit, toman',
  credit: 'Credit, toman',
  balanced: 'Debits equal credits',
  unbalanced: 'Debits do not equal credits',
  causes: {
    credential: 'Key not accepted',
    'rate-limited': "The provider's limit is reached",
    'model-gone': 'Does not know the model',
    server: "The provider's server fails",
    connect: 'Cannot be reached',
    timeout: 'Did not answer in time',
    malformed: 'Unreadable answer',
    truncated: 'Answer broken off',
    empty: 'Empty answer',
    'client-fault': 'Did not accept the request',
    'context-too-long': 'Longer than the context',
  },
};

export const useBookWords = dictionary(fa, en);

/** Checks of the books, the books themselves and causes of failure, as people say them. */
import type { FailureKind } from '../../../server/src/core/failure.ts';
import { dictionary } from '../words/dictionary.tsx';

const fa = {
  checks: {
    'every balance is the sum of its transfers': 'هر موجودی، جمع گردش‌های همان حساب است',
    'debits equal credits over all accounts': 'بدهکار و بستانکار همهٔ حساب‌ها برابرند',
    'every transfer moves a positive amount between two accounts': 'هر گردش مبلغی مثبت را میان دو حساب جابه‌جا می‌کند',
    'every closed request has exactly one posting, or cost nothing':
      'هر درخواست پایان‌یافته درست یک ثبت دارد یا بی‌هزینه بوده است',
    'every charge belongs to a request': 'هر برداشت از آنِ یک درخواست است',
    'no refund exceeds its charge': 'هیچ بازگشتی از برداشت خود بیشتر نیست',
    'every spend counter is the sum of its charges': 'هر شمارندهٔ خرج، جمع برداشت‌های خود است',
    'the daily roll-up adds up to the charges of each account': 'جمع روزانه با برداشت‌های هر حساب می‌خواند',
    'every credited order has its one transfer, and no other order has one':
      'هر شارژ رسیده یک گردش دارد و هیچ سفارش دیگری ندارد',
    'every refunded order has given its credit back once, and no other order has':
      'اعتبار هر سفارش برگشته یک بار کم شده و از هیچ سفارش دیگری کم نشده است',
    'books read': 'خوانده شد',
    'nothing found against it': 'ایرادی پیدا نشد',
  },
  read: (transfers: string, requests: string) => `${transfers} گردش و ${requests} درخواست`,
  trial: 'تراز آزمایشی',
  book: 'دفتر',
  books: {
    wallets: 'کیف پول مشتریان',
    providers: 'بدهی به ارائه‌دهنده‌ها',
    cash: 'پول دریافتی',
    revenue: 'فروش',
    costs: 'هزینهٔ خرید',
    adjustments: 'اصلاح‌ها',
    opening: 'موجودی آغاز',
  },
  debitShort: 'بدهکار',
  creditShort: 'بستانکار',
  debit: 'بدهکار، تومان',
  credit: 'بستانکار، تومان',
  balanced: 'بدهکار و بستانکار برابرند',
  unbalanced: 'بدهکار و بستانکار برابر نیستند',
  right: 'درست',
  wrong: 'نادرست',
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
    'context-too-long': 'متن بلندتر از پنجرهٔ مدل',
  } satisfies Record<FailureKind, string>,
};

const en: typeof fa = {
  checks: {
    'every balance is the sum of its transfers': 'Every balance is the sum of its transfers',
    'debits equal credits over all accounts': 'Debits equal credits over all accounts',
    'every transfer moves a positive amount between two accounts':
      'Every transfer moves a positive amount between two accounts',
    'every closed request has exactly one posting, or cost nothing':
      'Every closed request has exactly one posting, or cost nothing',
    'every charge belongs to a request': 'Every charge belongs to a request',
    'no refund exceeds its charge': 'No refund exceeds its charge',
    'every spend counter is the sum of its charges': 'Every spend counter is the sum of its charges',
    'the daily roll-up adds up to the charges of each account': 'The daily sums add up to the charges of each account',
    'every credited order has its one transfer, and no other order has one':
      'Every credited order has its one transfer, and no other order has one',
    'every refunded order has given its credit back once, and no other order has':
      'Every refunded order has given its credit back once, and no other order has',
    'books read': 'What was read',
    'nothing found against it': 'Nothing found against it',
  },
  read: (transfers, requests) => `${transfers} transfers and ${requests} requests`,
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
  right: 'Holds',
  wrong: 'Wrong',
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

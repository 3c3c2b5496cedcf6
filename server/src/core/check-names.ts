/** What the checks of the books are called for people. Plain data: the web imports it as it is. A new check brings its names here. */
import type { Text } from '@dargah/core/text.ts';

export const CHECK_NAMES: Readonly<Record<string, Text>> = {
  balances: { fa: 'هر موجودی، جمع گردش‌های همان حساب است', en: 'Every balance is the sum of its transfers' },
  'debits-and-credits': { fa: 'بدهکار و بستانکار همهٔ حساب‌ها برابرند', en: 'Debits equal credits over all accounts' },
  'positive-amounts': {
    fa: 'هر گردش مبلغی مثبت را میان دو حساب جابه‌جا می‌کند',
    en: 'Every transfer moves a positive amount between two accounts',
  },
  'one-charge-per-request': {
    fa: 'هر درخواست پایان‌یافته درست یک برداشت دارد یا بی‌هزینه بوده است',
    en: 'Every closed request has exactly one charge, or cost nothing',
  },
  'one-request-per-charge': { fa: 'هر برداشت از آنِ یک درخواست است', en: 'Every charge belongs to a request' },
  'refunds-within-charges': { fa: 'هیچ بازگشتی از برداشت خود بیشتر نیست', en: 'No refund exceeds its charge' },
  'spend-counters': {
    fa: 'هر شمارندهٔ خرج، جمع برداشت‌های خود است',
    en: 'Every spend counter is the sum of its charges',
  },
  'daily-sums': {
    fa: 'جمع روزانه با برداشت‌های هر حساب می‌خواند',
    en: 'The daily sums add up to the charges of each account',
  },
  'credited-orders': {
    fa: 'هر شارژ رسیده یک گردش دارد و هیچ سفارش دیگری ندارد',
    en: 'Every credited order has its one transfer, and no other order has one',
  },
  'refunded-orders': {
    fa: 'اعتبار هر سفارش برگشته یک بار کم شده و از هیچ سفارش دیگری کم نشده است',
    en: 'Every refunded order has given its credit back once, and no other order has',
  },
  'sealed-days': {
    fa: 'هر روز مهرشده همان است که هنگام مهر شدن بود',
    en: 'Every sealed day is as it was when it was sealed',
  },
  chain: { fa: 'زنجیرهٔ مهرها پیوسته است', en: 'The chain of seals is whole' },
  'money-days': { fa: 'فروش هر روز همان برداشت‌های آن روز است', en: 'What was sold on a day is what was charged on it' },
  'books-read': { fa: 'خوانده شد', en: 'What was read' },
};

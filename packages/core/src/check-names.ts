/**
 * The names of the checks of the books, for people. Plain data: the web imports it as it is. A new check adds its names
 * here.
 */
import type { Text } from './text.ts';

export const CHECK_NAMES: Readonly<Record<string, Text>> = {
  balances: { fa: 'هر موجودی، جمع گردش‌های همان حساب است', en: 'Every balance is the sum of its transfers' },
  'debits-and-credits': { fa: 'بدهکار و بستانکار همهٔ حساب‌ها برابرند', en: 'Debits equal credits over all accounts' },
  'positive-amounts': {
    fa: 'هر گردش مبلغی مثبت را بین دو حساب جابه‌جا می‌کند',
    en: 'Every transfer moves a positive amount between two accounts',
  },
  'one-charge-per-request': {
    fa: 'هر درخواست پایان‌یافته درست یک برداشت دارد یا بدون هزینه بوده است',
    en: 'Every closed request has exactly one charge, or cost nothing',
  },
  'one-request-per-charge': { fa: 'هر برداشت مربوط به یک درخواست است', en: 'Every charge belongs to a request' },
  'refunds-within-charges': { fa: 'هیچ بازگشتی از برداشت خود بیشتر نیست', en: 'No refund exceeds its charge' },
  'spend-counters': {
    fa: 'هر شمارندهٔ خرج، جمع برداشت‌های خود است',
    en: 'Every spend counter is the sum of its charges',
  },
  'daily-sums': {
    fa: 'جمع روزانه با برداشت‌های هر حساب برابر است',
    en: 'The daily sums add up to the charges of each account',
  },
  'credited-orders': {
    fa: 'هر شارژ رسیده یک گردش دارد و هیچ سفارش دیگری ندارد',
    en: 'Every credited order has its one transfer, and no other order has one',
  },
  invoices: {
    fa: 'هر صورت‌حساب مربوط به یک شارژ رسیده است و برگشتی‌ها از آن بیشتر نیستند',
    en: 'Every invoice is that of a credited order, and credit notes never exceed it',
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
  'closed-months': {
    fa: 'ماه‌های بسته همان‌اند که بسته شدند، پشت سر هم',
    en: 'Closed months are as they were closed, one after the other',
  },
  'cost-days': {
    fa: 'هزینهٔ هر روز، حتی برای درخواست‌های ناموفق، همان است که در دفتر ثبت شده است',
    en: 'What providers cost on a day, also for what failed, is what was booked',
  },
  'cost-corrections': {
    fa: 'هزینه‌هایی که بعداً معلوم شد، یک بار و کامل ثبت شده است',
    en: 'Costs that became known later are booked once and whole',
  },
  chart: { fa: 'هر دفتر در سرفصل حساب‌ها هست', en: 'Every book is in the chart of accounts' },
  vat: {
    fa: 'مالیات پرداختنی با صورت‌حساب‌ها، برگشتی‌ها و پرداخت‌ها برابر است',
    en: 'VAT payable agrees with invoices, credit notes and payments',
  },
  clearing: { fa: 'ماندهٔ هر درگاه و بانک با سفارش‌هایش برابر است', en: 'Every gateway and bank agrees with its orders' },
  gifts: {
    fa: 'تخفیف و هدیه با کدها و اعتبارهای داده‌شده برابر است',
    en: 'Gifts and promotions agree with the codes and credit that were given',
  },
  'legacy-empty': {
    fa: 'دفترهای بستهٔ نسخهٔ قبل خالی‌اند',
    en: 'The closed books of the version before are empty',
  },
  'books-read': { fa: 'خوانده شد', en: 'What was read' },
};

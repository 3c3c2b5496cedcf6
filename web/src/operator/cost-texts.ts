/** Profit while part of the cost is not known, and what is to be done about it. */
import { dictionary } from '../texts/dictionary.tsx';

const fa = {
  between: (low: string, high: string) => `بین ${low} تا ${high}`,
  unknown: (share: string, requests: string) => `هزینهٔ ${share} از فروش معلوم نیست (${requests} درخواست).`,
  unknownFew: (requests: string) => `هزینهٔ ${requests} درخواست معلوم نیست.`,
  withoutCost: 'مسیرهای بدون هزینه',
  withoutCostText: 'این مسیرها در ۳۰ روز گذشته فروخته‌اند و کسی هزینه‌شان را نگفته است.',
  atALoss: 'فروش با ضرر',
  atALossText: 'هزینهٔ این مسیرها از قیمت فروششان بیشتر است.',
  losses: (count: string) => `${count} مسیر با ضرر فروخته می‌شود.`,
  tasks: 'هزینه‌ها',
  sold: 'فروش، تومان',
  setCost: 'ثبت هزینه',
  countMonth: 'برای ماه‌های باز هم حساب شود',
  countMonthToo: 'برای درخواست‌های ماه‌های بسته‌نشده هم حساب شود',
  counted: 'هزینهٔ درخواست‌های ماه‌های بسته‌نشده تا چند دقیقهٔ دیگر ثبت می‌شود.',
  billsOff: 'صورت‌حساب‌های دور از شمارش',
  billsOffText: 'این صورت‌حساب‌ها بیش از ۵٪ با هزینهٔ شمرده‌شده فرق دارند.',
  billed: 'صورت‌حساب، تومان',
  accrued: 'شمرده‌شده، تومان',
  offBy: 'اختلاف',
  bill: 'صورت‌حساب',
};

const en: typeof fa = {
  between: (low, high) => `between ${low} and ${high}`,
  unknown: (share, requests) => `Cost unknown for ${share} of revenue (${requests} requests).`,
  unknownFew: (requests) => `The cost of ${requests} requests is not known.`,
  withoutCost: 'Routes without cost',
  withoutCostText: 'These routes sold in the last 30 days, and nobody has said what they cost.',
  atALoss: 'Sold at a loss',
  atALossText: 'These routes cost more than they are sold for.',
  losses: (count) => `${count} routes are sold at a loss.`,
  tasks: 'Costs',
  sold: 'Sales, toman',
  setCost: 'Set the cost',
  countMonth: 'Count it for open months too',
  countMonthToo: 'Count it for requests of months that are not closed too',
  counted: 'The cost of requests of open months will be booked in a few minutes.',
  billsOff: 'Bills far from what was counted',
  billsOffText: 'These bills are more than 5 % off what was counted.',
  billed: 'Bill, toman',
  accrued: 'Counted, toman',
  offBy: 'Difference',
  bill: 'Bill',
};

export const useCostTexts = dictionary(fa, en);

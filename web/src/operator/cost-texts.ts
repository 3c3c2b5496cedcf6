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
  countMonth: 'برای این ماه هم حساب شود',
  countMonthToo: 'برای درخواست‌های همین ماه هم حساب شود',
  counted: 'هزینهٔ درخواست‌های این ماه تا چند دقیقهٔ دیگر ثبت می‌شود.',
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
  countMonth: 'Count it for this month too',
  countMonthToo: 'Count it for the requests of this month too',
  counted: 'The cost of this month’s requests will be booked in a few minutes.',
};

export const useCostTexts = dictionary(fa, en);

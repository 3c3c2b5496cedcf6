/** The operator's overview: money today, what staff must hear of, and the health of routes. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  unknownCost: (n: string) => `${n} درخواست هزینهٔ نامعلوم دارد`,
  requestsToday: 'درخواست امروز',
  profitToday: 'سود امروز',
  shareOfSales: (today: string, month: string) => `${today} از فروش؛ در ۳۰ روز گذشته ${month}`,
  perSecond: 'درخواست در ثانیه',
  lastMinute: 'در یک دقیقهٔ گذشته',
  errorRate: 'بی‌پاسخ در یک ساعت گذشته',
  refusedHour: (count: string) => `${count} درخواست هم رد شد`,
  latencyHour: 'میانهٔ مدت پاسخ',
  seconds: (seconds: string) => `${seconds} ثانیه`,
  slowest: (p95: string) => `صدک ۹۵: ${p95} ثانیه`,
  running: (count: string) => `${count} در حال اجرا`,
  journal: 'در صف نوشتن در دفتر',
  openTickets: 'تیکت باز',
  health: 'سلامت مسیرها',
  cause: 'علت',
  inFlight: 'در جریان',
  p50: 'میانه، ثانیه',
  p95: 'صدک ۹۵، ثانیه',
  halfState: 'در حال آزمودن',
  noRoutes: 'هنوز درخواستی از مسیری نگذشته است',
  noRoutesText: 'سلامت هر مسیر پس از نخستین درخواست دیده می‌شود.',
  daily: 'فروش و سود روزانه',
  notices: 'آگاهی‌ها',
  noNotices: 'خبری نیست',
  noNoticesText:
    'اگر ارائه‌دهنده‌ای از کار بیفتد، پرداختی گیر کند، دفترها نخوانند یا تیکت تازه‌ای برسد، اینجا نوشته می‌شود.',
};

const en: typeof fa = {
  unknownCost: (n) => `The cost of ${n} requests is not known`,
  requestsToday: 'Requests today',
  profitToday: 'Profit today',
  shareOfSales: (today, month) => `${today} of sales; ${month} over the last 30 days`,
  perSecond: 'Requests per second',
  lastMinute: 'over the last minute',
  errorRate: 'Not answered, last hour',
  refusedHour: (count) => `${count} more were refused`,
  latencyHour: 'Median duration',
  seconds: (seconds) => `${seconds} s`,
  slowest: (p95) => `95th percentile: ${p95} s`,
  running: (count) => `${count} running`,
  journal: 'Waiting to be posted',
  openTickets: 'Open tickets',
  health: 'Health of routes',
  cause: 'Cause',
  inFlight: 'In flight',
  p50: 'Median, seconds',
  p95: '95th percentile, seconds',
  halfState: 'Being tried',
  noRoutes: 'No request has used a route yet',
  noRoutesText: 'The health of each route appears with its first request.',
  daily: 'Daily sales and profit',
  notices: 'Notices',
  noNotices: 'Nothing to tell',
  noNoticesText:
    'A provider that fails, a payment that is stuck, books that do not balance and a new ticket are told here.',
};

export const useOverviewTexts = dictionary(fa, en);

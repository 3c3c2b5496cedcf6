/** Balance of the books, transfers and profit. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  sold: 'فروش',
  profitColumn: 'سود، تومان',
  waste: 'هزینهٔ درخواست‌های ناموفق',
  wasteText: 'تلاش‌هایی که باختند و پاسخ‌هایی که از مشتری گرفته نشد؛ هر شب برای روز قبل ثبت می‌شود.',
  knownCost: 'هزینهٔ معلوم',
  marginKnown: (share: string) => `${share} از فروشی که هزینه‌اش معلوم است`,
  unknownShare: 'بدون هزینهٔ معلوم',
  thirtyDays: '۳۰ روز گذشته',
  profitBy: 'سود به تفکیک',
  by: { day: 'روز', month: 'ماه', model: 'مدل', vendor: 'سازنده', provider: 'ارائه‌دهنده', account: 'حساب' },
  tabs: { books: 'تراز', proofs: 'کنترل', transfers: 'گردش‌ها', profit: 'سود' },
  what: 'بابت و دلیل',
  party: 'حساب یا ارائه‌دهنده',
  gift: 'کد هدیه',
  doneBy: 'ثبت‌کننده',
  reference: 'مرجع',
  accountId: 'شناسهٔ حساب',
  direction: 'جهت',
  directions: { in: 'به کیف پول', out: 'از کیف پول' },
  /** What the service writes by itself. */
  notes: { 'welcome credit': 'هدیهٔ خوش‌آمد', 'opening credit': 'از فایل تنظیمات', 'first start': 'اولین راه‌اندازی' },
  fromDay: 'از روز',
  toDay: 'تا روز',
  noTransfers: 'گردشی نیست',
  noTransfersText: 'شارژها، اصلاح‌ها و هزینهٔ هر درخواست اینجا می‌آیند. اعتبار را از صفحهٔ حساب مشتری بدهید.',
  noTransfersFound: 'با این فیلترها گردشی پیدا نشد.',
};

const en: typeof fa = {
  sold: 'Sales',
  profitColumn: 'Profit, toman',
  waste: 'Cost of what failed',
  wasteText: 'Attempts that lost and answers nobody was charged for; booked every night for the day before.',
  knownCost: 'Known cost',
  marginKnown: (share) => `${share} of sales whose cost is known`,
  unknownShare: 'Cost unknown',
  thirtyDays: 'Last 30 days',
  profitBy: 'Profit by',
  by: { day: 'Day', month: 'Month', model: 'Model', vendor: 'Vendor', provider: 'Provider', account: 'Account' },
  tabs: { books: 'Balance', proofs: 'Proofs', transfers: 'Transfers', profit: 'Profit' },
  what: 'What and why',
  party: 'Account or provider',
  gift: 'Gift code',
  doneBy: 'Made by',
  reference: 'Reference',
  accountId: 'Id of the account',
  direction: 'Direction',
  directions: { in: 'Into a wallet', out: 'Out of a wallet' },
  notes: {
    'welcome credit': 'Welcome credit',
    'opening credit': 'From the configuration file',
    'first start': 'First start',
  },
  fromDay: 'From day',
  toDay: 'To day',
  noTransfers: 'No transfers',
  noTransfersText:
    'Top-ups, adjustments and the charge of every request are listed here. Give credit on the page of an account.',
  noTransfersFound: 'No transfers match these filters.',
};

export const useLedgerTexts = dictionary(fa, en);

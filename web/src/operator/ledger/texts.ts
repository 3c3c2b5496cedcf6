/** Proof of the books, transfers and profit. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  proof: 'اثبات دفترها',
  prove: 'اثبات همین حالا',
  lastProof: 'آخرین اثبات:',
  sold: 'فروش',
  profitColumn: 'سود، تومان',
  sum: 'جمع ۳۰ روز گذشته',
  check: 'کنترل',
  proofText: 'هر کنترل روی همهٔ دفتر اجرا می‌شود؛ جمع هر حساب باید با ریز آن بخواند.',
  profitBy: 'سود به تفکیک',
  by: { day: 'روز', vendor: 'سازنده', model: 'مدل', account: 'حساب' },
  tabs: { books: 'تراز و اثبات', transfers: 'گردش‌ها', profit: 'سود' },
  what: 'بابت و دلیل',
  party: 'حساب یا ارائه‌دهنده',
  gift: 'کد هدیه',
  doneBy: 'ثبت‌کننده',
  reference: 'مرجع',
  accountId: 'شناسهٔ حساب',
  direction: 'جهت',
  directions: { in: 'به کیف پول', out: 'از کیف پول' },
  /** What the service writes by itself. */
  notes: { 'welcome credit': 'هدیهٔ خوش‌آمد', 'opening credit': 'از پروندهٔ تنظیم', 'first start': 'نخستین راه‌اندازی' },
  fromDay: 'از روز',
  toDay: 'تا روز',
  noTransfers: 'گردشی نیست',
  noTransfersText: 'شارژها، اصلاح‌ها و هزینهٔ هر درخواست اینجا می‌آیند. اعتبار را از صفحهٔ حساب مشتری بدهید.',
  noTransfersFound: 'با این صافی‌ها گردشی پیدا نشد.',
};

const en: typeof fa = {
  proof: 'Proof of the books',
  prove: 'Prove now',
  lastProof: 'Last proof:',
  sold: 'Sales',
  profitColumn: 'Profit, toman',
  sum: 'Sum of the last 30 days',
  check: 'Check',
  proofText: 'Each check runs over the whole ledger; the sum of every account must agree with its lines.',
  profitBy: 'Profit by',
  by: { day: 'Day', vendor: 'Vendor', model: 'Model', account: 'Account' },
  tabs: { books: 'Balance and proof', transfers: 'Transfers', profit: 'Profit' },
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
  noTransfers: 'No transfer',
  noTransfersText:
    'Top-ups, adjustments and the charge of every request come here. Give credit on the page of an account.',
  noTransfersFound: 'No transfer matches these filters.',
};

export const useLedgerTexts = dictionary(fa, en);

/** The seller and the tax on invoices, and what a chargeback does. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  title: 'فروشنده و مالیات',
  noSeller: 'هنوز فروشنده‌ای نوشته نشده است؛ صورت‌حساب‌ها بی نام فروشنده صادر می‌شوند.',
  seller: 'فروشنده',
  vat: 'مالیات بر ارزش افزوده',
  vatHint: 'تا دو رقم اعشار. روی سفارش‌های از این پس می‌نشیند؛ صفر یعنی بی مالیات.',
  pause: 'حسابی که پرداختش از راه بانک پس گرفته شود، متوقف شود',
  pauseHint: 'تا روشن شدن ماجرا درخواستی از آن حساب پذیرفته نمی‌شود.',
};

const en: typeof fa = {
  title: 'Seller and tax',
  noSeller: 'No seller is written yet; invoices go out without one.',
  seller: 'Seller',
  vat: 'Value added tax',
  vatHint: 'Up to two decimals. For orders from now on; zero is no tax.',
  pause: 'Pause an account whose payment is charged back',
  pauseHint: 'None of its requests is taken until the matter is settled.',
};

export const useInvoiceTexts = dictionary(fa, en);

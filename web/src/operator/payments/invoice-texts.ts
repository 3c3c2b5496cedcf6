/** The seller and the tax on invoices, and what a chargeback does. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  title: 'فروشنده و مالیات',
  noSeller: 'هنوز مشخصات فروشنده نوشته نشده است؛ تا آن وقت مشتریان «رسید پرداخت» می‌گیرند، نه صورت‌حساب رسمی.',
  seller: 'فروشنده',
  vat: 'مالیات بر ارزش افزوده',
  vatHint: 'تا دو رقم اعشار. برای سفارش‌های بعدی اعمال می‌شود؛ صفر یعنی بدون مالیات.',
  pause: 'حسابی که پرداختش از طریق بانک برگشت بخورد، متوقف شود',
  pauseHint: 'تا روشن شدن ماجرا درخواستی از آن حساب پذیرفته نمی‌شود.',
  banks: 'حساب‌های بانکی ما',
  banksHint: 'هر حساب یک دفتر جداست. واریزهای بانکی به یکی از آن‌ها می‌آید و بازپرداخت‌های دستی از یکی از آن‌ها می‌رود.',
  bankId: 'شناسه',
  bankIdHint: 'حروف کوچک انگلیسی و رقم؛ مانند melli',
  bankName: 'نام حساب',
  iban: 'شمارهٔ شبا',
  holder: 'نام صاحب حساب',
  holderHint: 'مشتری هنگام واریز می‌بیند؛ خالی یعنی نام فروشنده.',
  addBank: 'افزودن حساب',
};

const en: typeof fa = {
  title: 'Seller and tax',
  noSeller: 'No seller is written yet; until then customers get payment receipts, not official invoices.',
  seller: 'Seller',
  vat: 'Value added tax',
  vatHint: 'Up to two decimals. For orders from now on; zero is no tax.',
  pause: 'Pause an account whose payment is charged back',
  pauseHint: 'None of its requests is taken until the matter is settled.',
  banks: 'Our bank accounts',
  banksHint: 'Each is a book of its own. Bank transfers come to one of them, and refunds by hand leave one.',
  bankId: 'Id',
  bankIdHint: 'Small letters and digits, such as melli',
  bankName: 'Name of the account',
  iban: 'IBAN',
  holder: 'Account holder',
  holderHint: 'Customers who transfer see it; empty means the name of the seller.',
  addBank: 'Add an account',
};

export const useInvoiceTexts = dictionary(fa, en);

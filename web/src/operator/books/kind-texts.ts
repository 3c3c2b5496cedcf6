/** Kinds of entries, and what is looked at before a month is closed: what it is, and what it is when all is well. */
import type { TransferKind } from '@dargah/core/transfer-kinds.ts';

export const faKinds: Record<TransferKind, string> = {
  charge: 'فروش',
  'top-up': 'شارژ',
  adjustment: 'اصلاح',
  refund: 'برگشت هزینهٔ درخواست',
  opening: 'افتتاحیه',
  'provider-cost': 'هزینهٔ ارائه‌دهنده',
  payback: 'بازپرداخت',
  chargeback: 'اعتراض بانکی',
  gift: 'هدیه',
  vat: 'مالیات',
  fee: 'کارمزد',
  settlement: 'تسویه',
  unmatched: 'واریزی نامشخص',
  'bad-debt': 'مطالبات سوخت‌شده',
  bill: 'صورت‌حساب ارائه‌دهنده',
  'tax-payment': 'پرداخت مالیات',
  cutover: 'انتقال از نسخهٔ قبل',
};

export const enKinds: typeof faKinds = {
  charge: 'Sales',
  'top-up': 'Top-up',
  adjustment: 'Correction',
  refund: 'Refund of a request',
  opening: 'Opening',
  'provider-cost': 'Counted while it answered',
  payback: 'Refund',
  chargeback: 'Dispute',
  gift: 'Gift',
  vat: 'Tax',
  fee: 'Fee',
  settlement: 'Settlement',
  unmatched: 'Money without an order',
  'bad-debt': 'Debt given up',
  bill: "Provider's bill",
  'tax-payment': 'Tax payment',
  cutover: 'Moved from the version before',
};

export const faChecks: Readonly<Record<string, readonly [string, string]>> = {
  'days-not-proven': ['روزهای کنترل‌نشده', 'همهٔ روزها مهر شده و کنترل شده است'],
  'stuck-orders': ['سفارش‌های گیرکرده', 'سفارشی گیر نکرده است'],
  'open-refunds': ['بازپرداخت‌های در راه', 'بازپرداختی در راه نیست'],
  'approvals-waiting': ['ثبت‌های منتظر تأیید', 'چیزی منتظر تأیید نیست'],
  'seller-missing': ['مشخصات فروشنده کامل نیست', 'مشخصات فروشنده هست'],
  undocumented: ['شارژ دستی بدون سند', 'هر شارژ سند دارد'],
  unmatched: ['واریزی‌های نامشخص', 'واریزی نامشخصی نیست'],
  disputes: ['اعتراض‌های بانکی باز', 'اعتراض بازی نیست'],
  'not-settled': ['درگاه‌هایی که هنوز تسویه نکرده‌اند', 'طلبی از درگاه‌ها نمانده است'],
  'providers-without-bill': ['ارائه‌دهنده‌های بدون صورت‌حساب', 'صورت‌حساب ارائه‌دهنده‌ها ثبت شده است'],
  'cost-unknown': ['فروش با هزینهٔ نامعلوم', 'هزینهٔ همهٔ فروش معلوم است'],
  'invoices-not-sent': ['صورت‌حساب‌های ارسال‌نشده', 'همهٔ صورت‌حساب‌ها ارسال شده است'],
};

export const enChecks: typeof faChecks = {
  'days-not-proven': ['Days that are not proven', 'Every day is sealed and proven'],
  'stuck-orders': ['Stuck orders', 'No order is stuck'],
  'open-refunds': ['Refunds on their way', 'No refund is on its way'],
  'approvals-waiting': ['Entries that wait for approval', 'Nothing waits for approval'],
  'seller-missing': ["The seller's identity is missing", "The seller's identity is there"],
  undocumented: ['Credit by hand without a paper', 'All credit has its paper'],
  unmatched: ['Money without an order', 'No money is without its order'],
  disputes: ['Open disputes', 'No dispute is open'],
  'not-settled': ['Gateways that still hold money', 'No gateway holds money'],
  'providers-without-bill': ['Providers without a bill', 'Bills of the providers are booked'],
  'cost-unknown': ['Sales of unknown cost', 'The cost of all sales is known'],
  'invoices-not-sent': ['Invoices that were not sent', 'All invoices were sent'],
};

/** Proof of the books and profit. */
import { dictionary } from '../words/dictionary.tsx';

const fa = {
  proof: 'اثبات دفترها',
  prove: 'اثبات همین حالا',
  check: 'کنترل',
  proofText: 'هر کنترل روی همهٔ دفتر اجرا می‌شود؛ جمع هر حساب باید با ریز آن بخواند.',
  profitBy: 'سود به تفکیک',
  by: { day: 'روز', vendor: 'سازنده', model: 'مدل', account: 'حساب' },
};

const en: typeof fa = {
  proof: 'Proof of the books',
  prove: 'Prove now',
  check: 'Check',
  proofText: 'Each check runs over the whole ledger; the sum of every account must agree with its lines.',
  profitBy: 'Profit by',
  by: { day: 'Day', vendor: 'Vendor', model: 'Model', account: 'Account' },
};

export const useLedgerWords = dictionary(fa, en);

/** Closing an account for good, and why its limits change. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  close: 'بستن حساب',
  closeTitle: (name: string) => `حساب ${name} برای همیشه بسته شود؟`,
  stops: (keys: string) => `${keys} کلید باطل می‌شود و دعوت‌های باز پس گرفته می‌شود.`,
  forgets: 'متن درخواست‌ها و پاسخ‌های نگه‌داشته‌شده پاک می‌شود.',
  stays: 'دفترها، صورت‌حساب‌ها و تاریخچه می‌ماند. حساب بسته‌شده دوباره باز نمی‌شود.',
  moneyLeft: (amount: string) =>
    `موجودی حساب ${amount} تومان است. اول آن را صفر کنید: بازپرداخت سفارش، اصلاح، یا بخشیدن بدهی در برگهٔ «سفارش و اعتبار».`,
  didClose: 'حساب بسته شد.',
  whyTitle: 'چرا محدودیت‌ها عوض می‌شود؟',
  whyText: 'محدودیت‌های جدید روی همهٔ کلیدهای این حساب اعمال می‌شود.',
};

const en: typeof fa = {
  close: 'Close account',
  closeTitle: (name: string) => `Close ${name} for good?`,
  stops: (keys: string) => `${keys} keys are revoked, and open invitations withdrawn.`,
  forgets: 'Stored texts of its requests and answers are forgotten.',
  stays: 'Books, invoices and history stay. A closed account is never opened again.',
  moneyLeft: (amount: string) =>
    `The account holds ${amount} toman. Make it zero first: refund the order, correct it, or give the debt up under “Orders and credit”.`,
  didClose: 'The account is closed.',
  whyTitle: 'Why do the limits change?',
  whyText: 'The new limits hold for every key of this account.',
};

export const useCloseTexts = dictionary(fa, en);

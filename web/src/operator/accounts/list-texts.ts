/** The list of accounts. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  states: { active: 'فعال', paused: 'متوقف', blocked: 'مسدود', closed: 'بسته', negative: 'موجودی منفی' },
  balanceFrom: 'موجودی از',
  balanceTo: 'موجودی تا',
  spentOver: 'مصرف ۳۰ روز بیش از',
  withTickets: 'تیکت باز',
  ownMargin: 'سود اختصاصی',
  spent30: 'مصرف ۳۰ روز، تومان',
  lastUse: 'آخرین استفاده',
  openTickets: 'تیکت باز',
  newest: 'جدیدترین',
  sorts: { name: 'نام', balance: 'بیشترین موجودی', spent: 'بیشترین مصرف', last_use: 'آخرین استفاده' },
};

const en: typeof fa = {
  states: { active: 'Active', paused: 'Paused', blocked: 'Blocked', closed: 'Closed', negative: 'Negative balance' },
  balanceFrom: 'Balance from',
  balanceTo: 'Balance to',
  spentOver: '30-day spend over',
  withTickets: 'Open tickets',
  ownMargin: 'Own margin',
  spent30: '30-day spend, toman',
  lastUse: 'Last use',
  openTickets: 'Open tickets',
  newest: 'Newest',
  sorts: { name: 'Name', balance: 'Highest balance', spent: 'Highest spend', last_use: 'Last use' },
};

export const useAccountListTexts = dictionary(fa, en);

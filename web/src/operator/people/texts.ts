/** People as staff sees them. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  search: 'نام، موبایل، ایمیل یا شناسه',
  states: { active: 'فعال', blocked: 'مسدود' },
  customer: 'مشتری',
  seen: 'آخرین حضور',
  block: 'مسدود کردن',
  unblock: 'رفع مسدودی',
  endSessions: 'پایان همهٔ نشست‌ها',
  ended: 'همهٔ نشست‌ها تمام شد.',
};

const en: typeof fa = {
  search: 'Name, number, e-mail or id',
  states: { active: 'Active', blocked: 'Blocked' },
  customer: 'Customer',
  seen: 'Last seen',
  block: 'Block',
  unblock: 'Unblock',
  endSessions: 'End all sessions',
  ended: 'All sessions have ended.',
};

export const usePeopleTexts = dictionary(fa, en);

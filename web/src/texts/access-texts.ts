/** What a management key may open, and how far. */
import { dictionary } from './dictionary.tsx';

const fa = {
  resources: {
    account: 'حساب',
    members: 'اعضا',
    keys: 'کلیدها',
    requests: 'درخواست‌ها و مصرف',
    wallet: 'کیف پول',
    knowledge: 'پایگاه دانش',
    alerts: 'هشدارها',
    tickets: 'تیکت‌ها',
    playground: 'میز آزمایش',
  },
  access: { none: 'هیچ', read: 'خواندن', write: 'خواندن و نوشتن' },
};

const en: typeof fa = {
  resources: {
    account: 'Account',
    members: 'Members',
    keys: 'Keys',
    requests: 'Requests and usage',
    wallet: 'Wallet',
    knowledge: 'Knowledge',
    alerts: 'Alerts',
    tickets: 'Tickets',
    playground: 'Playground',
  },
  access: { none: 'None', read: 'Read', write: 'Read and write' },
};

export const useAccessTexts = dictionary(fa, en);

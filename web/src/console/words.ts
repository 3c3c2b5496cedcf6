import { dictionary } from '../words/dictionary.tsx';

const fa = {
  overview: 'نمای کلی',
  keys: 'کلیدها',
  usage: 'مصرف',
  requests: 'درخواست‌ها',
  wallet: 'کیف پول',
  knowledge: 'پایگاه دانش',
  playground: 'میز آزمایش',
  limits: 'محدودیت‌ها',
  alerts: 'هشدارها',
  members: 'اعضا',
  tickets: 'تیکت‌ها',
  settings: 'تنظیمات',
  notFound: 'این صفحه نیست',
  notFoundText: 'شاید نشانی جابه‌جا شده باشد. از فهرست یا با جست‌وجو بروید.',
  toOverview: 'نمای کلی',
  status: 'وضعیت سرویس‌ها',
  viewing: (name: string) => `شما حساب «${name}» را از چشم مشتری می‌بینید. هر کار شما با نام خودتان ثبت می‌شود.`,
  noAccount: 'هنوز حسابی ندارید',
  noAccountText: 'یک حساب بسازید تا کلید و کیف پول داشته باشید؛ یا بخواهید دعوتتان کنند.',
  accountName: 'نام حساب',
  create: 'ساختن حساب',
  newAccount: 'حساب تازه',
};

const en: typeof fa = {
  overview: 'Overview',
  keys: 'Keys',
  usage: 'Usage',
  requests: 'Requests',
  wallet: 'Wallet',
  knowledge: 'Knowledge',
  playground: 'Playground',
  limits: 'Limits',
  alerts: 'Alerts',
  members: 'Members',
  tickets: 'Tickets',
  settings: 'Settings',
  notFound: 'There is no such page',
  notFoundText: 'The address may have moved. Use the menu, or search.',
  toOverview: 'Overview',
  status: 'Service status',
  viewing: (name) =>
    `You see the account “${name}” as its customer does. Whatever you do is recorded under your own name.`,
  noAccount: 'You have no account yet',
  noAccountText: 'Make one, to have keys and a wallet; or ask to be invited.',
  accountName: 'Account name',
  create: 'Create account',
  newAccount: 'New account',
};

export const useConsoleWords = dictionary(fa, en);

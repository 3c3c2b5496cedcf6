/** Operator tokens: what programs may do here. */
import type { OperatorScope } from '../../../../server/src/core/operator-scopes.ts';
import { dictionary } from '../../texts/dictionary.tsx';

const faScopes: Record<OperatorScope, readonly [string, string]> = {
  read: ['خواندن', 'هر چه همهٔ کارکنان می‌بینند'],
  catalog: ['مدل‌ها و قیمت‌ها', 'مدل، مسیر، گروه، قیمت، حاشیهٔ سود و نرخ ارز'],
  providers: ['ارائه‌دهنده‌ها', 'ارائه‌دهنده‌ها و کلیدهایشان'],
  accounts: ['حساب‌ها', 'حساب‌ها، کلیدها و پایگاه‌های دانش مشتریان'],
  credit: ['اعتبار', 'شارژ و اصلاح دستی و کد هدیه'],
  payments: ['پرداخت‌ها', 'سفارش‌ها، تأیید و بازپرداخت'],
  support: ['پشتیبانی', 'تیکت، اعلان و رخداد'],
  service: ['سرویس', 'نام و لوگو، فرایندها'],
};

const enScopes: typeof faScopes = {
  read: ['Read', 'What staff of every role sees'],
  catalog: ['Models and prices', 'Models, routes, groups, prices, margins and rates'],
  providers: ['Providers', 'Providers and their keys'],
  accounts: ['Accounts', 'Accounts, keys and knowledge bases of customers'],
  credit: ['Credit', 'Credit and corrections by hand, gift codes'],
  payments: ['Payments', 'Orders, confirming and refunding them'],
  support: ['Support', 'Tickets, announcements and incidents'],
  service: ['Service', 'Name and logo, processes'],
};

const fa = {
  title: 'توکن‌ها',
  lead: 'برای برنامه‌هایی که با API گرداننده کار می‌کنند. هر توکن نام، دامنهٔ دسترسی و تاریخ پایان دارد. هیچ توکنی نمی‌تواند همکار یا توکن دیگری بسازد، یا تنظیمات، درگاه‌های پرداخت و کلید اصلی را عوض کند.',
  forOwners: 'این صفحه برای مالک است',
  forOwnersText: 'ساختن و باطل کردن توکن با مالک است.',
  name: 'نام',
  nameHint: 'بگوید کدام برنامه از آن استفاده می‌کند.',
  scopes: 'دسترسی',
  allOf: 'همه، مانند مالک',
  scopeLabels: faScopes,
  state: 'وضعیت',
  states: { live: 'فعال', expired: 'تمام‌شده', revoked: 'باطل‌شده', off: 'خاموش' },
  ends: 'پایان',
  noEnd: 'تا وقتی متغیر هست',
  used: 'آخرین استفاده',
  never: 'هنوز استفاده نشده',
  life: 'مدت اعتبار',
  lives: { '30': '۳۰ روز', '90': '۹۰ روز', '180': '۶ ماه', '365': 'یک سال' } as Record<string, string>,
  make: 'ساخت توکن',
  environmentHint: 'از DARGAH_OPERATOR_TOKEN؛ با برداشتن متغیر و راه‌اندازی دوباره تمام می‌شود.',
  empty: 'هنوز توکنی نیست',
  emptyText: 'برای هر برنامه یک توکن جدا بسازید و فقط دسترسی لازم را بدهید.',
  revoke: 'ابطال',
  revokeTitle: (name: string) => `توکن «\u2068${name}\u2069» باطل شود؟`,
  revokeText: 'برنامه‌ای که این توکن را دارد از همین لحظه کار نمی‌کند. توکن باطل‌شده برنمی‌گردد.',
  secretTitle: 'توکن جدید',
  secretText: 'این توکن فقط همین یک بار نشان داده می‌شود. جایی امن نگهش دارید.',
  done: 'نگه داشتم',
};

const en: typeof fa = {
  title: 'Tokens',
  lead: 'For programs that work on the operator API. Each has a name, scopes and an end. No token can make staff or other tokens, or change settings, ways to pay and the master key.',
  forOwners: 'This page is for owners',
  forOwnersText: 'Owners make and revoke tokens.',
  name: 'Name',
  nameHint: 'Say which program uses it.',
  scopes: 'Access',
  allOf: 'All, like an owner',
  scopeLabels: enScopes,
  state: 'State',
  states: { live: 'Live', expired: 'Expired', revoked: 'Revoked', off: 'Off' },
  ends: 'Ends',
  noEnd: 'With its variable',
  used: 'Last used',
  never: 'Not used yet',
  life: 'Lasts',
  lives: { '30': '30 days', '90': '90 days', '180': 'Six months', '365': 'A year' },
  make: 'Make a token',
  environmentHint: 'From DARGAH_OPERATOR_TOKEN; it ends when the servers start without it.',
  empty: 'No token yet',
  emptyText: 'Make one for each program, and give it only what it needs.',
  revoke: 'Revoke',
  revokeTitle: (name) => `Revoke the token “\u2068${name}\u2069”?`,
  revokeText: 'The program that has it stops working at once. A revoked token does not come back.',
  secretTitle: 'New token',
  secretText: 'This token is shown only this once. Keep it in a safe place.',
  done: 'I kept it',
};

export const useTokenTexts = dictionary(fa, en);

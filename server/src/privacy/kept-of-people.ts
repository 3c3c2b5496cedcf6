/** What is kept of people and of their dealings with the service. No setting changes these; their times are those of the code. */
import { EXPORT_LIFETIME_MS } from '../lists/index.ts';
import { SANDBOX_KEPT_MS } from '../messages/index.ts';
import { CODE_LIFETIME_MS, KNOWN_NETWORK_MS, SESSION_LIFETIME_MS } from '../people/index.ts';
import type { KeptThing } from './kept-thing.ts';
import { ADMINS, MEMBERS, SELF, STAFF } from './readers.ts';

const FOR_GOOD = { until: { by: 'no-end' }, where: 'database', atClosing: 'kept', decides: 'nobody' } as const;

const DEALINGS: readonly KeptThing[] = [
  {
    ...FOR_GOOD,
    id: 'sums',
    title: { fa: 'جمع‌های روزانهٔ مصرف', en: 'Daily sums of use' },
    what: {
      fa: 'تعداد درخواست، توکن و هزینه در هر روز، به تفکیک کلید و مدل، و شمارندهٔ سقف‌ها.',
      en: 'Requests, tokens and cost of each day by key and model, and the counters of caps.',
    },
    readers: MEMBERS,
    path: '/console/usage',
    tables: [
      'usage_daily',
      'spend_counter',
      'spend_carried',
      'spend_sealed',
      'account_figures',
      'money_account_day',
      'reasoning_rate',
      'health_account',
      'walk_spend',
    ],
  },
  {
    ...FOR_GOOD,
    id: 'payments',
    title: { fa: 'پرداخت‌ها، گردش کیف پول و فاکتورها', en: 'Payments, movements of the wallet and invoices' },
    what: {
      fa: 'مبلغ، زمان، شمارهٔ پیگیری، شمارهٔ کارت پوشیده‌شده، مشخصات حقوقی خریدار و اسناد حسابداری. شمارهٔ کامل کارت هرگز به ما نمی‌رسد.',
      en: 'Amount, time, reference, masked card number, the buyer’s legal identity, and the entries of the books. A whole card number never reaches us.',
    },
    readers: STAFF.money,
    path: '/console/wallet',
    tables: [
      'payment_order',
      'transfer_receipt',
      'payment_event',
      'payment_refund',
      'payment_webhook',
      'sandbox_payment',
      'legal_identity',
      'invoice',
      'invoice_tax',
      'gift_code',
      'ledger_account',
      'ledger_transfer',
      'ledger_balance',
      'hand_entry',
      'document',
      'document_file',
      'approval',
      'settlement_line',
      'walk_balance',
      'walk_money',
    ],
  },
  {
    ...FOR_GOOD,
    id: 'tickets',
    title: { fa: 'تیکت‌ها و پیوست‌هایشان', en: 'Tickets and their attachments' },
    what: {
      fa: 'متن پیام‌ها، فایل‌های پیوست و شمارهٔ درخواست‌هایی که نام می‌برید.',
      en: 'The texts of messages, attached files, and numbers of requests that you name.',
    },
    readers: MEMBERS,
    path: '/console/tickets',
    tables: ['ticket', 'ticket_message', 'ticket_attachment'],
  },
  {
    ...FOR_GOOD,
    id: 'audit-log',
    title: { fa: 'تاریخچهٔ تغییرات', en: 'The audit log' },
    what: {
      fa: 'چه کسی چه زمانی چه چیزی را تغییر داد، با مقدار قبلی و جدید؛ بدون کلیدهای محرمانه.',
      en: 'Who changed what and when, with the values before and after; no secrets.',
    },
    readers: ADMINS,
    path: '/console/settings/trail',
    tables: ['admin_event'],
  },
  {
    ...FOR_GOOD,
    id: 'notices',
    title: { fa: 'اعلان‌ها و ارسال آن‌ها', en: 'Notices and their delivery' },
    what: {
      fa: 'اعلان‌های حساب، اینکه به کدام شماره، ایمیل یا وب‌هوک رفت و رسید یا نه، و قاعده‌هایی که گذاشته‌اید.',
      en: 'Notices of the account, to which number, e-mail or webhook they went and whether they arrived, and the rules you made.',
    },
    readers: MEMBERS,
    path: '/console/alerts',
    tables: ['notice', 'notice_delivery', 'alert_rule', 'alert_settings', 'alert_target', 'alert_memory', 'settled_event'],
  },
  {
    ...FOR_GOOD,
    id: 'staff-notes',
    title: { fa: 'یادداشت‌های پشتیبانی', en: 'Notes of support' },
    what: {
      fa: 'یادداشت‌هایی که پشتیبانی دربارهٔ حساب برای همکارانش می‌نویسد.',
      en: 'Notes that support writes about the account for colleagues.',
    },
    readers: STAFF.all,
    path: null,
    tables: ['account_note'],
  },
  {
    ...FOR_GOOD,
    id: 'exports',
    title: { fa: 'خروجی‌های کارکنان', en: 'Exports of staff' },
    what: {
      fa: 'فایل‌هایی که کارکنان از فهرست‌ها می‌گیرند؛ گرفتن هر فایل در تاریخچهٔ تغییرات ثبت می‌شود.',
      en: 'Files that staff take of lists; every download is in the audit log.',
    },
    until: { by: 'age', ms: EXPORT_LIFETIME_MS },
    readers: STAFF.all,
    path: null,
    tables: ['export_job', 'export_chunk'],
  },
];

const PEOPLE: readonly KeptThing[] = [
  {
    ...FOR_GOOD,
    id: 'account',
    title: { fa: 'حساب، اعضا و کلیدها', en: 'The account, its members and keys' },
    what: {
      fa: 'نام، شماره و ایمیل اعضا، نقش‌ها و دعوت‌ها، کلیدهای عبور، هش رمز عبور، نام و قواعد کلیدها و هش آن‌ها؛ خود کلیدها نگه داشته نمی‌شوند.',
      en: 'Names, numbers and e-mail addresses of members, roles and invitations, passkeys, a hash of the password, names and rules of keys and their digests; keys themselves are not kept.',
    },
    readers: ADMINS,
    path: '/console/members',
    tables: [
      'account',
      'account_word',
      'person',
      'person_word',
      'identity',
      'passkey',
      'membership',
      'invitation',
      'api_key',
      'shared_budget',
      'shared_budget_key',
      'management_key',
    ],
  },
  {
    id: 'sessions',
    title: { fa: 'نشست‌ها', en: 'Sessions' },
    what: {
      fa: 'آدرس IP، نام مرورگر، و زمان شروع و آخرین استفاده.',
      en: 'IP address, what the browser says of itself, when it began and when it was last used.',
    },
    until: { by: 'last-use', ms: SESSION_LIFETIME_MS },
    where: 'database',
    readers: SELF,
    atClosing: 'kept',
    decides: 'account',
    path: '/console/settings/security',
    tables: ['session'],
  },
  {
    id: 'known-networks',
    title: { fa: 'شبکه‌های آشنا', en: 'Known networks' },
    what: {
      fa: 'شبکه‌هایی که از آن‌ها وارد شده‌اید، تا غریبه‌ها نتوانند ورود شما را ببندند.',
      en: 'Networks that you have signed in from, so that strangers cannot keep you out.',
    },
    until: { by: 'last-use', ms: KNOWN_NETWORK_MS },
    where: 'database',
    readers: STAFF.none,
    atClosing: 'kept',
    decides: 'nobody',
    path: null,
    tables: ['known_network'],
  },
  {
    id: 'codes',
    title: { fa: 'کدهای ورود', en: 'Sign-in codes' },
    what: {
      fa: 'هش کد، شماره یا ایمیل، و شمار تلاش‌ها.',
      en: 'A digest of the code, the number or address, and counts of attempts.',
    },
    until: { by: 'age', ms: CODE_LIFETIME_MS },
    where: 'database',
    readers: STAFF.none,
    atClosing: 'nothing-left',
    decides: 'nobody',
    path: null,
    tables: ['sign_in_code', 'sign_in_ticket', 'attempt_count'],
  },
  {
    id: 'messages',
    title: { fa: 'پیامک‌ها و ایمیل‌ها', en: 'SMS and e-mails' },
    what: {
      fa: 'متن پیام به سرویس پیامک یا ایمیل سپرده می‌شود. فقط در حالت آزمایشی، که چیزی ارسال نمی‌شود، همین‌جا می‌ماند.',
      en: 'The text goes to the carrier of SMS or e-mail. Only in the sandbox, where nothing is sent, it stays here.',
    },
    until: { by: 'age', ms: SANDBOX_KEPT_MS },
    where: 'database',
    readers: STAFF.all,
    atClosing: 'kept',
    decides: 'nobody',
    path: null,
    tables: ['outbox_message'],
  },
];

export const KEPT_OF_PEOPLE: readonly KeptThing[] = [...DEALINGS, ...PEOPLE];

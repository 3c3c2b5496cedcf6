/** The notices for staff and their texts. */
import { CHECK_NAMES } from '@dargah/core/check-names.ts';
import { LIST_NAMES, type StaffList } from '@dargah/core/staff-lists.ts';
import type { JsonObject } from '../core/json.ts';
import type { EventKind } from './event-kind.ts';
import { OUTAGE_KINDS } from './outages/outage-events.ts';
import { ENGLISH_DAY, named, onDay, PERSIAN_DAY, persian, persianToman, plain, shownValue, toman } from './phrases.ts';

/** A check without a Persian name keeps its own. */
function persianCheck(data: JsonObject): string {
  const { id } = data;
  return (typeof id === 'string' ? CHECK_NAMES[id]?.fa : undefined) ?? shownValue(data['check']);
}

/** A message with more names would be unreadable. */
const NAMED_CHANGES = 5;

export const STAFF_KINDS = {
  'provider.breaker_open': {
    staff: true,
    enabled: true,
    channels: ['console'],
    terms: {},
    title: { fa: 'ارائه‌دهنده در دسترس نیست', en: 'Provider unreachable' },
    text: (data) => ({
      fa: `${named(data['target'])} پاسخ نمی‌دهد.`,
      en: `${shownValue(data['target'])} does not answer.`,
    }),
    sentence: plain('', ''),
  },
  'provider.credential_dead': {
    staff: true,
    severity: 'major',
    outage: true,
    enabled: true,
    channels: ['console', 'email', 'sms', 'webhook'],
    terms: {},
    title: { fa: 'کلید یک ارائه‌دهنده پذیرفته نمی‌شود', en: 'A provider refuses our credential' },
    text: (data) => ({
      fa: `ارائه‌دهندهٔ ${named(data['provider'])} کلید ما را نمی‌پذیرد.`,
      en: `${shownValue(data['provider'])} refuses our credential.`,
    }),
    sentence: plain('', ''),
  },
  'books.unproved': {
    staff: true,
    severity: 'critical',
    outage: true,
    enabled: true,
    channels: ['console', 'email', 'sms', 'webhook'],
    terms: {},
    title: { fa: 'دفترها تراز نیست', en: 'The books do not agree' },
    text: (data) => ({
      fa: `این کنترل رد شد: ${persianCheck(data)}. جزئیات در صفحهٔ کنترل دفترهاست.`,
      en: `This check failed: ${shownValue(data['check'])}. The page of proofs has the details.`,
    }),
    sentence: plain('', ''),
  },
  'books.unfinished': {
    staff: true,
    severity: 'warning',
    outage: true,
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'دفترها کنترل نشده است', en: 'The books are not proven' },
    text: ({ since, reason }) => ({
      fa: `${since === null ? 'هیچ کنترلی تا پایان نرفته است' : `از ${onDay(since, PERSIAN_DAY)} هیچ کنترلی تا پایان نرفته است`}${reason === null ? '' : ` (${shownValue(reason)})`}.`,
      en: `${since === null ? 'No proof of the books has ended' : `No proof of the books has ended since ${onDay(since, ENGLISH_DAY)}`}${reason === null ? '' : ` (${shownValue(reason)})`}.`,
    }),
    sentence: plain('', ''),
  },
  'invoices.unsent': {
    staff: true,
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'مهلت ارسال صورت‌حساب‌ها نزدیک است', en: 'Invoices must go to the tax office' },
    text: ({ count, until }) => ({
      fa: `${persianToman(count)} صورت‌حساب به سازمان مالیاتی نرفته است؛ مهلت قدیمی‌ترین تا ${onDay(until, PERSIAN_DAY)} است.`,
      en: `${toman(count)} invoices were not sent to the tax office; the oldest has time until ${onDay(until, ENGLISH_DAY)}.`,
    }),
    sentence: plain('', ''),
  },
  'conformance.changed': {
    staff: true,
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'قابلیت مسیرها تغییر کرد', en: 'Routes prove something else' },
    text: ({ count, changes }) => {
      const named = Array.isArray(changes) ? changes.slice(0, NAMED_CHANGES).map(shownValue) : [];
      return {
        fa: `در آزمون مسیرها نتیجهٔ ${persian(count)} مورد عوض شد: ${named.join('، ')}.`,
        en: `Probing the routes changed ${shownValue(count)} results: ${named.join(', ')}.`,
      };
    },
    sentence: plain('', ''),
  },
  'journal.growing': {
    staff: true,
    severity: 'critical',
    outage: true,
    enabled: true,
    channels: ['console', 'email', 'sms', 'webhook'],
    terms: {},
    title: { fa: 'ژورنال انباشته می‌شود', en: 'The journal grows' },
    text: (data) => ({
      fa: `${persian(data['depth'])} درخواست در انتظار پایگاه داده است.`,
      en: `${shownValue(data['depth'])} requests wait for the database.`,
    }),
    sentence: plain('', ''),
  },
  'replica.missing': {
    staff: true,
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'یک نمونهٔ سرویس خاموش است', en: 'A replica is missing' },
    text: ({ replica, amount, wallets }) => ({
      fa: `نمونهٔ ${named(replica)} پاسخ نمی‌دهد و ${persianToman(amount)} تومان از ${persian(wallets)} کیف پول را رزرو نگه داشته است. آن را با همان پوشهٔ داده دوباره راه بیندازید؛ اگر پوشه از دست رفته است، از صفحهٔ سیستم آن را کنار بگذارید.`,
      en: `The replica ${shownValue(replica)} does not answer and holds ${toman(amount)} toman of ${shownValue(wallets)} wallets. Start it again on the same data directory; if that is lost, write the replica off on the system page.`,
    }),
    sentence: plain('', ''),
  },
  'payment.stuck': {
    staff: true,
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'پرداختی مانده است', en: 'A payment is stuck' },
    text: ({ order, problem }) => ({
      fa: `سفارش ${named(order)} به پایان نرسیده است (${named(problem)}).`,
      en: `The order ${shownValue(order)} did not end (${shownValue(problem)}).`,
    }),
    sentence: plain('', ''),
  },
  'payment.receipt': {
    staff: true,
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'رسید واریز رسید', en: 'A receipt of a transfer came' },
    text: (data) => ({
      fa: `مشتری برای سفارش ${named(data['order'])} رسید واریز ${persianToman(data['amount'])} تومان فرستاد و منتظر تأیید است.`,
      en: `A customer sent the receipt of ${toman(data['amount'])} toman for the order ${shownValue(data['order'])} and waits for you.`,
    }),
    sentence: plain('', ''),
  },
  'payment.chargeback': {
    staff: true,
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'پرداختی برگشت خورد', en: 'A payment was taken back' },
    text: ({ order }) => ({
      fa: `دارندهٔ کارت پرداخت سفارش ${named(order)} را از طریق بانک برگشت زده است؛ سفارش و حساب آن را بررسی کنید.`,
      en: `The card holder took the payment of the order ${shownValue(order)} back through the bank; look at the order and its account.`,
    }),
    sentence: plain('', ''),
  },
  'payment.unknown': {
    staff: true,
    enabled: true,
    channels: ['console'],
    terms: {},
    title: { fa: 'پرداختی بدون سفارش', en: 'A payment without an order' },
    text: (data) => ({
      fa: `درگاه ${named(data['gateway'])} پرداخت ${named(data['payment'])} را دارد که سفارشی برایش نیست.`,
      en: `${shownValue(data['gateway'])} holds the payment ${shownValue(data['payment'])}, for which there is no order.`,
    }),
    sentence: plain('', ''),
  },
  'settlement.overdue': {
    staff: true,
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'پرداخت‌هایی تسویه نشده‌اند', en: 'Payments are not settled' },
    text: (data) => ({
      fa: `${persianToman(data['count'])} سفارش درگاه ${named(data['gateway'])} به مبلغ ${persianToman(data['amount'])} تومان بیش از سه روز است که در هیچ تسویه‌ای نیامده است.`,
      en: `${toman(data['count'])} orders of ${shownValue(data['gateway'])}, ${toman(data['amount'])} toman, are in no settlement after more than three days.`,
    }),
    sentence: plain('', ''),
  },
  'approval.asked': {
    staff: true,
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'درخواستی منتظر تأیید است', en: 'Something waits for your approval' },
    text: (data) => ({
      fa: `همکاری برای ثبت ${persianToman(data['amount'])} تومان تأیید نفر دوم می‌خواهد: ${named(data['reason'])}.`,
      en: `A colleague asks a second person to approve ${toman(data['amount'])} toman: ${shownValue(data['reason'])}.`,
    }),
    sentence: plain('', ''),
  },
  'credit.day': {
    staff: true,
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'ثبت‌های دستی دیروز', en: "Yesterday's entries by hand" },
    text: (data) => ({
      fa: `دیروز ${persian(data['count'])} مورد به مبلغ ${persianToman(data['amount'])} تومان دستی ثبت شد.`,
      en: `${shownValue(data['count'])} entries of ${toman(data['amount'])} toman were booked by hand yesterday.`,
    }),
    sentence: plain('', ''),
  },
  'export.ended': {
    staff: true,
    enabled: true,
    channels: ['console'],
    terms: {},
    title: { fa: 'خروجی CSV شما', en: 'Your CSV file' },
    text: ({ list, rows, problem }) => {
      const name = LIST_NAMES[list as StaffList] ?? { fa: shownValue(list), en: shownValue(list) };
      return problem === null
        ? {
            fa: `فایل ${named(name.fa)} با ${persianToman(rows)} ردیف آماده است و ۲۴ ساعت می‌ماند.`,
            en: `The file of ${name.en} is ready with ${toman(rows)} rows; it is kept for 24 hours.`,
          }
        : {
            fa: `فایل ${named(name.fa)} ساخته نشد (${named(problem)}).`,
            en: `The file of ${name.en} could not be made (${shownValue(problem)}).`,
          };
    },
    sentence: plain('', ''),
  },
  'payment.play_money': {
    staff: true,
    enabled: true,
    channels: ['console'],
    terms: {},
    title: { fa: 'پول آزمایشی در کیف پول‌ها', en: 'Play money in wallets' },
    text: (data) => ({
      fa: `${persianToman(data['amount'])} تومان از بانک آزمایشی در ${persian(data['accounts'])} کیف پول است و ارائه‌دهنده‌ای واقعی روشن است. این شارژها را برگردانید.`,
      en: `${shownValue(data['accounts'])} wallets got ${toman(data['amount'])} toman from the play bank, and a real provider is switched on. Refund these top-ups.`,
    }),
    sentence: plain('', ''),
  },
  'rate.stale': {
    staff: true,
    severity: 'warning',
    outage: true,
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'نرخ ارز قدیمی شده است', en: 'The exchange rate is stale' },
    text: (data) => ({
      fa: `نرخ ارز از ${onDay(data['since'], PERSIAN_DAY)} خوانده نشده است (${shownValue(data['problem'])}).`,
      en: `The exchange rate could not be read since ${shownValue(data['since'])} (${shownValue(data['problem'])}).`,
    }),
    sentence: plain('', ''),
  },
  ...OUTAGE_KINDS,
  'ticket.opened': {
    staff: true,
    enabled: true,
    channels: ['console'],
    terms: {},
    title: { fa: 'تیکت جدید', en: 'A new ticket' },
    text: (data) => ({ fa: shownValue(data['subject']), en: shownValue(data['subject']) }),
    sentence: plain('', ''),
  },
  'ticket.replied': {
    staff: true,
    enabled: true,
    channels: ['console'],
    terms: {},
    title: { fa: 'پیام جدید در تیکت', en: 'A new message in a ticket' },
    text: (data) => ({ fa: shownValue(data['subject']), en: shownValue(data['subject']) }),
    sentence: plain('', ''),
  },
} satisfies Record<string, EventKind>;

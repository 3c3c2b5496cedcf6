/** All kinds of notices, who gets them by default, and their texts. */

import type { Text } from '@dargah/core/text.ts';
import type { JsonObject } from '../core/json.ts';
import type { EventKind } from './event-kind.ts';
import { isOver, overMessage } from './outages/outage-events.ts';
import {
  days,
  ENGLISH_DAY,
  either,
  instead,
  list,
  named,
  onDay,
  PERSIAN_DAY,
  persian,
  persianList,
  persianToman,
  plain,
  present,
  shownValue,
  toman,
} from './phrases.ts';
import { STAFF_KINDS } from './staff-events.ts';

const kinds = {
  'balance.low': {
    enabled: true,
    channels: ['console', 'email', 'webhook'],
    terms: { below: '50000', days_left: 3 },
    title: { fa: 'موجودی رو به پایان است', en: 'Balance is low' },
    text: (data) => ({
      fa: `موجودی کیف پول ${persianToman(data['balance'])} تومان است${data['days_left'] === null ? '' : ` و با این روند ${persian(data['days_left'])} روز دیگر تمام می‌شود`}.`,
      en: `The wallet holds ${toman(data['balance'])} toman${data['days_left'] === null ? '' : `, which lasts ${days(data['days_left'])} at this pace`}.`,
    }),
    sentence: ({ below, days_left: left }) => ({
      fa: `وقتی موجودی ${either([present(below) && `از ${persianToman(below)} تومان کمتر شود`, present(left) && `با این روند به ${persian(left)} روز نرسد`], ' یا ')}`,
      en: `when the balance ${either([present(below) && `falls below ${toman(below)} toman`, present(left) && `lasts less than ${days(left)} at this pace`], ' or ')}`,
    }),
  },
  'balance.reminder': {
    enabled: false,
    channels: ['console', 'email', 'webhook'],
    terms: { below: '200000', pay: '500000' },
    leads: true,
    title: { fa: 'یادآوری شارژ کیف پول', en: 'Time to top up' },
    text: (data) => ({
      fa: `موجودی کیف پول ${persianToman(data['balance'])} تومان شد. برای شارژ ${persianToman(data['amount'])} تومان از لینک زیر بپردازید.`,
      en: `The wallet is down to ${toman(data['balance'])} toman. Pay ${toman(data['amount'])} toman by the link below.`,
    }),
    sentence: ({ below, pay }) => ({
      fa: `وقتی موجودی از ${persianToman(below)} تومان کمتر شود، با لینک پرداخت ${persianToman(pay)} تومان`,
      en: `when the balance falls below ${toman(below)} toman, with a link to pay ${toman(pay)} toman`,
    }),
  },
  'cap.reached': {
    enabled: true,
    channels: ['console', 'email', 'webhook'],
    terms: { percents: [50, 80, 100] },
    title: { fa: 'سقف خرج', en: 'Spend cap' },
    text: (data) => ({
      fa: `${named(data['name'])} ${persian(data['percent'])}٪ سقف خود را خرج کرده است (${persianToman(data['spent'])} از ${persianToman(data['limit'])} تومان).`,
      en: `“${shownValue(data['name'])}” has spent ${shownValue(data['percent'])}% of its cap (${toman(data['spent'])} of ${toman(data['limit'])} toman).`,
    }),
    sentence: ({ percents }) => ({
      fa: `وقتی مصرف به ${persianList(percents)} درصد سقف برسد`,
      en: `at ${list(percents)} per cent of a cap`,
    }),
  },
  'account.blocked': {
    enabled: true,
    channels: ['console', 'email', 'sms', 'webhook'],
    terms: {},
    title: { fa: 'دسترسی حساب بسته شد', en: 'The account is blocked' },
    text: (data) => ({
      fa: `پشتیبانی دسترسی این حساب را بست و کلیدها کار نمی‌کنند: ${shownValue(data['reason'])} موجودی سر جایش است.`,
      en: `Support blocked this account, so its keys do not work: ${shownValue(data['reason'])} The balance stays.`,
    }),
    sentence: plain('وقتی پشتیبانی دسترسی حساب را ببندد', 'when support blocks the account'),
  },
  'key.rotation_asked': {
    enabled: true,
    channels: ['console', 'email', 'webhook'],
    terms: {},
    title: { fa: 'کلیدی را تعویض کنید', en: 'Please rotate a key' },
    text: (data) => ({
      fa: `پشتیبانی می‌خواهد کلید ${named(data['name'])} را تعویض کنید: ${shownValue(data['reason'])}`,
      en: `Support asks you to rotate the key “${shownValue(data['name'])}”: ${shownValue(data['reason'])}`,
    }),
    sentence: plain('وقتی پشتیبانی تعویض کلیدی را بخواهد', 'when support asks for a key to be rotated'),
  },
  'key.expiring': {
    enabled: true,
    channels: ['console', 'email', 'webhook'],
    terms: { days_before: [7, 1] },
    title: { fa: 'کلید به پایان اعتبار نزدیک است', en: 'A key is about to expire' },
    text: (data) => ({
      fa: `کلید ${named(data['name'])} تا ${persian(data['days'])} روز دیگر از کار می‌افتد.`,
      en: `The key “${shownValue(data['name'])}” stops working within ${days(data['days'])}.`,
    }),
    sentence: ({ days_before: days }) => ({
      fa: `${persianList(days)} روز پیش از پایان`,
      en: `${list(days)} days before`,
    }),
  },
  'key.unusual_spend': {
    enabled: true,
    channels: ['console', 'email', 'sms', 'webhook'],
    terms: { times: 5, pause: false },
    title: { fa: 'خرج نامعمول یک کلید', en: 'Unusual spend of a key' },
    text: (data) => ({
      fa: `کلید ${named(data['name'])} امروز ${persianToman(data['spent'])} تومان خرج کرده که ${persian(data['times'])} برابر معمول آن است.${data['paused'] === true ? ' کلید موقتاً متوقف شد؛ با یک کلیک از سر گرفته می‌شود.' : ''}`,
      en: `The key “${shownValue(data['name'])}” has spent ${toman(data['spent'])} toman today, ${shownValue(data['times'])} times its usual.${data['paused'] === true ? ' It was paused; one click resumes it.' : ''}`,
    }),
    sentence: ({ times, pause }) => ({
      fa: `وقتی کلیدی ${persian(times)} برابر معمولش خرج کند${pause ? '؛ کلید متوقف می‌شود' : ''}`,
      en: `when a key spends ${shownValue(times)} times its usual${pause ? '; the key is paused' : ''}`,
    }),
  },
  'errors.high': {
    enabled: false,
    channels: ['console', 'webhook'],
    terms: { error_percent: 20 },
    title: { fa: 'خطاهای زیاد', en: 'Many errors' },
    text: (data) => ({
      fa: `در یک ساعت گذشته ${persian(data['percent'])}٪ درخواست‌ها ناموفق بوده است.`,
      en: `${shownValue(data['percent'])}% of the requests of the last hour failed.`,
    }),
    sentence: ({ error_percent: percent }) => ({
      fa: `وقتی در یک ساعت بیش از ${persian(percent)} درصد درخواست‌ها ناموفق باشد`,
      en: `when more than ${shownValue(percent)} per cent of an hour’s requests fail`,
    }),
  },
  'payment.credited': {
    enabled: true,
    channels: ['console', 'email', 'webhook'],
    terms: {},
    title: { fa: 'کیف پول شارژ شد', en: 'The wallet was topped up' },
    text: (data) => ({
      fa: `${persianToman(data['amount'])} تومان به کیف پول اضافه شد.`,
      en: `${toman(data['amount'])} toman were added to the wallet.`,
    }),
    sentence: plain('پس از هر شارژ', 'after every top-up'),
  },
  'ticket.answered': {
    enabled: true,
    channels: ['console', 'email', 'webhook'],
    terms: {},
    title: { fa: 'پاسخ تیکت', en: 'Your ticket was answered' },
    text: (data) => ({
      fa: `به تیکت ${named(data['subject'])} پاسخ داده شد.`,
      en: `“${shownValue(data['subject'])}” was answered.`,
    }),
    sentence: plain('وقتی پشتیبانی پاسخ دهد', 'when support answers'),
  },
  'model.withdrawn': {
    enabled: true,
    channels: ['console', 'email', 'webhook'],
    terms: {},
    title: { fa: 'مدلی از فهرست حذف می‌شود', en: 'A model is withdrawn' },
    text: (data) => ({
      fa: `مدل ${named(data['model'])} از ${onDay(data['from'], PERSIAN_DAY)} از فهرست حذف می‌شود.${instead(data['successor']).fa}`,
      en: `The model ${shownValue(data['model'])} is withdrawn on ${onDay(data['from'], ENGLISH_DAY)}.${instead(data['successor']).en}`,
    }),
    sentence: plain('وقتی مدلی که استفاده کرده‌اید از فهرست حذف شود', 'when a model you used is withdrawn'),
  },
  'price.announced': {
    enabled: true,
    channels: ['console', 'email', 'webhook'],
    terms: {},
    title: { fa: 'قیمت جدید', en: 'A price changes' },
    text: (data) => ({
      fa: `قیمت ${named(data['model'])} از ${onDay(data['from'], PERSIAN_DAY)} تغییر می‌کند.`,
      en: `The price of ${shownValue(data['model'])} changes on ${onDay(data['from'], ENGLISH_DAY)}.`,
    }),
    sentence: plain('وقتی قیمت مدلی که استفاده کرده‌اید تغییر کند', 'when the price of a model you used changes'),
  },
  'target.disabled': {
    enabled: true,
    channels: ['console', 'email'],
    terms: {},
    title: { fa: 'وب‌هوک خاموش شد', en: 'A webhook was switched off' },
    text: (data) => ({
      fa: `آدرس ${named(data['url'])} یک روز پاسخ درست نداد و خاموش شد.`,
      en: `${shownValue(data['url'])} did not take messages for a day and was switched off.`,
    }),
    sentence: plain('وقتی وب‌هوکی خاموش شود', 'when a webhook is switched off'),
  },
  ...STAFF_KINDS,
} satisfies Record<string, EventKind>;

export type EventName = keyof typeof kinds;
export const EVENTS: Readonly<Record<EventName, EventKind>> = kinds;

/** The text of a notice. A test of the channels says that it is one, because it has nothing to tell. */
export function noticeMessage(event: EventName, data: JsonObject): { title: Text; text: Text } {
  const { title, text } = EVENTS[event];
  if (EVENTS[event].outage && isOver(data)) return overMessage(title, data);
  if (data['test'] !== true) return { title, text: text(data) };
  return {
    title: { fa: `آزمایش: ${title.fa}`, en: `Test: ${title.en}` },
    text: {
      fa: 'این پیام آزمایشی است و چیزی رخ نداده است.',
      en: 'This is a test; nothing has happened.',
    },
  };
}

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}

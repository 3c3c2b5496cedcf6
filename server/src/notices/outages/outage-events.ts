/**
 * The texts of outages. Nothing here was written by a provider or a customer: causes are our own kinds with a status,
 * names are those of the operator's catalog.
 */
import type { Text } from '@dargah/core/text.ts';
import type { JsonObject } from '../../core/json.ts';
import type { EventKind } from '../event-kind.ts';
import {
  ENGLISH_DAY,
  ENGLISH_MINUTE,
  named,
  onDay,
  PERSIAN_DAY,
  PERSIAN_MINUTE,
  persian,
  plain,
  present,
  shownValue,
} from '../phrases.ts';

const ALL = ['console', 'email', 'sms', 'webhook'] as const satisfies EventKind['channels'];
const shared = { staff: true, outage: true, enabled: true, terms: {}, sentence: plain('', '') } as const;

const since = (data: JsonObject): Text => ({
  fa: `ساعت ${onDay(data['since'], PERSIAN_MINUTE)}`,
  en: onDay(data['since'], ENGLISH_MINUTE),
});

/** Kinds of failures in a Persian sentence. */
const CAUSES: Record<string, string> = {
  connect: 'وصل نشدن',
  timeout: 'پاسخ ندادن در مهلت',
  'rate-limited': 'پر بودن سقف سرعت',
  server: 'خطای سرور',
  credential: 'نپذیرفتن کلید',
  'model-gone': 'نبودن مدل',
  malformed: 'پاسخ نامفهوم',
  truncated: 'پاسخ نیمه‌کاره',
  empty: 'پاسخ خالی',
  internal_error: 'خطای خود سرویس',
};

function persianCause(cause: string): string {
  const [kind = '', status] = cause.split(' ');
  return `${CAUSES[kind] ?? kind}${status === undefined ? '' : `، ${persian(status)}`}`;
}

/** Which provider failed and how, as far as it is known. */
function blame({ provider, cause }: JsonObject): Text {
  const fa = [
    present(provider) && `ارائه‌دهنده: ${named(provider)}`,
    present(cause) && `خطا: ${persianCause(shownValue(cause))}`,
  ];
  const en = [present(provider) && `provider ${shownValue(provider)}`, present(cause) && `error: ${shownValue(cause)}`];
  const join = (parts: (string | false)[], between: string) => parts.filter(Boolean).join(between);
  return { fa: join(fa, '، '), en: join(en, ', ') };
}

function failingModel(data: JsonObject): Text {
  const [by, at] = [blame(data), since(data)];
  const tail = { fa: by.fa && ` ${by.fa}.`, en: by.en && ` ${by.en[0]?.toUpperCase()}${by.en.slice(1)}.` };
  const { models, first, model, share, failed } = data;
  if (typeof models === 'number' && models > 1)
    return {
      fa: `${persian(models)} مدل از ${at.fa} پاسخ نمی‌دهد: ${shownValue(first)}.${tail.fa}`,
      en: `${models} models fail since ${at.en}: ${shownValue(first)}.${tail.en}`,
    };
  return {
    fa: `${persian(share)}٪ درخواست‌های ${named(model)} از ${at.fa} ناموفق است (${persian(failed)} درخواست).${tail.fa}`,
    en: `${shownValue(share)}% of the requests for ${shownValue(model)} fail since ${at.en} (${shownValue(failed)} requests).${tail.en}`,
  };
}

export const OUTAGE_KINDS = {
  'model.failing': {
    ...shared,
    severity: 'major',
    channels: [...ALL],
    title: { fa: 'مدلی به مشتریان پاسخ نمی‌دهد', en: 'A model fails customers' },
    text: failingModel,
  },
  'provider.rescued': {
    ...shared,
    severity: 'warning',
    channels: ['console', 'webhook'],
    title: { fa: 'ارائه‌دهنده‌ای پاسخ نمی‌دهد، مسیرهای دیگر جواب می‌دهند', en: 'A provider fails, other routes answer' },
    text: (data) => ({
      fa: `ارائه‌دهندهٔ ${named(data['provider'])} از ${since(data).fa} بیشتر درخواست‌ها را جواب نمی‌دهد و مشتریان از مسیرهای دیگر پاسخ می‌گیرند.`,
      en: `${shownValue(data['provider'])} fails most requests since ${since(data).en}; customers are answered by other routes.`,
    }),
  },
  'provider.balance_out': {
    ...shared,
    severity: 'major',
    channels: [...ALL],
    title: { fa: 'اعتبار شما نزد ارائه‌دهنده تمام شده است', en: 'Your balance at a provider is used up' },
    text: (data) => ({
      fa: `ارائه‌دهندهٔ ${named(data['provider'])} می‌گوید اعتبار یا سهمیهٔ این کلید تمام شده است. آن را شارژ کنید.`,
      en: `${shownValue(data['provider'])} says that the balance or quota of this key is used up. Top it up there.`,
    }),
  },
  'database.away': {
    ...shared,
    severity: 'critical',
    channels: [...ALL],
    title: { fa: 'پایگاه داده در دسترس نیست', en: 'The database is away' },
    text: (data) => ({
      fa: `این سرویس از ${since(data).fa} به پایگاه داده نمی‌رسد. درخواست‌ها در ژورنال می‌مانند تا برگردد.`,
      en: `This service has not reached its database since ${since(data).en}. Requests wait in the journal until it is back.`,
    }),
  },
  'disk.low': {
    ...shared,
    severity: 'critical',
    channels: [...ALL],
    title: { fa: 'دیسک رو به پر شدن است', en: 'The disk is nearly full' },
    text: (data) => ({
      fa: `از دیسک پوشهٔ داده ${persian(data['percent'])}٪ خالی است.`,
      en: `${shownValue(data['percent'])}% of the disk under the data directory is free.`,
    }),
  },
  'payments.unreachable': {
    ...shared,
    severity: 'major',
    channels: [...ALL],
    title: { fa: 'درگاه پرداخت پاسخ نمی‌دهد', en: 'A payment gateway does not answer' },
    text: (data) => ({
      fa: `درگاه ${named(data['gateway'])} از ${since(data).fa} پاسخ نمی‌دهد.`,
      en: `The gateway ${shownValue(data['gateway'])} has not answered since ${since(data).en}.`,
    }),
  },
  'sms.unreachable': {
    ...shared,
    severity: 'critical',
    channels: [...ALL],
    title: { fa: 'پیامک فرستاده نمی‌شود', en: 'No SMS is taken' },
    text: (data) => ({
      fa: `هیچ سرویس پیامکی از ${since(data).fa} پیامکی را نپذیرفته است؛ کد ورود به کسی نمی‌رسد.`,
      en: `No SMS carrier has taken a message since ${since(data).en}; nobody gets a code to sign in.`,
    }),
  },
} satisfies Record<string, EventKind>;

export function isOver({ phase }: JsonObject): boolean {
  return phase === 'recovered' || phase === 'quiet';
}

const TESTED: Record<string, Text> = {
  ok: { fa: 'آزمون ارائه‌دهنده موفق بود.', en: 'The test of the provider passed.' },
  none: { fa: 'آزمونی برای آن نیست.', en: 'There is no test for it.' },
};

/** The text when it ends: how long it lasted, what it cost customers, and whether anybody has seen it work again. */
export function overMessage(title: Text, data: JsonObject): { title: Text; text: Text } {
  const { phase, minutes, failed, accounts, name, models, from } = data;
  const what = typeof models === 'number' && models > 1 ? undefined : name;
  const day = { fa: onDay(from, PERSIAN_DAY), en: onDay(from, ENGLISH_DAY) };
  const fa = [
    `از ${day.fa} ساعت ${onDay(from, PERSIAN_MINUTE)}، ${persian(minutes)} دقیقه طول کشید${present(what) ? `: ${named(what)}` : ''}.`,
  ];
  const en = [
    `${present(what) ? `${shownValue(what)}: ` : ''}lasted ${shownValue(minutes)} minutes, from ${day.en} ${onDay(from, ENGLISH_MINUTE)}.`,
  ];
  if (typeof failed === 'number' && failed > 0) {
    fa.push(`${persian(failed)} درخواست ناموفق، ${persian(accounts)} حساب.`);
    en.push(`${failed} requests failed, ${shownValue(accounts)} accounts met them.`);
  }
  if (phase === 'quiet') {
    const tested = TESTED[shownValue(data['test'])] ?? { fa: '', en: '' };
    fa.push(`سی دقیقه درخواستی نبود که برطرف شدن را نشان دهد. ${tested.fa}`.trim());
    en.push(`For thirty minutes no request has shown that it works again. ${tested.en}`.trim());
  }
  const lead =
    phase === 'quiet' ? { fa: 'آرام، تأییدنشده', en: 'Quiet, not confirmed' } : { fa: 'برطرف شد', en: 'Over' };
  return {
    title: { fa: `${lead.fa}: ${title.fa}`, en: `${lead.en}: ${title.en}` },
    text: { fa: fa.join(' '), en: en.join(' ') },
  };
}

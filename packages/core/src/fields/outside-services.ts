/** Fields of outside services: carriers of messages and payment gateways. */
import { fieldTable } from './field.ts';

const SECRET = { kind: 'text', minLength: 1, maxLength: 2_000 } as const;
const OPTION = { kind: 'text', minLength: 1, maxLength: 200 } as const;

const API_KEY = {
  ...SECRET,
  label: { fa: 'کلید API', en: 'API key' },
  help: { fa: 'از پنل همان سرویس.', en: 'From the panel of that service.' },
} as const;
const ORIGIN = {
  ...OPTION,
  label: { fa: 'آدرس سرور', en: 'Address of the server' },
  help: { fa: 'خالی یعنی آدرس خود سرویس.', en: 'Empty means the service’s own.' },
} as const;

export type CarrierId = 'kavenegar' | 'sms.ir' | 'smtp';

/** Carriers in the order in which they are tried. */
export const CARRIERS = {
  kavenegar: {
    channel: 'sms',
    name: { fa: 'کاوه‌نگار', en: 'Kavenegar' },
    secrets: fieldTable({ api_key: API_KEY }),
    options: fieldTable({
      template: {
        ...OPTION,
        label: { fa: 'نام الگوی کد', en: 'Template of codes' },
        help: { fa: 'الگویی تأییدشده با یک %token.', en: 'An approved template with one %token.' },
      },
      sender: {
        ...OPTION,
        label: { fa: 'شمارهٔ فرستنده', en: 'Sender' },
        help: { fa: 'برای هشدارها؛ کدها با الگو می‌روند.', en: 'For alerts; codes go by the template.' },
      },
      origin: ORIGIN,
    }),
    needed: ['template'],
  },
  'sms.ir': {
    channel: 'sms',
    name: { fa: 'sms.ir', en: 'sms.ir' },
    secrets: fieldTable({ api_key: API_KEY }),
    options: fieldTable({
      template_id: {
        ...OPTION,
        label: { fa: 'شمارهٔ الگوی کد', en: 'Number of the template' },
        help: { fa: 'عددی که پنل به الگو داده است.', en: 'As the panel numbers it.' },
      },
      parameter: {
        ...OPTION,
        label: { fa: 'نام متغیر در الگو', en: 'Variable of the template' },
        help: { fa: 'خالی یعنی CODE.', en: 'Empty means CODE.' },
      },
      line: {
        ...OPTION,
        label: { fa: 'شمارهٔ خط', en: 'Line' },
        help: { fa: 'برای هشدارها؛ کدها با الگو می‌روند.', en: 'For alerts; codes go by the template.' },
      },
      origin: ORIGIN,
    }),
    needed: ['template_id'],
  },
  smtp: {
    channel: 'email',
    name: { fa: 'ایمیل (SMTP)', en: 'E-mail (SMTP)' },
    secrets: fieldTable({
      url: {
        ...SECRET,
        label: { fa: 'آدرس SMTP با نام و رمز', en: 'SMTP address with name and password' },
        help: {
          fa: 'مانند smtps://user:password@host:465؛ رمز در آن است، پس دیگر نشان داده نمی‌شود.',
          en: 'Such as smtps://user:password@host:465; it holds a password, so it is not shown again.',
        },
      },
    }),
    options: fieldTable({
      from: {
        ...OPTION,
        label: { fa: 'فرستنده', en: 'From' },
        help: { fa: 'آدرسی که گیرنده می‌بیند.', en: 'The address that receivers see.' },
      },
    }),
    needed: ['from'],
  },
} as const;

/** Options of payment gateways that are not secret. */
export const GATEWAY_OPTION_FIELDS = fieldTable({
  base_url: {
    ...OPTION,
    maxLength: 2_000,
    label: { fa: 'آدرس سرور درگاه', en: 'Address of the gateway’s server' },
    help: {
      fa: 'خالی یعنی آدرس خود درگاه. با آدرس دیگر، کلیدها را دوباره بنویسید: کلید به جایی می‌رود که برایش نوشته شده است.',
      en: 'Empty means the gateway’s own. With another address write the secrets again: they go where they were meant to.',
    },
  },
  currency: {
    ...OPTION,
    maxLength: 3,
    label: { fa: 'ارز', en: 'Currency' },
    help: { fa: 'سه حرف، مانند usd یا eur.', en: 'Three letters, such as usd or eur.' },
  },
  toman_per_unit: {
    kind: 'toman',
    unit: 'toman',
    label: { fa: 'تومان برای هر واحد ارز', en: 'Toman for one unit of it' },
    help: {
      fa: 'برای دلار خالی بگذارید تا نرخ خود سرویس به کار رود.',
      en: 'Leave it empty for dollars: the rate of the service then counts.',
    },
  },
});

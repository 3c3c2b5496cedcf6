/**
 * The mistakes that a field of the file or of a body may have, in both languages; each text follows the field's path.
 */

import type { Text } from '@dargah/core/text.ts';
import type { Json } from '../../core/json.ts';
import { nearestName } from '../../core/nearest-name.ts';
import { quoted } from '../../core/reasons.ts';

const SHORT_TEXT = 60;

/** A value as an English text shows it. */
export function describe(value: Json): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string') return value.length > SHORT_TEXT ? 'a long text' : JSON.stringify(value);
  return String(value);
}

function inPersian(value: Json): string {
  if (value === null) return 'خالی';
  if (Array.isArray(value)) return 'فهرست';
  if (typeof value === 'object') return 'شیء';
  if (typeof value === 'string' && value.length > SHORT_TEXT) return 'متنی بلند';
  return `«${String(value)}»`;
}

/** ` (did you mean "mock-openai"?)`, or nothing when no known name is near. */
export function suggestion(wrong: string, known: Iterable<string>): string {
  const near = nearestName(wrong, known);
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
}

function suggestionInPersian(wrong: string, known: Iterable<string>): string {
  const near = nearestName(wrong, known);
  return near === undefined ? '' : ` (آیا منظورتان «${near}» بود؟)`;
}

const mustBe = (fa: string, en: string, value: Json, hint = ''): Text => ({
  fa: `باید ${fa} باشد، اما ${inPersian(value)} است`,
  en: `must be ${en}, but is ${describe(value)}${hint}`,
});

const KIND_LABELS: Record<string, string> = {
  provider: 'ارائه‌دهنده',
  vendor: 'سازنده',
  model: 'مدل',
  group: 'گروه',
  account: 'حساب',
  key: 'کلید',
};

export const mistakes = {
  incomplete: { fa: 'کامل نیست', en: 'is incomplete' },
  region: (value: Json): Text =>
    mustBe('دو حرف کوچک لاتین مانند «de» یا «eu»', 'two small letters such as de or eu', value),
  required: { fa: 'لازم است', en: 'is required' },
  requiredOrVendor: {
    fa: 'لازم است (یا سازنده‌ای که آن را روشن کند)',
    en: 'is required (or a vendor that implies it)',
  },
  noRoute: { fa: 'باید حداقل یک مسیر داشته باشد', en: 'must hold at least one route' },
  noModel: { fa: 'باید حداقل یک مدل داشته باشد', en: 'must hold at least one model' },
  routeTwice: {
    fa: 'همین ارائه‌دهنده و مدل در مسیری پیش از این آمده است',
    en: 'the same provider and model stand in an earlier route',
  },
  factor: (value: Json): Text =>
    mustBe(
      'ضریبی از ۰٫۰۰۱ تا ۹۹٫۹۹۹ با حداکثر سه رقم اعشار',
      'a factor from 0.001 to 99.999 with at most three decimals',
      value,
    ),
  pictureTwice: { fa: 'هر اندازه و کیفیت فقط یک بار می‌آید', en: 'each size and quality stands once' },
  pictureWord: {
    fa: 'باید مانند «1024x1024» یا «high» باشد',
    en: 'must be a word such as 1024x1024 or high',
  },
  tierWithoutPrice: { fa: 'باید حداقل یک قیمت داشته باشد', en: 'a tier must name at least one price' },
  tiersOrder: {
    fa: 'باید به ترتیب فزایندهٔ «above» و هر کدام یک بار باشد',
    en: 'must stand in rising order of `above`, each once',
  },
  usd: (value: Json): Text => mustBe('عدد ده‌دهی ساده به دلار', 'a plain decimal in USD', value),
  slug: {
    fa: 'باید ۱ تا ۶۴ حرف لاتین، رقم، نقطه، خط تیره یا زیرخط باشد و با حرف یا رقم شروع شود',
    en: 'must be 1 to 64 letters, digits, dots, dashes or underscores, beginning with a letter or digit',
  },
  modelId: {
    fa: 'باید به شکل «<vendor>/<model>» و بدون فاصله باشد، مانند «openai/gpt-4o»',
    en: 'must be <vendor>/<model>, such as openai/gpt-4o, without spaces',
  },
  metadataAddress: {
    fa: 'آدرس سرویس «metadata» ابر است و مدلی آن‌جا نیست',
    en: "is the address of a cloud's metadata service; no model is served there",
  },
  notOfThisVendor: {
    fa: 'برای این سازنده معنایی ندارد',
    en: 'means nothing for this vendor',
  },
  cloudWord: {
    fa: 'باید یک کلمه از حرف لاتین، رقم، نقطه و خط تیره باشد',
    en: 'must be one word of letters, digits, dots and dashes',
  },
  credential: {
    'aws-sigv4': {
      fa: 'باید «AKIA…:SECRET» یا JSON با «access_key_id» و «secret_access_key» باشد',
      en: 'must be AKIA…:SECRET, or JSON with access_key_id and secret_access_key',
    },
    'google-service-account': {
      fa: 'باید فایل JSON کلید «service account» باشد، با «client_email» و «private_key»',
      en: 'must be the JSON key file of a service account, with client_email and private_key',
    },
    entra: {
      fa: 'باید JSON با «tenant_id» و «client_id» و «client_secret» باشد',
      en: 'must be JSON with tenant_id, client_id and client_secret',
    },
  },
  secretInAddress: {
    fa: 'نباید نام یا رمز عبور داشته باشد: کلید را در «api_key_env» بدهید',
    en: 'must not hold a user name or password: give the secret as api_key_env',
  },
  queryInAddress: { fa: 'نباید کوئری یا لنگر داشته باشد', en: 'must not hold a query or a fragment' },
  notHeaderName: { fa: 'نام هدر نیست', en: 'is not a header name' },
  ownHeader: {
    fa: 'را خود درگاه می‌نویسد و اینجا پذیرفته نیست',
    en: 'is set by the gateway itself and cannot be given here',
  },
  printable: { fa: 'باید فقط کاراکتر چاپی لاتین داشته باشد', en: 'must be printable ASCII' },
  ownAddress: { fa: 'باید یکی از آدرس‌های IP همین دستگاه باشد', en: 'must be an IP address of this machine' },
  noCertificate: { fa: 'گواهی (PEM) ندارد', en: 'holds no certificate (PEM)' },
  egress: (en: string): Text => ({
    fa: 'باید «direct» یا آدرس درست یک پراکسی باشد که با «http://»، «https://»، «socks5://» یا «socks5h://» شروع شود و مسیر نداشته باشد',
    en,
  }),
  unreadable: (code: string | undefined): Text => ({ fa: `خوانده نشد («${code}»)`, en: `cannot be read (${code})` }),
  notText: (value: Json): Text =>
    mustBe('متن', 'text', value, typeof value === 'number' || typeof value === 'boolean' ? ': put it in quotes' : ''),
  entryNotText: (value: Json): Text => mustBe('متن', 'text', value),
  textLength: (max: number): Text => ({
    fa: `باید متنی از ۱ تا ${max} کاراکتر باشد`,
    en: `must be text of 1 to ${max} characters`,
  }),
  whole: (min: number, max: number, value: Json): Text =>
    mustBe(`عدد صحیحی از ${min} تا ${max}`, `a whole number from ${min} to ${max}`, value),
  flag: (value: Json): Text => mustBe('«true» یا «false»', 'true or false', value),
  choice: (allowed: readonly string[], value: Json): Text => {
    const hint = typeof value === 'string' ? suggestion(value, allowed) : '';
    return mustBe(`یکی از ${quoted(allowed)}`, `one of ${allowed.join(', ')}`, value, hint);
  },
  list: (value: Json): Text => mustBe('فهرست', 'a list', value),
  mapping: (value: Json): Text => mustBe('شیء', 'a mapping', value),
  tooMany: (max: number): Text => ({ fa: `بیش از ${max} مورد دارد`, en: `holds more than ${max} entries` }),
  unknownField: (name: string, known: Iterable<string>): Text => {
    const names = [...known];
    return {
      fa: `شناخته نیست${suggestionInPersian(name, names)}`,
      en: `is not a known field${suggestion(name, names)}`,
    };
  },
  toman: (value: Json): Text =>
    mustBe(
      'مبلغی به تومان، حداقل صفر و با حداکثر شش رقم اعشار',
      'an amount in toman of at least 0 with at most six decimals',
      value,
    ),
  perMillion: (value: Json): Text =>
    mustBe(
      'تومان درست برای هر میلیون واحد (کمتر از یک میلیونیم تومان برای هر واحد را نمی‌توان دقیق شمرد)',
      'whole toman per million units, since less than one micro-toman per unit cannot be charged exactly',
      value,
    ),
  address: (value: Json): Text => mustBe('آدرس http یا https', 'an http or https address', value),
  aboveContext: (context: number): Text => ({
    fa: `از کانتکست مدل (${context}) بیشتر است`,
    en: `is above context (${context})`,
  }),
  noSuch: (kind: 'provider' | 'model' | 'vendor', id: string, known: Iterable<string>): Text => {
    const names = [...known];
    return {
      fa: `${KIND_LABELS[kind]}ی با شناسهٔ «${id}» نیست${suggestionInPersian(id, names)}`,
      en: `no ${kind} has the id "${id}"${suggestion(id, names)}`,
    };
  },
  notInGroup: (id: string, models: readonly string[]): Text => ({
    fa: `«${id}» از مدل‌های گروه نیست${suggestionInPersian(id, models)}`,
    en: `"${id}" is not among the group's models${suggestion(id, models)}`,
  }),
  idTwice: (kind: string, id: string, first: string): Text => ({
    fa: `شناسهٔ ${KIND_LABELS[kind] ?? ''} «${id}» قبلاً در «${first}» آمده است`,
    en: `the ${kind} id "${id}" is already used at ${first}`,
  }),
  beside: (other: string): Text => ({
    fa: `در کنار «${other}» آمده است: یکی از دو را بدهید`,
    en: `stands beside ${other}: give one of the two`,
  }),
} as const;

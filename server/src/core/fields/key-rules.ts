/** The rules of accounts and of keys. */
import { ENDPOINTS } from '../endpoints.ts';
import { fieldTable } from './field.ts';

const LIST = { maxItems: 1_000, maxLength: 256 } as const;
const cap = { kind: 'toman', unit: 'toman', nullable: true } as const;

export const CAP_FIELDS = fieldTable({
  daily: {
    ...cap,
    label: { fa: 'سقف روزانه', en: 'Daily cap' },
    help: { fa: 'بیشترین خرج در یک روز تقویم حساب.', en: "The most that is spent in a day of the account's calendar." },
  },
  monthly: {
    ...cap,
    label: { fa: 'سقف ماهانه', en: 'Monthly cap' },
    help: {
      fa: 'بیشترین خرج در یک ماه تقویم حساب.',
      en: "The most that is spent in a month of the account's calendar.",
    },
  },
  total: {
    ...cap,
    label: { fa: 'سقف کل', en: 'Total cap' },
    help: { fa: 'بیشترین خرج از آغاز تا پایان.', en: 'The most that is ever spent.' },
  },
});

export const ACCOUNT_RULE_FIELDS = fieldTable({
  models: {
    kind: 'list',
    entry: 'model',
    ...LIST,
    nullable: true,
    label: { fa: 'مدل‌های مجاز', en: 'Models allowed' },
    help: {
      fa: 'شناسهٔ مدل‌ها یا «group:<name>»؛ «null» یعنی همه.',
      en: 'Model ids or `group:<name>`; null: all.',
    },
  },
  endpoints: {
    kind: 'list',
    entry: 'endpoint',
    values: ENDPOINTS,
    ...LIST,
    maxItems: 100,
    nullable: true,
    label: { fa: 'نشانی‌های مجاز', en: 'Endpoints allowed' },
    help: { fa: 'کارهایی که با کلید می‌توان کرد؛ «null» یعنی همه.', en: 'What the key may be used for; null: all.' },
  },
  caps: {
    kind: 'group',
    fields: CAP_FIELDS,
    nullable: true,
    label: { fa: 'سقف‌های خرج', en: 'Spending caps' },
    help: { fa: 'سقف‌ها به تومان؛ «null» یعنی بی‌حد و ۰ یعنی هیچ.', en: 'Caps in toman; null: no limit, 0: nothing.' },
  },
  rpm: {
    kind: 'whole',
    min: 0,
    // More a minute than one installation serves; a larger number is a typing error.
    max: 1_000_000,
    unit: 'requests',
    nullable: true,
    label: { fa: 'درخواست در دقیقه', en: 'Requests per minute' },
    help: {
      fa: 'بیشترین شمار درخواست در هر ۶۰ ثانیه؛ «null» یعنی بی‌حد و ۰ یعنی هیچ.',
      en: 'Requests in any 60 seconds; null: no limit, 0: none.',
    },
  },
  paused: {
    kind: 'flag',
    label: { fa: 'متوقف', en: 'Paused' },
    help: { fa: 'تا وقتی روشن است هیچ درخواستی پذیرفته نمی‌شود.', en: 'While it is on, no request is accepted.' },
  },
});

/** The limits a customer may ask for. Staff sees each of them before approving; nothing else can be part of such a wish. */
export const WISH_FIELDS = fieldTable({
  rpm: ACCOUNT_RULE_FIELDS.rpm,
  caps: { ...ACCOUNT_RULE_FIELDS.caps, nullable: false },
});

export const KEY_RULE_FIELDS = fieldTable({
  ...ACCOUNT_RULE_FIELDS,
  default_model: {
    kind: 'text',
    minLength: 1,
    maxLength: LIST.maxLength,
    nullable: true,
    label: { fa: 'مدل پیش‌فرض', en: 'Default model' },
    help: { fa: 'برای درخواست‌هایی که مدلی نام نمی‌برند.', en: 'For requests that name no model.' },
  },
  ips: {
    kind: 'list',
    entry: 'address',
    ...LIST,
    nullable: true,
    label: { fa: 'نشانی‌های IP مجاز', en: 'IP addresses allowed' },
    help: {
      fa: 'نشانی‌ها یا بازه‌های CIDR که کلید از آن‌ها پذیرفته می‌شود؛ «null» یعنی همه.',
      en: 'Addresses or CIDR ranges the key may be used from; null: all.',
    },
  },
  referrers: {
    kind: 'list',
    entry: 'host',
    ...LIST,
    nullable: true,
    label: { fa: 'وب‌گاه‌های مجاز', en: 'Referrers allowed' },
    help: {
      fa: 'میزبان‌هایی که کلید از آن‌ها پذیرفته می‌شود؛ «*.example.com» هم می‌شود.',
      en: 'Hosts the key may be used from; `*.example.com` is allowed.',
    },
  },
  expires_at: {
    kind: 'time',
    nullable: true,
    label: { fa: 'انقضا', en: 'Expires' },
    help: {
      fa: 'پس از این زمان کلید پذیرفته نمی‌شود.',
      en: 'After this time the key is not accepted; RFC 3339 with its zone.',
    },
  },
  tpm: {
    kind: 'whole',
    min: 0,
    max: 1_000_000_000,
    unit: 'tokens',
    nullable: true,
    label: { fa: 'توکن در دقیقه', en: 'Tokens per minute' },
    help: {
      fa: 'بیشترین شمار توکن در هر ۶۰ ثانیه؛ «null» یعنی بی‌حد و ۰ یعنی هیچ.',
      en: 'Tokens in any 60 seconds; null: no limit, 0: none.',
    },
  },
  knowledge_bases: {
    kind: 'list',
    entry: 'id',
    ...LIST,
    nullable: true,
    label: { fa: 'پایگاه‌های دانش مجاز', en: 'Knowledge bases allowed' },
    help: {
      fa: 'شناسهٔ پایگاه‌هایی که کلید به کار می‌برد؛ «null» یعنی همهٔ پایگاه‌های حساب.',
      en: 'Ids of the knowledge bases the key may use; null: all of its account.',
    },
  },
});

const { caps: _caps, rpm: _rpm, tpm: _tpm, ...conditions } = KEY_RULE_FIELDS;
/** Rules that hold or do not. The others are limits, which are told with what is left of them. */
export const KEY_CONDITION_FIELDS = conditions;

export const CALENDAR_FIELDS = fieldTable({
  time_zone: {
    kind: 'text',
    minLength: 1,
    maxLength: 64,
    label: { fa: 'منطقهٔ زمانی', en: 'Time zone' },
    help: {
      fa: 'نامی مانند «Asia/Tehran» که روزهای سقف‌ها را می‌شمارد.',
      en: 'A name such as Asia/Tehran, by which days of caps are counted.',
    },
  },
  month: {
    kind: 'choice',
    values: ['jalali', 'gregorian'],
    label: { fa: 'تقویم', en: 'Calendar' },
    help: { fa: 'ماه‌های سقف ماهانه شمسی‌اند یا میلادی.', en: 'Whether months of caps are Jalali or Gregorian.' },
  },
});

/**
 * The rules that accounts have, and all their keys: caps, prices, pauses, rates, the calendar of caps. Each is declared once; those of
 * keys alone stand in key-rules.ts.
 */
import { ENDPOINTS } from '../endpoints.ts';
import { fieldTable, type RuleGate } from './field.ts';

/** The bounds of a list of names in a rule. */
export const RULE_LIST = { maxItems: 1_000, maxLength: 256 } as const;
export const PER_MINUTE = { fa: 'در دقیقه', en: 'per minute' } as const;
const CAP_GATE = {
  verdicts: ['cap'],
  open: {
    fa: 'این کلید سقفی ندارد؛ اگر حساب سقف داشته باشد، همان اعمال می‌شود.',
    en: 'No cap of its own; the account’s applies if there is one.',
  },
  set: { fa: 'تا {} تومان.', en: 'Up to {} toman.' },
  unit: { fa: 'تومان', en: 'toman' },
} as const satisfies RuleGate;
const cap = { kind: 'toman', unit: 'toman', nullable: true, gate: CAP_GATE } as const;

export const CAP_FIELDS = fieldTable({
  daily: {
    ...cap,
    label: { fa: 'سقف روزانه', en: 'Daily cap' },
    help: { fa: 'حداکثر خرج در یک روز تقویم حساب.', en: "The most that is spent in a day of the account's calendar." },
  },
  monthly: {
    ...cap,
    label: { fa: 'سقف ماهانه', en: 'Monthly cap' },
    help: {
      fa: 'حداکثر خرج در یک ماه تقویم حساب.',
      en: "The most that is spent in a month of the account's calendar.",
    },
  },
  total: {
    ...cap,
    label: { fa: 'سقف کل', en: 'Total cap' },
    help: { fa: 'حداکثر خرج در تمام عمر کلید.', en: 'The most that is ever spent.' },
  },
});

const PRICE_UNIT = { fa: 'تومان هر میلیون توکن', en: 'toman per million tokens' } as const;
const highestPrice = { kind: 'toman', unit: 'toman-per-million', nullable: true } as const;

/** The highest price of a model that a key may use. */
export const MAX_PRICE_FIELDS = fieldTable({
  input: {
    ...highestPrice,
    label: { fa: 'سقف قیمت ورودی', en: 'Highest input price' },
    help: {
      fa: 'مدلی که ورودی‌اش، در هر پله، گران‌تر از این است رد می‌شود؛ تومان برای هر میلیون توکن.',
      en: 'A model whose input costs more than this, at any tier, is refused; toman per million tokens.',
    },
    gate: {
      verdicts: ['price'],
      open: { fa: 'قیمت ورودی سقف ندارد.', en: 'Input may cost anything.' },
      set: { fa: 'ورودی تا {} تومان برای هر میلیون توکن.', en: 'Input up to {} toman per million tokens.' },
      unit: PRICE_UNIT,
    },
  },
  output: {
    ...highestPrice,
    label: { fa: 'سقف قیمت خروجی', en: 'Highest output price' },
    help: {
      fa: 'مدلی که خروجی‌اش، در هر پله، گران‌تر از این است رد می‌شود؛ تومان برای هر میلیون توکن.',
      en: 'A model whose output costs more than this, at any tier, is refused; toman per million tokens.',
    },
    gate: {
      verdicts: ['price'],
      open: { fa: 'قیمت خروجی سقف ندارد.', en: 'Output may cost anything.' },
      set: { fa: 'خروجی تا {} تومان برای هر میلیون توکن.', en: 'Output up to {} toman per million tokens.' },
      unit: PRICE_UNIT,
    },
  },
});
/** Caps of the whole account that its own people set; those of staff stand beside them, and the stricter counts. */
export const OWN_CAP_FIELDS = fieldTable({ daily: CAP_FIELDS.daily, monthly: CAP_FIELDS.monthly });

/** Rules that accounts have, and all their keys. */
export const ACCOUNT_RULE_FIELDS = fieldTable({
  paused: {
    kind: 'flag',
    label: { fa: 'متوقف', en: 'Paused' },
    help: { fa: 'تا وقتی روشن است هیچ درخواستی پذیرفته نمی‌شود.', en: 'While it is on, no request is accepted.' },
    gate: {
      verdicts: ['paused'],
      open: { fa: 'کلید کار می‌کند.', en: 'The key works.' },
      set: { fa: 'کلید متوقف است و هر درخواست رد می‌شود.', en: 'The key is paused; every request is refused.' },
    },
  },
  endpoints: {
    kind: 'list',
    entry: 'endpoint',
    values: ENDPOINTS,
    ...RULE_LIST,
    maxItems: 100,
    nullable: true,
    label: { fa: 'مسیرهای API مجاز', en: 'Endpoints allowed' },
    help: { fa: 'کارهایی که با کلید می‌توان کرد؛ «null» یعنی همه.', en: 'What the key may be used for; null: all.' },
    gate: {
      verdicts: ['endpoint'],
      open: { fa: 'همهٔ مسیرهای API باز است.', en: 'All endpoints are open.' },
      set: {
        fa: 'فقط {} مسیر API باز است؛ بقیه رد می‌شوند.',
        en: '{} endpoints are open; others are refused.',
      },
    },
  },
  models: {
    kind: 'list',
    entry: 'model',
    ...RULE_LIST,
    nullable: true,
    label: { fa: 'مدل‌های مجاز', en: 'Models allowed' },
    help: {
      fa: 'شناسهٔ مدل‌ها یا «group:<name>»؛ «null» یعنی همه.',
      en: 'Model ids or `group:<name>`; null: all.',
    },
    gate: {
      verdicts: ['model', 'capability'],
      open: { fa: 'همهٔ مدل‌های حساب باز است.', en: 'All models of the account are open.' },
      set: { fa: '{} مدل یا گروه؛ بقیه رد می‌شوند.', en: '{} models or groups; others are refused.' },
    },
  },
  rpm: {
    kind: 'whole',
    min: 0,
    // No installation serves more a minute: a larger number is a typing error.
    max: 1_000_000,
    unit: 'requests',
    nullable: true,
    label: { fa: 'درخواست در دقیقه', en: 'Requests per minute' },
    help: {
      fa: 'حداکثر تعداد درخواست در هر ۶۰ ثانیه؛ «null» یعنی نامحدود و ۰ یعنی هیچ.',
      en: 'Requests in any 60 seconds; null: no limit, 0: none.',
    },
    gate: {
      verdicts: ['requests_of_key', 'requests_of_account'],
      open: {
        fa: 'این کلید سقف سرعت ندارد؛ اگر حساب سقف داشته باشد، همان اعمال می‌شود.',
        en: 'The key has no limit of its own; the account’s applies if there is one.',
      },
      set: { fa: 'تا {} درخواست در هر ۶۰ ثانیه.', en: 'Up to {} requests in any 60 seconds.' },
      unit: PER_MINUTE,
    },
  },
  /** A rule of accounts alone: the account's own people cannot lift it. */
  upstream_echo: {
    kind: 'flag',
    label: { fa: 'نمایش درخواست ارسالی', en: 'Upstream echo' },
    help: {
      fa: 'با «svc.debug» درخواست همان‌طور که به ارائه‌دهنده رفته، بدون رمزها، در پاسخ می‌آید؛ نام ارائه‌دهنده هم دیده می‌شود.',
      en: 'With svc.debug an answer tells the request as its provider got it, without secrets; who the provider is can be seen by it.',
    },
    // This rule only permits a request field, so the rule tester has no verdict for it.
    gate: {
      verdicts: [],
      open: { fa: 'درخواست ارسالی به ارائه‌دهنده نشان داده نمی‌شود.', en: 'What providers are sent is not told.' },
      set: {
        fa: 'با «svc.debug» درخواست ارسالی به ارائه‌دهنده در پاسخ می‌آید.',
        en: 'With svc.debug an answer tells what its provider was sent.',
      },
    },
  },
  caps: {
    kind: 'group',
    fields: CAP_FIELDS,
    nullable: true,
    label: { fa: 'سقف‌های خرج', en: 'Spending caps' },
    help: { fa: 'سقف‌ها به تومان؛ «null» یعنی نامحدود و ۰ یعنی هیچ.', en: 'Caps in toman; null: no limit, 0: nothing.' },
  },
});

/**
 * The limits a customer may ask for. Staff see each of them before they approve; a limit request can hold nothing else.
 */
export const LIMIT_REQUEST_FIELDS = fieldTable({
  rpm: ACCOUNT_RULE_FIELDS.rpm,
  caps: { ...ACCOUNT_RULE_FIELDS.caps, nullable: false },
});

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

/**
 * THE RULES of accounts and of keys, each declared once: its bounds, its words, and the gate that the console shows of it.
 * Types, reading, defaults, the API's description, `GET /key`, the command line and the console's form are made from it; what a
 * rule means stands in keys/check-rules.ts.
 */
import { ENDPOINTS } from '../endpoints.ts';
import { fieldTable, type RuleGate } from './field.ts';

const LIST = { maxItems: 1_000, maxLength: 256 } as const;
const PER_MINUTE = { fa: 'در دقیقه', en: 'per minute' } as const;
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
    ...LIST,
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
    ...LIST,
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
    // More a minute than one installation serves; a larger number is a typing error.
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
  /** Of accounts alone: their own people cannot open it. */
  upstream_echo: {
    kind: 'flag',
    label: { fa: 'نمایش درخواست ارسالی', en: 'Upstream echo' },
    help: {
      fa: 'با «svc.debug» درخواست همان‌طور که به ارائه‌دهنده رفته، بدون رمزها، در پاسخ می‌آید؛ نام ارائه‌دهنده هم دیده می‌شود.',
      en: 'With svc.debug an answer tells the request as its provider got it, without secrets; who the provider is can be seen by it.',
    },
    // It lets one ask; nothing is judged by it in the tester.
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

/** The limits a customer may ask for. Staff sees each of them before approving; nothing else can be part of such a limit request. */
export const LIMIT_REQUEST_FIELDS = fieldTable({
  rpm: ACCOUNT_RULE_FIELDS.rpm,
  caps: { ...ACCOUNT_RULE_FIELDS.caps, nullable: false },
});

/** Rules that hold or do not, in the order in which they are asked (ADR 0002). */
export const KEY_CONDITION_FIELDS = fieldTable({
  paused: ACCOUNT_RULE_FIELDS.paused,
  expires_at: {
    kind: 'time',
    nullable: true,
    label: { fa: 'انقضا', en: 'Expires' },
    help: {
      fa: 'پس از این زمان کلید پذیرفته نمی‌شود.',
      en: 'After this time the key is not accepted; RFC 3339 with its zone.',
    },
    gate: {
      verdicts: ['expired'],
      open: { fa: 'تا خودتان باطلش نکنید کار می‌کند.', en: 'Works until you revoke it.' },
      set: { fa: 'تا {} کار می‌کند.', en: 'Works until {}.' },
    },
  },
  ips: {
    kind: 'list',
    entry: 'address',
    ...LIST,
    nullable: true,
    label: { fa: 'آدرس‌های IP مجاز', en: 'IP addresses allowed' },
    help: {
      fa: 'آدرس‌ها یا بازه‌های CIDR که کلید از آن‌ها پذیرفته می‌شود؛ «null» یعنی همه.',
      en: 'Addresses or CIDR ranges the key may be used from; null: all.',
    },
    gate: {
      verdicts: ['ip'],
      open: { fa: 'از هر آدرس پذیرفته می‌شود.', en: 'Accepted from any address.' },
      set: {
        fa: 'فقط از {} آدرس یا بازه پذیرفته می‌شود.',
        en: 'Accepted from {} addresses or ranges only.',
      },
    },
  },
  referrers: {
    kind: 'list',
    entry: 'host',
    ...LIST,
    nullable: true,
    label: { fa: 'سایت‌های مجاز', en: 'Referrers allowed' },
    help: {
      fa: 'میزبان‌هایی که کلید از آن‌ها پذیرفته می‌شود؛ «*.example.com» هم می‌شود.',
      en: 'Hosts the key may be used from; `*.example.com` is allowed.',
    },
    gate: {
      verdicts: ['referrer'],
      open: { fa: 'از هر سایتی پذیرفته می‌شود.', en: 'Accepted from any site.' },
      set: { fa: 'فقط از {} سایت پذیرفته می‌شود.', en: 'Accepted from {} sites only.' },
    },
  },
  endpoints: ACCOUNT_RULE_FIELDS.endpoints,
  /** No gate: it refuses nothing. */
  default_model: {
    kind: 'text',
    minLength: 1,
    maxLength: LIST.maxLength,
    nullable: true,
    label: { fa: 'مدل پیش‌فرض', en: 'Default model' },
    help: { fa: 'برای درخواست‌هایی که مدلی نام نمی‌برند.', en: 'For requests that name no model.' },
  },
  /** No gate: it refuses nothing. */
  stream_usage: {
    kind: 'choice',
    values: ['always'],
    nullable: true,
    label: { fa: 'مصرف در استریم', en: 'Usage in streams' },
    help: {
      fa: 'با «always» تکهٔ آخر هر استریم مصرف و هزینه را می‌گوید، مگر اینکه درخواست آن را خاموش کند؛ «null» یعنی فقط وقتی خواسته شود.',
      en: 'With always the last chunk of every stream tells usage and cost unless the request declines; null: only when asked.',
    },
  },
  settled_webhook: {
    kind: 'flag',
    label: { fa: 'وب‌هوک پس از هر درخواست', en: 'Webhook after each request' },
    help: {
      fa: 'هر درخواست این کلید پس از حساب شدن، با هزینه و مصرفش، به وب‌هوک‌های حساب فرستاده می‌شود (request.settled).',
      en: 'Each request of the key is sent to the account’s webhooks once it is charged, with its cost and usage (request.settled).',
    },
    // It refuses nothing.
    gate: {
      verdicts: [],
      open: {
        fa: 'پس از درخواست‌ها چیزی به وب‌هوک‌ها فرستاده نمی‌شود.',
        en: 'Nothing is sent to webhooks after requests.',
      },
      set: {
        fa: 'هزینه و مصرف هر درخواست به وب‌هوک‌های حساب فرستاده می‌شود.',
        en: 'Cost and usage of each request are sent to the account’s webhooks.',
      },
    },
  },
  models: ACCOUNT_RULE_FIELDS.models,
  max_price: {
    kind: 'group',
    fields: MAX_PRICE_FIELDS,
    nullable: true,
    label: { fa: 'سقف قیمت مدل', en: 'Highest price' },
    help: {
      fa: 'گران‌ترین مدلی که کلید به کار می‌برد، به تومان برای هر میلیون توکن؛ «null» یعنی هر قیمتی.',
      en: 'The dearest model the key may use, in toman per million tokens; null: any price.',
    },
  },
  resume_seconds: {
    kind: 'whole',
    min: 0,
    max: 3_600,
    unit: 'seconds',
    nullable: true,
    label: { fa: 'ادامهٔ استریم', en: 'Streams continued' },
    help: {
      fa: 'فریم‌های هر استریم تا این تعداد ثانیه پس از پایانش نگه داشته می‌شوند تا اتصال قطع‌شده ادامه پیدا کند؛ «null» یعنی فقط وقتی درخواست بخواهد و ۰ یعنی هرگز.',
      en: 'Frames of every stream are kept for so many seconds after its end, so that a broken connection can go on; null: only when a request asks, 0: never.',
    },
    gate: {
      verdicts: ['resume'],
      open: {
        fa: 'فریم‌های استریم فقط وقتی نگه داشته می‌شوند که درخواست بخواهد.',
        en: 'Frames of streams are kept only when a request asks for it.',
      },
      set: {
        fa: 'فریم‌های هر استریم {} ثانیه نگه داشته می‌شوند؛ با ۰ هرگز.',
        en: 'Frames of every stream are kept for {} seconds; with 0 never.',
      },
      unit: { fa: 'ثانیه', en: 'seconds' },
    },
  },
  knowledge_bases: {
    kind: 'list',
    entry: 'knowledge-base',
    ...LIST,
    nullable: true,
    label: { fa: 'پایگاه‌های دانش مجاز', en: 'Knowledge bases allowed' },
    help: {
      fa: 'شناسهٔ پایگاه‌هایی که کلید به کار می‌برد؛ «null» یعنی همهٔ پایگاه‌های حساب.',
      en: 'Ids of the knowledge bases the key may use; null: all of its account.',
    },
    gate: {
      verdicts: ['knowledge'],
      open: { fa: 'همهٔ پایگاه‌های حساب باز است.', en: 'All bases of the account are open.' },
      set: { fa: 'فقط {} پایگاه باز است.', en: '{} bases are open.' },
    },
  },
});

/** Limits, in order; shown with their remaining amount. What each of them counts stands in gateway/admit/limits.ts. */
/** The names of the limits per minute in `limits` of `GET /key`. */
export const SHOWN_LIMITS = ['requests', 'account_requests', 'tokens'] as const;
export type ShownLimit = (typeof SHOWN_LIMITS)[number];

const KEY_LIMIT_FIELDS = fieldTable({
  rpm: ACCOUNT_RULE_FIELDS.rpm,
  caps: ACCOUNT_RULE_FIELDS.caps,
  tpm: {
    kind: 'whole',
    min: 0,
    max: 1_000_000_000,
    unit: 'tokens',
    nullable: true,
    label: { fa: 'توکن در دقیقه', en: 'Tokens per minute' },
    help: {
      fa: 'حداکثر تعداد توکن در هر ۶۰ ثانیه؛ «null» یعنی نامحدود و ۰ یعنی هیچ.',
      en: 'Tokens in any 60 seconds; null: no limit, 0: none.',
    },
    gate: {
      verdicts: ['tokens_of_key'],
      open: { fa: 'سقف توکن ندارد.', en: 'No limit of tokens.' },
      set: { fa: 'تا {} توکن در هر ۶۰ ثانیه.', en: 'Up to {} tokens in any 60 seconds.' },
      unit: PER_MINUTE,
    },
  },
});

/** In the order in which they are asked, which is also that of the console's gates. */
export const KEY_RULE_FIELDS = fieldTable({ ...KEY_CONDITION_FIELDS, ...KEY_LIMIT_FIELDS });

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

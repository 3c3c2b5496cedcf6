/**
 * THE RULES of keys, each declared once: its bounds, its texts, and the gate that the console shows of it; rules that
 * accounts have too come from account-rules.ts. Types, reading, defaults, the API's description, `GET /key`, the
 * command line and the console's form are made from it; what a rule means stands in keys/check-rules.ts.
 */
import { ACCOUNT_RULE_FIELDS, MAX_PRICE_FIELDS, PER_MINUTE, RULE_LIST } from './account-rules.ts';
import { DATA_POLICY_FIELDS } from './data-rules.ts';
import { fieldTable } from './field.ts';

/** Rules that a request either meets or not, in the order in which they are checked (ADR 0002). */
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
    ...RULE_LIST,
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
    ...RULE_LIST,
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
  /** This rule has no gate, because it refuses nothing. */
  default_model: {
    kind: 'text',
    minLength: 1,
    maxLength: RULE_LIST.maxLength,
    nullable: true,
    label: { fa: 'مدل پیش‌فرض', en: 'Default model' },
    help: { fa: 'برای درخواست‌هایی که مدلی نام نمی‌برند.', en: 'For requests that name no model.' },
  },
  /** This rule has no gate, because it refuses nothing. */
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
  prompt_cache: {
    kind: 'flag',
    label: { fa: 'دستیار کش پرامپت', en: 'Prompt-cache helper' },
    help: {
      fa: 'شروع بلند و ثابت پرامپت‌ها (دستور سیستم، ابزارها، نوبت‌های قبلی) برای ارائه‌دهنده‌هایی که نشانه می‌خواهند، مثل «Claude»، نشانه‌گذاری می‌شود تا از کش و ارزان‌تر خوانده شود. متنی که مدل می‌خواند عوض نمی‌شود.',
      en: 'Long stable beginnings of prompts (system text, tools, earlier turns) are marked for providers that want it, such as Claude’s, so that they are read from the cache at its price. What the model reads stays the same.',
    },
    // This rule refuses nothing, so no verdict belongs to it.
    gate: {
      verdicts: [],
      open: { fa: 'پرامپت‌ها همان‌طور که آمده‌اند فرستاده می‌شوند.', en: 'Prompts are sent as they came.' },
      set: {
        fa: 'شروع بلند پرامپت‌ها برای کش ارائه‌دهنده نشانه‌گذاری می‌شود.',
        en: 'Long beginnings of prompts are marked for the cache of the provider.',
      },
    },
  },
  settled_webhook: {
    kind: 'flag',
    label: { fa: 'وب‌هوک پس از هر درخواست', en: 'Webhook after each request' },
    help: {
      fa: 'هر درخواست این کلید پس از حساب شدن، با هزینه و مصرفش، به وب‌هوک‌های حساب فرستاده می‌شود (request.settled).',
      en: 'Each request of the key is sent to the account’s webhooks once it is charged, with its cost and usage (request.settled).',
    },
    // This rule refuses nothing, so no verdict belongs to it.
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
  guarantee: {
    kind: 'flag',
    label: { fa: 'ضمانت پاسخ', en: 'Guarantee on answers' },
    help: {
      fa: 'پاسخ‌های دارای طرح‌وارهٔ «strict» و آرگومان ابزارها پیش از ارسال بررسی می‌شوند: اصلاح می‌شوند، یک بار دیگر پرسیده می‌شوند یا رایگان‌اند. استریم‌شان یکجا می‌رسد. «svc.guarantee» در درخواست مقدم است.',
      en: 'Answers with a strict schema and arguments of tools are checked before they go out: mended, asked once more, or free. Their streams arrive at once. svc.guarantee of a request comes first.',
    },
    // This rule refuses nothing, so no verdict belongs to it.
    gate: {
      verdicts: [],
      open: {
        fa: 'پاسخ‌ها همان‌طور که مدل گفته می‌رسند، مگر درخواست ضمانت بخواهد.',
        en: 'Answers arrive as the model gave them, unless a request asks for the guarantee.',
      },
      set: {
        fa: 'پاسخ‌های ساخت‌یافته پیش از ارسال بررسی می‌شوند و اگر نادرست باشند رایگان‌اند.',
        en: 'Structured answers are checked before they go out, and free where they are wrong.',
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
      en: 'The most expensive model the key may use, in toman per million tokens; null: any price.',
    },
  },
  data_policy: {
    kind: 'group',
    fields: DATA_POLICY_FIELDS,
    nullable: true,
    label: { fa: 'سیاست داده', en: 'Data policy' },
    help: {
      fa: 'آنچه از ارائه‌دهنده خواسته می‌شود: بدون آموزش، مدت نگهداری، منطقه. مسیری که اعلامش نکرده باشد به کار نمی‌رود؛ «null» یعنی هر مسیری.',
      en: 'What is demanded of whoever answers: no training, retention, region. A route that does not state it is not used; null: any route.',
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
  cache_seconds: {
    kind: 'whole',
    min: 0,
    max: 604_800,
    unit: 'seconds',
    nullable: true,
    label: { fa: 'کش پاسخ', en: 'Response cache' },
    help: {
      fa: 'درخواستی که عیناً تکرار شود تا این تعداد ثانیه همان پاسخ قبلی را می‌گیرد؛ «null» یعنی فقط وقتی درخواست بخواهد و ۰ یعنی هرگز.',
      en: 'An equal request is given the same answer again for so many seconds; null: only when a request asks, 0: never.',
    },
    gate: {
      verdicts: ['cache'],
      open: {
        fa: 'پاسخ‌ها فقط وقتی در کش می‌مانند که درخواست بخواهد.',
        en: 'Answers are cached only when a request asks for it.',
      },
      set: {
        fa: 'پاسخ درخواست‌های یکسان {} ثانیه در کش می‌ماند؛ با ۰ هرگز.',
        en: 'Answers to equal requests are cached for {} seconds; with 0 never.',
      },
      unit: { fa: 'ثانیه', en: 'seconds' },
    },
  },
  continue_answers: {
    kind: 'flag',
    label: { fa: 'ادامهٔ پاسخ قطع‌شده', en: 'Cut answers go on' },
    help: {
      fa: 'اگر ارائه‌دهنده پاسخ استریم را وسط متن ساده رها کند، مسیر دیگری از همان مدل از همان‌جا ادامه می‌دهد؛ هزینه یک بار حساب می‌شود. درخواست با «svc.routing.continue» چیز دیگری می‌گوید.',
      en: 'When a provider breaks off a stream in the middle of plain text, another route of the model goes on from there; it is charged once. A request says otherwise with svc.routing.continue.',
    },
    // This rule refuses nothing, so no verdict belongs to it.
    gate: {
      verdicts: [],
      open: {
        fa: 'پاسخی که ارائه‌دهنده رهایش کند با خطا تمام می‌شود.',
        en: 'An answer that its provider breaks off ends with an error.',
      },
      set: {
        fa: 'پاسخی را که ارائه‌دهنده رها کند مسیر دیگری ادامه می‌دهد.',
        en: 'An answer that its provider breaks off goes on by another route.',
      },
    },
  },
  knowledge_bases: {
    kind: 'list',
    entry: 'knowledge-base',
    ...RULE_LIST,
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

/** The names of the limits per minute in `limits` of `GET /key`. */
export const SHOWN_LIMITS = ['requests', 'account_requests', 'tokens'] as const;
export type ShownLimit = (typeof SHOWN_LIMITS)[number];

/** Limits, in order; shown with their remaining amount. What each of them counts stands in gateway/admit/limits.ts. */
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

/** All rules in the order in which they are checked, which is also the order of the console's gates. */
export const KEY_RULE_FIELDS = fieldTable({ ...KEY_CONDITION_FIELDS, ...KEY_LIMIT_FIELDS });

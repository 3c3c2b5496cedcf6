/** Entries of the catalog: providers, models, routes and groups. */
import { MODEL_KINDS } from '../model-kinds.ts';
import type { Text } from '../text.ts';
import { fieldTable } from './field.ts';

const name = { kind: 'text', minLength: 1, maxLength: 200 } as const;
/** No maker offers a longer context: a larger number is one digit too many. */
const tokens = { kind: 'whole', min: 1, max: 100_000_000, unit: 'tokens' } as const;

export const PROVIDER_FIELDS = fieldTable({
  max_concurrent: {
    kind: 'whole',
    min: 1,
    max: 100_000,
    unit: 'requests',
    nullable: true,
    label: { fa: 'فراخوانی‌های هم‌زمان', en: 'Calls at once' },
    help: {
      fa: 'بیش از این به این ارائه‌دهنده فرستاده نمی‌شود؛ «null» یعنی نامحدود.',
      en: 'No more are sent to this provider; null: no limit.',
    },
  },
  enabled: {
    kind: 'flag',
    initial: true,
    label: { fa: 'روشن', en: 'Enabled' },
    help: { fa: 'ارائه‌دهندهٔ خاموش فراخوانده نمی‌شود.', en: 'A provider that is off is not called.' },
  },
});

export const ROUTE_FIELDS = fieldTable({
  priority: {
    kind: 'whole',
    min: 0,
    max: 1_000,
    unit: 'items',
    initial: 1,
    label: { fa: 'اولویت', en: 'Priority' },
    help: { fa: 'مسیرهای با عدد کوچک‌تر زودتر امتحان می‌شوند.', en: 'Routes with a smaller number are tried first.' },
  },
  weight: {
    kind: 'whole',
    min: 1,
    max: 1_000_000,
    unit: 'items',
    initial: 1,
    label: { fa: 'وزن', en: 'Weight' },
    help: { fa: 'سهم مسیر بین مسیرهای هم‌اولویت.', en: 'The share of a route among those of one priority.' },
  },
  max_concurrent: {
    kind: 'whole',
    min: 1,
    max: 100_000,
    unit: 'requests',
    nullable: true,
    label: { fa: 'درخواست‌های هم‌زمان', en: 'Requests at once' },
    help: {
      fa: 'بیش از این هم‌زمان از این مسیر فرستاده نمی‌شود؛ «null» یعنی بی‌حد. هر نسخهٔ برنامه برای خودش می‌شمارد.',
      en: 'No more go by this route at once; null: no limit. Each replica counts for itself.',
    },
  },
  requests_per_minute: {
    kind: 'whole',
    min: 1,
    max: 10_000_000,
    unit: 'requests',
    nullable: true,
    label: { fa: 'درخواست در دقیقه', en: 'Requests per minute' },
    help: {
      fa: 'بیش از این در هر ۶۰ ثانیه از این مسیر فرستاده نمی‌شود؛ «null» یعنی بی‌حد. هر نسخهٔ برنامه برای خودش می‌شمارد.',
      en: 'No more go by this route within 60 seconds; null: no limit. Each replica counts for itself.',
    },
  },
  tokens_per_minute: {
    kind: 'whole',
    min: 1,
    max: 2_000_000_000,
    unit: 'tokens',
    nullable: true,
    label: { fa: 'توکن در دقیقه', en: 'Tokens per minute' },
    help: {
      fa: 'برآورد ورودی و پاسخ روی هم، در هر ۶۰ ثانیه؛ «null» یعنی بی‌حد. هر نسخهٔ برنامه برای خودش می‌شمارد.',
      en: 'Estimated input and output together within 60 seconds; null: no limit. Each replica counts for itself.',
    },
  },
});

export const MODEL_FIELDS = fieldTable({
  kind: {
    kind: 'choice',
    values: MODEL_KINDS,
    initial: 'chat',
    label: { fa: 'نوع', en: 'Kind' },
    help: { fa: 'مدل چه می‌کند.', en: 'What the model does.' },
  },
  name: {
    ...name,
    label: { fa: 'نام', en: 'Name' },
    help: { fa: 'نامی که در فهرست دیده می‌شود.', en: 'The name that the list shows.' },
  },
  name_fa: {
    ...name,
    nullable: true,
    label: { fa: 'نام فارسی', en: 'Persian name' },
    help: { fa: 'نامی که در فهرست فارسی دیده می‌شود.', en: 'The name that the Persian list shows.' },
  },
  context: {
    ...tokens,
    nullable: true,
    label: { fa: 'طول کانتکست', en: 'Context' },
    help: { fa: 'حداکثر توکن پرسش و پاسخ روی هم.', en: 'The most tokens of question and answer together.' },
  },
  max_output: {
    ...tokens,
    nullable: true,
    label: { fa: 'حداکثر پاسخ', en: 'Longest answer' },
    help: { fa: 'حداکثر توکن یک پاسخ.', en: 'The most tokens of an answer.' },
  },
  hidden_tokens_per_second: {
    kind: 'whole',
    min: 1,
    max: 3_000,
    unit: 'tokens-per-second',
    nullable: true,
    label: { fa: 'سرعت استدلال پنهان', en: 'Speed of hidden reasoning' },
    help: {
      fa: 'توکن در ثانیه، اگر برای این مدل اندازه گرفته شده است؛ «null» یعنی همان تنظیم سرویس.',
      en: "Tokens a second, where it was measured for this model; null: the service's setting.",
    },
  },
  hedge: {
    kind: 'flag',
    initial: false,
    label: { fa: 'فراخوانی دوم', en: 'Second call' },
    help: {
      fa: 'اگر پاسخ دیر کند، مسیر دوم هم‌زمان امتحان می‌شود.',
      en: 'When an answer is late, a second route is tried beside the first.',
    },
  },
  enabled: {
    kind: 'flag',
    initial: true,
    label: { fa: 'روشن', en: 'Enabled' },
    help: {
      fa: 'مدل خاموش در فهرست نیست و پاسخ نمی‌دهد.',
      en: 'A model that is off is not listed and not answered for.',
    },
  },
});

const price = { kind: 'toman', unit: 'toman-per-million' } as const;
const tokenPrice = (fa: string, en: string) =>
  ({
    ...price,
    label: { fa, en },
    help: { fa: `تومان برای هر میلیون توکن: ${fa}.`, en: `Toman per million tokens: ${en.toLowerCase()}.` },
  }) as const;

const callPrice = (label: Text, fa: string, en: string) =>
  ({
    ...price,
    label,
    help: { fa: `تومان برای هر میلیون ${fa}.`, en: `Toman per million ${en}.` },
  }) as const;

export const PRICE_FIELDS = fieldTable({
  input: tokenPrice('ورودی', 'Input'),
  output: tokenPrice('پاسخ', 'Output'),
  cache_read: tokenPrice('خواندن از کش', 'Cache read'),
  cache_write_5m: tokenPrice('نوشتن در کش، ۵ دقیقه', 'Cache write, 5 minutes'),
  cache_write_1h: tokenPrice('نوشتن در کش، ۱ ساعت', 'Cache write, 1 hour'),
  reasoning: tokenPrice('استدلال', 'Reasoning'),
  audio_input: tokenPrice('صدای ورودی', 'Audio input'),
  audio_cache_read: tokenPrice('صدای کش‌شده', 'Cached audio'),
  audio_output: tokenPrice('صدای پاسخ', 'Audio output'),
  image_input: tokenPrice('تصویر ورودی', 'Image input'),
  image_output: tokenPrice('تصویر پاسخ', 'Image output'),
  images: {
    ...price,
    label: { fa: 'تصویر ساخته‌شده', en: 'Images made' },
    help: { fa: 'تومان برای هر میلیون تصویر.', en: 'Toman per million images.' },
  },
  characters: {
    ...price,
    label: { fa: 'کاراکتر', en: 'Characters' },
    help: { fa: 'تومان برای هر میلیون کاراکتر گفتار.', en: 'Toman per million characters of speech.' },
  },
  seconds: {
    ...price,
    label: { fa: 'ثانیه', en: 'Seconds' },
    help: { fa: 'تومان برای هر میلیون ثانیه صدا.', en: 'Toman per million seconds of audio.' },
  },
  searches: {
    ...price,
    label: { fa: 'جست‌وجو', en: 'Searches' },
    help: {
      fa: 'تومان برای هر میلیون جست‌وجوی بازرتبه‌بندی؛ یک جست‌وجو پرسشی با حداکثر ۱۰۰ متن است.',
      en: 'Toman per million searches of a reranker; one search is a query with up to 100 documents.',
    },
  },
  web_search: callPrice(
    { fa: 'جست‌وجوی وب', en: 'Web search' },
    'جست‌وجویی که ارائه‌دهنده خودش در وب انجام می‌دهد',
    'searches that the provider makes on the web',
  ),
  web_fetch: callPrice(
    { fa: 'خواندن صفحهٔ وب', en: 'Web fetch' },
    'صفحه‌ای که ارائه‌دهنده خودش می‌خواند؛ صفر یعنی فقط توکن‌ها حساب می‌شوند',
    'pages that the provider reads itself; zero means that only their tokens count',
  ),
  file_search: callPrice(
    { fa: 'جست‌وجوی فایل', en: 'File search' },
    'جست‌وجو در فایل‌هایی که نزد ارائه‌دهنده است',
    'searches in files that are kept at the provider',
  ),
  code_session: callPrice(
    { fa: 'اجرای کد', en: 'Code session' },
    'نشستی که ارائه‌دهنده در آن کد اجرا می‌کند',
    'sessions in which the provider runs code',
  ),
  image_tool_input: tokenPrice('ورودی ابزار تصویر', 'Image tool input'),
  image_tool_output: tokenPrice('خروجی ابزار تصویر', 'Image tool output'),
  request: {
    kind: 'toman',
    unit: 'toman',
    label: { fa: 'هر درخواست', en: 'Per request' },
    help: { fa: 'تومان برای هر درخواست، جدا از اندازه‌اش.', en: 'Toman for each request, whatever its size.' },
  },
});

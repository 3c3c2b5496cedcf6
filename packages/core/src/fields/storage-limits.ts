/** How much is kept and for how long: repeated requests, stored responses, knowledge bases. */
import { HOUR_MS, SECOND_MS } from '../time-spans.ts';
import { fieldTable } from './field.ts';
import { RETENTION_FIELDS } from './retention.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

export const STORAGE_LIMIT_FIELDS = fieldTable({
  idempotency_max_entries: {
    kind: 'whole',
    initial: 10_000,
    min: 0,
    max: 1_000_000,
    unit: 'items',
    label: { fa: 'کلیدهای «Idempotency-Key» در حافظه', en: 'Idempotency keys in memory' },
    help: {
      fa: 'جدیدترین کلیدهای «Idempotency-Key» که در حافظه می‌مانند.',
      en: 'The newest idempotency keys that stay in memory.',
    },
  },
  idempotency_max_answer_bytes: {
    kind: 'whole',
    initial: 1 * MIB,
    min: 1 * KIB,
    max: 64 * MIB,
    unit: 'bytes',
    label: { fa: 'حداکثر پاسخ نگه‌داشته', en: 'Largest kept answer' },
    help: { fa: 'پاسخ بزرگ‌تر برای تکرار نگه داشته نمی‌شود.', en: 'A larger answer is not kept for a repeat.' },
  },
  // A retry comes within minutes, and older answers are in the database.
  idempotency_max_total_bytes: {
    kind: 'whole',
    initial: 32 * MIB,
    min: 1 * KIB,
    max: 4_096 * MIB,
    unit: 'bytes',
    label: { fa: 'پاسخ‌های نگه‌داشته در حافظه', en: 'Kept answers in memory' },
    help: { fa: 'جای جدیدترین پاسخ‌ها در حافظه.', en: 'Room for the newest answers in memory.' },
  },
  // In the database, for other replicas and after a restart; 0 stores no answer, only that it was given.
  idempotency_max_account_bytes: {
    kind: 'whole',
    initial: 64 * MIB,
    min: 0,
    max: 1_024 * 1_024 * MIB,
    unit: 'bytes',
    label: { fa: 'پاسخ‌های نگه‌داشتهٔ هر حساب', en: 'Kept answers of an account' },
    help: {
      fa: 'بیش از این پاسخ‌های قدیمی پاک می‌شوند و کلیدشان ۴۰۹ می‌گیرد.',
      en: 'Beyond it the oldest answers go and their keys answer 409.',
    },
  },
  idempotency_max_account_entries: {
    kind: 'whole',
    initial: 100_000,
    min: 100,
    max: 10_000_000,
    unit: 'items',
    label: { fa: 'کلیدهای «Idempotency-Key» هر حساب', en: 'Idempotency keys of an account' },
    help: {
      fa: 'بیش از این قدیمی‌ترین کلیدها زودتر فراموش می‌شوند.',
      en: 'Beyond it the oldest keys are forgotten before their time.',
    },
  },
  // SDKs retry within minutes; a day is what payment services keep.
  idempotency_keep_ms: {
    kind: 'whole',
    initial: 24 * HOUR_MS,
    min: SECOND_MS,
    max: 7 * 24 * HOUR_MS,
    unit: 'ms',
    label: { fa: 'عمر «Idempotency-Key»', en: 'Life of an idempotency key' },
    help: {
      fa: 'تا این زمان تکرار درخواست همان پاسخ را می‌گیرد.',
      en: 'For this long a repeated request gets the same answer.',
    },
  },
  // A client that lost its connection comes back within minutes. The frames lie in memory, and in Redis where there are
  // replicas.
  resume_max_seconds: {
    kind: 'whole',
    initial: 600,
    min: 0,
    max: 3_600,
    unit: 'seconds',
    label: { fa: 'حداکثر نگه‌داری استریم', en: 'Longest keeping of a stream' },
    help: {
      fa: 'استریم را تا این تعداد ثانیه پس از پایانش می‌توان ادامه داد؛ ۰ یعنی هیچ استریمی ادامه ندارد.',
      en: 'For so many seconds after its end a stream can be continued; 0: no stream can.',
    },
  },
  resume_max_stream_bytes: {
    kind: 'whole',
    initial: 8 * MIB,
    min: 64 * KIB,
    max: 256 * MIB,
    unit: 'bytes',
    label: { fa: 'فریم‌های هر استریم', en: 'Frames of a stream' },
    help: {
      fa: 'بیش از این قدیمی‌ترین فریم‌های همان استریم می‌روند.',
      en: 'Beyond it the oldest frames of the stream go.',
    },
  },
  resume_max_account_bytes: {
    kind: 'whole',
    initial: 32 * MIB,
    min: 64 * KIB,
    max: 4_096 * MIB,
    unit: 'bytes',
    label: { fa: 'استریم‌های نگه‌داشتهٔ هر حساب', en: 'Kept streams of an account' },
    help: {
      fa: 'بیش از این استریم‌های پایان‌یافتهٔ قدیمی‌تر حساب پیش از موعد می‌روند.',
      en: "Beyond it the account's oldest ended streams go before their time.",
    },
  },
  resume_max_total_bytes: {
    kind: 'whole',
    initial: 64 * MIB,
    min: 64 * KIB,
    max: 65_536 * MIB,
    unit: 'bytes',
    label: { fa: 'همهٔ استریم‌های نگه‌داشته', en: 'All kept streams' },
    help: {
      fa: 'جای استریم‌هایی که یک پردازش نگه می‌دارد.',
      en: 'Room for the streams that one process keeps.',
    },
  },
  // These answers lie in memory, and in Redis where there are replicas.
  cache_max_seconds: {
    kind: 'whole',
    initial: 86_400,
    min: 0,
    max: 604_800,
    unit: 'seconds',
    label: { fa: 'حداکثر عمر کش پاسخ', en: 'Longest life in the response cache' },
    help: {
      fa: 'درخواست یکسان تا این تعداد ثانیه همان پاسخ را می‌گیرد؛ ۰ یعنی هیچ پاسخی در کش نمی‌ماند.',
      en: 'For so many seconds an equal request is given the same answer; 0: no answer is cached.',
    },
  },
  cache_max_answer_bytes: {
    kind: 'whole',
    initial: 512 * KIB,
    min: KIB,
    max: 64 * MIB,
    unit: 'bytes',
    label: { fa: 'بزرگ‌ترین پاسخ در کش', en: 'Largest cached answer' },
    help: { fa: 'پاسخ بزرگ‌تر از این در کش نمی‌ماند.', en: 'A larger answer is not cached.' },
  },
  cache_max_account_bytes: {
    kind: 'whole',
    initial: 16 * MIB,
    min: 0,
    max: 4_096 * MIB,
    unit: 'bytes',
    label: { fa: 'کش پاسخ هر حساب', en: 'Response cache of an account' },
    help: {
      fa: 'بیش از این پاسخ‌هایی از همان حساب که مدتی استفاده نشده‌اند زودتر می‌روند.',
      en: "Beyond it the account's longest unused answers go before their time.",
    },
  },
  cache_max_total_bytes: {
    kind: 'whole',
    initial: 64 * MIB,
    min: 0,
    max: 65_536 * MIB,
    unit: 'bytes',
    label: { fa: 'همهٔ پاسخ‌های کش', en: 'All cached answers' },
    help: {
      fa: 'جای پاسخ‌هایی که یک پردازش در کش نگه می‌دارد.',
      en: 'Room for the answers that one process caches.',
    },
  },
  prompt_log_max_days: RETENTION_FIELDS.prompt_log_max_days,
  // The status page shows ninety days; a day that is no longer kept has no figure there.
  uptime_history_days: RETENTION_FIELDS.uptime_history_days,
  // OpenAI keeps stored answers for thirty days.
  response_store_keep_ms: RETENTION_FIELDS.response_store_keep_ms,
  // A conversation's next turn comes within minutes, and older answers are in the database.
  response_store_max_bytes: {
    kind: 'whole',
    initial: 16 * MIB,
    min: 0,
    max: 4_096 * MIB,
    unit: 'bytes',
    label: { fa: 'پاسخ‌های ذخیره در حافظه', en: 'Stored responses in memory' },
    help: { fa: 'جای جدیدترین پاسخ‌های ذخیره در حافظه.', en: 'Room for the newest stored responses in memory.' },
  },
  response_store_max_response_bytes: {
    kind: 'whole',
    initial: 4 * MIB,
    min: 1 * KIB,
    max: 64 * MIB,
    unit: 'bytes',
    label: { fa: 'حداکثر پاسخ ذخیره', en: 'Largest stored response' },
    help: { fa: 'پاسخ بزرگ‌تر ذخیره نمی‌شود.', en: 'A larger response is not stored.' },
  },
  response_store_max_per_account: {
    kind: 'whole',
    initial: 10_000,
    min: 1,
    max: 10_000_000,
    unit: 'items',
    label: { fa: 'پاسخ‌های ذخیرهٔ هر حساب', en: 'Stored responses of an account' },
    help: { fa: 'بیش از این قدیمی‌ترین‌ها پاک می‌شوند.', en: 'Beyond it the oldest go.' },
  },
  knowledge_max_bases: {
    kind: 'whole',
    initial: 100,
    min: 0,
    max: 100_000,
    unit: 'items',
    label: { fa: 'پایگاه‌های دانش هر حساب', en: 'Knowledge bases of an account' },
    help: { fa: 'حداکثر تعداد پایگاه‌های دانش یک حساب.', en: 'The most knowledge bases an account may have.' },
  },
  knowledge_max_documents: {
    kind: 'whole',
    initial: 2_000,
    min: 0,
    max: 1_000_000,
    unit: 'items',
    label: { fa: 'سندهای هر پایگاه', en: 'Documents of a base' },
    help: { fa: 'حداکثر تعداد سندهای یک پایگاه دانش.', en: 'The most documents a knowledge base may have.' },
  },
  // A document is held in memory while it is parsed, and stored in one row until then.
  knowledge_max_document_bytes: {
    kind: 'whole',
    initial: 20 * MIB,
    min: KIB,
    max: 256 * MIB,
    unit: 'bytes',
    label: { fa: 'حداکثر اندازهٔ سند', en: 'Largest document' },
    help: { fa: 'سند بزرگ‌تر پذیرفته نمی‌شود.', en: 'A larger document is refused.' },
  },
  knowledge_max_total_bytes: {
    kind: 'whole',
    initial: 1_024 * MIB,
    min: 0,
    max: 1_024 * 1_024 * MIB,
    unit: 'bytes',
    label: { fa: 'همهٔ سندهای هر حساب', en: 'All documents of an account' },
    help: { fa: 'جای همهٔ سندهای یک حساب.', en: 'Room for all documents of an account.' },
  },
  // OpenAI takes as many lines in the input of a batch.
  file_max_bytes: {
    kind: 'whole',
    initial: 200 * MIB,
    min: 64 * KIB,
    max: 512 * MIB,
    unit: 'bytes',
    label: { fa: 'حداکثر اندازهٔ فایل', en: 'Largest stored file' },
    help: { fa: 'فایل بزرگ‌تر از این با ۴۱۳ رد می‌شود.', en: 'A larger file is refused with 413.' },
  },
  files_per_account: {
    kind: 'whole',
    initial: 1_000,
    min: 1,
    max: 1_000_000,
    unit: 'items',
    label: { fa: 'فایل‌های هر حساب', en: 'Files of an account' },
    help: {
      fa: 'فایل‌های آپلودشده و خروجی دسته‌ها با هم.',
      en: 'Uploaded files and results of batches together.',
    },
  },
  // Files lie in the database.
  files_account_bytes: {
    kind: 'whole',
    initial: 1_024 * MIB,
    min: 1 * MIB,
    max: 1_024 * 1_024 * MIB,
    unit: 'bytes',
    label: { fa: 'همهٔ فایل‌های هر حساب', en: 'All files of an account' },
    help: { fa: 'جای همهٔ فایل‌های یک حساب در پایگاه داده.', en: 'Room for all files of an account, in the database.' },
  },
  batches_per_account: {
    kind: 'whole',
    initial: 20,
    min: 1,
    max: 10_000,
    unit: 'items',
    label: { fa: 'دسته‌های ناتمام هر حساب', en: 'Unfinished batches of an account' },
    help: {
      fa: 'دستهٔ بیش از این تا پایان یکی از قبلی‌ها رد می‌شود.',
      en: 'One more is refused until one of them has ended.',
    },
  },
  batch_max_lines: {
    kind: 'whole',
    initial: 50_000,
    min: 1,
    max: 1_000_000,
    unit: 'items',
    label: { fa: 'درخواست‌های هر دسته', en: 'Requests of a batch' },
    help: { fa: 'دستهٔ بلندتر از این رد می‌شود.', en: 'A longer batch is refused.' },
  },
  // Each line waits for a provider and holds its own body; interactive requests must have room beside it.
  batch_parallel: {
    kind: 'whole',
    initial: 8,
    min: 1,
    max: 1_000,
    unit: 'items',
    label: { fa: 'درخواست‌های هم‌زمان دسته‌ها', en: 'Requests of batches at once' },
    help: {
      fa: 'هر نمونهٔ سرویس حداکثر این تعداد درخواستِ دسته‌ها را هم‌زمان اجرا می‌کند.',
      en: 'How many requests of batches one replica runs at the same time.',
    },
  },
  // This many tokens are held for every grounded request, whether or not so many passages are found.
  knowledge_context_tokens: {
    kind: 'whole',
    initial: 3_000,
    min: 256,
    max: 200_000,
    unit: 'tokens',
    label: { fa: 'توکن‌های دانش در درخواست', en: 'Knowledge tokens of a request' },
    help: {
      fa: 'برای بندهای پایگاه دانش در هر درخواست کنار گذاشته می‌شود.',
      en: 'Held by every request that names a knowledge base, for the passages it gets.',
    },
  },
  // Each document is parsed in a thread of its own.
  knowledge_parallel_reading: {
    kind: 'whole',
    initial: 2,
    min: 1,
    max: 64,
    unit: 'items',
    label: { fa: 'سندهای هم‌زمان', en: 'Documents read at once' },
    help: { fa: 'تعداد سندهایی که هم‌زمان خوانده می‌شوند.', en: 'How many documents are read at the same time.' },
  },
});

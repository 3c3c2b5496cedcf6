/** Limits on requests, the journal and the process. A value outside its bounds is a mistake, not a preference. */
import { HOUR_MS, SECOND_MS } from '../time-spans.ts';
import { fieldTable } from './field.ts';
import { RETENTION_FIELDS } from './retention.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

export const SERVICE_LIMIT_FIELDS = fieldTable({
  // Too high a value locks small wallets out, too low a value lets them be overrun.
  default_output_tokens: {
    kind: 'whole',
    initial: 1_024,
    min: 16,
    max: 1_000_000,
    unit: 'tokens',
    label: { fa: 'طول پاسخ فرضی', en: 'Assumed answer length' },
    help: {
      fa: 'کنار گذاشته می‌شود وقتی هیچ‌چیز نمی‌گوید پاسخ چه‌قدر خواهد بود.',
      en: 'Held when nothing says how long an answer will be.',
    },
  },
  // A cap is exceeded by at most this much; a smaller value asks the counters more often.
  hold_step_tokens: {
    kind: 'whole',
    initial: 512,
    min: 16,
    max: 100_000,
    unit: 'tokens',
    label: { fa: 'مرحلهٔ رزرو', en: 'Step of a hold' },
    help: {
      fa: 'پاسخ در حال نوشته‌شدن هر بار برای این تعداد توکن پول کنار می‌گذارد.',
      en: 'A running answer holds money for this many more tokens at a time.',
    },
  },
  // The operator pays for what the model writes meanwhile; where the provider reports nothing, its reasoning is charged
  // by time.
  report_wait_ms: {
    kind: 'whole',
    initial: 3 * SECOND_MS,
    min: 0,
    max: 60 * SECOND_MS,
    unit: 'ms',
    label: { fa: 'مهلت گزارش مصرف پس از رفتن مشتری', en: 'Wait for a report after leaving' },
    help: {
      fa: 'مدلی که پنهانی استدلال می‌کند، پس از رفتن مشتری این‌قدر فرصت دارد مصرفش را گزارش کند.',
      en: 'How long a model with hidden reasoning may go on to report its usage after its client has left.',
    },
  },
  // With only a handful, one mistyped key locks its whole office out; above this value guessing keys becomes cheap.
  auth_failures_per_minute: {
    kind: 'whole',
    initial: 3_000,
    min: 5,
    max: 1_000_000,
    unit: 'requests',
    label: { fa: 'کلید نادرست در دقیقه', en: 'Wrong keys per minute' },
    help: {
      fa: 'حداکثر تعداد کلید نادرست از یک آدرس IP در هر ۶۰ ثانیه.',
      en: 'Wrong keys from one IP address in any 60 seconds.',
    },
  },
  // Large enough for a page of images in base64; every running request may hold one such body in memory.
  max_body_bytes: {
    kind: 'whole',
    initial: 32 * MIB,
    min: 64 * KIB,
    max: 512 * MIB,
    unit: 'bytes',
    label: { fa: 'حداکثر اندازهٔ درخواست', en: 'Largest request' },
    help: { fa: 'درخواست بزرگ‌تر از این با ۴۱۳ رد می‌شود.', en: 'A larger request is refused with 413.' },
  },
  // Bounds all memory that requests hold at one moment; a body counts with what parsing it takes.
  max_bodies_total_bytes: {
    kind: 'whole',
    initial: 0,
    min: 0,
    max: 1_024 * 1_024 * MIB,
    unit: 'bytes',
    label: { fa: 'حافظهٔ درخواست‌ها', en: 'Memory for requests' },
    help: {
      fa: 'درخواستی که در این حافظه جا نشود کمی صبر می‌کند و بعد ۵۰۳ می‌گیرد؛ صفر یعنی یک‌چهارم حافظهٔ کانتینر یا سرور.',
      en: 'A request that does not fit in waits for a moment and then gets 503; 0 is a quarter of the memory of the container or machine.',
    },
  },
  // A busy server of one customer holds some hundred connections; trusted proxies are not counted.
  max_connections_per_address: {
    kind: 'whole',
    initial: 2_000,
    min: 1,
    max: 1_000_000,
    unit: 'items',
    label: { fa: 'اتصال هم‌زمان از یک آدرس', en: 'Connections per address' },
    help: { fa: 'اتصال بیش از این بسته می‌شود.', en: 'A connection beyond this is closed.' },
  },
  // Each socket holds a connection and the last answer of its conversation.
  max_sockets: {
    kind: 'whole',
    initial: 2_000,
    min: 0,
    max: 1_000_000,
    unit: 'items',
    label: { fa: 'اتصال WebSocket هم‌زمان', en: 'WebSockets at once' },
    help: {
      fa: 'در هر فرایند، برای پاسخ‌ها و مکالمهٔ زنده؛ اتصال بیش از این ۵۰۳ می‌گیرد و صفر یعنی هیچ.',
      en: 'In each process, for responses and realtime; one beyond this gets 503, and 0 allows none.',
    },
  },
  max_sockets_per_key: {
    kind: 'whole',
    initial: 100,
    min: 1,
    max: 1_000_000,
    unit: 'items',
    label: { fa: 'اتصال WebSocket هر کلید', en: 'WebSockets of a key' },
    help: {
      fa: 'در هر فرایند؛ اتصال بیش از این ۴۲۹ می‌گیرد.',
      en: 'In each process; one beyond this gets 429.',
    },
  },
  // A client that tries again in a loop is told to wait.
  refusals_per_minute: {
    kind: 'whole',
    initial: 1_000,
    min: 10,
    max: 1_000_000,
    unit: 'requests',
    label: { fa: 'درخواست ردشدهٔ هر کلید در دقیقه', en: 'Refused requests of a key per minute' },
    help: {
      fa: 'کلیدی که درخواست‌هایش بیش از این رد شود تا پایان دقیقه ۴۲۹ می‌گیرد.',
      en: 'A key whose requests are refused more often gets 429 until the minute is over.',
    },
  },
  // OpenAI's own limit on audio files is 25 MB.
  max_upload_bytes: {
    kind: 'whole',
    initial: 32 * MIB,
    min: 64 * KIB,
    max: 512 * MIB,
    unit: 'bytes',
    label: { fa: 'حداکثر اندازهٔ صدا', en: 'Largest audio upload' },
    help: { fa: 'فایل صوتی بزرگ‌تر از این رد می‌شود.', en: 'A larger audio file is refused.' },
  },
  // Without this limit they could fill the disk of the journal.
  max_uploads_total_bytes: {
    kind: 'whole',
    initial: 4_096 * MIB,
    min: 1 * MIB,
    max: 1_024 * 1_024 * MIB,
    unit: 'bytes',
    label: { fa: 'همهٔ فایل‌های در راه', en: 'All uploads at once' },
    help: {
      fa: 'جای همهٔ فایل‌هایی که هم‌زمان روی دیسک‌اند؛ بیش از آن ۵۰۳ می‌گیرد.',
      en: 'All uploads that wait on disk at one moment; beyond it new ones get 503.',
    },
  },
  // OpenAI takes this much; other providers of speech take more.
  max_speech_characters: {
    kind: 'whole',
    initial: 4_096,
    min: 1,
    max: 1_000_000,
    unit: 'characters',
    label: { fa: 'حداکثر طول متن گفتار', en: 'Longest text to speak' },
    help: { fa: 'متن بلندتر از این به گفتار تبدیل نمی‌شود.', en: 'A longer text is not turned into speech.' },
  },
  max_response_bytes: {
    kind: 'whole',
    initial: 64 * MIB,
    min: 1 * MIB,
    max: 512 * MIB,
    unit: 'bytes',
    label: { fa: 'حداکثر اندازهٔ پاسخ', en: 'Largest answer' },
    help: { fa: 'پاسخ بزرگ‌تر ارائه‌دهنده بریده می‌شود.', en: 'A larger answer of a provider is cut off.' },
  },
  // Each one is a socket on both sides, so more would slow down all requests.
  max_concurrent_requests: {
    kind: 'whole',
    initial: 8_000,
    min: 1,
    max: 100_000,
    unit: 'requests',
    label: { fa: 'درخواست‌های هم‌زمان', en: 'Requests at once' },
    help: { fa: 'بیش از این درخواست‌های جدید ۵۰۳ می‌گیرند.', en: 'Beyond it new requests get 503.' },
  },
  max_event_loop_lag_ms: {
    kind: 'whole',
    initial: 3_000,
    min: 50,
    max: 600 * SECOND_MS,
    unit: 'ms',
    label: { fa: 'حداکثر عقب‌ماندگی', en: 'Most lag' },
    help: {
      fa: 'برنامه‌ای که این‌قدر عقب بماند درخواست جدید نمی‌پذیرد.',
      en: 'A process this far behind takes no new requests until it has caught up.',
    },
  },
  // Charges that are not yet on disk are lost when the machine dies.
  journal_max_records: {
    kind: 'whole',
    initial: 1_000_000,
    min: 1_000,
    max: 50_000_000,
    unit: 'items',
    label: { fa: 'رکوردهای در انتظار', en: 'Records waiting' },
    help: {
      fa: 'رکوردهایی که در انتظار پایگاه داده‌اند؛ اگر پر شود درخواست‌ها رد می‌شوند.',
      en: 'Records that wait for the database; when full, requests are refused.',
    },
  },
  journal_max_bytes: {
    kind: 'whole',
    initial: 1_024 * MIB,
    min: 8 * MIB,
    max: 1_024 * 1_024 * MIB,
    unit: 'bytes',
    label: { fa: 'اندازهٔ ژورنال', en: 'Size of the journal' },
    help: { fa: 'جای رکوردهایی که در انتظار پایگاه داده‌اند.', en: 'Room for the records that wait for the database.' },
  },
  journal_sync_ms: {
    kind: 'whole',
    initial: 50,
    min: 0,
    max: 10 * SECOND_MS,
    unit: 'ms',
    label: { fa: 'فاصلهٔ نوشتن روی دیسک', en: 'Time between disk writes' },
    help: { fa: 'حداکثر زمانی که با قطع برق از دست می‌رود.', en: 'How much a power cut may lose.' },
  },
  log_retention_days: RETENTION_FIELDS.log_retention_days,
  // Proxies commonly close a silent connection after 30 to 60 s.
  keepalive_ms: {
    kind: 'whole',
    initial: 15 * SECOND_MS,
    min: SECOND_MS,
    max: 60 * SECOND_MS,
    unit: 'ms',
    label: { fa: 'نشان زنده‌بودن', en: 'Sign of life' },
    help: {
      fa: 'در پاسخ خاموش هر چند وقت نشانه‌ای فرستاده می‌شود.',
      en: 'How often a silent stream sends a sign of life.',
    },
  },
  // Words that come together are read, charged and written together. A screen shows a picture every 16 ms.
  stream_read_ms: {
    kind: 'whole',
    initial: 12,
    min: 0,
    max: 100,
    unit: 'ms',
    label: { fa: 'فاصلهٔ خواندن استریم', en: 'Time between reads of a stream' },
    help: {
      fa: 'پس از اولین کلمه‌ها، هرچه در این فاصله برسد یکجا فرستاده می‌شود؛ وقتی بیش از ۵۰ استریم هم‌زمان کلمه می‌فرستند، تا سه برابر آن. با ۰ هر تکه همان لحظه فرستاده می‌شود.',
      en: 'After the first words, what comes within this time goes out together; up to three times as long while more than 50 streams send words. With 0 each piece at once.',
    },
  },
  // A phone may lose its network for half a minute; a reader that never comes back must not hold a provider's stream.
  reader_idle_ms: {
    kind: 'whole',
    initial: 60 * SECOND_MS,
    min: SECOND_MS,
    max: HOUR_MS,
    unit: 'ms',
    label: { fa: 'مهلت برای خواننده', en: 'Timeout for a reader' },
    help: { fa: 'خواننده‌ای که این‌قدر نخواند رها می‌شود.', en: 'A reader that takes nothing for this long is let go.' },
  },
  // A slow sender holds a connection and what it sent so far; a large picture over a bad line takes a minute.
  request_ms: {
    kind: 'whole',
    initial: 120 * SECOND_MS,
    min: SECOND_MS,
    max: HOUR_MS,
    unit: 'ms',
    label: { fa: 'مهلت ارسال درخواست', en: 'Time to send a request' },
    help: {
      fa: 'درخواستی که تا این زمان کامل نرسد رد می‌شود.',
      en: 'A request that has not arrived whole by then is refused.',
    },
  },
  total_deadline_ms: {
    kind: 'whole',
    initial: 600 * SECOND_MS,
    min: SECOND_MS,
    max: 2 * HOUR_MS,
    unit: 'ms',
    label: { fa: 'مهلت کل درخواست', en: 'Deadline of a request' },
    help: {
      fa: 'درخواست با همهٔ تلاش‌هایش بیش از این طول نمی‌کشد.',
      en: 'A request with all its attempts takes no longer.',
    },
  },
  drain_ms: {
    kind: 'whole',
    initial: 30 * SECOND_MS,
    min: 0,
    max: HOUR_MS,
    unit: 'ms',
    label: { fa: 'مهلت خاموشی', en: 'Time to stop' },
    help: {
      fa: 'سرور هنگام خاموش‌شدن تا این زمان برای پاسخ‌های ناتمام صبر می‌کند.',
      en: 'How long a stopping server waits for running streams.',
    },
  },
});

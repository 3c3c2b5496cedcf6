/** How long each kind of data is kept: fixed in the file, or changed while the service runs. */
import { HOUR_MS } from '../time-spans.ts';
import { fieldTable } from './field.ts';
import { MAX_DAYS_OF_TEXTS } from './prompt-logging.ts';

export const RETENTION_FIELDS = fieldTable({
  log_retention_days: {
    kind: 'whole',
    initial: 90,
    min: 1,
    max: 3_650,
    unit: 'days',
    label: { fa: 'عمر گزارش درخواست‌ها', en: 'Life of the request log' },
    help: { fa: 'گزارش هر درخواست پس از این پاک می‌شود.', en: "A request's log entry is deleted after this." },
  },
  prompt_log_max_days: {
    kind: 'whole',
    initial: MAX_DAYS_OF_TEXTS,
    min: 1,
    max: MAX_DAYS_OF_TEXTS,
    unit: 'days',
    label: { fa: 'حداکثر عمر متن درخواست‌ها', en: 'Longest life of prompt logs' },
    help: {
      fa: 'متنی که حساب‌ها برای نگه‌داری می‌سپارند، هرچه خواسته باشند، پس از این پاک می‌شود.',
      en: 'Texts that accounts ask us to keep are deleted after this, whatever they asked for.',
    },
  },
  response_store_keep_ms: {
    kind: 'whole',
    initial: 30 * 24 * HOUR_MS,
    min: 0,
    max: 365 * 24 * HOUR_MS,
    unit: 'ms',
    label: { fa: 'عمر پاسخ‌های ذخیره', en: 'Life of stored responses' },
    help: {
      fa: 'تا این زمان گفت‌وگو را می‌توان با شناسه ادامه داد؛ ۰ یعنی ذخیره نشود.',
      en: 'For this long a conversation may be continued by id; 0 stores none.',
    },
  },
  uptime_history_days: {
    kind: 'whole',
    initial: 90,
    min: 7,
    max: 730,
    unit: 'days',
    label: { fa: 'عمر تاریخچهٔ سلامت', en: 'Life of the health history' },
    help: {
      fa: 'تعداد ساعتی پاسخ‌ها و خطاهای هر مدل و مسیر پس از این پاک می‌شود.',
      en: 'The hourly counts of answers and failures per model and route are deleted after this.',
    },
  },
});

/** The operator's settings, under `settings:` in the configuration file. */
import { HOUR_MS, SECOND_MS } from '../time-spans.ts';
import { fieldTable } from './field.ts';
import { SERVICE_LIMIT_FIELDS } from './service-limits.ts';
import { STORAGE_LIMIT_FIELDS } from './storage-limits.ts';

/** Whole numbers, each with its default value. */
export const LIMIT_FIELDS = fieldTable({ ...SERVICE_LIMIT_FIELDS, ...STORAGE_LIMIT_FIELDS });

/** Less than 10 ms fails on a healthy network; more than two hours is no limit. */
const TIMEOUT = { kind: 'whole', min: 10, max: 2 * HOUR_MS, unit: 'ms' } as const;

/** Time limits of providers that name none of their own. */
export const TIMEOUT_FIELDS = fieldTable({
  connect_ms: {
    ...TIMEOUT,
    initial: 5 * SECOND_MS,
    label: { fa: 'مهلت اتصال', en: 'Time to connect' },
    help: { fa: 'تا برقراری اتصال با ارائه‌دهنده.', en: 'Until the connection to the provider stands.' },
  },
  // Reasoning models may think for minutes before their first token.
  first_event_ms: {
    ...TIMEOUT,
    initial: 120 * SECOND_MS,
    label: { fa: 'مهلت اولین توکن', en: 'Time to the first word' },
    help: { fa: 'تا اولین رویداد استریم.', en: 'Until the first event of a stream.' },
  },
  whole_answer_ms: {
    ...TIMEOUT,
    initial: 600 * SECOND_MS,
    label: { fa: 'مهلت پاسخ یک‌جا', en: 'Time for a whole answer' },
    help: { fa: 'تا رسیدن پاسخی که استریم نیست.', en: 'Until an answer that is no stream has come.' },
  },
  idle_ms: {
    ...TIMEOUT,
    initial: 120 * SECOND_MS,
    label: { fa: 'مهلت سکوت استریم', en: 'Silence in a stream' },
    help: { fa: 'حداکثر فاصلهٔ بین دو بخش پاسخ.', en: 'The longest silence between two parts of an answer.' },
  },
  total_ms: {
    ...TIMEOUT,
    initial: 600 * SECOND_MS,
    label: { fa: 'مهلت کل فراخوانی', en: 'Time for the whole call' },
    help: { fa: 'یک فراخوانی ارائه‌دهنده بیش از این طول نمی‌کشد.', en: 'One call of a provider takes no longer.' },
  },
});

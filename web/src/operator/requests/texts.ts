/** The log of all accounts and its receipts. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  clientClosed: 'قطع از طرف مشتری',
  keyId: 'شناسهٔ کلید',
  requestId: 'شناسهٔ درخواست',
  costOver: 'گران‌تر از',
  slowerThan: 'کندتر از',
  newest: 'جدیدترین',
  sorts: { dearest: 'گران‌ترین', slowest: 'کندترین' },
  bought: 'خرید',
  continued: 'ادامهٔ پاسخ قطع‌شده',
  continues: 'ادامهٔ پاسخ قطع‌شده',
  profit: 'سود',
  key: 'کلید',
  endpoint: 'مسیر API',
  tokens: 'توکن',
  tokensOf: (input: string, output: string) => `${input} ورودی، ${output} پاسخ`,
  duration: 'مدت',
  durationOf: (total: string, first: string) => `${total} ثانیه؛ اولین توکن ${first} ثانیه`,
  error: 'کد خطا',
  user: 'کاربر نهایی',
  attempts: 'تلاش‌ها',
  plan: {
    priority: (n: string) => `اولویت ${n}`,
    weight: (n: string) => `وزن ${n}`,
    running: (n: string) => `${n} در جریان`,
    firstEvent: (seconds: string) => `اولین توکن ${seconds} ثانیه`,
    fallback: (model: string) => `مدل جایگزین \u2066${model}\u2069`,
    cut: (seconds: string) => `تا ${seconds} ثانیهٔ دیگر قطع`,
  },
  /** What the plan says of a route, by its name there. */
  planned: {
    'holds the prompt cache': 'پرسش را در کش دارد',
    'provider full': 'ارائه‌دهنده پر است',
    'probe after failures': 'تست پس از خطا',
    'being probed by another request': 'درخواست دیگری آن را امتحان می‌کند',
  },
};

const en: typeof fa = {
  clientClosed: 'Closed by the customer',
  keyId: 'Key id',
  requestId: 'Request id',
  costOver: 'Dearer than',
  slowerThan: 'Slower than',
  newest: 'Newest',
  sorts: { dearest: 'Dearest', slowest: 'Slowest' },
  bought: 'Cost',
  continued: 'Continuing it',
  continues: 'Went on with it',
  profit: 'Profit',
  key: 'Key',
  endpoint: 'Endpoint',
  tokens: 'Tokens',
  tokensOf: (input, output) => `${input} in, ${output} out`,
  duration: 'Duration',
  durationOf: (total, first) => `${total} s; first token after ${first} s`,
  error: 'Error code',
  user: 'End user',
  attempts: 'Attempts',
  plan: {
    priority: (n) => `priority ${n}`,
    weight: (n) => `weight ${n}`,
    running: (n) => `${n} running`,
    firstEvent: (seconds) => `first token ${seconds} s`,
    fallback: (model) => `fallback model ${model}`,
    cut: (seconds) => `cut off for ${seconds} s`,
  },
  planned: {
    'holds the prompt cache': 'holds the prompt cache',
    'provider full': 'provider full',
    'probe after failures': 'probe after failures',
    'being probed by another request': 'being tried by another request',
  },
};

export const useLogTexts = dictionary(fa, en);

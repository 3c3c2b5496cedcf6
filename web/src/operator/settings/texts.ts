/** What the settings page says beside the fields, whose own words are declared in packages/core/src/fields. */
import { dictionary } from '../../texts/dictionary.tsx';

type Named = readonly [name: string, text: string];

const fa = {
  customers: 'مشتریان',
  service: 'سرویس',
  prices: 'قیمت و محاسبه',
  routes: 'مدل‌ها و مسیرها',
  registrations: {
    open: ['باز', 'هر کس با موبایل یا ایمیل حساب می‌سازد.'],
    invitation: ['با دعوت', 'فقط کسی که دعوت شده است وارد می‌شود.'],
    closed: ['بسته', 'حساب جدیدی ساخته نمی‌شود؛ مشتریان فعلی وارد می‌شوند.'],
  } as Record<string, Named>,
  retention: {
    title: 'چه چیزی تا کی نگه داشته می‌شود',
    idempotency: 'پاسخ‌های Idempotency-Key',
    days: (days: string) => `${days} روز`,
    unit: 'روز',
    byFile: 'در فایل تنظیمات تعیین شده است.',
    sources: { default: '(پیش‌فرض)', database: '(اینجا تعیین شده)' } as Record<string, string>,
    hint: 'فقط در فایل تنظیمات. دفترهای مالی هرگز پاک نمی‌شوند.',
    shorterTitle: 'زودتر پاک شود؟',
    shorterAct: 'کوتاه کردن',
    shorterText: 'آنچه از مدت جدید قدیمی‌تر است ظرف یک ساعت پاک می‌شود و برنمی‌گردد. دفترهای مالی می‌مانند.',
  },
  tokensPerSecond: 'توکن در ثانیه',
  unsaved: 'تغییرها ذخیره نشده‌اند و از لحظهٔ ذخیره روی همهٔ نمونه‌ها اعمال می‌شوند.',
};

const en: typeof fa = {
  customers: 'Customers',
  service: 'Service',
  prices: 'Prices and charging',
  routes: 'Models and routes',
  registrations: {
    open: ['Open', 'Anyone makes an account with a mobile number or an e-mail address.'],
    invitation: ['By invitation', 'Only people who were invited come in.'],
    closed: ['Closed', 'No new account is made; present customers sign in.'],
  },
  retention: {
    title: 'How long things are kept',
    idempotency: 'Answers under an Idempotency-Key',
    days: (days: string) => (days === '1' ? '1 day' : `${days} days`),
    unit: 'days',
    byFile: 'Set in the configuration file.',
    sources: { default: '(default)', database: '(set here)' },
    hint: 'only in the configuration file. The books are never deleted.',
    shorterTitle: 'Delete earlier?',
    shorterAct: 'Shorten',
    shorterText: 'What is older than the new span is deleted within an hour and does not come back. The books stay.',
  },
  tokensPerSecond: 'tokens a second',
  unsaved: 'Changes are not saved; saved ones are in force on every replica at once.',
};

export const useSettingTexts = dictionary(fa, en);

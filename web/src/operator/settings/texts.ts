/** What the settings page says beside the fields, whose own words are declared in server/src/core/fields. */
import { dictionary } from '../../texts/dictionary.tsx';

type Named = readonly [name: string, text: string];

const fa = {
  customers: 'مشتریان',
  service: 'سرویس',
  registrations: {
    open: ['باز', 'هر کس با موبایل یا رایانامه حساب می‌سازد.'],
    invitation: ['با دعوت', 'فقط کسی که دعوت شده است وارد می‌شود.'],
    closed: ['بسته', 'حساب تازه‌ای ساخته نمی‌شود؛ مشتریان کنونی وارد می‌شوند.'],
  } as Record<string, Named>,
  retention: {
    title: 'چه چیزی تا کی نگه داشته می‌شود',
    requestLog: 'گزارش درخواست‌ها',
    promptLogs: 'متن درخواست‌ها، دست بالا',
    storedResponses: 'پاسخ‌های ذخیره‌شده',
    idempotency: 'پاسخ‌های کلید تکرار',
    uptime: 'تاریخچهٔ سلامت مدل‌ها',
    days: (days: string) => `${days} روز`,
    never: 'نگه داشته نمی‌شود',
    hint: 'این‌ها در پروندهٔ تنظیم نوشته می‌شوند و با آغاز دوبارهٔ سرویس برقرار می‌شوند. دفترهای مالی هرگز پاک نمی‌شوند.',
  },
  tokensPerSecond: 'توکن در ثانیه',
  unsaved: 'تغییرها ذخیره نشده‌اند و از لحظهٔ ذخیره روی همهٔ نمونه‌ها برقرارند.',
};

const en: typeof fa = {
  customers: 'Customers',
  service: 'Service',
  registrations: {
    open: ['Open', 'Anyone makes an account with a mobile number or an e-mail address.'],
    invitation: ['By invitation', 'Only people who were invited come in.'],
    closed: ['Closed', 'No new account is made; present customers sign in.'],
  },
  retention: {
    title: 'How long things are kept',
    requestLog: 'Request log',
    promptLogs: 'Texts of requests, at most',
    storedResponses: 'Stored responses',
    idempotency: 'Answers under an Idempotency-Key',
    uptime: 'Health history of models',
    days: (days: string) => (days === '1' ? '1 day' : `${days} days`),
    never: 'not kept',
    hint: 'Set in the configuration file, in force after a restart. The books are never deleted.',
  },
  tokensPerSecond: 'tokens a second',
  unsaved: 'Changes are not saved; saved ones are in force on every replica at once.',
};

export const useSettingTexts = dictionary(fa, en);

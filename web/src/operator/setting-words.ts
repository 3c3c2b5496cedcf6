/** What each setting does, said beside its control. */
import { dictionary } from '../words/dictionary.tsx';

type Switch = 'charge_interrupted' | 'suppliers_shown' | 'staff_second_factor' | 'operator_tokens';
type Named = readonly [name: string, text: string];

const fa = {
  customers: 'مشتریان',
  service: 'سرویس',
  registration: 'نام‌نویسی',
  registrations: {
    open: ['باز', 'هر کس با موبایل یا رایانامه حساب می‌سازد.'],
    invitation: ['با دعوت', 'فقط کسی که دعوت شده است وارد می‌شود.'],
    closed: ['بسته', 'حساب تازه‌ای ساخته نمی‌شود؛ مشتریان کنونی وارد می‌شوند.'],
  } as Record<string, Named>,
  welcome: 'هدیهٔ خوش‌آمد',
  welcomeHint: 'به کیف پول هر حساب تازه می‌رود. صفر یعنی بی‌هدیه.',
  minimumHint: 'با موجودی کمتر از این، درخواستی آغاز نمی‌شود.',
  switches: {
    charge_interrupted: ['پاسخ‌های نیمه‌کاره هم حساب شوند', 'اگر جریان میان راه قطع شد، همان بخش رسیده حساب می‌شود.'],
    suppliers_shown: ['نام ارائه‌دهنده‌ها در رسید مشتری', 'خاموش: مشتری فقط «مسیر ۱، مسیر ۲» می‌بیند.'],
    staff_second_factor: ['عامل دوم برای کارکنان', 'کارکنانی که عامل دوم ندارند، پیش از ساختنش وارد نمی‌شوند.'],
    operator_tokens: ['گذرواژهٔ گرداننده برای برنامه‌ها', 'خاموش: این رابط فقط با نشست کارکنان باز می‌شود.'],
  } as Record<Switch, Named>,
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
  unsaved: 'تغییرها ذخیره نشده‌اند و از لحظهٔ ذخیره روی همهٔ نمونه‌ها برقرارند.',
};

const en: typeof fa = {
  customers: 'Customers',
  service: 'Service',
  registration: 'Registration',
  registrations: {
    open: ['Open', 'Anyone makes an account with a mobile number or an e-mail address.'],
    invitation: ['By invitation', 'Only people who were invited come in.'],
    closed: ['Closed', 'No new account is made; present customers sign in.'],
  },
  welcome: 'Welcome credit',
  welcomeHint: 'Goes into the wallet of every new account. Zero means none.',
  minimumHint: 'With less than this no request begins.',
  switches: {
    charge_interrupted: ['Broken-off answers are charged', 'When a stream breaks, the part that arrived is charged.'],
    suppliers_shown: ['Names of providers on receipts', 'Off: customers see “route 1, route 2”.'],
    staff_second_factor: ['A second factor for staff', 'Staff without one cannot enter before they have set it up.'],
    operator_tokens: ["The operator's password for scripts", 'Off: this API opens only with a session of staff.'],
  },
  retention: {
    title: 'What is kept for how long',
    requestLog: 'Request log',
    promptLogs: 'Texts of requests, at most',
    storedResponses: 'Stored responses',
    idempotency: 'Answers under an Idempotency-Key',
    uptime: 'Health history of models',
    days: (days: string) => `${days} days`,
    never: 'not kept',
    hint: 'Set in the configuration file, in force after a restart. The books are never deleted.',
  },
  unsaved: 'Changes are not saved; saved ones are in force on every replica at once.',
};

export const useSettingWords = dictionary(fa, en);

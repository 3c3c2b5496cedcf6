import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  title: 'چه چیزی نگه داشته می‌شود',
  lead: 'این فهرست از تنظیمات همین لحظهٔ سرویس، حساب و کلیدها ساخته می‌شود. پرسش‌ها برای پاسخ گرفتن به ارائه‌دهندهٔ مدل فرستاده می‌شوند.',
  what: 'چه چیزی',
  until: 'تا کی و کجا',
  readers: 'چه کسی می‌بیند',
  closing: 'پس از بستن حساب',
  places: {
    database: 'پایگاه داده',
    encrypted: 'پایگاه داده، رمزنگاری‌شده',
    disk: 'دیسک سرور',
    memory: 'حافظهٔ موقت سرورها',
  },
  closings: { deleted: 'پاک می‌شود', kept: 'می‌ماند', 'nothing-left': 'چیزی نمی‌ماند' },
  decides: {
    account: 'تصمیم با شما',
    service: 'تصمیم با مدیر سرویس',
    caller: 'تصمیم با هر درخواست',
    nobody: 'ثابت',
  },
  change: 'تغییر',
  see: 'دیدن',
  guide: 'راهنما',
  keysDiffer: 'این کلیدها دربارهٔ متن پرسش و پاسخ تنظیم خودشان را دارند:',
};

const en: typeof fa = {
  title: 'What is kept',
  lead: 'This list is made from the settings of the service, the account and its keys as they are now. Prompts are sent to the provider of the model to be answered.',
  what: 'What',
  until: 'How long, where',
  readers: 'Who sees it',
  closing: 'After the account is closed',
  places: {
    database: 'Database',
    encrypted: 'Database, encrypted',
    disk: 'Disk of the server',
    memory: 'Memory of the servers',
  },
  closings: { deleted: 'Deleted', kept: 'Stays', 'nothing-left': 'Nothing is left' },
  decides: {
    account: 'You decide',
    service: 'The operator decides',
    caller: 'Each request decides',
    nobody: 'Fixed',
  },
  change: 'Change',
  see: 'See',
  guide: 'Guide',
  keysDiffer: 'These keys have their own setting about prompts and answers:',
};

export const useTexts = dictionary(fa, en);

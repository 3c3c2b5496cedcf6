/** What the panels of the service's name and of its messenger say. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  branding: 'نام و نشان',
  fields: {
    name_fa: 'نام فارسی',
    name_en: 'نام انگلیسی',
    support_phone: 'تلفن پشتیبانی',
    support_email: 'رایانامهٔ پشتیبانی',
    support_address: 'نشانی پشتیبانی در وب',
  },
  hue: 'فام رنگ اصلی، درجه',
  hueHint: 'از ۰ تا ۳۵۹؛ روشنی و سیری ثابت می‌مانند تا نوشته‌ها خوانا بمانند. خالی یعنی رنگ خود ما.',
  logo: 'تصویر نشان',
  logoHint: 'از نوع PNG، JPEG یا WebP، تا ۱۲۸ کیلوبایت.',
  chooseLogo: 'گزیدن پرونده',
  ownMark: 'نشان خود ما',
  tooLarge: 'این پرونده از ۱۲۸ کیلوبایت بزرگ‌تر است.',
  seenAfterReload: 'ذخیره شد؛ مشتریان با باز کردن دوبارهٔ صفحه می‌بینند.',
  messenger: 'پیام‌رسان',
  messengerText: 'کدهای ورود، دعوت‌ها و هشدارها از این راه می‌روند. در محیط برنامه تنظیم می‌شود، چون رمزهایش آنجاست.',
  sandbox: 'پیام‌رسانی تنظیم نشده است؛ پیام‌ها در صندوق آزمایشی می‌مانند.',
  channels: { sms: 'پیامک', email: 'رایانامه' },
  testTo: 'موبایل یا رایانامهٔ گیرنده',
  test: 'فرستادن پیام آزمایشی',
  keptInOutbox: 'پیام در صندوق آزمایشی است.',
  arrived: 'فرستاده شد',
};

const en: typeof fa = {
  branding: 'Name and mark',
  fields: {
    name_fa: 'Persian name',
    name_en: 'English name',
    support_phone: 'Phone of support',
    support_email: 'E-mail of support',
    support_address: 'Web address of support',
  },
  hue: 'Hue of the accent colour, degrees',
  hueHint: '0 to 359; lightness and strength stay, so that texts stay readable. Empty: our own.',
  logo: 'Picture',
  logoHint: 'PNG, JPEG or WebP, up to 128 KiB.',
  chooseLogo: 'Choose a file',
  ownMark: 'Our own mark',
  tooLarge: 'This file is larger than 128 KiB.',
  seenAfterReload: 'Saved; customers see it when they open a page again.',
  messenger: 'Messenger',
  messengerText:
    'Carries sign-in codes, invitations and alerts. Set in the environment of the process, where its secrets are.',
  sandbox: 'No messenger is set up; messages stay in the trial outbox.',
  channels: { sms: 'SMS', email: 'E-mail' },
  testTo: 'Mobile or e-mail of the receiver',
  test: 'Send a test message',
  keptInOutbox: 'The message is in the trial outbox.',
  arrived: 'Sent',
};

export const useServiceTexts = dictionary(fa, en);

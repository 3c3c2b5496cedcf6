import { dictionary } from '../texts/dictionary.tsx';

const fa = {
  title: 'تأیید دوبارهٔ هویت',
  lead: 'این کار حساس است؛ یک بار دیگر تأیید کنید که خودتان هستید. تا ۵ دقیقه دوباره پرسیده نمی‌شود.',
  ways: { passkey: 'کلید عبور', 'second-factor': 'برنامهٔ رمزساز', password: 'گذرواژه', code: 'کد پیامکی یا ایمیلی' },
  choose: 'راه تأیید',
  password: 'گذرواژه',
  appCode: 'کد برنامهٔ رمزساز، یا یک کد بازیابی',
  contact: 'کد به کجا برود',
  send: 'فرستادن کد',
  code: 'کد شش‌رقمی',
  passkeyText: 'دستگاهتان اثر انگشت، چهره یا رمز صفحه را می‌خواهد.',
  passkeyStopped: 'کلید عبور خوانده نشد. دوباره بکوشید یا راه دیگری را برگزینید.',
  confirm: 'تأیید',
  none: 'راهی برای تأیید ندارید. بیرون بروید و دوباره وارد شوید.',
  endTitle: 'پایان همهٔ نشست‌ها',
  endText:
    'با این کار، هر دستگاهی که با نام شما وارد شده است بیرون می‌رود؛ خود شما هم باید دوباره وارد شوید. اگر تغییر راه‌های ورود کار شما نبوده، همین حالا این کار را بکنید.',
  endAct: 'پایان همهٔ نشست‌ها',
  endBroken: 'این پیوند درست نیست. آن را کامل از پیام باز کنید.',
  ended: (count: string) => `${count} نشست پایان یافت.`,
  endedText:
    'اکنون وارد شوید و در «ورود و امنیت» نگاه کنید: شماره‌ها، ایمیل‌ها، کلیدهای عبور و کلیدهای مدیریتی را که نمی‌شناسید بردارید و گذرواژه را عوض کنید.',
  toSignIn: 'رفتن به ورود',
};

const en: typeof fa = {
  title: 'Prove that it is you',
  lead: 'This change is sensitive: confirm once more who you are. You are not asked again for five minutes.',
  ways: {
    passkey: 'Passkey',
    'second-factor': 'Authenticator app',
    password: 'Password',
    code: 'Code by SMS or e-mail',
  },
  choose: 'How to confirm',
  password: 'Password',
  appCode: 'Code of your authenticator app, or a recovery code',
  contact: 'Where the code goes',
  send: 'Send code',
  code: 'Six-digit code',
  passkeyText: 'Your device asks for your finger, your face or its PIN.',
  passkeyStopped: 'The passkey could not be read. Try again, or confirm another way.',
  confirm: 'Confirm',
  none: 'There is no way to confirm. Sign out and in again.',
  endTitle: 'End all sessions',
  endText:
    'Every device that is signed in as you is signed out, this one too. If it was not you who changed how you sign in, do it now.',
  endAct: 'End all sessions',
  endBroken: 'This link is not whole. Open it from the message once more.',
  ended: (count) => `Sessions ended: ${count}.`,
  endedText:
    'Now sign in and look at “Sign-in and security”: remove numbers, addresses, passkeys and management keys that you do not know, and change your password.',
  toSignIn: 'To the sign-in',
};

export const useProofTexts = dictionary(fa, en);

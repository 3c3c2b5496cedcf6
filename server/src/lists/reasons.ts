/** Reasons why a list, a view or an export was refused. */
import { persianDigits } from '@dargah/core/persian-text.ts';

export const listReasons = {
  tooManyViews: (max: number) => ({
    fa: `بیش از ${persianDigits(String(max))} نما ذخیره نمی‌شود؛ یکی را حذف کنید.`,
    en: `No more than ${max} views are kept; delete one.`,
  }),
  tooManyExports: (max: number) => ({
    fa: `${persianDigits(String(max))} خروجی شما هنوز آماده نشده است؛ یکی را متوقف کنید یا صبر کنید.`,
    en: `${max} of your exports are not done yet; stop one or wait.`,
  }),
  notReady: {
    fa: 'این خروجی هنوز آماده نیست.',
    en: 'This export is not ready.',
  },
  otherSight: {
    fa: 'نقش شما از زمان ساختن این خروجی تغییر کرده است؛ آن را دوباره بسازید.',
    en: 'Your role has changed since this export was made; make it again.',
  },
  sortNeedsRange: (days: number) => ({
    fa: `برای این ترتیب، بازهٔ زمانی باید حداکثر ${persianDigits(String(days))} روز باشد.`,
    en: `For this order the range must be at most ${days === 1 ? 'one day' : `${days} days`}.`,
  }),
};

/** Texts of the page of staff. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  removeTitle: (name: string) => `«\u2068${name}\u2069» از کارکنان حذف شود؟`,
  removeText: (role: string) =>
    `نقش «${role}» را از دست می‌دهد و دیگر به پنل مدیریت راه ندارد. آنچه کرده است در تاریخچهٔ تغییرات می‌ماند.`,
  forOwners: 'این صفحه برای مالک است',
  forOwnersText: 'افزودن و حذف همکاران و تغییر نقششان با مالک است.',
  removed: 'از کارکنان حذف شد.',
  whoMay: (roles: readonly string[]) =>
    roles.length === 1
      ? `فقط نقش «${roles[0]}» این را تغییر می‌دهد.`
      : `فقط نقش‌های ${roles.map((role) => `«${role}»`).join(' و ')} این را تغییر می‌دهند.`,
};

const en: typeof fa = {
  removeTitle: (name) => `Remove “\u2068${name}\u2069” from staff?`,
  removeText: (role) =>
    `They lose the role “${role}” and can no longer open the operator panel. What they did stays in the audit log.`,
  forOwners: 'This page is for owners',
  forOwnersText: 'Owners add and remove staff and change their roles.',
  removed: 'Removed from staff.',
  whoMay: (roles) => `Only the role${roles.length === 1 ? '' : 's'} ${roles.join(' and ')} may change this.`,
};

export const useStaffTexts = dictionary(fa, en);

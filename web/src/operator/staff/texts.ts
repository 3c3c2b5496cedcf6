/** Who works here. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  removeTitle: (name: string) => `«\u2068${name}\u2069» از کارکنان برداشته شود؟`,
  removeText: (role: string) =>
    `نقش «${role}» را از دست می‌دهد و دیگر به بخش گرداننده راه ندارد. آنچه کرده است در رد کارها می‌ماند.`,
  forOwners: 'این صفحه برای مالک است',
  forOwnersText: 'افزودن و برداشتن همکاران و تغییر نقششان با مالک است.',
  removed: 'از کارکنان برداشته شد.',
  whoMay: (roles: readonly string[]) =>
    roles.length === 1
      ? `تنها نقش «${roles[0]}» این را تغییر می‌دهد.`
      : `تنها نقش‌های ${roles.map((role) => `«${role}»`).join(' و ')} این را تغییر می‌دهند.`,
};

const en: typeof fa = {
  removeTitle: (name) => `Remove “\u2068${name}\u2069” from staff?`,
  removeText: (role) =>
    `They lose the role “${role}” and can no longer enter the operator’s side. What they did stays in the trail.`,
  forOwners: 'This page is for owners',
  forOwnersText: 'Owners add and remove staff and change their roles.',
  removed: 'Removed from staff.',
  whoMay: (roles) => `Only the role${roles.length === 1 ? '' : 's'} ${roles.join(' and ')} may change this.`,
};

export const useStaffTexts = dictionary(fa, en);

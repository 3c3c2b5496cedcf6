/** Who sees something in the pages and through the API. */
import type { Text } from '@dargah/core/text.ts';

export const MEMBERS: Text = {
  fa: 'اعضای حساب بر پایهٔ نقششان، و کارکنان پشتیبانی',
  en: 'Members of the account by their roles, and support staff',
};
export const TEXT_READERS: Text = {
  fa: 'مالک، مدیران و توسعه‌دهندگان حساب؛ کارکنان نمی‌بینند',
  en: 'Owner, admins and developers of the account; not staff',
};
export const OWN_API: Text = {
  fa: 'فقط کلیدهای همین حساب، از راه API',
  en: 'Only keys of this account, through the API',
};
export const STAFF = {
  none: { fa: 'هیچ‌کس', en: 'Nobody' },
  all: { fa: 'کارکنان سرویس', en: 'Staff of the service' },
  money: {
    fa: 'مالک، مدیران و مسئولان مالی حساب، و کارکنان مالی',
    en: 'Owner, admins and billing of the account, and finance staff',
  },
} satisfies Record<string, Text>;
export const ADMINS: Text = {
  fa: 'مالک و مدیران حساب، و کارکنان سرویس',
  en: 'Owner and admins of the account, and staff of the service',
};
export const SELF: Text = { fa: 'فقط خود شما', en: 'Only you' };

/** Reasons for refusals about persons, members, staff and their ways of signing in, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const peopleReasons = {
  noContact: (param: string): Text => ({
    fa: 'شمارهٔ همراه (مانند ۰۹۱۲۱۲۳۴۵۶۷) یا ایمیل لازم است.',
    en: `'${param}' must be a mobile number (such as 09121234567) or an e-mail address.`,
  }),
  /**
   * Tells how many tries are left after a wrong code; the answer to a request for a code says when the next can be
   * sent.
   */
  codeTriesLeft: (left: number): Text =>
    left === 0
      ? { fa: 'تلاش دیگری با این کد ممکن نیست.', en: 'It can no longer be tried.' }
      : {
          fa: `${left.toLocaleString('fa')} بار دیگر می‌توانید امتحان کنید.`,
          en: left === 1 ? 'One more try is left.' : `${left} more tries are left.`,
        },
  nextMessageLater: {
    fa: 'کدی که فرستاده شد دیگر کار نمی‌کند و کد بعدی کمی دیرتر فرستاده می‌شود. صبر کنید و دوباره کد بخواهید.',
    en: 'The code that was sent no longer works, and the next one is sent a little later. Wait, then ask for a code again.',
  },
  tooManyManagementKeys: (most: number): Text => ({
    fa: `بیش از ${most} کلید مدیریت ممکن نیست.`,
    en: `At most ${most} management keys.`,
  }),
  tooManyOperatorTokens: (most: number): Text => ({
    fa: `بیش از ${most} توکن فعال ممکن نیست.`,
    en: `At most ${most} live operator tokens.`,
  }),
  operatorTokenNamed: (name: string): Text => ({
    fa: `توکنی با نام «${name}» هست؛ نام دیگری بگذارید یا اول آن را باطل کنید.`,
    en: `There is a token named '${name}'; choose another name or revoke it first.`,
  }),
  tokenEndsWithinYear: {
    fa: 'توکن باید حداکثر تا یک سال دیگر تمام شود.',
    en: 'A token must end within a year.',
  },
  temporaryPassword: {
    fa: 'این همان رمز موقت است؛ رمز دیگری انتخاب کنید.',
    en: 'This is the temporary password; choose another.',
  },
  wrongAddressRange: (ip: string): Text => ({
    fa: `«${ip}» آدرس یا بازهٔ IP نیست.`,
    en: `'${ip}' is not an address or a CIDR range.`,
  }),
  expiryNotInFuture: {
    fa: 'زمان پایان باید در آینده باشد: تاریخی مانند «1406/01/01» یا زمانی مانند «2027-03-21T00:00:00+03:30».',
    en: 'The expiry must be in the future: a date such as 1406/01/01, or a time such as 2027-03-21T00:00:00+03:30.',
  },
  memberAlready: { fa: 'این فرد همین حالا عضو است.', en: 'This person is a member already.' },
  tooManyInvitations: {
    fa: 'تعداد دعوت‌های در انتظار از حد مجاز بیشتر است.',
    en: 'There are too many open invitations.',
  },
  invitationOfAnother: (contact: string): Text => ({
    fa: `این دعوت برای «${contact}» است. آن را به روش‌های ورود خود اضافه کنید.`,
    en: `This invitation is to ${contact}. Add it to your ways of signing in.`,
  }),
  ownerStays: {
    fa: 'مالک حساب را نمی‌توان تغییر داد؛ اول مالکیت را واگذار کنید.',
    en: 'The owner stays as it is; transfer the ownership first.',
  },
  passkeyRefused: { fa: 'کلید عبور پذیرفته نشد.', en: 'The passkey was not accepted.' },
  contactTaken: { fa: 'این شماره یا ایمیل قبلاً ثبت شده است.', en: 'This number or address is taken.' },
  onlyWayIn: {
    fa: 'این تنها روش ورود شماست. اول روش دیگری اضافه کنید.',
    en: 'This is your only way in. Add another one first.',
  },
  passwordTooCommon: {
    fa: 'این رمز عبور را خیلی‌ها استفاده می‌کنند و زود حدس زده می‌شود. رمز عبور دیگری بگذارید.',
    en: 'Many people use this password, so it is guessed soon. Choose another.',
  },
  passwordOfOwnNames: {
    fa: 'رمز عبور نباید از نام، شماره یا ایمیل خودتان ساخته شود.',
    en: 'A password must not be made of your own name, number or e-mail address.',
  },
  staffAlready: { fa: 'این فرد همین حالا همکار است.', en: 'This person works here already.' },
  lastOwner: { fa: 'حداقل یک مالک باید بماند.', en: 'At least one owner must stay.' },
} as const;

/** Why something about an account is refused, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const accountReasons = {
  closed: { fa: 'این حساب بسته شده است.', en: 'This account is closed.' },
  blockedAlready: { fa: 'دسترسی این حساب همین حالا بسته است.', en: 'This account is blocked already.' },
  moneyLeft: (balance: string): Text => ({
    fa: `موجودی این حساب ${Number(balance).toLocaleString('fa-IR')} تومان است؛ پیش از بستن باید صفر شود: بازپرداخت، اصلاح یا بخشیدن بدهی.`,
    en: `This account holds ${balance} toman; it must be zero before it is closed: refund it, correct it, or give the debt up.`,
  }),
  notBlocked: { fa: 'دسترسی این حساب باز است.', en: 'This account is not blocked.' },
  blockedByOwner: {
    fa: 'این دسترسی را مالک بسته است و فقط مالک بازش می‌کند.',
    en: 'An owner blocked this account, so only an owner unblocks it.',
  },
  blockTooLong: (hours: number): Text => ({
    fa: `بستن دسترسی بیش از ${hours.toLocaleString('fa')} ساعت با مالک است.`,
    en: `Only an owner blocks an account for more than ${hours} hours.`,
  }),
  staffAccount: {
    fa: 'دسترسی حسابی را که مشتری ندارد فقط مالک می‌بندد.',
    en: 'Only an owner blocks an account that has no customers.',
  },
  noteWithdrawn: { fa: 'این یادداشت پس گرفته شده است.', en: 'This note is withdrawn.' },
  otherNote: {
    fa: 'فقط نویسنده یا مالک یادداشت را پس می‌گیرد.',
    en: 'Only its author or an owner withdraws a note.',
  },
} as const;

/** What staff book by hand, and which roles may. Plain data: the web imports it as it is. */
import type { StaffRole } from './roles.ts';

/** Kinds of credit by hand. `bad-debt` gives up a wallet that stays negative. */
export const CREDIT_KINDS = ['receipt', 'correction', 'gift', 'request-refund', 'bad-debt'] as const;
export type CreditKind = (typeof CREDIT_KINDS)[number];

/**
 * Kinds of credit by hand, and everything else by which staff move our money: transfers that were seen, refunds that
 * were sent, money whose account was found, gift codes.
 */
export const HAND_KINDS = [...CREDIT_KINDS, 'confirmed-transfer', 'order-refund', 'matched', 'gift-codes'] as const;
export type HandKind = (typeof HAND_KINDS)[number];

/** Why a correction is made. */
export const CORRECTION_REASONS = [
  'wrong-charge',
  'outage',
  'goodwill',
  'duplicate',
  'wrong-account',
  'other',
] as const;
export type CorrectionReason = (typeof CORRECTION_REASONS)[number];

/** Money that came to a bank has limits of its own. */
export type LimitFamily = 'credit' | 'receipt';

const FINANCE = ['owner', 'finance'] as const;
const STAFF = ['owner', 'finance', 'support'] as const;

export const MAY_BOOK: Readonly<Record<HandKind, readonly StaffRole[]>> = {
  receipt: FINANCE,
  correction: STAFF,
  gift: STAFF,
  'request-refund': STAFF,
  'bad-debt': FINANCE,
  'confirmed-transfer': FINANCE,
  'order-refund': FINANCE,
  matched: FINANCE,
  'gift-codes': FINANCE,
};

export function familyOf(kind: HandKind): LimitFamily {
  return kind === 'receipt' || kind === 'confirmed-transfer' || kind === 'matched' ? 'receipt' : 'credit';
}

/** How a payment's state looks, to its customer and to staff. */
import type { Tone } from './pill.tsx';

export const ORDER_TONES: Record<string, Tone> = {
  created: 'info',
  sent: 'info',
  returned: 'held',
  paid: 'held',
  credited: 'ok',
  failed: 'bad',
  expired: 'off',
  refunded: 'warn',
};

/** The tone by what the customer has to do. */
export const STEP_TONES = {
  pay: 'info',
  transfer: 'info',
  review: 'held',
  check: 'held',
  credit: 'held',
  credited: 'ok',
  rejected: 'bad',
  differs: 'bad',
  failed: 'bad',
  expired: 'off',
  refunding: 'warn',
  refunded: 'warn',
} as const satisfies Record<string, Tone>;

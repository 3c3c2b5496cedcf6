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

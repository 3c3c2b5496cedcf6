/**
 * The states of an order and every way between them. Nothing else decides whether an order may move.
 *
 *   created → sent → returned → paid → credited ⇄ refunded
 *      └───────┴────────┴──→ failed, expired
 *
 * `refunded` leads back only when staff found that the money was not sent: the credit is given back with the move.
 * `failed` and `expired` lead to `paid`: a customer may pay after coming back empty-handed, and a gateway may tell of a payment
 * days later. What was paid is credited, however late.
 */

export const ORDER_STATES = [
  'created',
  'sent',
  'returned',
  'paid',
  'credited',
  'failed',
  'expired',
  'refunded',
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

export const TRANSITIONS: Readonly<Record<OrderState, readonly OrderState[]>> = {
  created: ['sent', 'paid', 'failed', 'expired'],
  sent: ['returned', 'paid', 'failed', 'expired'],
  returned: ['paid', 'failed', 'expired'],
  paid: ['credited'],
  credited: ['refunded'],
  failed: ['paid'],
  expired: ['paid'],
  refunded: ['credited'],
};

export function mayBecome(from: OrderState, to: OrderState): boolean {
  return TRANSITIONS[from].includes(to);
}

/** True while the gateway may still report a payment for it. */
export function mayStillBePaid(state: OrderState): boolean {
  return mayBecome(state, 'paid');
}

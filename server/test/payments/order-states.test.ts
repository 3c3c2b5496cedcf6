import { describe, expect, it } from 'vitest';
import { mayBecome, ORDER_STATES, type OrderState, TRANSITIONS } from '../../src/payments/order-states.ts';

function reachable(from: OrderState): Set<OrderState> {
  const seen = new Set<OrderState>([from]);
  for (const state of seen) for (const next of TRANSITIONS[state]) seen.add(next);
  return seen;
}

describe('states of an order', () => {
  it('reaches every state from the first', () => {
    expect([...reachable('created')].sort()).toEqual([...ORDER_STATES].sort());
  });

  it('credits only what is paid or was not sent back, and refunds only what was credited', () => {
    expect(ORDER_STATES.filter((state) => mayBecome(state, 'credited'))).toEqual(['paid', 'refunded']);
    expect(ORDER_STATES.filter((state) => mayBecome(state, 'refunded'))).toEqual(['credited']);
  });

  it('never leaves a credit for a second one', () => {
    expect([...reachable('credited')].sort()).toEqual(['credited', 'refunded']);
    expect(TRANSITIONS.refunded).toEqual(['credited']);
  });

  it('keeps the way to paid open for whatever the gateway may still tell', () => {
    for (const state of ['created', 'sent', 'returned', 'failed', 'expired'] as const)
      expect(mayBecome(state, 'paid'), state).toBe(true);
  });
});

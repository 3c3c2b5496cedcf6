/** What cannot be refunded: credit that no money came for, and money that the card holder has back already. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from './cash-desk.ts';
import { AMOUNT, desk, paid, playRefunds, stripe, temporary } from './refund-stage.ts';

playRefunds();

describe('what cannot be refunded', () => {
  it('is the credit of a gift code: no money came', async () => {
    await makeAccount(temporary.db, 'gifted');
    const { codes } = await desk.gifts.make({ count: 1, amount: AMOUNT }, 'finance');
    const { id } = await desk.gifts.redeem(codes[0] ?? '', 'gifted', 'test');
    for (const byHand of [true, false])
      await expect(desk.refunds.refund(id, { reason: 'wants money', byHand: byHand }, 'finance')).rejects.toMatchObject(
        {
          code: 'conflict',
        },
      );
    expect((await desk.books.wallet('gifted')).posted).toBe(AMOUNT);
  });

  it('is what a card holder took back at the bank, until we win it', async () => {
    const { id, intent, refund, balance } = await paid('stripe');
    await desk.books.transfer({
      id: `more-${id}`,
      kind: 'top-up',
      accountId: (await desk.orders.get(id)).accountId,
      amount: AMOUNT,
    });
    const gateway = await desk.gateways.evenIfOff('stripe');
    if (!gateway) throw new Error('no gateway');
    const dispute = async (status: string) => {
      stripe.disputes.set('dp_r', { payment_intent: intent, amount: status === 'won' ? 120 : 250, status });
      await desk.refunds.dispute(gateway, 'dp_r');
    };
    await dispute('needs_response');
    expect(await balance()).toBe(AMOUNT);
    for (const byHand of [true, false]) await expect(refund(byHand)).rejects.toMatchObject({ code: 'conflict' });
    expect(await balance()).toBe(AMOUNT);
    // Another amount than before takes nothing more, and what comes back is what was taken.
    stripe.disputes.set('dp_r', { payment_intent: intent, amount: 100, status: 'under_review' });
    await desk.refunds.dispute(gateway, 'dp_r');
    expect(await balance()).toBe(AMOUNT);
    await dispute('won');
    expect(await balance()).toBe(AMOUNT + AMOUNT);
    expect((await refund()).refund?.state).toBe('sent');
    // One that comes after the refund takes nothing more.
    stripe.disputes.set('dp_late', { payment_intent: intent, amount: 250, status: 'lost' });
    await desk.refunds.dispute(gateway, 'dp_late');
    expect(await balance()).toBe(AMOUNT);
  });

  it('nor is the credit of a refund that was not sent, while the card holder has the money', async () => {
    const { id, intent, refund, settle, order, balance } = await paid('stripe');
    stripe.failNext('/v1/refunds', { kind: 'code', code: 402 });
    expect((await refund()).refund?.state).toBe('refused');
    const gateway = await desk.gateways.evenIfOff('stripe');
    if (!gateway) throw new Error('no gateway');
    const dispute = async (status: string) => {
      stripe.disputes.set('dp_n', { payment_intent: intent, amount: 250, status });
      await desk.refunds.dispute(gateway, 'dp_n');
    };
    await dispute('warning_needs_response');
    expect(desk.chargebacks).not.toContain(`dp_n of ${id}`);
    await dispute('needs_response');
    await dispute('under_review');
    const { accountId } = await order();
    expect(desk.chargebacks.slice(-2)).toEqual([`dp_n of ${id}`, `paused ${accountId}`]);
    const noted = async () =>
      (await desk.orders.events(id)).filter(({ cause }) => cause === 'dispute').map(({ detail }) => detail['outcome']);
    expect(await noted()).toEqual(['refunded-before']);
    await expect(settle(false)).rejects.toMatchObject({ code: 'conflict' });
    expect([(await order()).state, await balance()]).toEqual(['refunded', 0n]);
    await dispute('won');
    expect(await noted()).toEqual(['refunded-before', 'won']);
    await settle(false);
    expect([(await order()).state, await balance()]).toEqual(['credited', AMOUNT]);
    // Told once more: it stays won, and the order can be refunded.
    await dispute('won');
    expect(await balance()).toBe(AMOUNT);
    expect((await refund()).refund?.state).toBe('sent');
  });

  it('a dispute and the end of a refund at one moment: never both the credit and the money', async () => {
    const gateway = await desk.gateways.evenIfOff('stripe');
    if (!gateway) throw new Error('no gateway');
    for (let n = 0; n < 4; n++) {
      const { intent, refund, settle, order, balance } = await paid('stripe');
      stripe.failNext('/v1/refunds', { kind: 'code', code: 402 });
      await refund();
      stripe.disputes.set(`dp_race${n}`, { payment_intent: intent, amount: 250, status: 'lost' });
      await Promise.allSettled([settle(false), desk.refunds.dispute(gateway, `dp_race${n}`)]);
      await desk.refunds.dispute(gateway, `dp_race${n}`);
      expect(await balance(), (await order()).state).toBe(0n);
    }
  });
});

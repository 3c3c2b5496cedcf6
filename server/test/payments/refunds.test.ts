/** Refunds that are interrupted, unanswered, refused or asked for twice: the money goes back once, or the credit stays. */
import { describe, expect, it } from 'vitest';
import { dyingDatabase, ProcessDied } from './dying-database.ts';
import {
  AMOUNT,
  clock,
  desk,
  forgetful,
  notes,
  open,
  other,
  paid,
  playRefunds,
  stripe,
  temporary,
} from './refund-stage.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
playRefunds();

const later = async (ms: number, at = desk) => {
  clock.advance(ms);
  await at.settlement.checkDue(50);
};
const stuck = async () => (await desk.orders.list({ stuck: true }, { limit: 100 })).items.map(({ id }) => id);

describe('a refund at Stripe', () => {
  it('takes the credit and sends the money, with its credit note', async () => {
    const { id, refund, balance, sent } = await paid('stripe');
    expect(await refund()).toMatchObject({
      state: 'refunded',
      refund: { state: 'sent', reference: expect.any(String) },
    });
    expect(sent()).toMatchObject([{ amount: 250, metadata: { refund: `${id}:1` } }]);
    expect(await balance()).toBe(0n);
    expect(notes.filter((one) => one === id)).toHaveLength(1);
    await expect(refund()).rejects.toMatchObject({ code: 'conflict' });
  });

  it.each(['cut', 'silent'] as const)('that is not answered (%s) is asked again, and sent once', async (kind) => {
    const { id, refund, balance, order, sent } = await paid('stripe');
    stripe.failNext('/v1/refunds', { kind }, { kind: 'code', code: 500 });
    expect(await refund()).toMatchObject({ state: 'refunded', refund: { state: 'sending', code: 'no-answer' } });
    expect(await balance()).toBe(0n);
    expect(notes).not.toContain(id);
    await later(5_000);
    expect((await order()).refund).toMatchObject({ state: 'sending', code: 'stripe_500' });
    await later(60_000);
    expect((await order()).refund).toMatchObject({ state: 'sent' });
    expect(sent()).toHaveLength(1);
    expect(notes).toContain(id);
  });

  it('is found in the list where Stripe has forgotten the key', async () => {
    const { refund, order, sent } = await paid('stripe');
    stripe.failNext('/v1/refunds', { kind: 'silent' });
    await refund();
    stripe.forgetKeys();
    await later(2 * DAY);
    expect((await order()).refund?.state).toBe('sent');
    expect(sent()).toHaveLength(1);
  });

  it('is not called refused because our key was, after a call that may have arrived', async () => {
    const { refund, order, sent } = await paid('stripe');
    stripe.failNext('/v1/refunds', { kind: 'silent' }, { kind: 'code', code: 401 });
    await refund();
    await later(5_000);
    expect((await order()).refund).toMatchObject({ state: 'sending', code: 'stripe_401' });
    await later(60_000);
    expect((await order()).refund?.state).toBe('sent');
    expect(sent()).toHaveLength(1);
  });

  it('that stays unanswered for days waits for staff', async () => {
    const { id, refund, settle, order, balance, sent } = await paid('stripe');
    const silence = { kind: 'silent' as const };
    stripe.failNext('/v1/refunds', silence, silence);
    await refund();
    await later(3 * DAY + HOUR);
    expect((await order()).refund).toMatchObject({ state: 'unknown' });
    expect(await stuck()).toContain(id);
    // The list at Stripe shows it, and staff say so.
    expect(sent()).toHaveLength(1);
    await settle(true);
    expect(await order()).toMatchObject({ state: 'refunded', refund: { state: 'sent' } });
    expect(await balance()).toBe(0n);
    expect(await stuck()).not.toContain(id);
    await expect(settle(false)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('that is pending is asked about until it is done, or failed', async () => {
    stripe.refundsBegin = 'pending';
    const [good, bad] = [await paid('stripe'), await paid('stripe')];
    for (const { refund } of [good, bad]) expect((await refund()).refund).toMatchObject({ state: 'sending' });
    stripe.refundsBegin = 'succeeded';
    for (const [{ sent }, status] of [
      [good, 'succeeded'],
      [bad, 'failed'],
    ] as const)
      for (const one of sent()) one.status = status;
    await later(HOUR);
    expect((await good.order()).refund?.state).toBe('sent');
    expect((await bad.order()).refund).toMatchObject({ state: 'refused', code: 'refund-failed' });
    // Not sent: the credit comes back, and another refund of the same order is a new one.
    await bad.settle(false);
    expect(await bad.order()).toMatchObject({ state: 'credited', refund: null });
    expect(await bad.balance()).toBe(AMOUNT);
    expect((await bad.refund()).refund?.state).toBe('sent');
    expect(bad.sent().map(({ status }) => status)).toEqual(['failed', 'succeeded']);
    expect(await bad.balance()).toBe(0n);
  });

  it('that somebody made in its dashboard is refused, and settled as sent', async () => {
    const { intent, refund, settle, order } = await paid('stripe');
    stripe.refunds.push({
      id: 're_x',
      payment_intent: intent,
      amount: 250,
      status: 'succeeded',
      metadata: { refund: '' },
    });
    expect((await refund()).refund).toMatchObject({ state: 'refused', code: 'charge_already_refunded' });
    await settle(true);
    expect((await order()).state).toBe('refunded');
  });

  it('goes on after a crash between the credit and the call', async () => {
    const { id, order, balance, sent } = await paid('stripe');
    let deaths = 0;
    // Dies right after the transaction that takes the credit.
    const dying = dyingDatabase(temporary.db, () => {
      return deaths > 0;
    });
    const doomed = open({ ...dying, transaction: (work) => temporary.db.transaction(work).finally(() => deaths++) });
    await expect(
      doomed.refunds.refund(id, { reason: 'wants it back', byHand: false }, 'finance'),
    ).rejects.toBeInstanceOf(ProcessDied);
    await doomed.close();
    expect([await balance(), sent().length]).toEqual([0n, 0]);
    expect((await order()).refund).toMatchObject({ state: 'sending', tries: 0 });
    await later(1);
    expect((await order()).refund?.state).toBe('sent');
    expect(sent()).toHaveLength(1);
  });

  it('asked for by two people at once, one of them by hand, is one refund', async () => {
    for (let n = 0; n < 6; n++) {
      const { refund, order, sent, balance } = await paid('stripe');
      const tries = await Promise.allSettled([refund(true), refund(false), refund(true), refund(false)]);
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const byHand = tries[0]?.status === 'fulfilled' || tries[2]?.status === 'fulfilled';
      expect(sent()).toHaveLength(byHand ? 0 : 1);
      expect((await order()).refund?.state).toBe('sent');
      expect(await balance()).toBe(0n);
    }
  });
});

describe('a refund at a gateway that cannot be asked twice', () => {
  it('is unknown when its one call was not answered or its process died in it', async () => {
    for (const trouble of ['silence', 'death'] as const) {
      const { id, refund, settle, order, balance } = await paid('bank-b');
      const before = forgetful.sentBack.length;
      forgetful.after = () => {
        if (trouble === 'death') throw new ProcessDied('in the call');
        return 'silence';
      };
      await refund().catch(() => undefined);
      forgetful.after = () => 'answer';
      await later(2 * 60_000, other);
      expect((await order()).refund?.state, trouble).toBe('unknown');
      await later(DAY, other);
      expect(forgetful.sentBack.length - before).toBe(1);
      expect(await stuck()).toContain(id);
      await settle(true);
      expect([(await order()).state, await balance()]).toEqual(['refunded', 0n]);
    }
  });

  it('comes back as credit when the money was not sent, by whoever says so first', async () => {
    const { refund, settle, order, balance } = await paid('bank-b');
    forgetful.before = () => 'silence';
    await refund();
    forgetful.before = () => 'answer';
    const said = await Promise.allSettled([settle(false), settle(true), settle(false)]);
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const undone = said[1]?.status !== 'fulfilled';
    expect([(await order()).state, await balance()]).toEqual(undone ? ['credited', AMOUNT] : ['refunded', 0n]);
  });
});

/** Messages to people: tried again, held back in quiet hours, and bounded where they cost money. */

import { describe, expect, it } from 'vitest';
import { endOfQuiet } from '../../src/notices/quiet-hours.ts';
import { calendar, HOUR, NoticeStage } from './notice-stage.ts';

const stage = new NoticeStage();

describe('messages to people', () => {
  it('are sent when a carrier took them, and are tried again for a day while none does', async () => {
    await stage.makeAccount('patient');
    const { notices, outbox, targets } = stage.openNotices();
    const event = 'balance.low' as const;
    await notices.changeRule('patient', event, { channels: ['email', 'sms'] });
    stage.carriersAreAway = true;
    await notices.raise({ accountId: 'patient', event, occasion: 'x', data: { test: true } });
    await outbox.deliverDue(50);
    const log = async () => (await targets.deliveries('patient', { limit: 50 })).items;
    for (const { channel, ...delivery } of await log()) {
      expect(delivery).toMatchObject({ state: 'waiting', tries: 1, sentAt: null });
      expect(delivery.lastProblem).toBe(`no carrier took the ${channel}`);
      expect(delivery.nextTryAt?.getTime()).toBe(stage.clock.now() + 5_000);
    }
    stage.carriersAreAway = false;
    stage.clock.advance(5_000);
    await stage.openNotices().outbox.deliverDue(50);
    expect((await log()).map(({ channel, state, tries }) => [channel, state, tries]).sort()).toEqual([
      ['email', 'sent', 2],
      ['sms', 'sent', 2],
    ]);
    expect(stage.sentMessages.map(({ to }) => to).sort()).toEqual(['09120000000', 'owner@example.com']);
  });
});

describe('quiet hours', () => {
  it('hold mail back until they end', async () => {
    await stage.makeAccount('sleeper');
    const { notices, outbox } = stage.openNotices();
    // 11:30 in Tehran.
    stage.clock.nowMs = Date.parse('2026-12-01T08:00:00Z');
    await notices.setQuietHours('sleeper', { from: 11 * 60, to: 12 * 60 });
    await notices.raise({ accountId: 'sleeper', event: 'payment.credited', occasion: '1', data: { amount: '5' } });
    await outbox.deliverDue(50);
    expect(stage.sentMessages).toEqual([]);
    stage.clock.advance(30 * 60_000);
    await outbox.deliverDue(50);
    expect(stage.sentMessages.map(({ to }) => to)).toEqual(['owner@example.com']);
  });

  it('are over, and mail is in the language of whoever gets it, also when it is only tried', async () => {
    await stage.makeAccount('reader');
    const { notices, outbox } = stage.openNotices();
    const event = 'key.unusual_spend' as const;
    await notices.changeRule('reader', event, { channels: ['email', 'sms'] });
    await notices.raise({ accountId: 'reader', event, occasion: 'x', data: { test: true } });
    await outbox.deliverDue(50);
    const sent = new Map(stage.sentMessages.map((message) => [message.to, message]));
    expect(sent.get('owner@example.com')).toMatchObject({
      language: 'en',
      subject: 'Test: Unusual spend of a key',
      text: 'This is a test; nothing has happened.',
    });
    expect(sent.get('09120000000')).toMatchObject({ language: 'fa', subject: 'آزمایش: خرج نامعمول یک کلید' });
  });

  it('may pass midnight', () => {
    const at = (text: string) => Date.parse(text);
    const hours = { from: 23 * 60, to: 7 * 60 };
    expect(endOfQuiet(hours, calendar, at('2026-11-15T20:00:00Z'))).toBe(at('2026-11-16T03:30:00Z'));
    expect(endOfQuiet(hours, calendar, at('2026-11-15T10:00:00Z'))).toBeUndefined();
  });
});

describe('what costs the operator money', () => {
  it('is bounded: tests are few, and messages to people are not sent again', async () => {
    await stage.makeAccount('tester');
    const { notices, outbox, targets } = stage.openNotices();
    const event = 'balance.low' as const;
    await notices.changeRule('tester', event, { channels: ['sms'] });
    const once = await Promise.allSettled(Array.from({ length: 30 }, () => notices.test('tester', event)));
    expect(once.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    let told = 1;
    for (let minute = 1; minute < 55; minute++) {
      stage.clock.advance(60_000);
      told += await notices.test('tester', event).then(
        () => 1,
        () => 0,
      );
    }
    expect(told).toBe(20);
    await outbox.deliverDue(100);
    const { items } = await targets.deliveries('tester', { limit: 100 });
    expect(items.map(({ channel, state }) => `${channel} ${state}`)).toEqual(Array(20).fill('sms sent'));
    const [sms] = items;
    await expect(targets.replay('tester', sms?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    stage.clock.advance(2 * HOUR);
    expect(await notices.test('tester', event)).toBe(true);
    await notices.changeRule('tester', event, { enabled: false });
    expect(await notices.test('tester', event)).toBe(false);
    await outbox.deliverDue(100);
  });
});

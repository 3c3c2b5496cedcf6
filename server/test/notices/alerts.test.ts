/** Alerts: once per rule and period, hysteresis, unusual spend, and what waits for staff. */

import { describe, expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import { Watch } from '../../src/notices/index.ts';
import { tellStuckPayments } from '../../src/notices/watch/dated-news.ts';
import { record } from '../ledger/request-fixture.ts';
import { HOUR, NoticeStage } from './notice-stage.ts';

const stage = new NoticeStage();

describe('an alert storm', () => {
  it('of 10,000 requests over a cap on two replicas tells once per rule and period', async () => {
    await stage.makeAccount('storm', { daily: '5000' });
    const [one, two] = [stage.openNotices(), stage.openNotices()];
    for (let batch = 0; batch < 20; batch++) {
      const closing = Array.from({ length: 500 }, (_, n) =>
        stage.desk.journal.close(
          record(`req_storm_${batch}_${n}`, {
            accountId: 'storm',
            cost: money(1_000_000n),
            formula: [],
            counters: ['cap:account:storm:daily:2026-11-15'],
          }),
        ),
      );
      await Promise.all(closing);
      await stage.desk.poster.drain(10_000);
      await Promise.all([one.watch.look(), two.watch.look(), one.watch.look()]);
    }
    const told = (await stage.events('storm')).filter(([event]) => event === 'cap.reached');
    expect(told.map(([, percent]) => percent).sort()).toEqual([100, 50, 80].sort());
    const [waiting] = await stage.temporary.db.query<{ n: bigint }>(
      `select count(*) as n from notice_delivery where account_id = 'storm' and channel = 'email'`,
    );
    // Three steps of the cap and one low balance, each by one e-mail.
    expect(waiting?.n).toBe(4n);
  }, 120_000);
});

describe('a low balance', () => {
  it('is told once, and again only after it has clearly recovered', async () => {
    await stage.makeAccount('poor');
    const { watch, notices } = stage.openNotices();
    await notices.changeRule('poor', 'balance.low', { terms: { below: '1000', days_left: null } });
    await stage.spendToday('poor', 'k', '2026-11-15', 1);
    const fill = (id: string, toman: number) =>
      stage.desk.books.transfer({
        id,
        kind: 'adjustment',
        accountId: 'poor',
        amount: money(BigInt(toman) * 1_000_000n),
      });
    const low = async () => (await stage.events('poor')).filter(([event]) => event === 'balance.low').length;
    await fill('p1', 900);
    await watch.look();
    await watch.look();
    expect(await low()).toBe(1);
    await fill('p2', 150);
    await watch.look();
    await fill('p3', -100);
    await watch.look();
    expect(await low()).toBe(1);
    await fill('p4', 5_000);
    await watch.look();
    await fill('p5', -5_500);
    await watch.look();
    expect(await low()).toBe(2);
  });
});

describe('a management key that ends', () => {
  it('is told once when its days have come, and never when it is revoked or over', async () => {
    await stage.makeAccount('managed');
    const { db, watch, notices } = stage.openNotices();
    const now = stage.clock.now();
    const make = (name: string, days: number, revoked: boolean) =>
      db.query(
        `insert into management_key (id, account_id, name, digest, prefix, last4, resources, expires_at, created_by, created_at, revoked_at)
         values ($1, 'managed', $1, $2, 'dgm-', 'last', '{}', $3, 'person:x', $4, $5)`,
        [name, Buffer.from(name), new Date(now + days * 24 * HOUR), new Date(now), revoked ? new Date(now) : null],
      );
    await make('soon', 6.5, false);
    await make('later', 30, false);
    await make('over', -1, false);
    await make('revoked', 3, true);
    await watch.look();
    await watch.look();
    const told = (await notices.list('managed', { limit: 100 })).items.filter(({ event }) => event === 'key.expiring');
    expect(told.map(({ data, link }) => [data['name'], data['days'], link])).toEqual([
      ['soon', 7, '/console/settings/management'],
    ]);
  });
});

describe('a reminder to top up', () => {
  it('is told once for each fall below the chosen balance, with a link that has the amount in it', async () => {
    await stage.makeAccount('asked');
    const { watch, notices } = stage.openNotices();
    await stage.spendToday('asked', 'k', '2026-11-15', 1);
    let n = 0;
    const move = async (toman: number) => {
      n++;
      const amount = money(BigInt(toman) * 1_000_000n);
      await stage.desk.books.transfer({ id: `asked-${n}`, kind: 'adjustment', accountId: 'asked', amount });
      await watch.look();
      await watch.look();
    };
    const told = async () => {
      const { items } = await notices.list('asked', {});
      return items.filter(({ event }) => event === 'balance.reminder');
    };
    await move(300_000);
    await move(-250_000);
    // Nobody asked for it.
    expect(await told()).toEqual([]);
    await notices.changeRule('asked', 'balance.reminder', { enabled: true, terms: { below: '100000', pay: '750000' } });
    await watch.look();
    expect(await told()).toMatchObject([
      { link: '/console/wallet?amount=750000', data: { balance: '50000', amount: '750000', below: '100000' } },
    ]);
    await move(-10_000);
    await move(20_000);
    expect(await told()).toHaveLength(1);
    await move(40_000);
    await move(-1);
    expect(await told()).toHaveLength(2);
  });
});

describe('a fresh wallet', () => {
  it('of no more than the usual line is low when half of it is gone, not with its first charge', async () => {
    await stage.makeAccount('fresh');
    const { watch } = stage.openNotices();
    await stage.spendToday('fresh', 'k', '2026-11-15', 1);
    const move = (id: string, toman: number) =>
      stage.desk.books.transfer({
        id,
        kind: 'adjustment',
        accountId: 'fresh',
        amount: money(BigInt(toman) * 1_000_000n),
      });
    const low = async () => (await stage.events('fresh')).filter(([event]) => event === 'balance.low').length;
    await move('f1', 50_000);
    await watch.look();
    await move('f2', -100);
    await watch.look();
    expect(await low()).toBe(0);
    await move('f3', -25_000);
    await watch.look();
    expect(await low()).toBe(1);
    // One that was filled well above the line is low at the line.
    await move('f4', 100_000);
    await watch.look();
    await move('f5', -75_500);
    await watch.look();
    expect(await low()).toBe(2);
  });
});

describe('unusual spend', () => {
  it('pauses the key where the account wants it, and does not pause it again after it was resumed', async () => {
    await stage.makeAccount('odd');
    const { watch, notices, keys } = stage.openNotices();
    await notices.changeRule('odd', 'key.unusual_spend', { terms: { pause: true } });
    const { key } = await keys.create({ accountId: 'odd', name: 'backend' }, 'test');
    for (const day of ['10', '11', '12', '13', '14']) await stage.spendToday('odd', key.id, `2026-11-${day}`, 5_000);
    await stage.spendToday('odd', key.id, '2026-11-15', 20_000);
    await watch.look();
    expect(await stage.events('odd')).not.toContainEqual(['key.unusual_spend', undefined]);
    await stage.spendToday('odd', key.id, '2026-11-15', 60_000);
    await watch.look();
    expect((await stage.events('odd')).filter(([event]) => event === 'key.unusual_spend')).toHaveLength(1);
    expect((await keys.get(key.id)).rules.paused).toBe(true);
    await keys.update(key.id, { rules: { paused: false } }, 'one click');
    await watch.look();
    expect((await keys.get(key.id)).rules.paused).toBe(false);
  });

  it('pauses the key at the next look when the first died in it', async () => {
    await stage.makeAccount('crash');
    const { db, log, notices, keys, watch, outbox } = stage.openNotices();
    await notices.changeRule('crash', 'key.unusual_spend', { terms: { pause: true } });
    const { key } = await keys.create({ accountId: 'crash', name: 'backend' }, 'test');
    for (const day of ['10', '11', '12', '13', '14']) await stage.spendToday('crash', key.id, `2026-11-${day}`, 5_000);
    await stage.spendToday('crash', key.id, '2026-11-15', 60_000);
    const update = () => Promise.reject(new Error('the process died'));
    await new Watch({ db, clock: stage.clock, log, notices, keys: { update } }).look();
    expect((await keys.get(key.id)).rules.paused).toBe(false);
    await watch.look();
    expect((await keys.get(key.id)).rules.paused).toBe(true);
    await outbox.deliverDue(100);
  });
});

describe('payments that wait', () => {
  it('are told to staff: refunds at once, each by what it waits for', async () => {
    await stage.makeAccount('payer');
    const { notices, log, keys } = stage.openNotices();
    const order = (
      id: string,
      state: string,
      refund: string | null,
      updatedAt: number,
      problem: string | null = null,
    ) =>
      stage.temporary.db.query(
        `insert into payment_order (id, account_id, gateway, amount, vat, units, unit, state, refund_state, refund_number,
           refund_began_at, created_by, language, expires_at, created_at, updated_at, problem)
         values ($1, 'payer', 'stripe', 1, 0, 1, 'USD', $2, $3, 1, $4, 'test', 'fa', $4, $4, $4, $5)`,
        [id, state, refund, new Date(updatedAt), problem],
      );
    const [now, old] = [stage.clock.now(), stage.clock.now() - HOUR];
    await order('o-unknown', 'refunded', 'unknown', now);
    await order('o-sending', 'refunded', 'sending', now);
    await order('o-slow', 'refunded', 'sending', old);
    await order('o-sent', 'refunded', 'sent', old);
    await order('o-paid', 'paid', null, old);
    await order('o-away', 'sent', null, old, 'unreachable:not-configured');
    await order('o-just-away', 'sent', null, now, 'unreachable:no-answer');
    await order('o-at-the-bank', 'sent', null, old);
    await order('o-differs', 'failed', null, old, 'differs:amount');
    await order('o-gave-up', 'failed', null, old, 'unpaid:-51');
    const tools = { db: stage.temporary.db, clock: stage.clock, log, notices, keys };
    await tellStuckPayments(tools);
    await tellStuckPayments(tools);
    const told = (await notices.list('', {})).items.filter(({ event }) => event === 'payment.stuck');
    expect(told.map(({ data }) => [data['order'], data['problem']]).sort()).toEqual([
      ['o-away', 'unreachable:not-configured'],
      ['o-differs', 'differs:amount'],
      ['o-paid', null],
      ['o-slow', 'refund:sending'],
      ['o-unknown', 'refund:unknown'],
    ]);
  });
});

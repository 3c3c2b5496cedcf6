/** Each of staff is told as they chose; what cannot be written down is told from memory. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseWatch } from '../../src/notices/index.ts';
import { SafeFetchError } from '../../src/platform/upstream/index.ts';
import { recordedLog } from '../services/silent-log.ts';
import { MINUTE, OutageStage } from './outage-stage.ts';

const HOUR = 60 * MINUTE;
const stage = new OutageStage();
let owner: string;
let support: string;
beforeAll(async () => {
  await stage.open(1);
  owner = await stage.person('owner', { email: 'owner@example.com', mobile: '09120000001' });
  support = await stage.person('support', { email: 'support@example.com', mobile: '09120000009' });
});
beforeEach(async () => {
  await stage.clear();
  // Half past ten in Tehran.
  stage.clock.nowMs += 86_400_000 - (stage.clock.nowMs % 86_400_000) + 7 * HOUR;
  await stage.db.query('delete from staff_alert; delete from staff_quiet; delete from staff_target');
});
afterAll(() => stage.close());

let told = 0;
const tell = async (severity: 'warning' | 'critical') => {
  const event = severity === 'warning' ? 'rate.stale' : 'model.failing';
  await stage.notices.raise({ accountId: '', event, occasion: `${++told}`, data: { severity, model: 'm' } });
  await stage.outbox().deliverDue(50);
};
const to = () => stage.sent.map(({ channel, to: address }) => `${channel} ${address}`).sort();

describe('the choice of a person', () => {
  it('adds, takes away and goes back to what the kind says', async () => {
    await stage.staff.choose(support, 'model.failing', ['sms']);
    await stage.staff.choose(owner, 'model.failing', ['console', 'email']);
    await tell('critical');
    expect(to()).toEqual(['email owner@example.com', 'sms 09120000009']);
    // Who does not want it in the console does not find it there; others do.
    expect(await stage.staff.hiddenFrom(support)).toEqual(['model.failing']);
    expect((await stage.notices.listForStaff(support, { limit: 9 }, ['model.failing'])).items).toEqual([]);
    expect((await stage.notices.listForStaff(owner, { limit: 9 })).items).toHaveLength(1);
    stage.sent.length = 0;
    await stage.staff.choose(support, 'model.failing', null);
    await stage.staff.choose(owner, 'model.failing', null);
    await tell('critical');
    expect(to()).toEqual(['email owner@example.com', 'sms 09120000001']);
  });

  it('holds for nobody who is blocked', async () => {
    await stage.db.query('update person set blocked_at = now() where id = $1', [owner]);
    await tell('critical');
    await stage.db.query('update person set blocked_at = null where id = $1', [owner]);
    expect(stage.sent).toEqual([]);
  });
});

describe('quiet hours', () => {
  it('hold warnings back until they end, and let through what is critical', async () => {
    await stage.staff.setQuiet(owner, { hours: { from: 10 * 60, to: 12 * 60 }, holdsAll: false });
    await tell('warning');
    await tell('critical');
    expect(to()).toEqual(['email owner@example.com', 'sms 09120000001']);
    stage.clock.advance(2 * HOUR);
    await stage.outbox().deliverDue(50);
    expect(stage.sent.map(({ subject }) => subject)).toContain('The exchange rate is stale');
  });

  it('hold back everything for who said so', async () => {
    await stage.staff.setQuiet(owner, { hours: { from: 10 * 60, to: 12 * 60 }, holdsAll: true });
    await tell('critical');
    expect(stage.sent).toEqual([]);
    stage.clock.advance(2 * HOUR);
    await stage.outbox().deliverDue(50);
    expect(to()).toEqual(['email owner@example.com', 'sms 09120000001']);
  });
});

describe('a webhook of staff', () => {
  it('is signed, in the same form as those of accounts', async () => {
    const { secret, id } = await stage.targets.add(support, 'https://pager.example/hook');
    await stage.staff.choose(support, 'model.failing', ['webhook']);
    await tell('critical');
    const [hit] = stage.posted;
    expect(hit?.url).toBe('https://pager.example/hook');
    const { 'webhook-id': name, 'webhook-timestamp': at, 'webhook-signature': signature } = hit?.headers ?? {};
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const wanted = createHmac('sha256', key).update(`${name}.${at}.${hit?.body}`).digest('base64');
    expect(signature).toBe(`v1,${wanted}`);
    expect(JSON.parse(hit?.body ?? '{}')).toMatchObject({
      type: 'model.failing',
      data: { model: 'm', severity: 'critical' },
    });
    await expect(stage.targets.remove(owner, id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('has to be https, and of a person there are few', async () => {
    for (const url of ['http://pager.example', 'https://user@pager.example', 'ftp://x', 'nothing'])
      await expect(stage.targets.add(owner, url)).rejects.toMatchObject({ code: 'invalid_request' });
    for (let at = 0; at < 5; at++) await stage.targets.add(owner, `https://pager.example/${at}`);
    await expect(stage.targets.add(owner, 'https://pager.example/6')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('that leads into our own network or is silent for a day is switched off, and says why', async () => {
    await stage.targets.add(owner, 'https://pager.example/hook');
    await stage.notices.raise({ accountId: '', event: 'model.failing', occasion: 'x', data: { model: 'm' } });
    const outbox = stage.outbox(async () => {
      throw new SafeFetchError('forbidden-address', 'it is 10.0.0.1');
    });
    for (let at = 0; at < 12; at++) {
      await outbox.deliverDue(50);
      stage.clock.advance(5 * HOUR);
    }
    expect(await stage.targets.list(owner)).toEqual([
      expect.objectContaining({ enabled: false, problem: 'forbidden-address: it is 10.0.0.1' }),
    ]);
  });
});

it('a test reaches only who asked, by that channel, and not too often', async () => {
  await stage.staff.setQuiet(support, { hours: { from: 10 * 60, to: 12 * 60 }, holdsAll: true });
  await stage.staff.test(support, 'sms');
  await stage.outbox().deliverDue(50);
  expect(stage.sent).toEqual([
    expect.objectContaining({ channel: 'sms', to: '09120000009', text: 'This is a test; nothing has happened.' }),
  ]);
  await expect(stage.staff.test(support, 'sms')).rejects.toMatchObject({ code: 'rate_limited' });
  await expect(stage.staff.test(support, 'webhook')).rejects.toMatchObject({ code: 'conflict' });
  expect((await stage.notices.list('', { limit: 9 })).items).toEqual([]);
});

describe('while the database is away', () => {
  it('one alert an hour goes from memory, and its end is told when it is back', async () => {
    let isAway = false;
    const { db, clock, messenger, staff } = stage;
    const watch = new DatabaseWatch({
      db,
      clock,
      randomBytes: (size) => Buffer.alloc(size, 7),
      log: recordedLog(),
      messenger,
      addresses: () => (isAway ? Promise.reject(new Error('connection refused')) : staff.direct('database.away')),
    });
    const pass = async (ms: number) => {
      for (let left = ms; left > 0; left -= 10_000) {
        clock.advance(10_000);
        await watch.look();
      }
    };
    await pass(MINUTE);
    isAway = true;
    await pass(MINUTE);
    expect(stage.sent).toEqual([]);
    await pass(10_000);
    expect(to()).toEqual(['email owner@example.com', 'sms 09120000001']);
    expect(stage.sent[0]?.subject).toBe('The database is away');
    await pass(58 * MINUTE);
    expect(stage.sent).toHaveLength(2);
    await pass(3 * MINUTE);
    expect(stage.sent).toHaveLength(4);
    isAway = false;
    stage.sent.length = 0;
    await watch.look();
    await stage.pass(20_000);
    expect(stage.sent.map(({ subject }) => subject)).toEqual(Array(2).fill('Over: The database is away'));
    expect(stage.sent[0]?.text).toMatch(/^lasted 6[23] minutes/);
    expect(await stage.outages()).toEqual([expect.objectContaining({ kind: 'database.away', ending: 'recovered' })]);
  });

  it('for less than a minute nobody is woken', async () => {
    let isAway = true;
    const { db, clock, messenger } = stage;
    const watch = new DatabaseWatch({
      db,
      clock,
      randomBytes: (size) => Buffer.alloc(size, 7),
      log: recordedLog(),
      messenger,
      addresses: () => (isAway ? Promise.reject(new Error('connection refused')) : Promise.resolve([])),
    });
    await watch.look();
    clock.advance(50_000);
    await watch.look();
    isAway = false;
    await watch.look();
    expect(await stage.outages()).toEqual([]);
    expect(stage.sent).toEqual([]);
  });
});

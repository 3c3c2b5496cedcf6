/** Alerts: once per rule and period, hysteresis, unusual spend, quiet hours; the outbox and its webhooks. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { money } from '../../src/core/money.ts';
import { createKeyService } from '../../src/keys/index.ts';
import { createNotices, createTargets, NoticeOutbox, Watch } from '../../src/notices/index.ts';
import { endOfQuiet } from '../../src/notices/quiet-hours.ts';
import { tellStuckPayments } from '../../src/notices/watch/dated-news.ts';
import { webhookHeaders } from '../../src/notices/webhook-signature.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { createSafePost } from '../../src/platform/upstream/index.ts';
import { preparePartitions } from '../../src/requestlog/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { type Bookkeeping, keepBooks } from '../ledger/bookkeeping.ts';
import { record, START } from '../ledger/request-fixture.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { recordedLog } from '../services/silent-log.ts';

const clock = new HandClock(START);
const secrets = createSecretBox(Buffer.alloc(32, 5));
const calendar = { timeZone: 'Asia/Tehran', month: 'jalali' as const };
const HOUR = 3_600_000;
let temporary: TemporaryDatabase;
let desk: Bookkeeping;
let server: Server;
let serve: (request: IncomingMessage, response: ServerResponse, body: string) => void;
const hits: { headers: IncomingMessage['headers']; body: string }[] = [];
const sentMessages: { to: string; subject: string; text: string; language: string }[] = [];
let carriersAreAway = false;

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  await preparePartitions(temporary.db, START);
  desk = await keepBooks(temporary.db);
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    hits.push({ headers: request.headers, body });
    serve(request, response, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  hits.length = 0;
  sentMessages.length = 0;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await desk.close();
  await temporary.remove();
});

/** Whoever answers may take long on a busy machine; who is slow is waited for only by those who say so. */
function openNotices(timeoutMs = 60_000) {
  const { db } = temporary;
  const recipients = async () => ({ email: ['owner@example.com'], sms: ['09120000000'] });
  const notices = createNotices({ db, clock, randomBytes, recipients });
  const keys = createKeyService({ db, clock, randomBytes });
  const log = recordedLog();
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  // A slow target is slow in real time, whatever the clock of the notices says.
  const options = { clock: systemClock, allowedHosts: [host] };
  const messenger = {
    can: () => true,
    deliver: async (message: (typeof sentMessages)[0]) => {
      if (carriersAreAway) throw new Error('kavenegar: status 418');
      sentMessages.push(message);
    },
  };
  const outbox = new NoticeOutbox({
    db,
    clock,
    log,
    secrets,
    notices,
    messenger,
    languageOf: async (to) => (to.startsWith('owner@') ? 'en' : 'fa'),
    post: createSafePost(options),
    chance: () => 0,
    timeoutMs,
  });
  const targets = createTargets({ db, clock, randomBytes, secrets, isTrusted: (url) => url.host === host });
  return { db, log, notices, keys, outbox, targets, watch: new Watch({ db, clock, log, notices, keys }), host };
}

async function makeAccount(id: string, caps = {}) {
  await temporary.db.query(
    `insert into account (id, name, rules, calendar, created_at, updated_at)
     values ($1, $1, $2, $3, '2026-01-01', '2026-01-01')`,
    [id, { caps }, { time_zone: 'Asia/Tehran', month: 'jalali' }],
  );
}

const events = async (accountId: string) =>
  (await openNotices().notices.list(accountId, { limit: 100 })).items.map(({ event, data }) => [
    event,
    data['percent'],
  ]);

const spendToday = (accountId: string, keyId: string, day: string, toman: number) =>
  temporary.db.query(
    `insert into usage_daily (account_id, day, key_id, model, requests, input_tokens, output_tokens, cost)
     values ($1, $2, $3, 'm', 1, 1, 1, $4) on conflict (account_id, day, key_id, model) do update set cost = excluded.cost`,
    [accountId, day, keyId, String(BigInt(toman) * 1_000_000n)],
  );

describe('an alert storm', () => {
  it('of 10,000 requests over a cap on two replicas tells once per rule and period', async () => {
    await makeAccount('storm', { daily: '5000' });
    const [one, two] = [openNotices(), openNotices()];
    for (let batch = 0; batch < 20; batch++) {
      const closing = Array.from({ length: 500 }, (_, n) =>
        desk.journal.close(
          record(`req_storm_${batch}_${n}`, {
            accountId: 'storm',
            cost: money(1_000_000n),
            formula: [],
            counters: ['cap:account:storm:daily:2026-11-15'],
          }),
        ),
      );
      await Promise.all(closing);
      await desk.poster.drain(10_000);
      await Promise.all([one.watch.look(), two.watch.look(), one.watch.look()]);
    }
    const told = (await events('storm')).filter(([event]) => event === 'cap.reached');
    expect(told.map(([, percent]) => percent).sort()).toEqual([100, 50, 80].sort());
    const [waiting] = await temporary.db.query<{ n: bigint }>(
      `select count(*) as n from notice_delivery where account_id = 'storm' and channel = 'email'`,
    );
    // Three steps of the cap and one low balance, each by one e-mail.
    expect(waiting?.n).toBe(4n);
  }, 120_000);
});

describe('a low balance', () => {
  it('is told once, and again only after it has clearly recovered', async () => {
    await makeAccount('poor');
    const { watch, notices } = openNotices();
    await notices.changeRule('poor', 'balance.low', { terms: { below: '1000', days_left: null } });
    await spendToday('poor', 'k', '2026-11-15', 1);
    const fill = (id: string, toman: number) =>
      desk.books.transfer({ id, kind: 'adjustment', accountId: 'poor', amount: money(BigInt(toman) * 1_000_000n) });
    const low = async () => (await events('poor')).filter(([event]) => event === 'balance.low').length;
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

describe('unusual spend', () => {
  it('pauses the key where the account wants it, and does not pause it again after it was resumed', async () => {
    await makeAccount('odd');
    const { watch, notices, keys } = openNotices();
    await notices.changeRule('odd', 'key.unusual_spend', { terms: { pause: true } });
    const { key } = await keys.create({ accountId: 'odd', name: 'backend' }, 'test');
    for (const day of ['10', '11', '12', '13', '14']) await spendToday('odd', key.id, `2026-11-${day}`, 5_000);
    await spendToday('odd', key.id, '2026-11-15', 20_000);
    await watch.look();
    expect(await events('odd')).not.toContainEqual(['key.unusual_spend', undefined]);
    await spendToday('odd', key.id, '2026-11-15', 60_000);
    await watch.look();
    expect((await events('odd')).filter(([event]) => event === 'key.unusual_spend')).toHaveLength(1);
    expect((await keys.get(key.id)).rules.paused).toBe(true);
    await keys.update(key.id, { rules: { paused: false } }, 'one click');
    await watch.look();
    expect((await keys.get(key.id)).rules.paused).toBe(false);
  });

  it('pauses the key at the next look when the first died in it', async () => {
    await makeAccount('crash');
    const { db, log, notices, keys, watch, outbox } = openNotices();
    await notices.changeRule('crash', 'key.unusual_spend', { terms: { pause: true } });
    const { key } = await keys.create({ accountId: 'crash', name: 'backend' }, 'test');
    for (const day of ['10', '11', '12', '13', '14']) await spendToday('crash', key.id, `2026-11-${day}`, 5_000);
    await spendToday('crash', key.id, '2026-11-15', 60_000);
    const update = () => Promise.reject(new Error('the process died'));
    await new Watch({ db, clock, log, notices, keys: { update } }).look();
    expect((await keys.get(key.id)).rules.paused).toBe(false);
    await watch.look();
    expect((await keys.get(key.id)).rules.paused).toBe(true);
    await outbox.deliverDue(100);
  });
});

describe('webhooks', () => {
  const news = (occasion: string) => {
    // Later than the one before, so that the newest is the last.
    clock.advance(1_000);
    return { accountId: 'hook', event: 'payment.credited' as const, occasion, data: { amount: '5' } };
  };
  const last = async () =>
    (await openNotices().targets.deliveries('hook', { limit: 50 })).items.find(({ channel }) => channel === 'webhook');

  it('are signed as the reference library verifies them', async () => {
    await makeAccount('hook');
    const { notices, outbox, targets, host } = openNotices();
    const { secret } = await targets.add('hook', `http://${host}/in`);
    serve = (_request, response) => response.writeHead(204).end();
    await notices.raise(news('1'));
    await notices.raise(news('1'));
    await outbox.deliverDue(10);
    expect(hits).toHaveLength(1);
    const { body, headers } = hits[0] as (typeof hits)[0];
    const library = new Webhook(secret);
    // The library compares with the present; ours runs by the test's clock.
    const told = Number(headers['webhook-timestamp']) * 1000;
    expect(told).toBe(clock.now());
    const verify = (given: string) =>
      library.sign(String(headers['webhook-id']), new Date(told), given) === headers['webhook-signature'];
    expect(verify(body)).toBe(true);
    expect(verify(`${body} `)).toBe(false);
    const fresh = webhookHeaders(secret, { id: 'dlv_1', at: Math.floor(Date.now() / 1000), body });
    expect(library.verify(body, fresh)).toEqual(JSON.parse(body));
    expect(() => library.verify(`${body} `, fresh)).toThrow();
    expect(JSON.parse(body)).toMatchObject({ type: 'payment.credited', data: { amount: '5' } });
    expect(await last()).toMatchObject({ state: 'sent', tries: 1, lastStatus: 204 });
  });

  it('are tried again later each time, for a day, and the target is then switched off with word of it', async () => {
    const { notices, outbox, targets } = openNotices();
    serve = (_request, response) => response.writeHead(500).end();
    await notices.raise(news('2'));
    const gaps: number[] = [];
    let before = clock.now();
    for (let hour = 0; hour < 30 * 60 && (await last())?.state === 'waiting'; hour++) {
      if ((await outbox.deliverDue(10)) > 0) {
        gaps.push(clock.now() - before);
        before = clock.now();
      }
      const next = (await last())?.nextTryAt;
      if (next) clock.nowMs = Math.max(clock.nowMs, next.getTime());
    }
    expect(await last()).toMatchObject({ state: 'failed', tries: 10, lastStatus: 500 });
    expect(gaps.slice(1).reduce((sum, gap) => sum + gap, 0)).toBe(24 * HOUR);
    expect((await targets.list('hook'))[0]).toMatchObject({ enabled: false });
    expect((await events('hook')).map(([event]) => event)).toContain('target.disabled');
    const [target] = await targets.list('hook');
    await targets.enable('hook', target?.id ?? '');
  });

  it('are replayed on demand', async () => {
    const { outbox, targets } = openNotices();
    serve = (_request, response) => response.writeHead(200).end('ok');
    const failed = await last();
    await targets.replay('hook', failed?.id ?? '');
    await outbox.deliverDue(10);
    expect(await last()).toMatchObject({ id: failed?.id, state: 'sent' });
    await expect(targets.replay('somebody-else', failed?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('follow no redirect, and never reach a private address', async () => {
    const { notices, outbox, targets } = openNotices();
    serve = (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    await notices.raise(news('3'));
    await outbox.deliverDue(10);
    expect(await last()).toMatchObject({
      state: 'waiting',
      lastStatus: 302,
      lastProblem: 'redirects are not followed',
    });
    expect(hits).toHaveLength(1);
    for (const url of ['http://example.com/x', 'ftp://example.com', 'https://user:pw@example.com/', 'nonsense'])
      await expect(targets.add('hook', url)).rejects.toMatchObject({ code: 'invalid_request' });
    await targets.add('hook', 'https://10.0.0.7/hook');
    await notices.raise(news('4'));
    await outbox.deliverDue(10);
    const { items } = await targets.deliveries('hook', { limit: 50 });
    const inside = items.find(({ to }) => to === 'https://10.0.0.7/hook');
    expect(inside).toMatchObject({ state: 'waiting', lastStatus: null });
    expect(inside?.lastProblem).toContain('forbidden-address');
  });

  it('wait neither for a target that never answers nor for one that drips, and try both again later', async () => {
    const { notices, outbox: impatient, targets } = openNotices(3_000);
    const drips = new Set<NodeJS.Timeout>();
    const tried: string[] = [];
    const slow: (typeof serve)[] = [
      () => undefined,
      (_request, response) => {
        response.writeHead(200);
        drips.add(setInterval(() => response.write('.'), 20));
      },
    ];
    for (const [index, way] of slow.entries()) {
      serve = way;
      const occasion = news(`slow-${index}`);
      await notices.raise(occasion);
      const begun = clock.now();
      await impatient.deliverDue(10);
      const { items } = await targets.deliveries('hook', { limit: 50 });
      const delivery = items.find(
        ({ to, createdAt }) => to.includes(openNotices().host) && createdAt.getTime() === begun,
      );
      expect(delivery).toMatchObject({ state: 'waiting', tries: 1, lastStatus: null });
      expect(delivery?.lastProblem).toMatch(/^timeout/);
      tried.push(delivery?.id ?? '');
      expect(delivery?.nextTryAt?.getTime()).toBe(begun + 5_000);
    }
    for (const drip of drips) clearInterval(drip);
    serve = (_request, response) => response.writeHead(204).end();
    clock.advance(5_000);
    await openNotices().outbox.deliverDue(50);
    const { items } = await targets.deliveries('hook', { limit: 50 });
    const ended = items.filter(({ id }) => tried.includes(id));
    expect(ended.map(({ state, tries }) => [state, tries])).toEqual([
      ['sent', 2],
      ['sent', 2],
    ]);
  });

  it('are carried by one replica when several look at once', async () => {
    await makeAccount('many');
    const replicas = [openNotices(), openNotices(), openNotices()];
    const [first] = replicas as [(typeof replicas)[0]];
    await first.targets.add('many', `http://${first.host}/in`);
    serve = (_request, response) => response.writeHead(200).end();
    await Promise.all(replicas.map(({ notices }) => notices.raise({ ...news('5'), accountId: 'many' })));
    await Promise.all(replicas.map(({ outbox }) => outbox.deliverDue(50)));
    expect(hits.filter(({ headers }) => headers['webhook-id'] !== undefined)).toHaveLength(1);
  });
});

describe('messages to people', () => {
  it('are sent when a carrier took them, and are tried again for a day while none does', async () => {
    await makeAccount('patient');
    const { notices, outbox, targets } = openNotices();
    const event = 'balance.low' as const;
    await notices.changeRule('patient', event, { channels: ['email', 'sms'] });
    carriersAreAway = true;
    await notices.raise({ accountId: 'patient', event, occasion: 'x', data: { test: true } });
    await outbox.deliverDue(50);
    const log = async () => (await targets.deliveries('patient', { limit: 50 })).items;
    for (const { channel, ...delivery } of await log()) {
      expect(delivery).toMatchObject({ state: 'waiting', tries: 1, sentAt: null });
      expect(delivery.lastProblem).toBe(`no carrier took the ${channel}`);
      expect(delivery.nextTryAt?.getTime()).toBe(clock.now() + 5_000);
    }
    carriersAreAway = false;
    clock.advance(5_000);
    await openNotices().outbox.deliverDue(50);
    expect((await log()).map(({ channel, state, tries }) => [channel, state, tries]).sort()).toEqual([
      ['email', 'sent', 2],
      ['sms', 'sent', 2],
    ]);
    expect(sentMessages.map(({ to }) => to).sort()).toEqual(['09120000000', 'owner@example.com']);
  });
});

describe('quiet hours', () => {
  it('hold mail back until they end', async () => {
    await makeAccount('sleeper');
    const { notices, outbox } = openNotices();
    // 11:30 in Tehran.
    clock.nowMs = Date.parse('2026-12-01T08:00:00Z');
    await notices.setQuietHours('sleeper', { from: 11 * 60, to: 12 * 60 });
    await notices.raise({ accountId: 'sleeper', event: 'payment.credited', occasion: '1', data: { amount: '5' } });
    await outbox.deliverDue(50);
    expect(sentMessages).toEqual([]);
    clock.advance(30 * 60_000);
    await outbox.deliverDue(50);
    expect(sentMessages.map(({ to }) => to)).toEqual(['owner@example.com']);
  });

  it('are over, and mail is in the language of whoever gets it, also when it is only tried', async () => {
    await makeAccount('reader');
    const { notices, outbox } = openNotices();
    const event = 'key.unusual_spend' as const;
    await notices.changeRule('reader', event, { channels: ['email', 'sms'] });
    await notices.raise({ accountId: 'reader', event, occasion: 'x', data: { test: true } });
    await outbox.deliverDue(50);
    const sent = new Map(sentMessages.map((message) => [message.to, message]));
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
    await makeAccount('tester');
    const { notices, outbox, targets } = openNotices();
    const event = 'balance.low' as const;
    await notices.changeRule('tester', event, { channels: ['sms'] });
    const once = await Promise.allSettled(Array.from({ length: 30 }, () => notices.test('tester', event)));
    expect(once.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    let told = 1;
    for (let minute = 1; minute < 55; minute++) {
      clock.advance(60_000);
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
    clock.advance(2 * HOUR);
    expect(await notices.test('tester', event)).toBe(true);
    await notices.changeRule('tester', event, { enabled: false });
    expect(await notices.test('tester', event)).toBe(false);
    await outbox.deliverDue(100);
  });
});

describe('payments that wait', () => {
  it('are told to staff: refunds at once, each by what it waits for', async () => {
    await makeAccount('payer');
    const { notices, log, keys } = openNotices();
    const order = (
      id: string,
      state: string,
      refund: string | null,
      updatedAt: number,
      problem: string | null = null,
    ) =>
      temporary.db.query(
        `insert into payment_order (id, account_id, gateway, amount, vat, units, unit, state, refund_state, refund_number,
           refund_began_at, created_by, language, expires_at, created_at, updated_at, problem)
         values ($1, 'payer', 'stripe', 1, 0, 1, 'USD', $2, $3, 1, $4, 'test', 'fa', $4, $4, $4, $5)`,
        [id, state, refund, new Date(updatedAt), problem],
      );
    const [now, old] = [clock.now(), clock.now() - HOUR];
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
    const tools = { db: temporary.db, clock, log, notices, keys };
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

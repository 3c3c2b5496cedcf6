/** Webhooks: signed, tried again for a day, replayed on demand, and safe against hostile targets. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { webhookHeaders } from '../../src/notices/webhook-signature.ts';
import { HOUR, NoticeStage } from './notice-stage.ts';

const stage = new NoticeStage();

describe('webhooks', () => {
  const news = (occasion: string) => {
    // Later than the one before, so that the newest is the last.
    stage.clock.advance(1_000);
    return { accountId: 'hook', event: 'payment.credited' as const, occasion, data: { amount: '5' } };
  };
  const last = async () =>
    (await stage.openNotices().targets.deliveries('hook', { limit: 50 })).items.find(
      ({ channel }) => channel === 'webhook',
    );

  it('are signed as the reference library verifies them', async () => {
    await stage.makeAccount('hook');
    const { notices, outbox, targets, host } = stage.openNotices();
    const { secret } = await targets.add('hook', `http://${host}/in`);
    stage.serve = (_request, response) => response.writeHead(204).end();
    await notices.raise(news('1'));
    await notices.raise(news('1'));
    await outbox.deliverDue(10);
    expect(stage.hits).toHaveLength(1);
    const { body, headers } = stage.hits[0] as (typeof stage.hits)[0];
    const library = new Webhook(secret);
    // The library compares with the present; ours runs by the test's stage.clock.
    const told = Number(headers['webhook-timestamp']) * 1000;
    expect(told).toBe(stage.clock.now());
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
    const { notices, outbox, targets } = stage.openNotices();
    stage.serve = (_request, response) => response.writeHead(500).end();
    await notices.raise(news('2'));
    const gaps: number[] = [];
    let before = stage.clock.now();
    for (let hour = 0; hour < 30 * 60 && (await last())?.state === 'waiting'; hour++) {
      if ((await outbox.deliverDue(10)) > 0) {
        gaps.push(stage.clock.now() - before);
        before = stage.clock.now();
      }
      const next = (await last())?.nextTryAt;
      if (next) stage.clock.nowMs = Math.max(stage.clock.nowMs, next.getTime());
    }
    expect(await last()).toMatchObject({ state: 'failed', tries: 10, lastStatus: 500 });
    expect(gaps.slice(1).reduce((sum, gap) => sum + gap, 0)).toBe(24 * HOUR);
    expect((await targets.list('hook'))[0]).toMatchObject({ enabled: false });
    expect((await stage.events('hook')).map(([event]) => event)).toContain('target.disabled');
    const [target] = await targets.list('hook');
    await targets.enable('hook', target?.id ?? '');
  });

  it('are replayed on demand', async () => {
    const { outbox, targets } = stage.openNotices();
    stage.serve = (_request, response) => response.writeHead(200).end('ok');
    const failed = await last();
    await targets.replay('hook', failed?.id ?? '');
    await outbox.deliverDue(10);
    expect(await last()).toMatchObject({ id: failed?.id, state: 'sent' });
    await expect(targets.replay('somebody-else', failed?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('follow no redirect, and never reach a private address', async () => {
    const { notices, outbox, targets } = stage.openNotices();
    stage.serve = (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    await notices.raise(news('3'));
    await outbox.deliverDue(10);
    expect(await last()).toMatchObject({
      state: 'waiting',
      lastStatus: 302,
      lastProblem: 'redirects are not followed',
    });
    expect(stage.hits).toHaveLength(1);
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
    const { notices, outbox: impatient, targets } = stage.openNotices(3_000);
    const drips = new Set<NodeJS.Timeout>();
    const tried: string[] = [];
    const slow: (typeof stage.serve)[] = [
      () => undefined,
      (_request, response) => {
        response.writeHead(200);
        drips.add(setInterval(() => response.write('.'), 20));
      },
    ];
    for (const [index, way] of slow.entries()) {
      stage.serve = way;
      const occasion = news(`slow-${index}`);
      await notices.raise(occasion);
      const begun = stage.clock.now();
      await impatient.deliverDue(10);
      const { items } = await targets.deliveries('hook', { limit: 50 });
      const delivery = items.find(
        ({ to, createdAt }) => to.includes(stage.openNotices().host) && createdAt.getTime() === begun,
      );
      expect(delivery).toMatchObject({ state: 'waiting', tries: 1, lastStatus: null });
      expect(delivery?.lastProblem).toMatch(/^timeout/);
      tried.push(delivery?.id ?? '');
      expect(delivery?.nextTryAt?.getTime()).toBe(begun + 5_000);
    }
    for (const drip of drips) clearInterval(drip);
    stage.serve = (_request, response) => response.writeHead(204).end();
    stage.clock.advance(5_000);
    await stage.openNotices().outbox.deliverDue(50);
    const { items } = await targets.deliveries('hook', { limit: 50 });
    const ended = items.filter(({ id }) => tried.includes(id));
    expect(ended.map(({ state, tries }) => [state, tries])).toEqual([
      ['sent', 2],
      ['sent', 2],
    ]);
  });

  it('are carried by one replica when several look at once', async () => {
    await stage.makeAccount('many');
    const replicas = [stage.openNotices(), stage.openNotices(), stage.openNotices()];
    const [first] = replicas as [(typeof replicas)[0]];
    await first.targets.add('many', `http://${first.host}/in`);
    stage.serve = (_request, response) => response.writeHead(200).end();
    await Promise.all(replicas.map(({ notices }) => notices.raise({ ...news('5'), accountId: 'many' })));
    await Promise.all(replicas.map(({ outbox }) => outbox.deliverDue(50)));
    expect(stage.hits.filter(({ headers }) => headers['webhook-id'] !== undefined)).toHaveLength(1);
  });
});

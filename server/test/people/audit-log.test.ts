/** The audit log says who, by name, did what, and what was before and after; customers read theirs without the staff's names. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { difference } from '../../src/platform/audit-log.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from './client.ts';

interface Traced {
  actor: string;
  actor_name: string | null;
  action: string;
  detail: Record<string, unknown>;
}

let gateway: TestGateway;
let customer: Browser;

describe('the trail', () => {
  beforeAll(async () => {
    gateway = await startGateway();
    customer = new Browser(gateway);
    const { body } = await customer.signIn('09121110000', { name: 'مینا', account_name: 'trail' });
    customer.account = body.accounts[0]?.id;
  });
  afterAll(() => gateway?.stop());

  const asOperator = async (method: string, path: string, body?: object) => {
    const answered = await gateway.admin(method, `/api/admin${path}`, body);
    expect(answered.status, await answered.clone().text()).toBeLessThan(300);
    return answered.json() as Promise<Record<string, unknown>>;
  };
  const newest = async (subject: string): Promise<Traced> => {
    const { data } = (await asOperator('GET', `/events?subject=${encodeURIComponent(subject)}&limit=1`)) as {
      data: Traced[];
    };
    const [event] = data;
    if (!event) throw new Error(`nothing about ${subject}`);
    return event;
  };

  it('names the person and tells a key’s rules before and after, field by field', async () => {
    const { id } = (await customer.post<{ id: string }>('/keys', { name: 'web', rules: { rpm: 5 } })).body;
    await customer.patch(`/keys/${id}`, { name: 'shop', rules: { rpm: 9, caps: { daily: 1_000 } } });
    expect(await newest(id)).toMatchObject({
      actor: expect.stringMatching(/^person:/),
      actor_name: 'مینا',
      action: 'key.update',
      detail: {
        before: { name: 'web', rpm: 5, 'caps.daily': null },
        after: { name: 'shop', rpm: 9, 'caps.daily': '1000' },
      },
    });
    await customer.post(`/keys/${id}/pause`);
    expect((await newest(id)).detail).toEqual({ before: { paused: false }, after: { paused: true } });
  });

  it('tells prices, rates, models, groups, providers and settings before and after', async () => {
    const routes = [{ provider: 'chat-a', model: 'up' }];
    await asOperator('POST', '/models', { id: 'acme/one', routes, price: { input: 100, output: 200 } });
    await asOperator('POST', '/models/acme/one/prices', { price: { input: 150 } });
    expect((await newest('acme/one')).detail).toMatchObject({ before: { input: '100' }, after: { input: '150' } });
    await asOperator('PATCH', '/models/acme/one', { enabled: false });
    expect((await newest('acme/one')).detail).toEqual({ before: { enabled: true }, after: { enabled: false } });
    await asOperator('PUT', '/groups/quick', { name: 'Quick', models: ['acme/one'] });
    await asOperator('PUT', '/groups/quick', { name: 'Swift', models: ['acme/one'] });
    expect((await newest('quick')).detail).toEqual({ before: { name: 'Quick' }, after: { name: 'Swift' } });
    await asOperator('POST', '/pricing', { exchange_rate: '123000' });
    expect((await newest('catalog')).detail).toMatchObject({ after: { exchange_rate: '123000' } });
    await asOperator('PATCH', '/settings', { welcome_credit: 700 });
    expect((await newest('welcome_credit')).detail).toMatchObject({ before: { welcome_credit: null } });
  });

  it('never writes a header of a provider, which may carry a secret', async () => {
    const base = gateway.vendor.baseUrls['openai-chat'];
    await asOperator('POST', '/providers', {
      id: 'spare',
      vendor: 'openai',
      base_url: base,
      api_key: 'sk-trail-secret',
    });
    await asOperator('PATCH', '/providers/spare', { headers: { 'x-gate': 'gate-secret' }, max_concurrent: 3 });
    const { detail } = await newest('spare');
    expect(detail).toMatchObject({ after: { max_concurrent: 3 } });
    expect(JSON.stringify(detail)).not.toContain('secret');
  });

  it('gives customers their own trail without the names of staff', async () => {
    await asOperator('PATCH', `/accounts/${customer.account}`, { rules: { rpm: 50 } });
    const { data } = (await customer.get<{ data: Traced[] }>('/trail')).body;
    const byStaff = data.filter(({ actor }) => !actor.startsWith('person:'));
    expect(byStaff.map(({ action, actor_name: name }) => [action, name])).toContainEqual(['account.update', null]);
    expect(data.find(({ action }) => action === 'key.update')?.actor_name).toBe('مینا');
  });
});

describe('a difference', () => {
  it('holds only what changed, by path, with null for what was not there', () => {
    const before = { name: 'a', caps: { daily: 1, total: null }, models: ['x'] };
    const after = { name: 'a', caps: { daily: 2, total: null }, models: ['x', 'y'], rpm: 3 };
    expect(difference(before, after)).toEqual({
      before: { 'caps.daily': 1, models: ['x'], rpm: null },
      after: { 'caps.daily': 2, models: ['x', 'y'], rpm: 3 },
    });
  });
});

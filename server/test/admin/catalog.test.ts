/** Providers, models, prices, groups, credit and the service itself, as an operator manages them over HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '../../src/platform/operator-token.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { type Operator, operatorOf } from './operator.ts';

let gateway: TestGateway;
let operator: Operator;
const SECRET = 'up-operator-secret-text';

beforeAll(async () => {
  gateway = await startGateway();
  operator = await operatorOf(gateway);
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const ask = async (model: string) =>
  (await gateway.chat({ model, messages: [{ role: 'user', content: 'hi' }] })).status;

describe('the catalog', () => {
  it('takes a provider, a model, a price and a group, and serves them at once', async () => {
    const provider = await operator.post('/providers', {
      id: 'mine',
      protocol: 'openai-chat',
      base_url: gateway.vendor.baseUrls['openai-chat'],
      api_key: SECRET,
    });
    expect(provider).toMatchObject({
      id: 'mine',
      managed_by: 'operator',
      enabled: true,
      credentials: [{ id: expect.any(String) }],
    });
    await operator.post('/models', {
      id: 'mine/chat',
      routes: [{ provider: 'mine', model: 'up-model' }],
      price: { input: 1000, output: '4000' },
      context: 8000,
    });
    await operator.soon(() => ask('mine/chat'), 200);
    await operator.put('/groups/house', { models: ['mine/chat'], name_fa: 'خانه' });
    await operator.soon(() => ask('group:house'), 200);
    const { price } = await operator.post<{ price: { version: string } }>('/models/mine/chat/prices', {
      price: { input: 2000, output: 8000 },
    });
    const { data } = await operator.get<{ data: { version: string }[] }>('/models/mine/chat/prices');
    expect([data[0]?.version, data.length]).toEqual([price.version, 2]);
    // What a change does not name stays.
    const changed = await operator.post<{ price: { price: object } }>('/models/mine/chat/prices', {
      price: { input: 2500 },
    });
    expect(changed.price.price).toMatchObject({ input: '2500', output: '8000' });
    await operator.put('/models/mine/chat/routes', { provider: 'chat-b', model: 'up-b', priority: 5 });
    await operator.remove('/models/mine/chat/routes?provider=chat-b&model=up-b');
    await operator.patch('/models/mine/chat', { enabled: false });
    await operator.soon(() => ask('mine/chat'), 404);
    await operator.patch('/models/mine/chat', { enabled: true });
    await operator.patch('/providers/mine', { enabled: false });
    await operator.soon(() => ask('mine/chat'), 404);
    await operator.patch('/providers/mine', { enabled: true });
    const { id } = await operator.post<{ id: string }>('/providers/mine/credentials', { secret: `${SECRET}-2` });
    await operator.remove(`/providers/mine/credentials/${id}`);
  });

  it('never shows a secret', async () => {
    const pages = [
      '/providers',
      '/providers/mine',
      '/providers/mine/credentials',
      '/events?limit=200',
      '/settings',
      '/models',
      '/health',
    ];
    const text = JSON.stringify(await Promise.all(pages.map((path) => operator.get(path))));
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('up-chat-a-secret');
    expect(text).not.toContain(digestOf(gateway.firstPassword));
  });

  it('leaves what the file defines as it is, and refuses what is not understood by name', async () => {
    expect(await operator.refused('PATCH', '/providers/chat-a', { enabled: false })).toMatchObject([409, null]);
    expect(await operator.refused('PATCH', '/models/mock/chat', { name: 'x' })).toMatchObject([409, null]);
    expect(await operator.refused('POST', '/models/mock/chat/prices', { price: { input: 1 } })).toMatchObject([
      409,
      null,
    ]);
    expect(await operator.refused('PUT', '/groups/economical', { models: ['mock/chat'] })).toMatchObject([409, null]);
    expect(await operator.refused('POST', '/providers', { id: 'x', colour: 1 })).toMatchObject([400, 'colour']);
    expect(await operator.refused('POST', '/providers', { id: 'x', api_key_env: 'HOME' })).toMatchObject([
      400,
      'api_key_env',
    ]);
    const routes = [{ provider: 'nobody', model: 'm' }];
    expect(await operator.refused('POST', '/models', { id: 'a/b', routes, price: { input: 1 } })).toMatchObject([
      400,
      'routes.0.provider',
    ]);
    expect(await operator.refused('GET', '/models/no/such')).toMatchObject([404, null]);
  });

  it('is priced anew by exchange rate and margin', async () => {
    expect(await operator.post('/catalog/refresh', {})).toMatchObject({ changed: expect.any(Boolean) });
    await operator.post('/catalog/refresh', { exchange_rate: 120_000, margin: '0.2' });
    expect(await operator.get('/settings')).toMatchObject({ exchange_rate: '120000', margin: '0.2' });
    expect(await operator.refused('POST', '/catalog/refresh', { exchange_rate: 'much', margin: 0 })).toMatchObject([
      400,
      'exchange_rate',
    ]);
  });
});

describe('credit and books', () => {
  it('moves once however often it is asked, shows its history by pages, and refunds a request', async () => {
    await operator.post('/accounts', { id: 'payer', name: 'Payer' });
    const topUp = { id: 'top-1', kind: 'top-up', amount: '250', note: 'نقدی' };
    expect(await operator.post('/accounts/payer/transfers', topUp)).toMatchObject({ balance: '250' });
    expect(await operator.post('/accounts/payer/transfers', topUp)).toMatchObject({ balance: '250' });
    expect(await operator.refused('POST', '/accounts/payer/transfers', { ...topUp, amount: 1 })).toMatchObject([
      409,
      'number',
    ]);
    // A receipt is of whole toman, as every order is.
    expect(
      await operator.refused('POST', '/accounts/payer/transfers', { ...topUp, id: 'top-2', amount: '0.5' }),
    ).toMatchObject([400, 'amount']);
    await operator.post('/accounts/payer/transfers', { id: 'adj-0', kind: 'adjustment', amount: '0.5', note: 'half' });
    const taken = { id: 'adj-1', kind: 'adjustment', amount: -0.5, note: 'counted twice' };
    await operator.post('/accounts/payer/transfers', taken);
    // Neither without a reason nor more than the wallet holds, and what was done stays done when it is asked again.
    for (const note of [undefined, '', ' a '])
      expect(
        await operator.refused('POST', '/accounts/payer/transfers', { ...taken, id: 'adj-2', note }),
      ).toMatchObject([400, 'note']);
    const tooMuch = { ...taken, id: 'adj-3', amount: '-250.000001' };
    expect(await operator.refused('POST', '/accounts/payer/transfers', tooMuch)).toMatchObject([409, 'amount']);
    expect(await operator.post('/accounts/payer/transfers', taken)).toMatchObject({ balance: '250' });
    expect(await operator.get('/accounts/payer/wallet')).toMatchObject({
      wallet: { balance: '250', held: '0', available: '250' },
    });
    expect(await operator.allPages('/accounts/payer/transfers', 1)).toEqual([
      'adj-1',
      'adj-0',
      expect.stringMatching(/^topup:ord_/),
    ]);
    expect(
      await operator.refused('POST', '/accounts/payer/transfers', { id: 'x', kind: 'top-up', amount: -1 }),
    ).toMatchObject([400, 'amount']);
    expect(
      await operator.refused('POST', '/accounts/payer/transfers', { id: 'x', kind: 'gift', amount: 1 }),
    ).toMatchObject([400, 'kind']);
    expect(await operator.refused('POST', '/accounts/nobody/transfers', topUp)).toMatchObject([404, null]);
  });

  it('lists the transfers of all accounts, with the reason and who made each', async () => {
    await operator.post('/accounts', { id: 'listed', name: 'Listed' });
    const give = (id: string, amount: number, kind = 'adjustment') =>
      operator.post('/accounts/listed/transfers', { id, kind, amount, note: `because of ${id}` });
    await give('list-1', 900, 'top-up');
    await give('list-2', 50);
    await give('list-3', -20);
    expect(await operator.allPages('/transfers?account_id=listed', 2)).toEqual([
      'list-3',
      'list-2',
      expect.stringMatching(/^topup:ord_/),
    ]);
    expect(await operator.allPages('/transfers?account_id=listed&direction=in&kind=adjustment', 1)).toEqual(['list-2']);
    const { data } = await operator.get<{ data: object[] }>('/transfers?reference=list-3');
    expect(data).toEqual([
      {
        object: 'transfer',
        id: 'list-3',
        kind: 'adjustment',
        account_id: 'listed',
        debit: 'wallet:listed',
        credit: 'corrections',
        amount: '-20',
        request_id: null,
        price_version: null,
        note: 'because of list-3',
        created_at: expect.any(String),
        actor: 'operator',
        actor_name: null,
      },
    ]);
    const days = (from: string, to: string) =>
      operator.allPages(`/transfers?account_id=listed&from=${from}&to=${to}`, 50);
    expect(await days('2000-01-01', '2999-01-01')).toHaveLength(3);
    expect(await days('2000-01-01', '2001-01-01')).toEqual([]);
    // Among those of everybody, the newest first, also what providers cost.
    const all = await operator.allPages('/transfers', 200);
    expect(all.filter((id) => id.startsWith('list-'))).toEqual(['list-3', 'list-2']);
    expect(await operator.refused('GET', '/transfers?kind=present')).toEqual([400, 'kind']);
    expect(await operator.refused('GET', '/transfers?from=yesterday')).toEqual([400, 'from']);
    expect(await operator.refused('GET', '/transfers?after=nowhere')).toEqual([400, 'after']);
  });

  it('shows requests with their receipts, sums of days and a clean audit', async () => {
    const response = await gateway.chat({ model: 'mock/chat', messages: [{ role: 'user', content: 'hi' }] });
    const id = response.headers.get('x-svc-request-id') ?? '';
    await operator.soon(async () => (await operator.get(`/requests/${id}`))['state'], 'completed');
    expect(await operator.get(`/requests/${id}`)).toMatchObject({
      account_id: 'acme',
      provider: 'chat-a',
      attempts: [{ outcome: 'ok' }],
    });
    const listed = async () => {
      const { data } = await operator.get<{ data: { id: string }[] }>(
        '/requests?account_id=acme&state=completed&limit=5',
      );
      return data.some((one) => one.id === id);
    };
    await operator.soon(listed, true);
    const { data } = await operator.get<{ data: { requests: number; cost: string; model: string }[] }>(
      '/usage?from=2000-01-01&to=2999-01-01&group_by=model',
    );
    expect(Number(data.find(({ model }) => model === 'mock/chat')?.cost)).toBeGreaterThan(0);
    expect(await operator.refused('GET', '/usage?from=yesterday&to=2999-01-01')).toMatchObject([400, 'from']);
    expect(await operator.refused('GET', '/usage?from=2000-01-01&to=2999-01-01&group_by=colour')).toMatchObject([
      400,
      'group_by',
    ]);
    expect(await wholeProof(gateway.admin)).toMatchObject({ ok: true });
    expect(await operator.get('/audit')).toMatchObject({ ok: true, at: expect.any(String) });
    expect(await operator.refused('GET', '/requests/req_nothing')).toMatchObject([404, null]);
  });
});

describe('the service', () => {
  it('changes settings while it runs', async () => {
    await operator.patch('/settings', { wallet_minimum: 1_000_000 });
    await operator.soon(() => ask('mock/chat'), 402);
    await operator.patch('/settings', { wallet_minimum: '0' });
    await operator.soon(() => ask('mock/chat'), 200);
    expect(await operator.refused('PATCH', '/settings', { wallet_minimum: 'lots' })).toMatchObject([
      400,
      'wallet_minimum',
    ]);
    expect(await operator.refused('PATCH', '/settings', { operator_token_digest: 'x' })).toMatchObject([
      400,
      'operator_token_digest',
    ]);
  });

  it('tells its health and that of its routes', async () => {
    await ask('mock/chat');
    expect(await operator.get('/health')).toMatchObject({ database: 'ok', journal: { accepting: true } });
    const { data } = await operator.get<{ data: { provider: string; state: string }[] }>('/routes/health');
    expect(data.find(({ provider }) => provider === 'chat-a')).toMatchObject({ state: 'closed' });
  });
});

/** Lists as staff calls them: what each role may list and export, masked contacts, views and files of others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';

const CUSTOMER = '09121900000';
let gateway: TestGateway;
let account: string;
const staff: Record<string, Browser> = {};

interface Page {
  data: { id: string; name?: string; balance?: string; contacts?: string[] }[];
  next: string | null;
  names: Record<string, string>;
  total: { count: number; more: boolean } | null;
}

const as = (role: string) => staff[role] as Browser;
const get = async (role: string, path: string) => {
  const { status, body } = await as(role).send<Page>('GET', `/api/admin${path}`);
  return { status, page: body as unknown as Page };
};
const begin = (role: string, list: string, query: object = {}) =>
  as(role).send<{ id: string }>('POST', '/api/admin/exports', { list, query });

async function fileOf(role: string, id: string): Promise<string> {
  await eventually(async () => {
    const { body } = await as(role).send<{ data: { id: string; state: string }[] }>('GET', '/api/admin/exports');
    expect(
      (body as unknown as { data: { id: string; state: string }[] }).data.find((job) => job.id === id)?.state,
    ).toBe('done');
  });
  const answer = await fetch(`${gateway.origin}/api/admin/exports/${id}/file`, {
    headers: { cookie: as(role).cookie ?? '' },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-disposition')).toContain('attachment');
  return answer.text();
}

beforeAll(async () => {
  gateway = await startGateway();
  const customer = new Browser(gateway);
  const { body } = await customer.signIn(CUSTOMER, { name: 'سارا' });
  account = body.accounts[0]?.id ?? '';
  await gateway.admin('PATCH', `/api/admin/accounts/${account}`, { name: `شرکت ${CUSTOMER}` });
  await gateway.admin('POST', `/api/admin/accounts/${account}/transfers`, { id: 'r', kind: 'top-up', amount: 100_000 });
  for (const [index, role] of ['owner', 'finance', 'support', 'viewer'].entries()) {
    const to = `0912191000${index}`;
    await gateway.admin('POST', '/api/admin/staff', { to, role });
    const browser = new Browser(gateway);
    await browser.signIn(to);
    staff[role] = browser;
  }
}, 120_000);
afterAll(() => gateway?.stop());

describe('lists', () => {
  it('find an account by words, however they are typed, with its balance in the same answer', async () => {
    const { page } = await get('support', `/accounts?q=${encodeURIComponent('شركت')}`);
    expect(page.data[0]).toMatchObject({ id: account, balance: '100000' });
    expect(page.total).toMatchObject({ more: false });
    const byNumber = await get('support', `/accounts?q=${encodeURIComponent('+98 912 190 0000')}`);
    expect(byNumber.page.data.map(({ id }) => id)).toEqual([account]);
  });

  it('show people with their accounts, and which of these is blocked', async () => {
    const accountsOf = async () => {
      const { body } = await as('support').send('GET', `/api/admin/people?q=${CUSTOMER}`);
      return (body as unknown as { data: { accounts: object[] }[] }).data.map(({ accounts }) => accounts);
    };
    expect(await accountsOf()).toMatchObject([[{ id: account, blocked: null }]]);
    await gateway.admin('POST', `/api/admin/accounts/${account}/block`, { reason: 'بررسی', hours: 1 });
    expect(await accountsOf()).toMatchObject([[{ id: account, blocked: { reason: 'بررسی' } }]]);
    expect((await get('viewer', '/accounts?state=blocked')).page.data).toMatchObject([
      { id: account, state: 'blocked' },
    ]);
    await gateway.admin('POST', `/api/admin/accounts/${account}/unblock`, { reason: 'بررسی شد' });
    expect(await accountsOf()).toMatchObject([[{ id: account, blocked: null }]]);
    expect((await get('viewer', '/accounts?state=blocked')).page.data).toEqual([]);
  });

  it('do not let a viewer find by guessing what is masked for them', async () => {
    await gateway.admin('PATCH', `/api/admin/accounts/${account}`, { name: 'شرکت سارا' });
    expect((await get('finance', `/accounts?q=${CUSTOMER}`)).page.data).toHaveLength(1);
    expect((await get('viewer', `/accounts?q=${CUSTOMER}`)).page.data).toEqual([]);
    await gateway.admin('PATCH', `/api/admin/accounts/${account}`, { name: `شرکت ${CUSTOMER}` });
  });

  it('name the accounts of their rows, and show one order with its lines and its invoice', async () => {
    const { page } = await get('finance', '/payments');
    expect(page.names[account]).toContain('شرکت');
    const { body } = await as('support').send('GET', `/api/admin/payments/${page.data[0]?.id}`);
    const order = body as unknown as {
      entries: unknown[];
      invoices: unknown[];
      events: unknown[];
      account_name: string;
    };
    expect(order.account_name).toContain('شرکت');
    expect(order.entries.length).toBeGreaterThan(0);
    expect(order.invoices).toHaveLength(1);
    expect(order.events.length).toBeGreaterThan(0);
  });
});

describe('exports', () => {
  it('give what one may list and nothing more', async () => {
    const statuses = async (list: string, query: object = {}) =>
      Promise.all(
        ['owner', 'finance', 'support', 'viewer'].map(async (role) => (await begin(role, list, query)).status),
      );
    expect(await statuses('orders')).toEqual([202, 202, 403, 403]);
    expect(await statuses('transfers', { account_id: account })).toEqual([202, 202, 202, 202]);
    expect(await statuses('people')).toEqual([202, 403, 202, 403]);
    expect((await begin('owner', 'orders', { nonsense: 'x' })).status).toBe(400);
    expect((await begin('viewer', 'tickets')).status).toBe(403);
  });

  it('keep contacts masked for viewers, and costs from those who do not see them', async () => {
    const masked = await fileOf('viewer', (await begin('viewer', 'accounts')).body.id);
    expect(masked).toContain(account);
    expect(masked).not.toContain(CUSTOMER);
    const whole = await fileOf('owner', (await begin('owner', 'accounts')).body.id);
    expect(whole).toContain(CUSTOMER);
  });

  it('hold invoices, and tell whoever made them, and nobody else, that they are done', async () => {
    const { body } = await begin('finance', 'invoices', { kind: 'invoice' });
    expect(await fileOf('finance', body.id)).toContain(account);
    const told = async (role: string) =>
      (await get(role, '/notices?limit=100')).page.data as unknown as { data: { export?: string }; link: string }[];
    expect((await told('finance')).filter(({ data }) => data.export === body.id)).toMatchObject([
      { link: '/operator/books/invoices' },
    ]);
    expect((await told('owner')).filter(({ data }) => data.export === body.id)).toEqual([]);
  });

  it('are in the audit log, and belong to whoever made them', async () => {
    const { body } = await begin('finance', 'audit_log', { action: 'export.start' });
    const text = await fileOf('finance', body.id);
    expect(text).toContain('export.start');
    const stolen = await fetch(`${gateway.origin}/api/admin/exports/${body.id}/file`, {
      headers: { cookie: as('owner').cookie ?? '' },
    });
    expect(stolen.status).toBe(404);
    expect((await as('owner').send('POST', `/api/admin/exports/${body.id}/stop`)).status).toBe(404);
    const { page } = await get('owner', '/events?action=export.download');
    expect(page.data.length).toBeGreaterThan(0);
  });

  it('are refused at the download once the role is gone', async () => {
    const { body } = await begin('finance', 'orders');
    await fileOf('finance', body.id);
    const me = (await as('finance').get<{ person: { id: string } }>('/me')).body.person.id;
    await gateway.admin('PATCH', `/api/admin/staff/${me}`, { role: 'support' });
    const refused = await fetch(`${gateway.origin}/api/admin/exports/${body.id}/file`, {
      headers: { cookie: as('finance').cookie ?? '' },
    });
    expect(refused.status).toBe(403);
    await gateway.admin('PATCH', `/api/admin/staff/${me}`, { role: 'finance' });
  });
});

describe('saved views', () => {
  it('are one’s own', async () => {
    const view = { list: 'requests', name: 'errors', query: 'state=failed' };
    const { status, body } = await as('support').send<{ id: string }>('POST', '/api/admin/views', view);
    expect(status).toBe(201);
    expect((await get('support', '/views')).page.data).toHaveLength(1);
    expect((await get('owner', '/views')).page.data).toEqual([]);
    expect((await as('owner').send('DELETE', `/api/admin/views/${body.id}`)).status).toBe(404);
    expect((await as('support').send('DELETE', `/api/admin/views/${body.id}`)).status).toBe(200);
  });
});

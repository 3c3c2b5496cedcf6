/**
 * A vendor dies behind a running gateway: its owner is told by SMS and e-mail, failed rows name it to staff and to nobody else,
 * nothing is booked by that name, and what it wrote stays out of every message.
 *
 * @tier services: it waits for the service's own timers.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser, outbox } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';

const HOSTILE = 'Your fault.\r\nPay at https://evil.example <script>alert(1)</script> 09129999999';
const hello = { model: 'mock/chat', messages: [{ role: 'user', content: 'hello' }] };
let gateway: TestGateway;
let staff: Browser;
let customer: Browser;
let key: string;

const adminJson = async <T>(path: string) => (await (await gateway.admin('GET', `/api/admin${path}`)).json()) as T;

beforeAll(async () => {
  gateway = await startGateway();
  for (const [to, role] of [
    ['09121910000', 'owner'],
    ['owner@example.com', 'owner'],
  ])
    await gateway.admin('POST', '/api/admin/staff', { to, role });
  staff = new Browser(gateway);
  await staff.signIn('09121910000');
  customer = new Browser(gateway);
  const { body } = await customer.signIn('09121900000', { name: 'Sara' });
  const credit = { id: 'r', kind: 'top-up', amount: 100_000 };
  await gateway.admin('POST', `/api/admin/accounts/${body.accounts[0]?.id}/transfers`, credit);
  key = (await customer.post<{ key: string }>('/keys', { name: 'k' })).body.key;
}, 120_000);
afterAll(() => gateway?.stop());

it('is told within a minute of the third failure, with a link, and without a word of its own', async () => {
  gateway.vendor.choose(() => faults.failWith(500, HOSTILE));
  for (let at = 0; at < 3; at++) expect((await gateway.chat(hello, { key })).status).toBe(502);
  const told = await eventually(async () => {
    const messages = (await outbox(gateway)).filter(({ kind }) => kind === 'notice');
    expect(messages.map(({ to }) => to).sort()).toEqual(['09121910000', 'owner@example.com']);
    return messages;
  });
  for (const { text } of told) {
    expect(text).toContain('mock/chat');
    expect(text).toContain('chat-a');
    expect(text).not.toMatch(/evil|script|09129999999|Your fault/);
  }
  const { open } = await adminJson<{ open: Record<string, unknown>[] }>('/outages');
  expect(open).toEqual([
    expect.objectContaining({
      kind: 'model.failing',
      subject: 'mock/chat',
      provider: 'chat-a',
      failed: 3,
      accounts: 1,
      cause: 'server 500',
    }),
  ]);
  const id = String(open[0]?.['id']);
  const seen = await staff.send<{ acknowledged_by: string | null }>('POST', `/api/admin/outages/${id}/acknowledge`, {});
  expect([seen.status, seen.body.acknowledged_by === null]).toEqual([200, false]);
}, 180_000);

it('is named to staff in failed rows, with all that were tried, and never to the customer', async () => {
  const { data } = await adminJson<{ data: Record<string, unknown>[] }>('/requests?state=failed');
  expect(data).toHaveLength(3);
  for (const row of data)
    expect(row).toMatchObject({
      provider: 'chat-a',
      provider_cost: null,
      cost: '0',
      attempts: [{ provider: 'chat-a', outcome: 'server' }],
    });
  const receipt = await gateway.fetch(`/api/v1/requests/${data[0]?.['id']}`, { key });
  expect(receipt.status).toBe(200);
  expect(await receipt.text()).not.toContain('chat-a');
  const list = await customer.get<{ data: unknown[] }>('/requests');
  expect(list.body.data).toHaveLength(3);
  expect(JSON.stringify(list.body)).not.toContain('chat-a');
});

it('is owed nothing by it: no supply is booked, and the profit of its vendor has neither cost nor unknown cost', async () => {
  const transfers = await adminJson<{ data: { kind: string }[] }>('/transfers');
  expect(transfers.data.filter(({ kind }) => kind === 'supply')).toEqual([]);
  const profit = await adminJson<{ data: Record<string, unknown>[] }>('/profit?by=vendor');
  expect(profit.data).toEqual([
    expect.objectContaining({ requests: 3, revenue: '0', provider_cost: '0', unknown_cost: 0 }),
  ]);
});

it('staff try their own ways, and their webhooks do not lead inside', async () => {
  const alerts = await staff.send<{ sms: string[]; choices: { event: string; channels: string[] }[] }>(
    'GET',
    '/api/admin/alerts',
  );
  expect(alerts.body.sms).toEqual(['09121910000']);
  expect(alerts.body.choices.find(({ event }) => event === 'model.failing')?.channels).toContain('sms');
  const put = (path: string, body: object) => staff.send('PUT', `/api/admin/alerts${path}`, body);
  expect((await put('/events/model.failing', { channels: ['console', 'webhook'] })).status).toBe(200);
  expect((await put('/events/balance.low', { channels: [] })).status).toBe(404);
  expect((await put('/quiet-hours', { from: '23:00', to: '07:00', holds: 'warnings' })).status).toBe(200);
  expect((await staff.send('POST', '/api/admin/alerts/targets', { url: 'http://127.0.0.1:1/x' })).status).toBe(400);
  const inside = new URL(gateway.origin);
  const made = await staff.send('POST', '/api/admin/alerts/targets', { url: `https://127.0.0.1:${inside.port}/x` });
  expect(made.status).toBe(201);
  expect((await staff.send('POST', '/api/admin/alerts/test', { channel: 'webhook' })).status).toBe(200);
  // The token of the environment is nobody who could be told.
  expect((await gateway.admin('GET', '/api/admin/alerts')).status).toBe(403);
});

/** A customer's webhook never reaches the operator's own network, also where documents may be fetched from it. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';

let inside: Server;
let host: string;
let calls = 0;
let gateway: TestGateway;
let customer: Browser;

beforeAll(async () => {
  inside = createServer((_request, response) => response.writeHead(204).end());
  inside.on('connection', () => calls++);
  inside.listen(0, '127.0.0.1');
  await once(inside, 'listening');
  host = `127.0.0.1:${(inside.address() as AddressInfo).port}`;
  gateway = await startGateway({
    config: { settings: { discovery: false, fetch_allowed_hosts: [host, '127.0.0.1'] } },
  });
  customer = new Browser(gateway);
  await customer.signIn('09121900001', { account_name: 'Curious' });
});
afterAll(async () => {
  await gateway?.stop();
  inside.close();
});

it('is refused as a target without TLS', async () => {
  const { status } = await customer.post('/alerts/targets', { url: `http://${host}/admin/restart` });
  expect(status).toBe(400);
});

it('is not called with TLS either', async () => {
  const url = `https://${host}/admin/restart`;
  expect((await customer.post('/alerts/targets', { url })).status).toBe(201);
  await customer.patch('/alerts/rules/balance.low', { enabled: true, channels: ['webhook'] });
  await customer.post('/alerts/test', { event: 'balance.low' });
  await eventually(async () => {
    const { body } = await customer.get<{ data: { to: string; last_problem: string | null }[] }>('/alerts/deliveries');
    const problem = body.data.find(({ to }) => to === url)?.last_problem;
    expect(problem).toContain('forbidden-address');
  });
  expect(calls).toBe(0);
});

/** A gateway whose providers are reached through proxies, as an operator configures it: file, operator API, environment. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createSafeFetch, readEnvironmentEgress, type SafeFetchError } from '../../src/platform/upstream/index.ts';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { startConnectProxy, startSocksProxy, type TestProxy } from './proxies.ts';

const SECRET = 'proxy-password';
let vendor: FakeVendor;
let socks: TestProxy;
let http: TestProxy;
let gateway: TestGateway;
let port: string;

beforeAll(async () => {
  vendor = await startFakeVendor();
  port = new URL(vendor.origin).port;
  const names = { 'vendor.test': '127.0.0.1' };
  socks = await startSocksProxy({ username: 'gate', password: SECRET, names });
  http = await startConnectProxy({ names });
  const provider = (id: string, more: object) => ({
    id,
    protocol: 'openai-chat',
    base_url: `http://vendor.test:${port}/v1`,
    api_key: 'up-secret',
    ...more,
  });
  const model = (id: string, name: string) => ({
    id,
    routes: [{ provider: name, model: 'm' }],
    price: { input: 1000, output: 1000 },
    capabilities: ['streaming'],
  });
  gateway = await startGateway({
    vendor,
    env: { HTTP_PROXY: `http://${http.address}`, SOCKS_WAY: `socks5h://gate:${SECRET}@${socks.address}` },
    config: {
      providers: [
        provider('by-socks', { egress_env: 'SOCKS_WAY' }),
        provider('by-environment', {}),
        provider('in-order', { egress: ['socks5h://127.0.0.1:1', `http://${http.address}`] }),
      ],
      models: [
        model('mock/socks', 'by-socks'),
        model('mock/environment', 'by-environment'),
        model('mock/in-order', 'in-order'),
      ],
      groups: [],
      accounts: [{ id: 'acme', balance: 100_000, keys: [{ id: 'main', key: 'dg-test-main' }] }],
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([vendor.close(), socks.close(), http.close()]);
});
beforeEach(() => {
  socks.asked.length = 0;
  http.asked.length = 0;
});

const ask = (model: string) => gateway.chat({ model, messages: [{ role: 'user', content: 'hi' }] });

describe('a provider behind a proxy', () => {
  it('answers through its own way out', async () => {
    const reply = await ask('mock/socks');
    expect(reply.status).toBe(200);
    const id = reply.headers.get('x-svc-request-id');
    const ofOperator = await (await gateway.admin('GET', `/api/admin/requests/${id}`)).json();
    expect(ofOperator).toMatchObject({ attempts: [{ egress: `socks5h://gate:…@${socks.address}` }] });
    const ofCustomer = await (await gateway.fetch(`/api/v1/requests/${id}`)).json();
    expect(JSON.stringify(ofCustomer)).not.toContain('socks5h');
    expect(socks.asked).toEqual([`vendor.test:${port}`]);
    expect(http.asked).toEqual([]);
  });

  it('answers through the environment’s way where it has none of its own', async () => {
    expect((await ask('mock/environment')).status).toBe(200);
    expect(http.asked).toEqual([`vendor.test:${port}`]);
  });

  it('answers through the second way when the first is down', async () => {
    expect((await ask('mock/in-order')).status).toBe(200);
    expect(http.asked).toEqual([`vendor.test:${port}`]);
  });

  it('is shown without the password, and no log line has it', async () => {
    const shown = await (await gateway.admin('GET', '/api/admin/providers/by-socks')).json();
    expect(shown).toMatchObject({ egress: [`socks5h://gate:…@${socks.address}`] });
    socks.behave('refuse');
    await ask('mock/socks');
    socks.behave('well');
    expect(JSON.stringify([shown, gateway.log.lines])).not.toContain(SECRET);
  });

  it('is changed by the operator, in part, and refused where it makes no sense', async () => {
    const created = await gateway.admin('POST', '/api/admin/providers', {
      id: 'made',
      protocol: 'openai-chat',
      base_url: `http://vendor.test:${port}/v1`,
      api_key: 'up-secret',
      egress: [`socks5h://gate:${SECRET}@${socks.address}`],
    });
    expect(created.status).toBe(201);
    const changed = await gateway.admin('PATCH', '/api/admin/providers/made', { max_concurrent: 7 });
    expect(await changed.json()).toMatchObject({ max_concurrent: 7, egress: [`socks5h://gate:…@${socks.address}`] });
    const cleared = await gateway.admin('PATCH', '/api/admin/providers/made', { egress: null });
    expect(await cleared.json()).toMatchObject({ egress: null });
    const wrong = await gateway.admin('PATCH', '/api/admin/providers/made', { egress: ['gopher://x'] });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ error: { param: 'egress' } });
  });
});

describe('what users’ addresses lead to, behind a proxy', () => {
  const fetchBy = (resolve: (name: string) => string) =>
    createSafeFetch({
      clock: systemClock,
      allowHttp: true,
      egress: readEnvironmentEgress({ HTTP_PROXY: `http://${http.address}` }, () => undefined),
      resolve: async (name) => [{ address: resolve(name), family: 4 }],
    });
  const limits = { maxBytes: 1_000, totalMs: 3_000 };

  it('comes by the next way when the first proxy is silent, which then stands back', async () => {
    const site = createServer((_request, response) => response.end('a picture'));
    await once(site.listen(0, '127.0.0.1'), 'listening');
    const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    const second = await startConnectProxy();
    const fetchAddress = createSafeFetch({
      // A clock that stands still: the silent way rests for as long as the test runs.
      clock: { now: () => 0, monotonicMs: () => 0 },
      allowedHosts: [host],
      egress: readEnvironmentEgress({ HTTP_PROXY: `${http.address},${second.address}` }, () => undefined),
    });
    http.behave('silent');
    for (const round of [1, 2]) {
      const { bytes } = await fetchAddress(`http://${host}/cat.png`, limits);
      expect(Buffer.from(bytes).toString()).toBe('a picture');
      expect([http.asked.length, second.asked.length]).toEqual([1, round]);
    }
    http.behave('well');
    await second.close();
    site.close();
  });

  it('is a checked address: the proxy never gets a name that it could resolve to something inside', async () => {
    // The proxy cannot reach a documentation address; what counts is what it was asked for.
    http.behave('refuse');
    await fetchBy(() => '93.184.215.14')('http://pictures.example/cat.png', limits).catch(() => undefined);
    http.behave('well');
    expect(http.asked).toEqual(['93.184.215.14:80']);
  });

  it('is refused before the proxy hears of it when it is private', async () => {
    const refusal = await fetchBy(() => '10.0.0.7')('http://inside.example/', limits).catch(
      (error: SafeFetchError) => error.reason,
    );
    expect(refusal).toBe('forbidden-address');
    expect(http.asked).toEqual([]);
  });
});

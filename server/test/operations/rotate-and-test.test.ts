/** A new master key while the service runs, and a provider tried step by step. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { startSocksProxy, type TestProxy } from '../egress/proxies.ts';
import { answer, json } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

interface Step {
  step: string;
  ok: boolean;
  detail: string;
}
interface Tested {
  ok: boolean;
  ways: { via: string; steps: Step[] }[];
  credentials: { steps: Step[] }[];
}

let gateway: TestGateway;
let proxy: TestProxy;
beforeAll(async () => {
  gateway = await startGateway();
  proxy = await startSocksProxy({ names: { 'vendor.test': '127.0.0.1' } });
});
afterAll(async () => {
  await gateway.stop();
  await proxy.close();
});

describe('rotating the master key', () => {
  it('seals everything anew while requests go on, and the former key opens nothing any more', async () => {
    const before = (await readFile(join(gateway.dataDir, 'master.key'), 'utf8')).trim();
    await gateway.admin('POST', '/api/admin/providers', {
      id: 'sealed',
      protocol: 'openai-chat',
      base_url: gateway.vendor.baseUrls['openai-chat'],
      api_key: 'up-sealed-secret',
      egress: ['direct', 'socks5h://u:p@127.0.0.1:1'],
    });
    const rotated = await (await gateway.admin('POST', '/api/admin/secrets/rotate')).json();
    expect(rotated).toMatchObject({ object: 'secrets_rotation', source: 'file', unreadable: 0 });
    const after = (await readFile(join(gateway.dataDir, 'master.key'), 'utf8')).trim();
    expect(after).not.toBe(before);
    expect(after.split('\n')).toHaveLength(1);
    const chat = await gateway.chat({ model: 'mock/chat', messages: [{ role: 'user', content: 'hi' }] });
    expect(chat.status).toBe(200);
    const shown = await (await gateway.admin('GET', '/api/admin/providers/sealed')).json();
    expect(shown).toMatchObject({ egress: ['direct', 'socks5h://u:…@127.0.0.1:1'] });
    // A second time: nothing is left of the first key.
    expect(await (await gateway.admin('POST', '/api/admin/secrets/rotate')).json()).toMatchObject({ unreadable: 0 });
  });

  it('opens with former keys and seals with the first', () => {
    const [old, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const sealed = createSecretBox(old).seal('secret');
    const both = createSecretBox(next, old);
    expect(both.open(sealed)).toBe('secret');
    expect(createSecretBox(next).open(both.seal('secret'))).toBe('secret');
    both.adopt(next.toString('base64'));
    expect(() => both.open(sealed)).toThrow('another master key');
  });
});

describe('a provider tried step by step', () => {
  const tested = async (id: string) =>
    (await (await gateway.admin('POST', `/api/admin/providers/${id}/test`)).json()) as Tested;
  const make = (id: string, more: object) =>
    gateway.admin('POST', '/api/admin/providers', { id, protocol: 'openai-chat', api_key: 'k', ...more });
  const failed = ({ ways, credentials }: Tested) =>
    [...ways, ...credentials].flatMap(({ steps }) => steps).find(({ ok }) => !ok);

  it('is well when its list has the models of its routes', async () => {
    await make('well', { base_url: gateway.vendor.baseUrls['openai-chat'] });
    gateway.vendor.next(json(200, { object: 'list', data: [{ id: 'up-model' }] }));
    const test = await tested('well');
    expect(test).toMatchObject({ ok: true, ways: [{ via: 'direct', steps: [{ step: 'connect', ok: true }] }] });
    expect(test.credentials[0]?.steps.map(({ step }) => step)).toEqual(['auth', 'model']);
  });

  it('says of the sandbox that it needs no way', async () => {
    const steps = [{ step: 'connect', ok: true, detail: expect.stringContaining('inside this process') }];
    expect(await tested('sandbox')).toMatchObject({ ok: true, ways: [{ steps }], credentials: [] });
  });

  it('names the model that the provider does not have', async () => {
    gateway.vendor.next(json(200, { object: 'list', data: [{ id: 'another' }] }));
    expect(failed(await tested('chat-a'))).toMatchObject({
      step: 'model',
      detail: expect.stringContaining('up-model'),
    });
  });

  it('names the credential that is refused', async () => {
    gateway.vendor.next(json(401, { error: { message: 'no' } }));
    expect(failed(await tested('chat-b'))).toMatchObject({ step: 'auth', detail: expect.stringContaining('401') });
    gateway.vendor.always(answer());
  });

  it('names the name that does not resolve, the port that is closed, the proxy that refuses, and the TLS that is none', async () => {
    await make('no-name', { base_url: 'https://nowhere.invalid/v1' });
    expect(failed(await tested('no-name'))).toMatchObject({ step: 'dns' });
    await make('no-port', { base_url: 'http://127.0.0.1:1/v1' });
    expect(failed(await tested('no-port'))).toMatchObject({ step: 'connect' });
    await make('no-proxy', { base_url: 'http://vendor.test/v1', egress: ['socks5h://127.0.0.1:1'] });
    expect(failed(await tested('no-proxy'))).toMatchObject({ step: 'proxy' });
    const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as { port: number };
    await make('no-tls', { base_url: `https://127.0.0.1:${port}/v1` });
    expect(failed(await tested('no-tls'))).toMatchObject({ step: 'tls' });
    plain.close();
  });

  it('goes through the provider’s own way out', async () => {
    const { port } = new URL(gateway.vendor.origin);
    await make('by-proxy', { base_url: `http://vendor.test:${port}/v1`, egress: [`socks5h://${proxy.address}`] });
    gateway.vendor.next(json(200, { data: [] }));
    expect(await tested('by-proxy')).toMatchObject({ ok: true, ways: [{ steps: [{ step: 'proxy', ok: true }] }] });
    const ways = await (await gateway.admin('GET', '/api/admin/egresses')).json();
    expect(ways).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ state: 'ok' })]) });
  });
});

/** Traffic through proxies that others wrote: microsocks (SOCKS5) and tinyproxy (CONNECT), each with a sign-in. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { freePort } from '../services/free-port.ts';
import { programMissing, programPath } from '../services/programs.ts';

const NAME = 'gate';
const PASSWORD = 'p4ss-of-the-proxy';
const TIMEOUT_MS = 60_000;

interface RealProxy {
  port: number;
  said(): Promise<string>;
  kill(): Promise<void>;
}

async function listening(port: number): Promise<void> {
  const tries = async () =>
    new Promise<boolean>((resolve) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  await vi.waitFor(async () => expect(await tries()).toBe(true), { timeout: TIMEOUT_MS, interval: 50 });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function startMicrosocks(): Promise<RealProxy> {
  const port = await freePort();
  const words = ['-i', '127.0.0.1', '-p', String(port), '-u', NAME, '-P', PASSWORD];
  const child = spawn(programPath('microsocks') ?? '', words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece));
  await listening(port);
  return { port, said: async () => text, kill: () => ended(child) };
}

async function startTinyproxy(folder: string): Promise<RealProxy> {
  const port = await freePort();
  const file = join(folder, 'tinyproxy.conf');
  const log = join(folder, 'tinyproxy.log');
  const lines = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    'Timeout 600',
    'Allow 127.0.0.1',
    `BasicAuth ${NAME} ${PASSWORD}`,
    `LogFile "${log}"`,
    'LogLevel Connect',
    'MaxClients 50',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  const child = spawn(programPath('tinyproxy') ?? '', ['-d', '-c', file], { stdio: 'ignore' });
  await listening(port);
  return { port, said: () => readFile(log, 'utf8'), kill: () => ended(child) };
}

describe.skipIf(programMissing('microsocks') || programMissing('tinyproxy'))('proxies of the real world', () => {
  let folder: string;
  let vendor: FakeVendor;
  let gateway: TestGateway;
  let socks: RealProxy;
  let http: RealProxy;
  let port: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dargah-proxies-'));
    [vendor, socks, http] = await Promise.all([startFakeVendor(), startMicrosocks(), startTinyproxy(folder)]);
    port = new URL(vendor.origin).port;
    const socksWay = `socks5h://${NAME}:${PASSWORD}@127.0.0.1:${socks.port}`;
    const httpWay = `http://${NAME}:${PASSWORD}@127.0.0.1:${http.port}`;
    const ways = {
      'by-socks': [socksWay],
      'by-http': [httpWay],
      'by-both': [socksWay, httpWay],
      'wrong-password': [`socks5h://${NAME}:guessed@127.0.0.1:${socks.port}`],
    };
    gateway = await startGateway({
      vendor,
      config: {
        providers: Object.entries(ways).map(([id, egress]) => ({
          id,
          protocol: 'openai-chat',
          base_url: `http://localhost:${port}/v1`,
          api_key: 'up-secret',
          egress,
        })),
        models: Object.keys(ways).map((id) => ({
          id: `mock/${id}`,
          routes: [{ provider: id, model: 'm' }],
          price: { input: 1_000, output: 1_000 },
          capabilities: ['streaming'],
        })),
        groups: [],
        accounts: [{ id: 'acme', balance: 100_000, keys: [{ id: 'main', key: 'dg-test-main' }] }],
      },
    });
  }, 180_000);
  afterAll(async () => {
    await gateway?.stop();
    await Promise.all([vendor?.close(), socks?.kill(), http?.kill()]);
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (model: string, more: object = {}) =>
    gateway.chat({ model: `mock/${model}`, messages: [{ role: 'user', content: 'hi' }], ...more });

  it.each([false, true])(
    'carry an answer, streamed: %s; the name is resolved at the proxy',
    async (stream) => {
      for (const model of ['by-socks', 'by-http']) {
        const reply = await ask(model, { stream });
        expect(reply.status).toBe(200);
        expect(await reply.text()).toContain(stream ? 'data: [DONE]' : '"choices"');
      }
      // Both write the destination as they were asked for it: by its name.
      await expect.poll(() => socks.said(), { timeout: TIMEOUT_MS }).toContain(`localhost:${port}`);
      await expect.poll(() => http.said(), { timeout: TIMEOUT_MS }).toContain(`localhost:${port}`);
    },
    120_000,
  );

  it('refuse a wrong password, and the customer learns nothing of it', async () => {
    const reply = await ask('wrong-password');
    expect(reply.status).toBe(502);
    expect(await reply.text()).not.toMatch(/socks|guessed|127\.0\.0\.1/);
    expect(JSON.stringify(gateway.log.lines)).not.toMatch(/guessed|p4ss-of-the-proxy/);
  }, 120_000);

  it('fail over to the next one when one dies', async () => {
    const ways = async () => {
      const reply = await ask('by-both');
      await reply.text();
      const id = reply.headers.get('x-svc-request-id');
      const receipt = (await (await gateway.admin('GET', `/api/admin/requests/${id}`)).json()) as {
        attempts: { egress: string }[];
      };
      return { status: reply.status, way: receipt.attempts.at(-1)?.egress };
    };
    expect(await ways()).toEqual({ status: 200, way: `socks5h://${NAME}:…@127.0.0.1:${socks.port}` });
    await socks.kill();
    expect(await ways()).toEqual({ status: 200, way: `http://${NAME}:…@127.0.0.1:${http.port}` });
  }, 120_000);
});

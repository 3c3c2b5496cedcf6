/** `npm start`, as service managers run it: they know npm's process and signal that, or the whole group. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createGate, type FakeVendor, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { eventually } from '../services/eventually.ts';
import { type Home, makeHome, postChat } from './server-process.ts';

const KEY = 'dg-test-main';
const messages = [{ role: 'user', content: 'hello' }];

let home: Home;
let vendor: FakeVendor;
let env: Record<string, string>;

beforeAll(async () => {
  vendor = await startFakeVendor();
  home = await makeHome();
  env = { DARGAH_CONFIG: await home.writeConfig(defaultConfig(vendor)) };
}, 300_000);
afterAll(async () => {
  await home.remove();
  await vendor.close();
});

it('passes SIGTERM on: no server stays behind, and the next one takes over at once', { timeout: 300_000 }, async () => {
  const first = await home.start({ env, throughNpm: true });
  expect((await postChat(first.origin, KEY, { messages })).status).toBe(200);
  first.signal('SIGTERM');
  // Not waited for: this is what a restart does.
  const second = await home.start({ env, throughNpm: true });
  await first.ended;
  expect(first.output()).toContain('SIGTERM: no new requests');
  await expect(fetch(`${first.origin}/healthz`)).rejects.toThrow();
  expect((await postChat(second.origin, KEY, { messages })).status).toBe(200);
  second.signal('SIGTERM');
  await second.ended;
  await expect(fetch(`${second.origin}/healthz`)).rejects.toThrow();
});

it('ends when npx, which signals only its shell, has ended', { timeout: 300_000 }, async () => {
  const server = await home.start({ env: { ...env, npm_command: 'exec' }, throughShell: true });
  server.signal('SIGTERM');
  await server.ended;
  expect(server.output()).toContain('SIGTERM: no new requests');
  await expect(fetch(`${server.origin}/healthz`)).rejects.toThrow();
});

it('takes a signal that arrives twice for one order', { timeout: 300_000 }, async () => {
  const server = await home.start({ env });
  const gate = createGate();
  vendor.next(faults.stallBeforeHeaders(gate));
  const answer = postChat(server.origin, KEY, { messages });
  await gate.reached;
  server.signal('SIGTERM');
  await eventually(() => expect(server.output()).toContain('SIGTERM: no new requests'));
  server.signal('SIGTERM');
  gate.open();
  expect((await answer).status).toBe(200);
  expect(await server.ended).toBe(0);
});

it('loads none of the fetch that Node brings', { timeout: 300_000 }, async () => {
  const told = "process.on('exit', () => console.log('loaded:', process.moduleLoadList.join(' ')))";
  const program = `data:text/javascript,${encodeURIComponent(told)}`;
  const server = await home.start({ env: { ...env, NODE_OPTIONS: `--import=${program}` } });
  expect((await postChat(server.origin, KEY, { messages })).status).toBe(200);
  server.signal('SIGTERM');
  await server.ended;
  expect(server.output()).toContain('loaded:');
  expect(server.output()).toContain(' http ');
  expect(server.output()).not.toContain('undici/undici');
});

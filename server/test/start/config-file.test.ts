/** Config as code, as an operator uses it: a file with every section starts, and `--check-config` explains each mistake by its place. */
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { type Home, makeHome, postChat } from './server-process.ts';
import { specConfig } from './spec-config.ts';

const ENV = { MOCK_ANTHROPIC_KEY: 'up-3' };

let home: Home;
let vendor: FakeVendor;

beforeAll(async () => {
  home = await makeHome();
  vendor = await startFakeVendor();
});
afterAll(async () => {
  await home.remove();
  await vendor.close();
});

function example(change: (text: string) => string = (text) => text): Promise<string> {
  return home.writeConfig(change(specConfig(vendor.origin)));
}

describe('the configuration of the specification', () => {
  it('passes --check-config, which starts nothing', async () => {
    const { code, output } = await home.run({
      args: ['--check-config'],
      env: { ...ENV, DARGAH_CONFIG: await example() },
    });
    expect(output).toMatch(/no mistakes \(5 providers, 5 models, 1 group, 1 account, 1 key\)/);
    expect(output).not.toMatch(/listens|dg-test-main|up-1/);
    expect(code).toBe(0);
  });

  it('starts, and its key reaches its providers', async () => {
    const server = await home.start({ env: { ...ENV, DARGAH_CONFIG: await example() } });
    const messages = [{ role: 'user', content: 'hello' }];
    const chat = await postChat(server.origin, 'dg-test-main', { messages });
    expect(await chat.json()).toMatchObject({ model: 'mock/chat', choices: [{ finish_reason: 'stop' }] });
    expect(vendor.requests[0]?.headers.authorization).toBe('Bearer up-1');
    expect(vendor.requests[0]?.body['model']).toBe('up-chat');
    const claude = await postChat(server.origin, 'dg-test-main', { model: 'mock/claude', messages });
    expect(claude.status).toBe(200);
    expect(vendor.requests[1]?.headers['x-api-key']).toBe('up-3');
    const group = await postChat(server.origin, 'dg-test-main', { model: 'group:economical', messages });
    expect(await group.json()).toMatchObject({ model: 'mock/chat' });
    expect(group.headers.get('x-ratelimit-limit-requests')).toBe('300');
    expect(await server.stop()).toBe(0);
  });
});

describe('--check-config', () => {
  it('explains each of many mistakes by its place and line', async () => {
    const mistakes: [right: string, wrong: string, place: string][] = [
      ['protocol: openai-chat, ', 'protocol: openai-chatt, ', 'providers[0].protocol'],
      ['input: 15000', 'input: cheap', 'models[0].price.input'],
      ['provider: mock-openai-b, ', 'provider: nowhere, ', 'models[0].routes[1].provider'],
      ['default: mock/chat', 'default: mock/nothing', 'groups[0].default'],
      ['rpm: 300', 'rpm: 700', 'accounts[0].keys[0].rules.rpm'],
      ['balance: 100000', 'balance: -5', 'accounts[0].balance'],
      ['name: Acme', 'nmae: Acme', 'accounts[0].nmae'],
    ];
    const path = await example((text) => {
      for (const [right, wrong] of mistakes) {
        expect(text).toContain(right);
        text = text.replace(right, wrong);
      }
      return text;
    });
    const { code, output } = await home.run({ args: ['--check-config'], env: { ...ENV, DARGAH_CONFIG: path } });
    const lines = output.split('\n');
    for (const [, , place] of mistakes) expect(lines.find((line) => line.includes(place))).toMatch(/line \d+/);
    expect(code).toBe(1);
  });

  it('explains a file that is not YAML, and a start with it does not happen', async () => {
    const path = await home.writeConfig('providers: [\n  { id: a');
    const check = await home.run({ args: ['--check-config'], env: { DARGAH_CONFIG: path } });
    expect(check.output).toMatch(/not valid YAML/);
    expect(check.code).toBe(1);
    const start = await home.run({ env: { DARGAH_CONFIG: path } });
    expect(start.output).not.toMatch(/listens/);
    expect(start.code).toBe(1);
    // The database was opened meanwhile.
    expect(await readdir(home.dataDir)).not.toContain('database.lock');
  });

  it('explains a file that is not there and wrong variables', async () => {
    const missing = await home.run({ args: ['--check-config'], env: { DARGAH_CONFIG: '/nowhere/dargah.yaml' } });
    expect(missing.output).toMatch(/\/nowhere\/dargah\.yaml/);
    expect(missing.output).not.toMatch(/\n\s+at /);
    expect(missing.code).toBe(1);
    const wrong = await home.run({ args: ['--check-config'], env: { PORT: 'many', DATABASE_URL: 'mysql://x' } });
    expect(wrong.output).toMatch(/PORT/);
    expect(wrong.output).toMatch(/DATABASE_URL/);
    expect(wrong.code).toBe(1);
  });
});

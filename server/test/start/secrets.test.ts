/**
 * Secrets are planted everywhere a request and a configuration can carry them; then everything the process wrote or answered
 * is searched. At rest keys are digests and provider secrets are encrypted, so the data directory is searched too.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGate, type FakeVendor, faults, json, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { type Home, makeHome, type ServerProcess } from './server-process.ts';

const PLANTED = {
  'API key': 'dg-planted-customer-key-a1b2c3d4',
  'wrong API key': 'dg-planted-unknown-key-e5f6g7h8',
  'provider key': 'planted_provider_secret_9f8e7d',
  'operator token': 'planted-operator-token-31415926',
  'master key': Buffer.from('planted-master-key-of-32-bytes!!').toString('base64'),
  prompt: 'plantedprompt about a very private illness',
  'tool argument': 'plantedargument4711',
  'provider answer': 'plantedanswer of the model',
};

let home: Home;
let vendor: FakeVendor;
let server: ServerProcess;
/** Everything that left the process, by name. */
const seen: Record<string, string> = {};

beforeAll(async () => {
  vendor = await startFakeVendor();
  home = await makeHome();
  const config = defaultConfig(vendor) as { providers: { api_key: string; timeouts: object }[] };
  for (const provider of config.providers) provider.api_key = PLANTED['provider key'];
  const timeouts = { connect_ms: 2_000, first_event_ms: 300, whole_answer_ms: 300, idle_ms: 300, total_ms: 5_000 };
  for (const provider of config.providers) provider.timeouts = timeouts;
  const accounts = [{ id: 'acme', balance: 100_000, keys: [{ id: 'main', key: PLANTED['API key'] }] }];
  server = await home.start({
    env: {
      DARGAH_CONFIG: await home.writeConfig({ ...config, accounts }),
      DARGAH_LOG_LEVEL: 'trace',
      DARGAH_OPERATOR_TOKEN: PLANTED['operator token'],
      DARGAH_MASTER_KEY: PLANTED['master key'],
    },
  });
  await provoke();
  expect(await server.stop()).toBe(0);
  seen['output'] = server.output();
}, 300_000);
afterAll(async () => {
  await home.remove();
  await vendor.close();
});

async function ask(name: string, body: object | string, more: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`${server.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PLANTED['API key']}`, 'content-type': 'application/json', ...more },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }).catch((error: Error) => new Response(error.message));
  seen[name] = await response.text().catch((error: Error) => error.message);
}

/** A provider that quotes everything it was sent, as some do in their errors. */
const quoting = (status: number) =>
  json(status, {
    error: {
      message: `key ${PLANTED['provider key']} may not ask: ${PLANTED.prompt}`,
      type: 'server_error',
      param: PLANTED.prompt,
      code: PLANTED['provider key'],
    },
  });

async function provoke(): Promise<void> {
  const request = {
    model: 'mock/chat',
    user: 'customer-1',
    messages: [
      { role: 'user', content: PLANTED.prompt },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: PLANTED['tool argument'] } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: PLANTED.prompt },
    ],
  };
  for (const status of [400, 401, 403, 404, 413, 422, 429, 500, 503]) {
    vendor.always(quoting(status));
    await ask(`provider ${status}`, request);
    await ask(`provider ${status}, stream`, { ...request, stream: true });
  }
  vendor.always(faults.errorEvent(2, { text: PLANTED['provider answer'] }));
  await ask('error event', { ...request, model: 'mock/claude', stream: true });
  vendor.always(faults.cutAfter(1, 'reset', { text: PLANTED['provider answer'] }));
  await ask('cut', { ...request, model: 'mock/gemini' });
  vendor.always(faults.brokenJson());
  await ask('broken JSON', { ...request, model: 'mock/claude' });
  vendor.always(faults.stallBeforeHeaders(createGate()));
  await ask('timeout', { ...request, model: 'mock/two' });
  vendor.reset();
  await ask('invalid JSON', `{"messages": "${PLANTED.prompt}`);
  await ask('wrong type', { ...request, messages: [{ role: PLANTED.prompt, content: 1 }] });
  await ask('unknown model', { ...request, model: 'mock/none' });
  await ask('wrong key', request, { authorization: `Bearer ${PLANTED['wrong API key']}` });
  await ask('wrong x-api-key', request, { authorization: '', 'x-api-key': PLANTED['wrong API key'] });
  await fetch(`${server.origin}/api/v1/models?key=${PLANTED['wrong API key']}`).then((r) => r.text());
  const operator = { headers: { authorization: `Bearer ${PLANTED['operator token']}` } };
  seen['metrics'] = await (await fetch(`${server.origin}/metrics`, operator)).text();
  for (const path of [
    '/readyz',
    '/api/admin/providers',
    '/api/admin/keys',
    '/api/admin/requests',
    '/api/admin/nothing',
  ])
    seen[path] = await (await fetch(server.origin + path, operator)).text();
}

/** A model's answer and a client's own words may come back to that client, but nowhere else. */
const EVERYWHERE = Object.entries(PLANTED);

describe.each(EVERYWHERE)('the %s', (_name, secret) => {
  it('is in no output, metric, error or operator answer', () => {
    expect(Object.keys(seen).length).toBeGreaterThan(25);
    const found = Object.entries(seen).filter(([name, text]) => name !== 'error event' && text.includes(secret));
    expect(
      found.map(([name, text]) => `${name}: ${text.slice(Math.max(0, text.indexOf(secret) - 80)).slice(0, 200)}`),
    ).toEqual([]);
  });
});

describe('the log', () => {
  it('is there, structured, and carries the id of every refused request', () => {
    const lines = (seen['output'] ?? '').split('\n').filter((line) => line.startsWith('{'));
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.any(String) });
    const refused = lines.filter((line) => line.includes('request refused'));
    expect(refused.length).toBeGreaterThan(5);
    for (const line of refused) expect(JSON.parse(line).requestId).toMatch(/^req_/);
  });
});

describe('at rest', () => {
  it.each(EVERYWHERE)('the %s is in no file of the data directory', async (_name, secret) => {
    const entries = await readdir(home.dataDir, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(10);
    const found: string[] = [];
    for (const file of files) if ((await readFile(file)).includes(secret)) found.push(file.slice(home.dataDir.length));
    expect(found).toEqual([]);
  });
});

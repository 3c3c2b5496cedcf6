/**
 * The live conformance matrix through the running service: the sandbox passes every probe and fails each on request, what a route
 * fails is not offered on it, staff are told, and what the asking cost is booked as a kind of its own.
 * @tier gateway
 */
import { PROBE_IDS } from '@dargah/core/probes.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../errors/expect-error.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

const ALL = ['vision', 'tools', 'json_schema', 'streaming', 'prefill'];
const cost = { input: 1_000_000, output: 1_000_000 };
const model = (id: string, ...upstream: string[]) => ({
  id,
  context: 128_000,
  capabilities: ALL,
  price: { input: 1_000, output: 4_000, cache_read: 500 },
  routes: upstream.map((name) => ({ provider: 'sandbox', model: name, cost })),
});
const MODELS = [
  model('lab/sound', 'echo'),
  model('lab/both', 'echo', 'echo?fail=tools'),
  model('lab/dumb', 'echo?fail=tools,caching'),
  model('lab/apart', 'echo?fail=tools', 'echo?fail=vision'),
  ...PROBE_IDS.map((probe) => model(`lab/no-${probe.replaceAll('_', '-')}`, `echo?fail=${probe}`)),
];
const WEATHER = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };
const HELLO = [{ role: 'user', content: 'hello' }];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    config: {
      settings: { discovery: false },
      sandbox: true,
      models: MODELS,
      groups: [],
      accounts: [{ id: 'acme', balance: 1_000_000, keys: [{ id: 'main', key: 'dg-test-main' }] }],
    },
  });
});
afterAll(() => gateway.stop());

interface Run {
  id: string;
  ended_at: string | null;
  ending: string | null;
  asked: number;
  failed: number;
  changed: number;
  left_out: number;
  spent: string;
}

async function json<T>(response: Response): Promise<T> {
  expect(response.status, await response.clone().text()).toBeLessThan(300);
  return (await response.json()) as T;
}

async function probed(question: object): Promise<Run> {
  const begun = await json<Run>(await gateway.admin('POST', '/api/admin/conformance/runs', question));
  return eventually(async () => {
    const run = await json<Run>(await gateway.admin('GET', `/api/admin/conformance/runs/${begun.id}`));
    expect(run.ended_at).not.toBeNull();
    return run;
  });
}

async function matrixOf(name: string): Promise<Record<string, string>[]> {
  const { routes } = await json<{ routes: { results: { probe: string; verdict: string }[] }[] }>(
    await gateway.admin('GET', `/api/admin/conformance?model=${encodeURIComponent(name)}`),
  );
  return routes.map(({ results }) => Object.fromEntries(results.map(({ probe, verdict }) => [probe, verdict])));
}

/** Why the routes of an answered request stand in their order. */
async function planOf(response: Response): Promise<string[]> {
  const id = response.headers.get('x-svc-request-id');
  return eventually(async () => {
    const { plan } = await json<{ plan: string[] }>(await gateway.admin('GET', `/api/admin/requests/${id}`));
    return plan;
  });
}

describe('asking', () => {
  it('needs a budget, and a model and route that are there', async () => {
    const begin = (body: object) => gateway.admin('POST', '/api/admin/conformance/runs', body);
    await expectError(await begin({ model: 'lab/sound' }), 'invalid_request', { param: 'budget' });
    await expectError(await begin({ model: 'lab/none', budget: 5 }), 'invalid_request', { param: 'model' });
    await expectError(await begin({ model: 'lab/sound', route: 'x', budget: 5 }), 'invalid_request', {
      param: 'route',
    });
    await expectError(await begin({ budget: 'much' }), 'invalid_request', { param: 'budget' });
  });

  it('passes every probe on a sound route, and costs nobody but the operator', async () => {
    const run = await probed({ model: 'lab/sound', budget: 1_000_000 });
    expect(run).toMatchObject({ ending: 'done', asked: PROBE_IDS.length, failed: 0, changed: 0, left_out: 0 });
    expect(await matrixOf('lab/sound')).toEqual([Object.fromEntries(PROBE_IDS.map((probe) => [probe, 'passed']))]);
    expect(Number(run.spent)).toBeGreaterThan(0);
    const shown = await json<{ proved: { passed: boolean }[] }>(await gateway.fetch('/api/v1/models/lab/sound'));
    expect(shown.proved.filter(({ passed }) => passed)).toHaveLength(PROBE_IDS.length);
    const { data } = await json<{ data: unknown[] }>(await gateway.admin('GET', '/api/admin/requests?account_id=acme'));
    expect(data).toEqual([]);
  });

  it.each(PROBE_IDS)('finds the route that fails %s', async (probe) => {
    const name = `lab/no-${probe.replaceAll('_', '-')}`;
    const run = await probed({ model: name, budget: 1_000_000 });
    const [found] = await matrixOf(name);
    expect(found?.[probe]).toBe('failed');
    expect(run.changed).toBeGreaterThan(0);
  });

  it('stays within its budget and leaves out what does not fit', async () => {
    const run = await probed({ model: 'lab/both', budget: 1_000 });
    expect(run).toMatchObject({ ending: 'budget' });
    expect(run.left_out).toBeGreaterThan(0);
    expect(Number(run.spent)).toBeLessThanOrEqual(1_000);
  });
});

describe('what a route fails', () => {
  it('is not asked of it while another can do it, and lowers its rank', async () => {
    await probed({ model: 'lab/both', budget: 10_000_000 });
    const withTools = await gateway.chat({ model: 'lab/both', messages: HELLO, tools: [WEATHER] });
    expect((await planOf(withTools)).at(-1)).toBe('not tried: sandbox:echo?fail=tools, fails the probe tools');
    const answer = await json<{ choices: { finish_reason: string }[] }>(withTools);
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
    const plain = await planOf(await gateway.chat({ model: 'lab/both', messages: HELLO }));
    expect(plain).toEqual([
      expect.stringMatching(/^1\. sandbox:echo: /),
      expect.stringMatching(/^2\. sandbox:echo\?fail=tools: .*, fails [a-z_ ]*\btools\b/),
    ]);
  });

  it('is not offered where no route has it: a refusal that names the field, and the list of models says so', async () => {
    await probed({ model: 'lab/dumb', budget: 10_000_000 });
    const asked = { model: 'lab/dumb', messages: HELLO, tools: [WEATHER] };
    await expectError(await gateway.chat(asked), 'invalid_request', { param: 'tools' });
    const shown = await json<{ capabilities: string[]; proved: { probe: string; passed: boolean; at: string }[] }>(
      await gateway.fetch('/api/v1/models/lab/dumb'),
    );
    expect(shown.capabilities).not.toContain('tools');
    expect(shown.proved).toContainEqual({ probe: 'tools', passed: false, at: expect.any(String) });
    expect(shown.proved).toContainEqual({ probe: 'vision', passed: true, at: expect.any(String) });
  });

  it('refuses what no single route can do', async () => {
    await probed({ model: 'lab/apart', budget: 10_000_000 });
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const messages = [{ role: 'user', content: [picture, { type: 'text', text: 'What is it?' }] }];
    const refused = await gateway.chat({ model: 'lab/apart', messages, tools: [WEATHER] });
    expect(refused.status).toBe(400);
    const { error } = (await refused.json()) as { error: { code: string; param: string } };
    expect(error).toMatchObject({ code: 'invalid_request', param: expect.stringMatching(/^(tools|messages)$/) });
  });

  it('is offered again when the operator forgets it, and staff were told', async () => {
    const forget = { model: 'lab/dumb', route: 'sandbox:echo?fail=tools,caching' };
    const gone = await json<{ forgotten: number }>(
      await gateway.admin('POST', '/api/admin/conformance/forget', forget),
    );
    expect(gone.forgotten).toBe(PROBE_IDS.length);
    const answer = await json<{ choices: { message: { content: string } }[] }>(
      await gateway.chat({ model: 'lab/dumb', messages: HELLO, tools: [WEATHER] }),
    );
    expect(answer.choices[0]?.message.content).toContain('simulator');
    await eventually(async () => {
      const told = await json<{ data: { event: string }[] }>(await gateway.admin('GET', '/api/admin/notices'));
      expect(told.data.some(({ event }) => event === 'conformance.changed')).toBe(true);
    });
  });
});

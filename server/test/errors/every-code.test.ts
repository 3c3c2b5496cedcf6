/**
 * Every error code of the contract, provoked over HTTP in both client protocols and both languages. One block per code: what a
 * caller sees must not depend on the protocol it speaks or on where in the gateway the refusal arises.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createGate, type FakeVendor, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { type ContractCode, expectError, type WireProtocol } from './expect-error.ts';

let vendor: FakeVendor;
let gateway: TestGateway;
/** Armed by one test: the next look of a request at the clock fails, as a fault of our own would. */
let clockBreaks = false;
/** Work in the background looks at the clock too, and would take the fault that was meant for the request. */
const isRequest = () => new Error().stack?.includes('incoming.ts') === true;

const BODY_LIMIT = 65_536;

beforeAll(async () => {
  vendor = await startFakeVendor();
  // A model by the list, whose rate and margin nobody has confirmed.
  vi.stubEnv('OPENAI_API_KEY', 'up-listed');
  vi.stubEnv('OPENAI_BASE_URL', vendor.baseUrls['openai-chat']);
  gateway = await startGateway({
    vendor,
    clock: {
      now: () => systemClock.now(),
      monotonicMs() {
        if (!clockBreaks || !isRequest()) return systemClock.monotonicMs();
        clockBreaks = false;
        throw new Error('the secret inner cause: password hunter2 at /srv/dargah');
      },
    },
    config: config(vendor),
  });
  const blocking = { reason: 'the inner reason, for its people alone', hours: null };
  expect((await gateway.admin('POST', '/api/admin/accounts/shut/block', blocking)).status).toBe(200);
});
afterAll(async () => {
  await gateway.stop();
  await vendor.close();
  vi.unstubAllEnvs();
});
beforeEach(() => vendor.reset());

function config(fake: FakeVendor): Record<string, unknown> {
  const base = defaultConfig(fake) as { providers: object[]; models: { id: string }[] };
  const price = { input: 15_000, output: 60_000 };
  const key = (id: string, rules: object) => ({ id, key: `dg-test-${id}`, rules });
  const slow = { connect_ms: 2_000, first_event_ms: 100, whole_answer_ms: 100, idle_ms: 100, total_ms: 60_000 };
  return {
    settings: { discovery: false, max_body_bytes: BODY_LIMIT, max_concurrent_requests: 2 },
    providers: [
      ...base.providers,
      { id: 'broken', protocol: 'openai-chat', base_url: fake.baseUrls['openai-chat'], api_key: 'up-broken' },
      { id: 'slow', protocol: 'openai-chat', base_url: fake.baseUrls['openai-chat'], api_key: 'up-s', timeouts: slow },
    ],
    models: [
      ...base.models,
      { id: 'mock/broken', routes: [{ provider: 'broken', model: 'b' }], price, capabilities: ['streaming'] },
      { id: 'mock/slow', routes: [{ provider: 'slow', model: 's' }], price, capabilities: ['streaming'] },
    ],
    accounts: [
      {
        id: 'acme',
        balance: 100_000,
        keys: [
          key('main', {}),
          key('paused', { paused: true }),
          key('expired', { expires_at: '2020-01-01T00:00:00Z' }),
          key('elsewhere', { ips: ['10.0.0.0/8'] }),
          key('models-only', { endpoints: ['models'] }),
          key('one-model', { models: ['mock/claude'] }),
          key('cheap', { max_price: { input: 14_999 } }),
          key('private', { data_policy: { no_training: true } }),
          key('capped', { caps: { daily: 0 } }),
          key('no-requests', { rpm: 0 }),
        ],
      },
      { id: 'poor', balance: 0, keys: [key('poor', {})] },
      { id: 'shut', balance: 100, keys: [key('shut', {})] },
    ],
  };
}

interface Asking {
  protocol: WireProtocol;
  headers: Record<string, string>;
}

/** One request in either protocol; `max_tokens` so that both protocols are complete. */
function ask({ protocol, headers }: Asking, key: string | null = 'dg-test-main', body: object = {}): Promise<Response> {
  const path = protocol === 'chat' ? '/api/v1/chat/completions' : '/api/v1/messages';
  return gateway.fetch(path, {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'mock/chat',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'hello' }],
      ...body,
    }),
  });
}

type Provocation = { of: (asking: Asking) => Promise<Response>; param?: string | null };

const PROVOKED: Record<ContractCode, Provocation> = {
  invalid_request: { of: (a) => ask(a, undefined, { messages: 7 }), param: 'messages' },
  too_large: {
    of: (a) => ask(a, undefined, { messages: [{ role: 'user', content: 'x'.repeat(BODY_LIMIT) }] }),
    param: null,
  },
  invalid_api_key: { of: (a) => ask(a, 'dg-wrong'), param: null },
  insufficient_balance: { of: (a) => ask(a, 'dg-test-poor'), param: null },
  spend_cap_reached: { of: (a) => ask(a, 'dg-test-capped'), param: null },
  account_blocked: { of: (a) => ask(a, 'dg-test-shut'), param: null },
  key_paused: { of: (a) => ask(a, 'dg-test-paused'), param: null },
  key_expired: { of: (a) => ask(a, 'dg-test-expired'), param: null },
  ip_not_allowed: { of: (a) => ask(a, 'dg-test-elsewhere'), param: null },
  endpoint_not_allowed: { of: (a) => ask(a, 'dg-test-models-only'), param: null },
  model_not_allowed: { of: (a) => ask(a, 'dg-test-one-model'), param: 'model' },
  price_above_limit: { of: (a) => ask(a, 'dg-test-cheap'), param: 'model' },
  data_policy_unmet: { of: (a) => ask(a, 'dg-test-private'), param: 'model' },
  not_for_sale: { of: (a) => ask(a, undefined, { model: 'openai/gpt-4o' }), param: 'model' },
  model_not_found: { of: (a) => ask(a, undefined, { model: 'mock/none' }), param: 'model' },
  rate_limited: { of: (a) => ask(a, 'dg-test-no-requests'), param: null },
  upstream_error: {
    of: (a) => {
      vendor.always(faults.failWith(500, 'the inner words of the provider'));
      return ask(a, undefined, { model: 'mock/broken' });
    },
    param: null,
  },
  upstream_timeout: {
    of: (a) => {
      vendor.always(faults.stallBeforeHeaders(createGate()));
      return ask(a, undefined, { model: 'mock/slow' });
    },
    param: null,
  },
  not_found: {
    of: ({ protocol, headers }) =>
      gateway.fetch(protocol === 'chat' ? '/api/v1/nowhere' : '/api/v1/messages/nowhere', { headers }),
    param: null,
  },
  overloaded: { of: overloaded, param: null },
  internal_error: {
    of: (a) => {
      clockBreaks = true;
      return ask(a);
    },
    param: null,
  },
};

/** Two requests are held at the vendor, as many as the gateway may run; the third is turned away. */
async function overloaded(asking: Asking): Promise<Response> {
  const gates = [createGate(), createGate()];
  vendor.next(...gates.map((gate) => faults.stallBeforeHeaders(gate)));
  const running = gates.map(() => ask({ protocol: 'chat', headers: {} }));
  await Promise.all(gates.map((gate) => gate.reached));
  const refused = await ask(asking);
  for (const gate of gates) gate.open();
  for (const answer of await Promise.all(running)) expect(answer.status).toBe(200);
  return refused;
}

describe.each(Object.entries(PROVOKED))('%s', (name, { of, param }) => {
  const code = name as ContractCode;

  describe.each(['chat', 'messages'] as const)('in the %s protocol', (protocol) => {
    it('is Persian by default', async () => {
      const error = await expectError(await of({ protocol, headers: {} }), code, {
        protocol,
        language: 'fa',
        param: param ?? null,
      });
      expect(JSON.stringify(error)).not.toMatch(/hunter2|inner|srv|up-broken/);
    });

    it('is English where Accept-Language prefers it', async () => {
      const headers = { 'accept-language': 'en-GB,en;q=0.9,fa;q=0.4' };
      await expectError(await of({ protocol, headers }), code, { protocol, language: 'en', param: param ?? null });
    });
  });
});

describe('language', () => {
  it.each([
    ['fa-IR,fa;q=0.9,en;q=0.8', 'fa'],
    ['en;q=0.3, fa;q=0.7', 'fa'],
    ['de, fr;q=0.9', 'fa'],
    ['*', 'fa'],
    ['en;q=0', 'fa'],
    ['de, en;q=0.1', 'en'],
    ['EN-us', 'en'],
  ] as const)('%s is answered in %s', async (header, language) => {
    const response = await ask({ protocol: 'chat', headers: { 'accept-language': header } }, 'dg-wrong');
    await expectError(response, 'invalid_api_key', { language });
  });
});

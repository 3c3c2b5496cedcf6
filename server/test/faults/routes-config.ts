/** Providers p1, p2, p3 of the chat protocol at the fake vendor, and models that show one trait of routing each. */
import type { FakeVendor, RecordedRequest } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import type { TestGateway } from '../harness/start-gateway.ts';

const TIMEOUTS = {
  connect_ms: 5_000,
  first_event_ms: 40_000,
  whole_answer_ms: 40_000,
  idle_ms: 40_000,
  total_ms: 50_000,
};
/** Two routes that hang fit into it, a third does not. */
const DEADLINE_MS = 60_000;

const COSTS: Record<string, number> = { p1: 9_000, p2: 1_000, p3: 5_000 };

export function routesConfig(vendor: FakeVendor, settings: object = {}): Record<string, unknown> {
  const provider = (id: string, more: object = {}) => ({
    id,
    protocol: 'openai-chat',
    base_url: vendor.baseUrls['openai-chat'],
    api_key: `secret-of-${id}`,
    timeouts: TIMEOUTS,
    ...more,
  });
  const route = (name: string, priority: number) => ({
    provider: name,
    model: `up-${name}`,
    priority,
    cost: { input: COSTS[name] ?? 1_000, output: COSTS[name] ?? 1_000 },
  });
  const model = (id: string, routes: object[], more: object = {}) => ({
    id,
    routes,
    price: { input: 15_000, output: 60_000 },
    context: 128_000,
    capabilities: ['streaming', 'vision', 'tools', 'json_schema'],
    ...more,
  });
  const three = [route('p1', 1), route('p2', 2), route('p3', 3)];
  return {
    ...defaultConfig(vendor),
    providers: [
      provider('p1'),
      provider('p2'),
      provider('p3'),
      provider('two-keys', { api_key: undefined, api_keys: ['secret-of-a', 'secret-of-b'] }),
      provider('narrow', { max_concurrent: 1 }),
      { ...provider('google'), protocol: 'gemini-generate', base_url: vendor.baseUrls['gemini-generate'] },
    ],
    models: [
      model('r/three', three),
      model('r/dear', [route('p3', 1)], { price: { input: 150_000, output: 600_000 } }),
      model('r/forbidden', [route('p3', 1)]),
      model('r/hedged', [route('p1', 1), route('p2', 2)], { hedge: true }),
      model('r/keys', [route('two-keys', 1), route('p2', 2)]),
      model('r/narrow', [route('narrow', 1), route('p2', 2)]),
      model('r/only-narrow', [route('narrow', 1)]),
      model('r/google', [route('google', 1)]),
    ],
    groups: [],
    settings: {
      discovery: false,
      total_deadline_ms: DEADLINE_MS,
      fetch_allowed_hosts: [new URL(vendor.origin).host],
      ...settings,
    },
    accounts: [
      {
        id: 'acme',
        name: 'Acme',
        // A stream of 50 MB costs nearly two million.
        balance: 100_000_000,
        keys: [
          { id: 'main', key: 'dg-test-main' },
          { id: 'limited', key: 'dg-test-limited', rules: { models: ['r/three'] } },
        ],
      },
    ],
  };
}

/** `p1`, `p2`, …: which provider a request was meant for. */
export function providerOf({ body, path }: RecordedRequest): string {
  const named = typeof body['model'] === 'string' ? body['model'] : path;
  return /up-([\w-]+)/.exec(named)?.[1] ?? '';
}

export function secretOf({ headers }: RecordedRequest): string {
  return String(headers.authorization ?? headers['x-goog-api-key']).replace('Bearer ', '');
}

/** Asks and says which providers were asked. */
export async function hello(gateway: TestGateway, model: string, more: object = {}, init: object = {}) {
  const before = gateway.vendor.requests.length;
  const response = await gateway.chat({ model, messages: [{ role: 'user', content: 'hello' }], ...more }, init);
  const body = await response.json();
  return {
    status: response.status,
    body: body as {
      model: string;
      error?: { code: string; param: string | null };
      choices: { message: { content: string } }[];
    },
    headers: response.headers,
    requestId: response.headers.get('x-svc-request-id') ?? '',
    asked: gateway.vendor.requests.slice(before).map(providerOf),
  };
}

/** A model with three routes per pair of protocols, all of them at the fake vendor, which tells them apart by the model's name. */
import type { ProtocolId } from '../../src/core/chat.ts';
import type { FakeVendor, RecordedRequest } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';

export type Client = 'chat' | 'messages' | 'responses' | 'gemini';

/** Those that the fake vendor speaks. */
type UpstreamDialect = Exclude<ProtocolId, 'bedrock-converse'>;

export interface Pair {
  client: Client;
  upstream: UpstreamDialect;
}

export const PAIRS: Pair[] = [
  { client: 'chat', upstream: 'openai-chat' },
  { client: 'chat', upstream: 'anthropic-messages' },
  { client: 'chat', upstream: 'gemini-generate' },
  { client: 'messages', upstream: 'anthropic-messages' },
  { client: 'messages', upstream: 'openai-chat' },
  { client: 'chat', upstream: 'openai-responses' },
  { client: 'responses', upstream: 'openai-responses' },
  { client: 'responses', upstream: 'anthropic-messages' },
  { client: 'gemini', upstream: 'gemini-generate' },
  { client: 'gemini', upstream: 'openai-chat' },
];

/** Places that cannot even be reached, and what the receipt must call them. */
export const UNREACHABLE = {
  refused: { baseUrl: () => 'http://127.0.0.1:1/v1', cause: 'connection refused' },
  dns: { baseUrl: () => 'http://nowhere.invalid/v1', cause: 'DNS' },
  // A plain server where TLS is expected.
  tls: { baseUrl: (vendor: FakeVendor) => vendor.baseUrls['openai-chat'].replace('http:', 'https:'), cause: 'TLS' },
} as const;

export type Unreachable = keyof typeof UNREACHABLE;

/** In fast time: the limits under test pass quickly, the deadlines behind them never. */
const TIMEOUTS = {
  // Nothing here is about connections that do not come about, and an unknown name may take its resolver long.
  connect_ms: 3_600_000,
  first_event_ms: 30_000,
  whole_answer_ms: 30_000,
  idle_ms: 40_000,
  total_ms: 3_600_000,
};
const DEADLINE_MS = 7_200_000;
export const BALANCE = 1_000_000;

const PROTOCOLS: UpstreamDialect[] = ['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini-generate'];
const ROUTES = [1, 2, 3];

export function modelOf(upstream: UpstreamDialect, unreachable?: Unreachable, position?: number): string {
  return unreachable ? `faults/${upstream}-${unreachable}-${position}` : `faults/${upstream}`;
}

export function threeRoutesConfig(
  vendor: FakeVendor,
  { timeouts = TIMEOUTS, deadlineMs = DEADLINE_MS } = {},
): Record<string, unknown> {
  const provider = (id: string, protocol: UpstreamDialect, base_url: string) => ({
    id,
    protocol,
    base_url,
    api_key: `secret-of-${id}`,
    timeouts,
  });
  const unreachable = Object.keys(UNREACHABLE) as Unreachable[];
  const providers = PROTOCOLS.flatMap((protocol) => [
    ...ROUTES.map((route) => provider(`${protocol}-${route}`, protocol, vendor.baseUrls[protocol])),
    ...unreachable.map((how) => provider(`${protocol}-${how}`, protocol, UNREACHABLE[how].baseUrl(vendor))),
  ]);
  const routes = (protocol: UpstreamDialect, replaced?: { how: Unreachable; position: number }) =>
    ROUTES.map((route) => ({
      provider: `${protocol}-${route === replaced?.position ? replaced.how : route}`,
      model: `up-${route}`,
      priority: route,
      cost: { input: 5_000, output: 20_000 },
    }));
  const model = (id: string, of: object[]) => ({
    id,
    routes: of,
    price: { input: 15_000, output: 60_000 },
    context: 128_000,
    max_output: 16_384,
  });
  const models = PROTOCOLS.flatMap((protocol) => [
    model(modelOf(protocol), routes(protocol)),
    ...unreachable.flatMap((how) =>
      ROUTES.map((position) => model(modelOf(protocol, how, position), routes(protocol, { how, position }))),
    ),
  ]);
  return {
    ...defaultConfig(vendor),
    providers,
    models,
    groups: [],
    settings: { discovery: false, total_deadline_ms: deadlineMs },
    accounts: [{ id: 'acme', name: 'Acme', balance: BALANCE, keys: [{ id: 'main', key: 'dg-test-main' }] }],
  };
}

/** 1, 2 or 3: which route a request came by. */
export function routeOf({ body, path }: RecordedRequest): number {
  const named = typeof body['model'] === 'string' ? body['model'] : path;
  return Number(/up-(\d)/.exec(named)?.[1] ?? 0);
}

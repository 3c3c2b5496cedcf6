import { describe, expect, it } from 'vitest';
import { buildSnapshot } from '../../src/catalog/build-snapshot.ts';
import type { ModelRow, ProviderRow, RouteRow } from '../../src/catalog/catalog-rows.ts';
import type { PriceRow } from '../../src/catalog/prices/price-rows.ts';
import type { CatalogRows } from '../../src/catalog/read-catalog.ts';

const NOW = 1_800_000_000_000;
const defaultTimeouts = { connectMs: 1, firstEventMs: 2, wholeAnswerMs: 5, idleMs: 3, totalMs: 4 };

const provider = (id: string, more: Partial<ProviderRow> = {}): ProviderRow => ({
  id,
  vendor: id,
  protocol: 'openai-chat',
  base_url: 'http://127.0.0.1:1/v1',
  auth: 'bearer',
  headers: {},
  quirks: {},
  timeouts: {},
  max_concurrent: null,
  transport: 'http',
  egress: null,
  data_policy: null,
  managed_by: 'operator',
  enabled: true,
  present: true,
  state: null,
  tested_at: null,
  tested_ok: null,
  last_used_at: null,
  created_at: new Date(NOW),
  ...more,
});

const model = (id: string, more: Partial<ModelRow> = {}): ModelRow => ({
  id,
  kind: 'chat',
  name: id,
  name_fa: null,
  description_fa: null,
  description_en: null,
  context: 1000,
  max_output: null,
  hidden_tokens_per_second: null,
  capabilities: ['tools'],
  categories: [],
  hedge: false,
  simulated: false,
  managed_by: 'operator',
  enabled: true,
  state: null,
  withdrawn_from: null,
  retires_at: null,
  successor: null,
  created_at: new Date(NOW),
  ...more,
});

const route = (modelId: string, providerId: string, more: Partial<RouteRow> = {}): RouteRow => ({
  model_id: modelId,
  provider_id: providerId,
  upstream_model: 'up',
  priority: 1,
  weight: 1,
  quirks: {},
  cost: null,
  cost_source: null,
  max_concurrent: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  state: null,
  last_used_at: null,
  managed_by: 'operator',
  ...more,
});

const price = (modelId: string, version: string, atMs: number, input = '100'): PriceRow => ({
  version,
  model_id: modelId,
  per_unit: { input, output: '400' },
  per_request: 0n,
  tiers: [],
  terms: null,
  list: null,
  exchange_rate: null,
  margin: null,
  margin_layer: null,
  seq: BigInt(version.charCodeAt(version.length - 1)),
  effective_at: new Date(atMs),
  source: 'operator',
  created_at: new Date(NOW),
});

const build = (rows: Partial<CatalogRows>, nowMs = NOW) =>
  buildSnapshot(
    {
      providers: [provider('p')],
      credentials: [],
      models: [model('a/m')],
      routes: [route('a/m', 'p')],
      prices: [price('a/m', 'v1', NOW)],
      groups: [],
      ...rows,
    },
    {
      nowMs,
      defaultTimeouts,
      credentials: new Map([['p', [{ id: 'c', secret: 's' }]]]),
      egresses: new Map(),
      isOwnAddress: (vendor) => vendor === 'own',
    },
  );

describe('what the catalog shows', () => {
  it('is a model with a price and a provider that can be called', () => {
    const shown = build({ providers: [provider('p', { timeouts: { idleMs: 9 } })] }).snapshot.models.get('a/m');
    expect(shown).toMatchObject({ id: 'a/m', vendor: 'a', context: 1000, maxOutput: undefined, created: NOW / 1000 });
    expect(shown?.price).toEqual({ version: 'v1', perUnit: { inputFresh: 100n, output: 400n }, perRequest: 0n });
    expect(shown?.routes[0]).toMatchObject({ id: 'p:up', upstreamModel: 'up', cost: undefined });
    expect(shown?.routes[0]?.provider.timeouts).toEqual({
      connectMs: 1,
      firstEventMs: 2,
      wholeAnswerMs: 5,
      idleMs: 9,
      totalMs: 4,
    });
  });

  it.each([
    ['bearer', 'own', true],
    ['bearer', 'p', false],
    ['none', 'own', false],
    // Its authority would be an address that a customer wrote.
    ['entra', 'own', false],
    ['google-service-account', 'own', false],
    ['aws-sigv4', 'own', false],
  ] as const)('takes keys of customers by %s at the address of %s: %s', (auth, vendor, takes) => {
    const { snapshot } = build({ providers: [provider('p', { auth, vendor })] });
    expect(snapshot.providers.get('p')?.takesOwnKeys).toBe(takes);
  });

  it.each<[string, Partial<CatalogRows>]>([
    ['no price', { prices: [] }],
    ['a price only later', { prices: [price('a/m', 'v1', NOW + 1)] }],
    ['no route', { routes: [] }],
    ['a provider switched off', { providers: [provider('p', { enabled: false })] }],
    ['a provider whose variable is gone', { providers: [provider('p', { present: false })] }],
    ['a provider without a credential', { providers: [provider('q')], routes: [route('a/m', 'q')] }],
    ['the model switched off', { models: [model('a/m', { enabled: false })] }],
  ])('is nothing with %s', (_, rows) => {
    expect(build(rows).snapshot.models.size).toBe(0);
  });

  it('needs no credential where the provider asks for none', () => {
    const rows = { providers: [provider('q', { auth: 'none' })], routes: [route('a/m', 'q')] };
    expect(build(rows).snapshot.models.has('a/m')).toBe(true);
  });

  it('orders routes by priority and leaves out those that cannot be called', () => {
    const providers = [provider('p'), provider('q', { auth: 'none' }), provider('r')];
    const routes = [route('a/m', 'p', { priority: 2 }), route('a/m', 'q', { priority: 1 }), route('a/m', 'r')];
    expect(
      build({ providers, routes })
        .snapshot.models.get('a/m')
        ?.routes.map((one) => one.provider.id),
    ).toEqual(['q', 'p']);
  });

  it('takes the newest price in force and says when the next one begins', () => {
    const prices = [
      price('a/m', 'v1', NOW - 50),
      price('a/m', 'v3', NOW + 500, '300'),
      price('a/m', 'v2', NOW - 10, '200'),
    ];
    const { snapshot, nextChangeAtMs } = build({ prices });
    expect(snapshot.models.get('a/m')?.price.version).toBe('v2');
    expect(nextChangeAtMs).toBe(NOW + 500);
    const later = build({ prices }, NOW + 500);
    expect(later.snapshot.models.get('a/m')?.price.version).toBe('v3');
    expect(later.nextChangeAtMs).toBeUndefined();
  });

  it('breaks a tie of times by the version, whatever the order of the rows', () => {
    const rows = [price('a/m', 'v2', NOW), price('a/m', 'v1', NOW)];
    for (const prices of [rows, [...rows].reverse()])
      expect(build({ prices }).snapshot.models.get('a/m')?.price.version).toBe('v2');
  });

  it('has a group for every category, with all its models, whoever gave it to them', () => {
    const of = (id: string, categories: string[]) => model(id, { categories });
    const models = [of('a/m', ['coding', 'house-made']), of('a/n', ['coding'])];
    const routes = models.map(({ id }) => route(id, 'p'));
    const prices = models.map(({ id }) => price(id, `v-${id}`, NOW));
    const groups = [
      {
        id: 'coding',
        name: 'Coding',
        name_fa: null,
        default_model: 'a/n',
        models: ['a/n'],
        managed_by: 'catalog' as const,
      },
    ];
    const { snapshot } = build({ models, routes, prices, groups });
    expect(snapshot.groups.get('coding')).toMatchObject({ defaultModel: 'a/n', models: new Set(['a/n', 'a/m']) });
    const listed = build({
      models,
      routes,
      prices,
      groups: [{ ...groups[0], managed_by: 'operator' as const } as never],
    });
    expect(listed.snapshot.groups.get('coding')?.models).toEqual(new Set(['a/n']));
    expect(snapshot.groups.get('house-made')).toMatchObject({ defaultModel: 'a/m', models: new Set(['a/m']) });
  });

  it('narrows groups to what is shown, mends their default, and drops empty ones', () => {
    const group = { name: 'G', name_fa: null, managed_by: 'operator' as const };
    const groups = [
      { ...group, id: 'mended', default_model: 'gone/x', models: ['gone/x', 'a/m'] },
      { ...group, id: 'empty', default_model: 'gone/x', models: ['gone/x'] },
    ];
    const { snapshot } = build({ groups });
    expect(snapshot.groups.get('mended')).toMatchObject({ defaultModel: 'a/m', models: new Set(['a/m']) });
    expect(snapshot.groups.has('empty')).toBe(false);
  });
});

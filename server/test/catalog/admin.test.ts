import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CatalogAdmin, createCatalogAdmin, type SeedSources, seedCatalog } from '../../src/catalog/index.ts';
import { desiredCatalog } from '../../src/catalog/seed/desired.ts';
import { GatewayError } from '../../src/core/errors.ts';
import { type CatalogFixture, catalogFixture } from './catalog-in-database.ts';

const provider = { id: 'mine', protocol: 'openai-chat', base_url: 'http://127.0.0.1:1/v1', api_key: 'planted-secret' };
const model = { id: 'mine/chat', routes: [{ provider: 'mine', model: 'up' }], price: { input: 100, output: 400 } };

describe("the operator's hand on the catalog", () => {
  let fixture: CatalogFixture;
  let admin: CatalogAdmin;
  const terms = { exchangeRate: '100000', margin: '0.1' };
  const noFileTerms = { exchangeRate: undefined, margin: undefined };

  const sources = (): SeedSources => {
    const base = {
      env: { OPENAI_API_KEY: 'sk' },
      terms,
      found: [],
      localRates: { perUnit: {}, perRequest: 0n },
      sandbox: true,
    };
    const simulator = desiredCatalog({ ...base, env: {}, config: { providers: [], models: [], groups: [] } }).models[0];
    const models = simulator ? [{ ...simulator, id: 'file/one' }] : [];
    return { ...base, config: { providers: [], models, groups: [] } };
  };
  const shown = async () => {
    const catalog = fixture.openCatalog();
    await catalog.reload();
    return catalog.current();
  };
  const code = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof GatewayError)) throw new Error(`expected a refusal, got ${String(error)}`);
    return [error.code, error.options.param];
  };

  beforeAll(async () => {
    fixture = await catalogFixture();
    await seedCatalog(fixture.tools, { sources: sources(), file: noFileTerms });
    admin = createCatalogAdmin(fixture.tools, sources(), noFileTerms);
  });
  afterAll(() => fixture.remove());

  it('makes a provider and a model, which are offered at once; no answer shows the secret', async () => {
    const made = await admin.providers.create(provider, 'operator');
    expect(made).toMatchObject({ id: 'mine', auth: 'bearer', managed_by: 'operator', enabled: true });
    expect(made['credentials']).toHaveLength(1);
    await admin.models.create(model, 'operator');
    const all = JSON.stringify([made, await admin.providers.list(), await admin.models.list()]);
    expect(all).not.toContain('planted-secret');
    expect((await shown()).models.get('mine/chat')?.price.perUnit).toEqual({ inputFresh: 100n, output: 400n });
  });

  it('explains bad input by its field, and refuses to read variables', async () => {
    expect(await code(admin.providers.create({ ...provider, id: 'x', protocl: 1 }, 'o'))).toEqual([
      'invalid_request',
      'protocl',
    ]);
    expect(await code(admin.providers.create({ ...provider, id: 'x', api_key_env: 'HOME' }, 'o'))).toEqual([
      'invalid_request',
      'api_key_env',
    ]);
    expect(
      await code(admin.models.create({ ...model, id: 'mine/x', routes: [{ provider: 'mien', model: 'u' }] }, 'o')),
    ).toEqual(['invalid_request', 'routes.0.provider']);
    expect(await code(admin.models.create({ ...model, id: 'mine/x', price: { input: 1e12, output: 2 } }, 'o'))).toEqual(
      ['invalid_request', 'price.input'],
    );
    expect(await code(admin.providers.create(provider, 'o'))).toEqual(['conflict', undefined]);
    expect(await code(admin.models.get('no/such'))).toEqual(['not_found', undefined]);
  });

  it('switches off and on, adds and removes secrets', async () => {
    await admin.providers.update('mine', { enabled: false }, 'operator');
    expect((await shown()).models.has('mine/chat')).toBe(false);
    await admin.providers.update('mine', { enabled: true, max_concurrent: 5, timeouts: { idle_ms: 99 } }, 'operator');
    const { id } = await admin.providers.addCredential(
      'mine',
      { secret: 'second-secret-wxyz', label: 'spare' },
      'operator',
    );
    const used = (await shown()).providers.get('mine');
    expect(used).toMatchObject({ maxConcurrent: 5, timeouts: { idleMs: 99 } });
    expect(used?.credentials.map((one) => one.secret).sort()).toEqual(['planted-secret', 'second-secret-wxyz']);
    expect((await admin.providers.get('mine'))['credentials']).toContainEqual(
      expect.objectContaining({ id, label: 'spare', last4: 'wxyz' }),
    );
    await admin.providers.removeCredential('mine', id, 'operator');
    expect((await shown()).providers.get('mine')?.credentials).toHaveLength(1);
    expect(await code(admin.providers.update('mine', { api_key: 'x' }, 'o'))).toEqual(['invalid_request', 'api_key']);
    expect(await code(admin.providers.addCredential('mine', { secret: 'line\nbreak' }, 'o'))).toEqual([
      'invalid_request',
      'secret',
    ]);
  });

  it('every price is a new version, and the past is closed', async () => {
    fixture.tools.clock.at += 1000;
    const { price, warnings } = await admin.prices.set('mine/chat', { price: { input: 700, output: 300 } }, 'operator');
    expect(price).toMatchObject({
      model: 'mine/chat',
      price: { input: '700', output: '300', request: '0' },
      source: 'operator',
    });
    expect(warnings.join()).toContain('swapped');
    expect(await admin.prices.history('mine/chat')).toHaveLength(2);
    const body = { price: { input: 1, output: 1 }, effective_at: '2001-01-01T00:00:00Z' };
    expect(await code(admin.prices.set('mine/chat', body, 'o'))).toEqual(['invalid_request', 'effective_at']);
    await admin.prices.set('mine/chat', { ...body, effective_at: '2040-01-01T00:00:00Z' }, 'operator');
    expect((await shown()).models.get('mine/chat')?.price.version).toBe(price['version']);
  });

  it('setting one price field never drops the others, and a price set by hand can be unpinned', async () => {
    const set = (price: Record<string, number | null>) => {
      fixture.tools.clock.at += 1000;
      return admin.prices.set('mine/chat', { price }, 'operator');
    };
    await set({ input: 700, output: 300, cache_read: 70, request: 2 });
    expect((await set({ output: 400 })).price).toMatchObject({
      price: { input: '700', output: '400', cache_read: '70', request: '2' },
      pinned: true,
    });
    expect((await set({ cache_read: null })).price['price']).toEqual({ input: '700', output: '400', request: '2' });
    fixture.tools.clock.at += 1000;
    expect(await admin.prices.unpin('mine/chat', 'operator')).toMatchObject({
      pinned: false,
      price: { output: '400' },
    });
    expect(await code(admin.prices.unpin('mine/chat', 'operator'))).toEqual(['conflict', undefined]);
    await set({ request: 0 });
  });

  it('what the file declares is read-only', async () => {
    expect(await code(admin.models.update('file/one', { name: 'x' }, 'o'))).toEqual(['conflict', undefined]);
    expect(await code(admin.models.remove('file/one', 'o'))).toEqual(['conflict', undefined]);
    expect(await code(admin.prices.set('file/one', { price: { input: 1, output: 1 } }, 'o'))).toEqual([
      'conflict',
      undefined,
    ]);
    expect(await code(admin.routes.set('file/one', { provider: 'mine', model: 'u' }, 'o'))).toEqual([
      'conflict',
      undefined,
    ]);
  });

  it('what start-up made can be switched off but not deleted', async () => {
    expect(await code(admin.providers.remove('openai', 'o'))).toEqual(['conflict', undefined]);
    await admin.models.update('openai/gpt-4o', { enabled: false }, 'operator');
    expect((await shown()).models.has('openai/gpt-4o')).toBe(false);
    expect(await admin.models.get('openai/gpt-4o')).toMatchObject({ managed_by: 'catalog' });
  });

  it('routes come and go', async () => {
    await admin.routes.set('openai/gpt-4.1', { provider: 'mine', model: 'gpt', priority: 0 }, 'operator');
    expect((await shown()).models.get('openai/gpt-4.1')?.routes.map((one) => one.id)).toEqual([
      'mine:gpt',
      'openai:gpt-4.1',
    ]);
    expect(
      await code(admin.routes.remove({ model: 'openai/gpt-4.1', provider: 'openai', upstream: 'gpt-4.1' }, 'o')),
    ).toEqual(['conflict', undefined]);
    await admin.routes.remove({ model: 'openai/gpt-4.1', provider: 'mine', upstream: 'gpt' }, 'operator');
    expect((await shown()).models.get('openai/gpt-4.1')?.routes).toHaveLength(1);
  });

  it('a group can be made, taken over and removed', async () => {
    await admin.groups.put('team', { default: 'mine/chat', models: ['mine/chat', 'openai/gpt-4.1'] }, 'operator');
    expect((await shown()).groups.get('team')).toMatchObject({ defaultModel: 'mine/chat' });
    expect(await code(admin.groups.put('team', { default: 'x/y', models: ['mine/chat'] }, 'o'))).toEqual([
      'invalid_request',
      'default',
    ]);
    await admin.groups.remove('team', 'operator');
    expect((await shown()).groups.has('team')).toBe(false);
    expect(await code(admin.groups.remove('popular', 'o'))).toEqual(['conflict', undefined]);
  });

  it("a refresh by a new rate reprices the catalog and leaves the operator's prices alone", async () => {
    await admin.prices.set('openai/gpt-4.1', { price: { input: 11, output: 22 } }, 'operator');
    fixture.tools.clock.at += 1000;
    const result = await admin.refresh('operator', { exchangeRate: '200000', margin: '0.1' });
    expect(result.newPrices).toBeGreaterThan(10);
    const { models } = await shown();
    expect(models.get('openai/gpt-4o-mini')?.price.perUnit.inputFresh).toBe(33_000n);
    expect(models.get('openai/gpt-4.1')?.price.perUnit.inputFresh).toBe(11n);
    expect((await admin.refresh('operator')).newPrices, 'the new rate is remembered').toBe(0);
    const wrong = { exchangeRate: '1e5', margin: '0.1' };
    expect(await code(admin.refresh('operator', wrong))).toEqual(['invalid_request', 'exchange_rate']);
    const bound = createCatalogAdmin(fixture.tools, sources(), { exchangeRate: '5', margin: undefined });
    expect(await code(bound.refresh('operator', terms))).toEqual(['conflict', undefined]);
  });

  it('leaves a trail of everything, without secrets', async () => {
    const events = await fixture.tools.db.query<{ action: string; text: string }>(
      'select action, e::text as text from admin_event e',
    );
    const actions = new Set(events.map((event) => event.action));
    for (const action of [
      'provider.create',
      'provider.update',
      'credential.add',
      'credential.remove',
      'model.create',
      'price.set',
      'route.set',
      'group.put',
      'catalog.refresh',
    ])
      expect(actions).toContain(action);
    for (const { text } of events) expect(text).not.toMatch(/planted-secret|second-secret/);
  });
});

/** A provider made by hand, whatever its id: what it offers, drafts, one change with undo, and what everything costs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskModels } from '../../src/catalog/index.ts';
import { type CatalogAdmin, createCatalogAdmin, type SeedSources, seedCatalog } from '../../src/catalog/index.ts';
import { settleSelling, writeSelling } from '../../src/catalog/prices/selling.ts';
import { GatewayError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { onBothDatabases } from '../services/both-databases.ts';
import { type CatalogFixture, catalogFixture } from './catalog-in-database.ts';

const NO_FILE = { exchangeRate: undefined, margin: undefined };
const SOURCES: SeedSources = {
  env: {},
  terms: { exchangeRate: '100000', margin: '0.1' },
  config: { providers: [], models: [], groups: [] },
  found: [],
  localRates: { perUnit: { inputFresh: 1n, output: 1n }, perRequest: 0n },
  sandbox: true,
};
const ask: AskModels = async () => ({ names: ['gpt-4o', 'gpt-4o-mini', 'ft:ours:1'], problem: null });

interface Row {
  model: string;
  upstream: string;
  state: string;
  listed_there: boolean | null;
  list_usd: { input: string } | null;
  price: { input: string; output: string } | null;
  cost: { input: string } | null;
  cost_source: string | null;
}

onBothDatabases((name, open) =>
  describe(`offers, ${name}`, () => {
    let fixture: CatalogFixture;
    let admin: CatalogAdmin;
    const at = (ms: number) => {
      fixture.tools.clock.at += ms;
    };
    const shown = async () => {
      const catalog = fixture.openCatalog();
      await catalog.reload();
      return catalog.current();
    };
    const rows = async () => (await admin.offer('house', ask))['data'] as unknown as Row[];
    const row = async (model: string) => (await rows()).find((one) => one.model === model);
    const offer = (model: string, upstream: string, more: object = {}) => ({
      op: 'offer',
      provider: 'house',
      model,
      upstream,
      ...more,
    });
    const draft = async (edits: object[]) => {
      at(1000);
      return admin.changes.draft({ edits } as unknown as JsonObject, 'staff:one');
    };
    const published = async (edits: object[]) => {
      const { id } = await draft(edits);
      at(1000);
      return admin.changes.publish(id as string, 'staff:one');
    };
    const refused = async (act: Promise<unknown>) => {
      const error = await act.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof GatewayError)) throw error ?? new Error('was not refused');
      return { code: error.code, clashes: (error.options.detail as { clashes?: string[] } | undefined)?.clashes };
    };
    const trail = async () =>
      (
        await fixture.tools.db.query<{ action: string }>(
          `select action from admin_event where action like 'catalog.%' order by at, id`,
        )
      ).map(({ action }) => action);

    beforeAll(async () => {
      fixture = await catalogFixture(open);
      await seedCatalog(fixture.tools, { sources: SOURCES, file: NO_FILE });
      admin = createCatalogAdmin(fixture.tools, SOURCES, NO_FILE);
      await admin.providers.create({ id: 'house', vendor: 'openai', api_key: 'sk-of-the-house' }, 'staff:one');
    });
    afterAll(() => fixture.remove());

    it('lists what the list in force knows for the vendor and what the provider lists itself, with price and cost', async () => {
      expect(await row('openai/gpt-4o')).toMatchObject({
        upstream: 'gpt-4o',
        state: 'new',
        listed_there: true,
        list_usd: { input: '2.5' },
        price: { input: '275000', output: '1100000' },
        cost: { input: '250000' },
        cost_source: 'list',
      });
      expect(await row('openai/gpt-4.1')).toMatchObject({ listed_there: false });
      expect(await row('house/ft-ours-1')).toMatchObject({ state: 'unlisted', price: null, cost: null });
      // What answers only in another protocol goes by another vendor, and is not offered as if it had no price.
      expect((await rows()).some(({ upstream }) => upstream === 'gpt-5-pro')).toBe(false);
      const { elsewhere } = await admin.offer('house', ask);
      expect(elsewhere).toEqual([{ vendor: 'openai-responses', models: expect.any(Number), provider: null }]);
      // Nothing was sold by looking.
      expect((await shown()).models.has('openai/gpt-4o')).toBe(false);
    });

    it('publishes a draft as one change: models, routes, prices, costs, groups and one entry in the trail', async () => {
      const edits = [
        offer('openai/gpt-4o', 'gpt-4o'),
        offer('openai/tts-1', 'tts-1'),
        offer('house/ours', 'ft:ours:1', {
          kind: 'chat',
          price: { input: 10_000, output: 40_000 },
          cost: { currency: 'usd', price: { input: '0.05', output: '0.2' } },
        }),
      ];
      const { id, preview } = (await draft(edits)) as { id: string; preview: JsonObject };
      expect(preview).toMatchObject({ appearing: 3, below_cost: 0, cost_unknown: 0, clashes: [] });
      expect((await shown()).models.has('openai/gpt-4o')).toBe(false);
      await admin.changes.publish(id, 'staff:one');
      const { models } = await shown();
      expect(models.get('openai/gpt-4o')).toMatchObject({
        price: { perUnit: { inputFresh: 275_000n } },
        routes: [{ id: 'house:gpt-4o', cost: { perUnit: { inputFresh: 250_000n } } }],
      });
      expect(models.get('openai/tts-1')?.price.perUnit.characters).toBe(1_650_000n);
      expect(models.get('house/ours')).toMatchObject({
        price: { perUnit: { inputFresh: 10_000n } },
        routes: [{ cost: { perUnit: { inputFresh: 5_000n, output: 20_000n } } }],
      });
      expect(await trail()).toEqual(['catalog.publish']);
      expect(await row('openai/gpt-4o')).toMatchObject({ state: 'routed' });
      expect(await refused(admin.changes.publish(id, 'staff:one'))).toMatchObject({ code: 'conflict' });
    });

    it('what was chosen follows the rate, its cost too; what has a price in toman does not', async () => {
      at(1000);
      await admin.pricing.change({ exchangeRate: '200000' }, 'staff:one');
      const { models } = await shown();
      expect(models.get('openai/gpt-4o')).toMatchObject({
        price: { perUnit: { inputFresh: 550_000n } },
        routes: [{ cost: { perUnit: { inputFresh: 500_000n } } }],
      });
      expect(models.get('house/ours')).toMatchObject({
        price: { perUnit: { inputFresh: 10_000n } },
        // A cost that was said in dollars is paid in dollars.
        routes: [{ cost: { perUnit: { inputFresh: 10_000n } } }],
      });
      at(1000);
      await admin.pricing.change({ exchangeRate: '100000' }, 'staff:one');
    });

    it('refuses a draft whose subject somebody else has changed, and names it', async () => {
      const { id } = await draft([offer('openai/gpt-4.1', 'gpt-4.1'), offer('openai/gpt-4o-mini', 'gpt-4o-mini')]);
      await published([offer('openai/gpt-4.1', 'gpt-4.1')]);
      const refusal = await refused(admin.changes.publish(id as string, 'staff:two'));
      expect(refusal).toEqual({ code: 'conflict', clashes: ['route openai/gpt-4.1'] });
      // All or nothing.
      expect((await shown()).models.has('openai/gpt-4o-mini')).toBe(false);
      await admin.changes.discard(id as string);
    });

    it('a draft that cannot be made changes nothing at all', async () => {
      const { id } = await draft([offer('openai/gpt-4o-mini', 'gpt-4o-mini'), offer('house/unknown', 'no-price')]);
      expect(await refused(admin.changes.publish(id as string, 'staff:one'))).toMatchObject({ code: 'conflict' });
      expect((await shown()).models.has('openai/gpt-4o-mini')).toBe(false);
      await admin.changes.discard(id as string);
    });

    it('undoes a change by a new one: models go, former prices come back as new versions, and used routes are retired', async () => {
      const price = { input: 400_000, output: 1_500_000 };
      const change = await published([
        { op: 'price', model: 'openai/gpt-4o', price },
        { op: 'price', model: 'house/ours', price: { input: 20_000, output: 50_000 } },
        offer('openai/gpt-4o-mini', 'gpt-4o-mini'),
        offer('house/second', 'ft:ours:2', { price: { input: 1_000, output: 2_000 } }),
      ]);
      const { db } = fixture.tools;
      await admin.providers.used([{ provider: 'house', upstream: 'gpt-4o-mini' }]);
      let { models } = await shown();
      expect(models.get('openai/gpt-4o')?.price.perUnit.inputFresh).toBe(400_000n);
      expect(models.has('openai/gpt-4o-mini')).toBe(true);
      const versions = async () => (await db.query('select 1 from price')).length;
      const before = await versions();
      at(1000);
      const undo = await admin.changes.undo(change['id'] as string, 'staff:two');
      expect(undo).toMatchObject({ state: 'published', undoes: change['id'], undoable: false });
      expect(await admin.changes.get(change['id'] as string)).toMatchObject({ state: 'undone', undone_by: undo['id'] });
      ({ models } = await shown());
      expect(models.get('openai/gpt-4o')?.price.perUnit.inputFresh).toBe(275_000n);
      expect(models.get('openai/gpt-4o')?.basis).toBeDefined();
      expect(models.get('house/ours')?.price.perUnit.inputFresh).toBe(10_000n);
      expect(models.has('openai/gpt-4o-mini')).toBe(false);
      expect(models.has('house/second')).toBe(false);
      expect(await versions()).toBeGreaterThan(before);
      const routes = (await admin.models.get('openai/gpt-4o-mini'))['routes'];
      expect(routes).toMatchObject([{ state: 'retired', provider: 'house' }]);
      expect(await refused(admin.models.get('house/second'))).toMatchObject({ code: 'not_found' });
      expect((await trail()).slice(-2)).toEqual(['catalog.publish', 'catalog.undo']);
      // Once only, and it can be chosen again.
      expect(await refused(admin.changes.undo(change['id'] as string, 'staff:two'))).toMatchObject({
        code: 'conflict',
      });
      await published([offer('openai/gpt-4o-mini', 'gpt-4o-mini')]);
      expect((await shown()).models.has('openai/gpt-4o-mini')).toBe(true);
    });

    it('an undo is refused where somebody has changed the same since', async () => {
      const change = await published([offer('openai/o3', 'o3')]);
      await admin.routes.update(
        { model: 'openai/o3', provider: 'house', upstream: 'o3' },
        { priority: 7 },
        'staff:two',
      );
      const refusal = await refused(admin.changes.undo(change['id'] as string, 'staff:one'));
      expect(refusal).toEqual({ code: 'conflict', clashes: ['route openai/o3'] });
    });

    it('costs: a route’s own word, then the factor, then the list, else nobody knows; 0 only when it is said', async () => {
      const key = { model: 'openai/gpt-4o', provider: 'house', upstream: 'gpt-4o' };
      const cost = async (model = key.model) => (await shown()).models.get(model)?.routes[0]?.cost;
      at(1000);
      await admin.costs.setFactor('house', '0.88', 'staff:one');
      expect((await cost())?.perUnit.inputFresh).toBe(220_000n);
      at(1000);
      await admin.costs.set(key, { currency: 'toman', price: { input: 123, output: 456 } }, 'staff:one');
      expect((await cost())?.perUnit.inputFresh).toBe(123n);
      at(1000);
      await admin.costs.set(key, { price: {} }, 'staff:one');
      expect(await cost()).toMatchObject({ perUnit: {}, perRequest: 0n });
      at(1000);
      await admin.costs.set(key, { price: null }, 'staff:one');
      expect((await cost())?.perUnit.inputFresh).toBe(220_000n);
      // From a day on: when it has come, whoever follows writes it.
      const from = new Date(fixture.tools.clock.at + 60_000).toISOString();
      await admin.follow();
      await admin.costs.set(key, { price: { input: 7, output: 7 }, effective_at: from }, 'staff:one');
      expect((await cost())?.perUnit.inputFresh).toBe(220_000n);
      at(61_000);
      await admin.follow();
      expect((await cost())?.perUnit.inputFresh).toBe(7n);
      expect(await admin.costs.history(key)).toHaveLength(4);
      // Made by hand under a listed name: the list tells its cost at once. Under any other: unknown.
      await admin.models.create(
        {
          id: 'mine/two',
          price: { input: 5, output: 5 },
          routes: [{ provider: 'house', model: 'gpt-4.1-nano' }],
        },
        'staff:one',
      );
      expect((await cost('mine/two'))?.perUnit.inputFresh).toBe(8_800n);
      await admin.routes.set('mine/two', { provider: 'house', model: 'whatever', priority: 0 }, 'staff:one');
      expect(await cost('mine/two')).toBeUndefined();
      await expect(fixture.tools.db.query(`update route_cost set factor = '1'`)).rejects.toThrow(/never changed/);
      await expect(fixture.tools.db.query('delete from route_cost')).rejects.toThrow(/never changed/);
    });

    it('adopts a cost that the version before wrote for a route of the operator’s', async () => {
      const { db } = fixture.tools;
      const written = JSON.stringify({ per_unit: { input: '77' }, per_request: '2000000', tiers: [] });
      await db.query(`update route set cost = $1::jsonb, cost_source = null where upstream_model = 'whatever'`, [
        written,
      ]);
      at(1000);
      await seedCatalog(fixture.tools, { sources: SOURCES, file: NO_FILE }, true);
      const [route] = (await shown()).models.get('mine/two')?.routes ?? [];
      expect(route?.cost).toMatchObject({ perUnit: { inputFresh: 77n }, perRequest: 2_000_000n });
      const history = await admin.costs.history({ model: 'mine/two', provider: 'house', upstream: 'whatever' });
      expect(history).toMatchObject([{ kind: 'price', currency: 'toman', price: { input: '77', request: '2' } }]);
    });

    it('routes, models and providers are drained, switched off, retired, and deleted only when never used', async () => {
      const key = { model: 'mine/two', provider: 'house', upstream: 'whatever' };
      const ids = async () => (await shown()).models.get('mine/two')?.routes.map(({ upstreamModel }) => upstreamModel);
      expect(await refused(admin.routes.update(key, { state: 'retired' }, 'o'))).toMatchObject({ code: 'conflict' });
      await admin.routes.update(key, { state: 'draining', max_concurrent: 3, requests_per_minute: 60 }, 'staff:one');
      expect(await ids()).toEqual(['gpt-4.1-nano']);
      await admin.routes.update(key, { state: 'active' }, 'staff:one');
      expect(await ids()).toEqual(['whatever', 'gpt-4.1-nano']);
      expect((await shown()).models.get('mine/two')?.routes[0]?.limits).toEqual({
        maxConcurrent: 3,
        requestsPerMinute: 60,
        tokensPerMinute: null,
      });
      await admin.providers.used([{ provider: 'house', upstream: 'whatever' }]);
      expect(await refused(admin.routes.remove(key, 'o'))).toMatchObject({ code: 'conflict' });
      expect(await refused(admin.providers.remove('house', 'o'))).toMatchObject({ code: 'conflict' });
      expect(await admin.uses.ofProvider('house')).toMatchObject({
        models: expect.arrayContaining(['mine/two', 'openai/gpt-4o']),
      });
      await admin.providers.update('house', { state: 'draining' }, 'staff:one');
      expect((await shown()).models.has('mine/two')).toBe(false);
      await admin.providers.update('house', { state: 'retired' }, 'staff:one');
      expect(await admin.providers.get('house')).toMatchObject({ state: 'retired', enabled: false });
      await admin.providers.update('house', { enabled: true }, 'staff:one');
      expect(await admin.providers.get('house')).toMatchObject({ state: 'active' });
      await admin.models.remove('mine/two', 'staff:one');
    });

    it('nothing priced by the rate is for sale until both are confirmed; toman prices and simulators are', async () => {
      const { db } = fixture.tools;
      const now = new Date(fixture.tools.clock.at);
      const forSale = async () => {
        const { models } = await shown();
        return ['openai/gpt-4o', 'house/ours', 'sandbox/echo'].map((id) => models.get(id)?.notForSale !== true);
      };
      await settleSelling(db, NO_FILE, now);
      expect(await forSale()).toEqual([false, true, true]);
      expect(await admin.selling.view()).toMatchObject({ confirmed: false, exchange_rate: '100000', margin: '0.1' });
      const stale = admin.selling.confirm({ exchangeRate: '99000', margin: '0.1' }, 'staff:one');
      expect(await refused(stale)).toMatchObject({ code: 'conflict' });
      await admin.selling.confirm({ exchangeRate: '100000', margin: '0.10' }, 'staff:one');
      expect(await forSale()).toEqual([true, true, true]);
      // A file that fixes both confirms, and goes on doing so when it no longer does.
      await writeSelling(db, { source: null, rate: null, margin: null, by: null, at: null }, now);
      await settleSelling(db, { exchangeRate: '90000', margin: '0.2' }, now);
      await settleSelling(db, NO_FILE, now);
      expect(await forSale()).toEqual([true, true, true]);
      // An installation that has charged somebody before it was asked goes on, and is told to look.
      await db.query(`delete from setting where key = 'selling'`);
      await db.query(
        `insert into usage_daily (account_id, day, key_id, model, requests, input_tokens, output_tokens, cost)
         values ('a', '2026-01-01', 'k', 'openai/gpt-4o', 1, 1, 1, 5)`,
      );
      await settleSelling(db, NO_FILE, now);
      expect(await admin.selling.view()).toMatchObject({ confirmed: true, source: 'carried', look_again: true });
    });
  }),
);

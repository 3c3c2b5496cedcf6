/** A list of models and prices announced for a date: seen before, in force at its moment on every replica, taken back, in the audit log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CatalogAdmin,
  createCatalogAdmin,
  createListAdmin,
  type ListAdmin,
  type ListNews,
  listedModels,
  type SeedSources,
  seedCatalog,
} from '../../src/catalog/index.ts';
import { modelView } from '../../src/catalog/public-view.ts';
import type { Catalog } from '../../src/catalog/store.ts';
import { GatewayError } from '../../src/core/errors.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { type CatalogFixture, catalogFixture } from './catalog-in-database.ts';

const DAY = 86_400_000;
const NO_FILE = { exchangeRate: undefined, margin: undefined };
const sources: SeedSources = {
  env: { OPENAI_API_KEY: 'sk' },
  terms: { exchangeRate: '100000', margin: '0' },
  config: { providers: [], models: [], groups: [] },
  found: [],
  localRates: { perUnit: {}, perRequest: 0n },
  sandbox: true,
};
const CHANGED = 'openai/gpt-4o';
const GONE = 'openai/gpt-4o-mini';
const NEW = 'openai/brand-new';
type Entry = Record<string, Json>;

/** The shipped list with one model at another price, one less and one more. */
function document(input: string): Json {
  const models = listedModels()
    .filter(({ id }) => id !== GONE)
    .map(({ maxOutput, hiddenTokensPerSecond, context, usd, routes, ...model }): Entry => {
      const facts = {
        ...(context !== undefined && { context }),
        ...(maxOutput !== undefined && { max_output: maxOutput }),
        ...(hiddenTokensPerSecond !== undefined && { hidden_tokens_per_second: hiddenTokensPerSecond }),
      };
      const price = model.id === CHANGED ? { ...usd, input } : usd;
      return { ...model, ...facts, usd: price as Json, routes: routes as unknown as Json };
    });
  const added = { id: NEW, usd: { input: '1.25', output: '10' }, routes: [{ vendor: 'openai', model: 'brand-new' }] };
  return { format: 'dargah-price-list/1', models: [...models, added] };
}

describe('an announced list', () => {
  let fixture: CatalogFixture;
  let admin: CatalogAdmin;
  /** Two replicas: what one is asked to do, the other only sees. */
  let lists: ListAdmin[];
  let replicas: Catalog[];
  const news: ListNews[] = [];
  const now = () => fixture.tools.clock.now();
  const passes = (ms: number) => {
    fixture.tools.clock.at += ms;
  };

  beforeAll(async () => {
    fixture = await catalogFixture();
    const dated = { sources, file: NO_FILE };
    await seedCatalog(fixture.tools, dated);
    admin = createCatalogAdmin(fixture.tools, sources, NO_FILE);
    const options = { tools: fixture.tools, dated, fetchAddress: () => Promise.reject(new Error('not fetched')) };
    const onNews = async (one: ListNews) => {
      news.push(one);
    };
    lists = [0, 1].map(() => createListAdmin({ ...options, onNews }));
    replicas = [fixture.openCatalog(), fixture.openCatalog()];
  }, 120_000);
  afterAll(() => fixture.remove());

  const first = () => lists[0] as ListAdmin;
  const inputs = () => replicas.map((one) => one.current().models.get(CHANGED)?.price.perUnit.inputFresh);
  const offers = (id: string) => replicas.map((one) => one.current().models.has(id));
  const reload = () => Promise.all(replicas.map((one) => one.reload()));
  const shown = (id: string): JsonObject | undefined => {
    const model = replicas[1]?.current().models.get(id);
    return model && modelView(model);
  };

  async function announce(input: string, inMs: number): Promise<string> {
    const { id } = await first().propose({ document: document(input) }, 'finance');
    const effectiveAt = new Date(now() + inMs).toISOString();
    const announced = await first().apply(String(id), { insist: false, effectiveAt }, 'finance');
    expect(announced).toMatchObject({ state: 'announced', effective_at: effectiveAt, applied_at: null });
    await reload();
    return String(id);
  }

  it('is seen before its date by whoever looks at models, and nothing is in force yet', async () => {
    const at = new Date(now() + DAY).toISOString();
    await announce('3', DAY);
    expect(inputs()).toEqual([250_000n, 250_000n]);
    expect(shown(CHANGED)?.['price_change']).toMatchObject({ from: at, pricing: { input: 300_000 } });
    expect(shown(GONE)).toMatchObject({ withdrawn_from: at, price_change: null });
    expect(shown(CHANGED)?.['withdrawn_from']).toBeNull();
    expect(offers(NEW)).toEqual([false, false]);
    // Whoever uses what goes hears of it now; new models are told of when they can be called.
    expect(news.splice(0)).toEqual([{ added: [], withdrawn: [GONE], from: new Date(at) }]);
  });

  it('follows a change of the rate that comes in between', async () => {
    passes(1);
    await admin.pricing.change({ exchangeRate: '110000' }, 'finance');
    await reload();
    expect(inputs()).toEqual([275_000n, 275_000n]);
    expect(shown(CHANGED)?.['price_change']).toMatchObject({ pricing: { input: 330_000 } });
  });

  it('comes into force at its moment on every replica, and not a millisecond before', async () => {
    const [list] = await first().list();
    const at = Date.parse(String(list?.['effective_at']));
    passes(at - 1 - now());
    expect(inputs()).toEqual([275_000n, 275_000n]);
    expect(offers(GONE)).toEqual([true, true]);
    passes(1);
    expect(inputs()).toEqual([330_000n, 330_000n]);
    expect(offers(GONE)).toEqual([false, false]);
    // A restart at that moment brings nothing of the past back.
    await seedCatalog(fixture.tools, { sources, file: NO_FILE });
    await reload();
    expect(inputs()).toEqual([330_000n, 330_000n]);
  });

  it('is put into force by one replica, with its new models, and is in the trail', async () => {
    await Promise.all(lists.map((one) => one.follow()));
    await reload();
    expect(offers(NEW)).toEqual([true, true]);
    expect(offers(GONE)).toEqual([false, false]);
    expect(news.splice(0)).toMatchObject([{ added: [NEW], withdrawn: [GONE] }]);
    const [list] = await first().list();
    expect(list).toMatchObject({ state: 'applied', applied_at: new Date(now()).toISOString() });
    const auditLog = await fixture.tools.db.query<{ action: string; actor: string }>(
      `select action, actor from admin_event where action like 'price-list.%' order by action, actor`,
    );
    expect(auditLog).toEqual([
      { action: 'price-list.apply', actor: 'announced-list' },
      { action: 'price-list.apply', actor: 'finance' },
      { action: 'price-list.propose', actor: 'finance' },
    ]);
    await Promise.all(lists.map((one) => one.follow()));
    expect(news).toEqual([]);
    await first().useShipped('finance');
    news.splice(0);
  });

  it('can be taken back with all it announced, until it is in force', async () => {
    const id = await announce('4', DAY);
    expect(shown(CHANGED)?.['price_change']).not.toBeNull();
    expect(await first().withdraw(id, 'finance')).toMatchObject({ state: 'proposed', effective_at: null });
    await reload();
    expect(shown(CHANGED)?.['price_change']).toBeNull();
    expect(shown(GONE)).toMatchObject({ withdrawn_from: null });
    passes(2 * DAY);
    await first().follow();
    await reload();
    expect(inputs()).toEqual([275_000n, 275_000n]);
    await expect(first().withdraw(id, 'finance')).rejects.toThrow(GatewayError);
    await expect(first().withdraw('list_nothing', 'finance')).rejects.toThrow(GatewayError);
  });

  it('is refused for a time that has passed, twice, or with doubts that nobody insisted on', async () => {
    const { id } = await first().propose({ document: document('3') }, 'finance');
    const apply = (effectiveAt: string, insist = false) =>
      first().apply(String(id), { insist, effectiveAt }, 'finance');
    await expect(apply(new Date(now() - 1).toISOString())).rejects.toThrow(GatewayError);
    await expect(apply('tomorrow')).rejects.toThrow(GatewayError);
    const soon = new Date(now() + DAY).toISOString();
    await apply(soon);
    await expect(apply(soon)).rejects.toThrow(GatewayError);
    await first().withdraw(String(id), 'finance');
    const expensive = await first().propose({ document: document('30') }, 'finance');
    const doubted = first().apply(String(expensive['id']), { insist: false, effectiveAt: soon }, 'finance');
    await expect(doubted).rejects.toThrow(GatewayError);
  });

  it('leaves pinned prices and models of the operator’s own alone', async () => {
    await admin.prices.set(CHANGED, { price: { input: 111_000, output: 222_000 } }, 'finance');
    await fixture.tools.db.query(`update model set managed_by = 'operator' where id = $1`, [GONE]);
    const id = await announce('3', DAY);
    expect(shown(CHANGED)?.['price_change']).toBeNull();
    expect(shown(GONE)).toMatchObject({ withdrawn_from: null });
    await first().withdraw(id, 'finance');
  });
});

/** Margins in layers, rates and margins with a date, and prices that follow them on every replica. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CatalogAdmin,
  createCatalogAdmin,
  modelFor,
  type SeedSources,
  seedCatalog,
} from '../../src/catalog/index.ts';
import type { Catalog } from '../../src/catalog/store.ts';
import { GatewayError } from '../../src/core/errors.ts';
import { type CatalogFixture, catalogFixture } from './catalog-in-database.ts';

const NO_FILE = { exchangeRate: undefined, margin: undefined };
const MODEL = 'openai/gpt-4o';
/** Its list price is 2.5 USD a million input tokens. */
const input = (rate: number, margin: number) => BigInt(Math.ceil(2.5 * rate * (1 + margin) - 1e-6));
const OPEN_MS = 120_000;

const sources: SeedSources = {
  env: { OPENAI_API_KEY: 'sk', ANTHROPIC_API_KEY: 'sk' },
  terms: { exchangeRate: '100000', margin: '0.1' },
  config: { providers: [], models: [], groups: [] },
  found: [],
  localRates: { perUnit: {}, perRequest: 0n },
  sandbox: true,
};

describe('pricing for a business', () => {
  let fixture: CatalogFixture;
  let admin: CatalogAdmin;
  /** Two replicas on one database. */
  let replicas: Catalog[];
  const reload = () => Promise.all(replicas.map((one) => one.reload()));
  const inputs = (model = MODEL) => replicas.map((one) => one.current().models.get(model)?.price.perUnit.inputFresh);
  const history = async (model = MODEL) =>
    (await admin.prices.history(model)) as { version: string; margin: string; margin_layer: string }[];

  beforeAll(async () => {
    fixture = await catalogFixture();
    const dated = { sources, file: NO_FILE };
    await seedCatalog(fixture.tools, dated);
    admin = createCatalogAdmin(fixture.tools, sources, NO_FILE);
    replicas = [fixture.openCatalog(), fixture.openCatalog()];
    await reload();
  }, OPEN_MS);
  afterAll(() => fixture.remove());

  it('the most specific margin wins, and every version says by which rate and margin it was made', async () => {
    expect(inputs()).toEqual([input(100_000, 0.1), input(100_000, 0.1)]);
    const layers: { layer: 'global' | 'vendor' | 'model'; subject?: string; margin: string; expected: bigint }[] = [
      { layer: 'global', margin: '0.2', expected: input(100_000, 0.2) },
      { layer: 'vendor', subject: 'openai', margin: '0.3', expected: input(100_000, 0.3) },
      { layer: 'model', subject: MODEL, margin: '0', expected: input(100_000, 0) },
    ];
    for (const { expected, ...margin } of layers) {
      fixture.tools.clock.at += 1;
      await admin.pricing.change({ margins: [margin] }, 'finance');
      await reload();
      expect(inputs(), margin.layer).toEqual([expected, expected]);
      expect((await history())[0]).toMatchObject({
        margin: margin.margin,
        margin_layer: margin.layer,
        exchange_rate: '100000',
        list_usd: { input: '2.5' },
      });
    }
    // The vendor's margin does not reach another vendor, the model's no other model.
    expect((await history('openai/gpt-4o-mini'))[0]).toMatchObject({ margin: '0.3', margin_layer: 'vendor' });
    expect((await history('anthropic/claude-haiku-5-5'))[0]).toMatchObject({ margin: '0.2', margin_layer: 'global' });
    fixture.tools.clock.at += 1;
    await admin.pricing.change({ margins: [{ layer: 'model', subject: MODEL, margin: null }] }, 'finance');
    expect((await history())[0]).toMatchObject({ margin: '0.3', margin_layer: 'vendor' });
    await reload();
  });

  it('a preview lists every price before and after, and writes nothing', async () => {
    const before = await fixture.tools.db.query('select version from price');
    const preview = await admin.pricing.preview({ exchangeRate: '110000' });
    const changes = preview['changes'] as { model: string; old: { input: string }; new: { input: string } }[];
    expect(changes.find(({ model }) => model === MODEL)).toMatchObject({
      old: { input: String(input(100_000, 0.3)) },
      new: { input: String(input(110_000, 0.3)) },
      change_percent: 10,
    });
    expect(changes.length).toBeGreaterThan(20);
    expect(changes.some(({ model }) => model.startsWith('sandbox/'))).toBe(false);
    expect(await fixture.tools.db.query('select version from price')).toHaveLength(before.length);
  });

  it('an announced change comes into force at its moment on every replica, and not a millisecond before', async () => {
    const at = fixture.tools.clock.now() + 86_400_000;
    const effectiveAt = new Date(at).toISOString();
    await admin.pricing.change({ exchangeRate: '120000', effectiveAt }, 'finance');
    await reload();
    expect(inputs()).toEqual([input(100_000, 0.3), input(100_000, 0.3)]);
    const shown = replicas.map((one) => one.current().models.get(MODEL)?.announced);
    expect(shown.map((one) => [one?.fromMs, one?.price.perUnit.inputFresh])).toEqual([
      [at, input(120_000, 0.3)],
      [at, input(120_000, 0.3)],
    ]);
    // A margin that changes meanwhile also changes what was announced.
    fixture.tools.clock.at += 1;
    await admin.pricing.change({ margins: [{ layer: 'vendor', subject: 'openai', margin: '0.4' }] }, 'finance');
    await reload();
    fixture.tools.clock.at += at - 1 - fixture.tools.clock.now();
    expect(inputs()).toEqual([input(100_000, 0.4), input(100_000, 0.4)]);
    fixture.tools.clock.at += 1;
    expect(inputs()).toEqual([input(120_000, 0.4), input(120_000, 0.4)]);
    // What providers cost us follows the rate; nothing of the past comes back with a restart.
    await admin.follow();
    await seedCatalog(fixture.tools, { sources, file: NO_FILE });
    await reload();
    expect(inputs()).toEqual([input(120_000, 0.4), input(120_000, 0.4)]);
    await admin.refresh('finance');
    await reload();
    expect(replicas[0]?.current().models.get(MODEL)?.routes[0]?.cost?.perUnit.inputFresh).toBe(input(120_000, 0));
  });

  it('an announced change can be taken back with its prices, one in force cannot', async () => {
    const effectiveAt = new Date(fixture.tools.clock.now() + 86_400_000).toISOString();
    await admin.pricing.change({ margins: [{ layer: 'global', margin: '0.9' }], effectiveAt }, 'finance');
    const [announced] = (await admin.pricing.view())['announced'] as { id: string }[];
    await reload();
    expect(replicas[0]?.current().models.get('anthropic/claude-haiku-5-5')?.announced).toBeDefined();
    await admin.pricing.withdraw(announced?.id ?? '', 'finance');
    await reload();
    expect(replicas[0]?.current().models.get('anthropic/claude-haiku-5-5')?.announced).toBeUndefined();
    expect((await admin.pricing.view())['announced']).toEqual([]);
    await expect(admin.pricing.withdraw(announced?.id ?? '', 'finance')).rejects.toThrow(GatewayError);
  });

  it('a price set by hand stands through changes and announcements until it is unpinned', async () => {
    const effectiveAt = new Date(fixture.tools.clock.now() + 3_600_000).toISOString();
    await admin.pricing.change({ exchangeRate: '130000', effectiveAt }, 'finance');
    fixture.tools.clock.at += 1;
    await admin.prices.set(MODEL, { price: { input: 777_000 } }, 'finance');
    fixture.tools.clock.at += 3_600_000;
    await reload();
    expect(inputs()).toEqual([777_000n, 777_000n]);
    const preview = await admin.pricing.preview({ exchangeRate: '140000' });
    expect((preview['pinned'] as { model: string }[]).map(({ model }) => model)).toEqual([MODEL]);
    fixture.tools.clock.at += 1;
    expect(await admin.prices.unpin(MODEL, 'finance')).toMatchObject({
      pinned: false,
      price: { input: String(input(130_000, 0.4)) },
    });
    // An announced price by hand can be taken back before its date.
    const later = new Date(fixture.tools.clock.now() + 1_000).toISOString();
    const { price } = await admin.prices.set(MODEL, { price: { input: 888_000 }, effective_at: later }, 'finance');
    await admin.prices.withdraw(MODEL, String(price['version']), 'finance');
    fixture.tools.clock.at += 2_000;
    await reload();
    expect(inputs()).toEqual([input(130_000, 0.4), input(130_000, 0.4)]);
  });

  it('a price announced by hand that is taken back gives way to what the rate brings after it', async () => {
    const hours = (count: number) => new Date(fixture.tools.clock.now() + count * 3_600_000).toISOString();
    const announced = () => replicas[0]?.current().models.get(MODEL)?.announced?.price.perUnit.inputFresh;
    await admin.pricing.change({ exchangeRate: '150000', effectiveAt: hours(2) }, 'finance');
    fixture.tools.clock.at += 1;
    const byHand = { price: { input: 888_000 }, effective_at: hours(1) };
    const { price } = await admin.prices.set(MODEL, byHand, 'finance');
    const { price: second } = await admin.prices.set(MODEL, { ...byHand, price: { input: 999_000 } }, 'finance');
    fixture.tools.clock.at += 1;
    await admin.prices.withdraw(MODEL, String(second['version']), 'finance');
    await reload();
    expect(announced(), 'the other one by hand still stands').toBe(888_000n);
    await admin.prices.withdraw(MODEL, String(price['version']), 'finance');
    await reload();
    expect(announced()).toBe(input(150_000, 0.4));
    const [term] = (await admin.pricing.view())['announced'] as { id: string }[];
    await admin.pricing.withdraw(term?.id ?? '', 'finance');
    await reload();
    expect(announced()).toBeUndefined();
  });

  it('an account with its own margin pays the list price by the same rate; a price in toman is everybody’s', () => {
    const model = replicas[0]?.current().models.get(MODEL);
    const sandbox = replicas[0]?.current().models.get('sandbox/echo');
    if (!model || !sandbox) throw new Error('no model');
    const own = modelFor(model, '0.05');
    expect(own.price.perUnit.inputFresh).toBe(input(130_000, 0.05));
    expect(own.price.version).toBe(`${model.price.version}+0.05`);
    expect(modelFor(model, '0.05')).toBe(own);
    expect(modelFor(model, null)).toBe(model);
    expect(modelFor(sandbox, '0.05')).toBe(sandbox);
  });

  it('what cannot be meant is refused: digits too many, unknown subjects, a past date, nothing at all', async () => {
    const wrong = [
      { exchangeRate: '13000000000' },
      { exchangeRate: '1e5' },
      // Every price would be beyond what any model costs.
      { exchangeRate: '999999999' },
      { margins: [{ layer: 'global' as const, margin: '11' }] },
      { margins: [{ layer: 'global' as const, margin: null }] },
      { margins: [{ layer: 'vendor' as const, subject: 'nobody', margin: '0.1' }] },
      { margins: [{ layer: 'model' as const, subject: 'sandbox/echo', margin: '0.1' }] },
      { exchangeRate: '100000', effectiveAt: '2020-01-01T00:00:00Z' },
      {},
    ];
    const before = await fixture.tools.db.query('select id from pricing_term');
    for (const change of wrong)
      await expect(admin.pricing.change(change, 'finance'), JSON.stringify(change)).rejects.toThrow(GatewayError);
    expect(await fixture.tools.db.query('select id from pricing_term')).toHaveLength(before.length);
    const fixed = createCatalogAdmin(fixture.tools, sources, { exchangeRate: '90000', margin: undefined });
    await expect(fixed.pricing.change({ exchangeRate: '100000' }, 'finance')).rejects.toThrow(GatewayError);
  });
});

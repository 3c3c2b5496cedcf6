/** Lists of models and prices from outside: checked, compared, kept within bounds, applied, and taken back. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createCatalogAdmin,
  createListAdmin,
  type ListAdmin,
  listedModels,
  type SeedSources,
  seedCatalog,
} from '../../src/catalog/index.ts';
import type { Catalog } from '../../src/catalog/store.ts';
import { systemClock } from '../../src/core/clock.ts';
import { GatewayError } from '../../src/core/errors.ts';
import type { Json } from '../../src/core/json.ts';
import { createSafeFetch } from '../../src/platform/upstream/index.ts';
import { type CatalogFixture, catalogFixture } from './catalog-in-database.ts';

const NO_FILE = { exchangeRate: undefined, margin: undefined };
const OPEN_MS = 120_000;
const sources: SeedSources = {
  env: { OPENAI_API_KEY: 'sk' },
  terms: { exchangeRate: '100000', margin: '0' },
  config: { providers: [], models: [], groups: [] },
  found: [],
  localRates: { perUnit: {}, perRequest: 0n },
  sandbox: true,
};
type Entry = Record<string, Json>;

/** The shipped list in the format of the outside. */
const shipped = (): Entry[] =>
  listedModels().map(({ maxOutput, hiddenTokensPerSecond, context, usd, routes, ...model }) => ({
    ...model,
    ...(context !== undefined && { context }),
    ...(maxOutput !== undefined && { max_output: maxOutput }),
    ...(hiddenTokensPerSecond !== undefined && { hidden_tokens_per_second: hiddenTokensPerSecond }),
    usd: usd as Json,
    routes: routes as unknown as Json,
  }));
const listOf = (models: Entry[]): Json => ({ format: 'dargah-price-list/1', models });
const tiered: Entry = {
  id: 'openai/brand-new',
  name: 'Brand New',
  context: 1_000_000,
  usd: { input: '1.25', output: '10', tiers: [{ above: 200_000, input: '2.5', output: '15' }] },
  routes: [{ vendor: 'openai', model: 'brand-new' }],
};

describe('a list from outside', () => {
  let fixture: CatalogFixture;
  let lists: ListAdmin;
  let catalog: Catalog;
  let server: Server;
  let served: string;
  const news: { added: string[]; withdrawn: string[] }[] = [];
  const offered = async (id: string) => {
    await catalog.reload();
    return catalog.current().models.get(id);
  };
  const refusal = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof GatewayError)) throw new Error(`expected a refusal, got ${String(error)}`);
    return [error.code, error.options.param];
  };

  beforeAll(async () => {
    fixture = await catalogFixture();
    const dated = { sources, file: NO_FILE };
    await seedCatalog(fixture.tools, dated);
    server = createServer((_, response) => void response.end(served));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const allowedHosts = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
    lists = createListAdmin({
      tools: fixture.tools,
      dated,
      fetchAddress: createSafeFetch({ clock: systemClock, allowedHosts }),
      async onNews({ added, withdrawn }) {
        news.push({ added, withdrawn });
      },
    });
    catalog = fixture.openCatalog();
  }, OPEN_MS);
  afterAll(async () => {
    server.close();
    await fixture.remove();
  });

  it('is fetched and shown first, and changes nothing until it is applied', async () => {
    const models = shipped()
      .filter(({ id }) => id !== 'openai/gpt-4o-mini')
      .map((model) =>
        model['id'] === 'openai/gpt-4o' ? { ...model, usd: { ...(model['usd'] as Entry), input: '3' } } : model,
      );
    served = JSON.stringify(listOf([...models, tiered]));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list.json`;
    const shown = await lists.propose({ url }, 'finance');
    expect(shown).toMatchObject({
      state: 'proposed',
      added: ['openai/brand-new'],
      withdrawn: ['openai/gpt-4o-mini'],
      changed: [{ model: 'openai/gpt-4o', percent: 20 }],
      doubts: [],
    });
    expect(await offered('openai/brand-new')).toBeUndefined();
    fixture.tools.clock.at += 1;
    await lists.apply(String(shown['id']), { insist: false }, 'finance');
    expect((await offered('openai/brand-new'))?.price).toMatchObject({
      perUnit: { inputFresh: 125_000n, output: 1_000_000n },
      tiers: [{ above: 200_000, perUnit: { inputFresh: 250_000n, output: 1_500_000n } }],
    });
    expect((await offered('openai/gpt-4o'))?.price.perUnit.inputFresh).toBe(300_000n);
    expect(await offered('openai/gpt-4o-mini')).toBeUndefined();
    expect(news).toEqual([{ added: ['openai/brand-new'], withdrawn: ['openai/gpt-4o-mini'] }]);
  });

  it('stands through restarts and changes of margins, until the shipped list is wanted again', async () => {
    await seedCatalog(fixture.tools, { sources, file: NO_FILE }, true);
    expect(await offered('openai/brand-new')).toBeDefined();
    const admin = createCatalogAdmin(fixture.tools, sources, NO_FILE);
    fixture.tools.clock.at += 1;
    await admin.pricing.change({ margins: [{ layer: 'model', subject: 'openai/brand-new', margin: '1' }] }, 'finance');
    expect((await offered('openai/brand-new'))?.price.tiers?.[0]?.perUnit.inputFresh).toBe(500_000n);
    fixture.tools.clock.at += 1;
    await lists.useShipped('finance');
    expect(await offered('openai/brand-new')).toBeUndefined();
    expect((await offered('openai/gpt-4o'))?.price.perUnit.inputFresh).toBe(250_000n);
    expect(await offered('openai/gpt-4o-mini')).toBeDefined();
    expect((await lists.list())[0]).toMatchObject({ state: 'replaced' });
  });

  it('that empties the catalog or moves a price too far is applied only when somebody insists', async () => {
    const few = await lists.propose({ document: listOf(shipped().slice(0, 3)) }, 'finance');
    expect(few['doubts']).toHaveLength(1);
    expect(await refusal(lists.apply(String(few['id']), { insist: false }, 'finance'))).toEqual([
      'conflict',
      undefined,
    ]);
    const cheap = shipped().map((model) =>
      model['id'] === 'openai/gpt-4o' ? { ...model, usd: { input: '0.0025', output: '0.01' } } : model,
    );
    const gift = await lists.propose({ document: listOf(cheap) }, 'finance');
    expect(await refusal(lists.apply(String(gift['id']), { insist: false }, 'finance'))).toEqual([
      'conflict',
      undefined,
    ]);
    expect((await offered('openai/gpt-4o'))?.price.perUnit.inputFresh).toBe(250_000n);
    fixture.tools.clock.at += 1;
    await lists.apply(String(gift['id']), { insist: true }, 'finance');
    expect((await offered('openai/gpt-4o'))?.price.perUnit.inputFresh).toBe(250n);
    await lists.useShipped('finance');
  });

  it('that gives something away in a corner is applied only when somebody insists', async () => {
    const of = (id: string) => shipped().find((model) => model['id'] === id) as Entry;
    const [expensive, cheap] = [of('openai/gpt-4o'), of('openai/gpt-4o-mini')];
    const usd = expensive['usd'] as Entry;
    const changed = (entry: Entry) => shipped().map((model) => (model['id'] === entry['id'] ? entry : model));
    const gifts: [string, Entry[]][] = [
      [
        'long prompts',
        changed({ ...expensive, usd: { ...usd, tiers: [{ above: 1, input: '0.0001', output: '0.0001' }] } }),
      ],
      ['what is read from a cache', changed({ ...expensive, usd: { ...usd, cache_read: '0' } })],
      ['sound', changed({ ...expensive, usd: { ...usd, audio_output: '0' } })],
      // A rise that is larger than the fall beside it does not hide it.
      ['a fall behind a rise', changed({ ...expensive, usd: { ...usd, input: '4.75', output: '4' } })],
      ['a dear model under the id of a cheap one', changed({ ...cheap, routes: expensive['routes'] as Entry[] })],
      [
        'a dear model under a new id',
        [...shipped(), { ...cheap, id: 'openai/gift', routes: expensive['routes'] as Entry[] }],
      ],
    ];
    for (const [what, models] of gifts) {
      const shown = await lists.propose({ document: listOf(models) }, 'finance');
      expect(shown['doubts'], what).not.toEqual([]);
      expect(await refusal(lists.apply(String(shown['id']), { insist: false }, 'finance')), what).toEqual([
        'conflict',
        undefined,
      ]);
    }
    // What is priced apart for the first time, and a more expensive tier, are no gifts.
    const honest = changed({
      ...expensive,
      usd: { ...usd, audio_input: '1', tiers: [{ above: 200_000, input: '4' }] },
    });
    expect((await lists.propose({ document: listOf(honest) }, 'finance'))['doubts']).toEqual([]);
  });

  it('with a mistake is refused as a whole, with the place of the mistake', async () => {
    const wrong: [Json, string][] = [
      [{ models: [tiered] }, 'format'],
      [{ format: 'other/1', models: [tiered] }, 'format'],
      [listOf([]), 'models'],
      [listOf([tiered, tiered]), 'models.1.id'],
      [listOf([{ ...tiered, id: 'no-vendor' }]), 'models.0.id'],
      [listOf([{ ...tiered, usd: { input: '-1', output: '2' } }]), 'models.0.usd.input'],
      [listOf([{ ...tiered, usd: { input: '1e3', output: '2' } }]), 'models.0.usd.input'],
      [listOf([{ ...tiered, usd: { input: '0', output: '2' } }]), 'models.0.usd'],
      [listOf([{ ...tiered, usd: { input: '999999999', output: '2' } }]), 'models.0.usd.input'],
      [
        listOf([{ ...tiered, usd: { input: '1', output: '2', tiers: [{ input: '2' }] } }]),
        'models.0.usd.tiers.0.above',
      ],
      [listOf([{ ...tiered, routes: [] }]), 'models.0.routes'],
      [listOf([{ ...tiered, routes: [{ vendor: 'nobody', model: 'x' }] }]), 'models.0.routes.0.vendor'],
      [listOf([{ ...tiered, surprise: 1 }]), 'models.0.surprise'],
    ];
    for (const [document, param] of wrong)
      expect(await refusal(lists.propose({ document }, 'finance')), param).toEqual(['invalid_request', param]);
    served = '<html>';
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await refusal(lists.propose({ url }, 'finance'))).toEqual(['invalid_request', 'url']);
    expect(await refusal(lists.propose({ url: 'https://169.254.169.254/x' }, 'finance'))).toEqual([
      'invalid_request',
      'url',
    ]);
  });
});

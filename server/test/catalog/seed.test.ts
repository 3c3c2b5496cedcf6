import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SeedSources, seedCatalog } from '../../src/catalog/index.ts';
import { desiredCatalog } from '../../src/catalog/seed/desired.ts';
import { onBothDatabases } from '../services/both-databases.ts';
import { eventually } from '../services/eventually.ts';
import { type CatalogFixture, catalogFixture } from './catalog-in-database.ts';

const sources = (env: Record<string, string> = {}, more: Partial<SeedSources> = {}): SeedSources => ({
  env,
  terms: { exchangeRate: '100000', margin: '0.1' },
  config: { providers: [], models: [], groups: [] },
  found: [],
  localRates: { perUnit: { inputFresh: 1n, output: 1n }, perRequest: 0n },
  sandbox: true,
  ...more,
});

const NO_FILE = { exchangeRate: undefined, margin: undefined };
const KEYS = { OPENAI_API_KEY: 'sk-planted-secret', ANTHROPIC_API_KEY: 'ant-planted-secret' };

onBothDatabases((name, open) =>
  describe(`seeding, ${name}`, () => {
    let fixture: CatalogFixture;
    const seed = (from: SeedSources) => seedCatalog(fixture.tools, { sources: from, file: NO_FILE });
    const snapshot = async () => {
      const catalog = fixture.openCatalog();
      await catalog.reload();
      return catalog.current();
    };
    const prices = async (model: string) =>
      fixture.tools.db.query<{ per_unit: { input: string }; source: string }>(
        'select per_unit, source from price where model_id = $1 order by effective_at, version',
        [model],
      );

    beforeAll(async () => {
      fixture = await catalogFixture(open);
    });
    afterAll(() => fixture.remove());

    it('brings providers, models, prices and groups, and does nothing the second time', async () => {
      expect((await seed(sources(KEYS))).changed).toBe(true);
      expect(await seed(sources(KEYS))).toEqual({ changed: false, newPrices: 0 });
      const { models, groups, providers } = await snapshot();
      expect(models.size).toBeGreaterThan(40);
      expect([...providers.keys()].sort()).toEqual([
        'anthropic',
        'openai',
        'openai-responses',
        'sandbox',
        'sandbox-messages',
        'sandbox-responses',
      ]);
      expect(providers.get('openai')?.credentials.map((one) => one.secret)).toEqual(['sk-planted-secret']);
      expect(models.get('sandbox/echo')?.routes[0]?.provider.transport).toBe('sandbox');
      expect(groups.get('coding')?.defaultModel).toBe('anthropic/claude-sonnet-5-5');
    });

    it('keeps no secret in clear anywhere in the database', async () => {
      const { db } = fixture.tools;
      for (const table of ['provider', 'provider_credential', 'setting', 'admin_event']) {
        const rows = await db.query<{ text: string }>(`select t::text as text from ${table} t`);
        for (const { text } of rows) expect(text).not.toContain('planted-secret');
      }
    });

    it('a changed secret is noticed although everything else is the same', async () => {
      expect((await seed(sources({ ...KEYS, OPENAI_API_KEY: 'sk-new' }))).changed).toBe(true);
      expect((await snapshot()).providers.get('openai')?.credentials.map((one) => one.secret)).toEqual(['sk-new']);
    });

    it("a variable that is gone hides its models; when it returns, the operator's switch is remembered", async () => {
      await fixture.tools.db.query(`update model set enabled = false where id = 'anthropic/claude-opus-5'`);
      await seed(sources({ OPENAI_API_KEY: 'sk-new' }));
      const without = await snapshot();
      expect([...without.models.keys()].some((id) => id.startsWith('anthropic/'))).toBe(false);
      expect(without.groups.get('coding')?.defaultModel).toBe('openai/gpt-6.1-sol');
      await seed(sources({ ...KEYS, OPENAI_API_KEY: 'sk-new' }));
      const back = await snapshot();
      expect(back.models.has('anthropic/claude-sonnet-5-5')).toBe(true);
      expect(back.models.has('anthropic/claude-opus-5')).toBe(false);
    });

    it('a new exchange rate makes new price versions only where the price changed', async () => {
      const before = await prices('openai/gpt-4o');
      fixture.tools.clock.at += 1000;
      const result = await seed(sources(KEYS, { terms: { exchangeRate: '120000', margin: '0.1' } }));
      expect(result.newPrices).toBeGreaterThan(40);
      expect(await prices('openai/gpt-4o')).toEqual([
        ...before,
        { per_unit: expect.objectContaining({ input: '330000' }), source: 'catalog' },
      ]);
      expect(await prices('sandbox/echo'), 'its price is in toman already').toHaveLength(1);
    });

    it('a price version can neither be changed nor deleted', async () => {
      const { db } = fixture.tools;
      await expect(db.query(`update price set per_request = 5 where model_id = 'openai/gpt-4o'`)).rejects.toThrow(
        /never changed/,
      );
      await expect(db.query(`delete from price where model_id = 'openai/gpt-4o'`)).rejects.toThrow(/never changed/);
    });

    it('what the file no longer declares is gone, its price history is not', async () => {
      const declared = desiredCatalog(sources()).models[0];
      if (!declared) throw new Error('no model');
      const models = [{ ...declared, id: 'mine/one', simulated: false }];
      await seed(sources({}, { config: { providers: [], models, groups: [] } }));
      expect((await snapshot()).models.has('mine/one')).toBe(true);
      await seed(sources({}));
      expect((await snapshot()).models.has('mine/one')).toBe(false);
      expect(await prices('mine/one')).toHaveLength(1);
    });

    it('a running catalog hears of the change by itself', async () => {
      const catalog = fixture.openCatalog();
      await catalog.reload();
      expect(catalog.current().models.has('deepseek/deepseek-flash')).toBe(false);
      await seed(sources({ DEEPSEEK_API_KEY: 'd' }));
      await eventually(() => expect(catalog.current().models.has('deepseek/deepseek-flash')).toBe(true));
    });

    it('an announced price comes into force by the clock alone', async () => {
      const { db, clock } = fixture.tools;
      await db.query(
        `insert into price (version, model_id, per_unit, effective_at, source, created_at)
       values ('price_later', 'sandbox/echo', '{"input":"5","output":"6"}', to_timestamp($1::float8 / 1000), 'operator', now())`,
        [clock.at + 60_000],
      );
      const catalog = fixture.openCatalog();
      await catalog.reload();
      expect(catalog.current().models.get('sandbox/echo')?.price.perUnit.inputFresh).toBe(1000n);
      clock.at += 60_000;
      expect(catalog.current().models.get('sandbox/echo')?.price.perUnit.inputFresh).toBe(5n);
    });

    it('a secret sealed with another master key costs only its own provider', async () => {
      const { db } = fixture.tools;
      await db.query(
        `insert into provider_credential (id, provider_id, sealed, created_at) values ('cred_foreign', 'deepseek', 'v1.00000000.AAAA', now())`,
      );
      const { providers } = await snapshot();
      expect(providers.get('deepseek')?.credentials.map((one) => one.secret)).toEqual(['d']);
      expect(fixture.log.lines.some((line) => line.level === 'error' && line.message.includes('master key'))).toBe(
        true,
      );
    });
  }),
);

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CAPABILITIES, CATEGORIES } from '../../src/catalog/model.ts';
import { judgePrice } from '../../src/catalog/prices/price-bounds.ts';
import { ratesFromUsd } from '../../src/catalog/prices/toman-price.ts';
import { listedModels } from '../../src/catalog/seed/listed-models.ts';
import { tierFor, unitPrice } from '../../src/core/price.ts';
import { findVendor } from '../../src/vendors/index.ts';

const models = listedModels();
const find = (id: string) => models.find((model) => model.id === id);

describe('the listed models', () => {
  it('are many, each with one two-part id', () => {
    expect(models.length).toBeGreaterThanOrEqual(150);
    expect(new Set(models.map((model) => model.id)).size).toBe(models.length);
    for (const { id } of models) expect(id).toMatch(/^[a-z0-9-]+\/[a-z0-9._-]+$/);
  });

  it('name each maker once, whatever hosts call it', () => {
    const makers = [...new Set(models.map(({ id }) => id.split('/')[0] ?? ''))];
    for (const maker of makers) expect(makers.filter((other) => other.startsWith(`${maker}-`))).toEqual([]);
    expect(find('meta/llama-4-scout')?.routes).toContainEqual({
      vendor: 'openrouter',
      model: 'meta-llama/llama-4-scout',
    });
  });

  it('all have a price that passes the sanity bounds: a gap in the data is never free', () => {
    for (const model of models) {
      const rates = ratesFromUsd(model.usd, { exchangeRate: '100000', margin: '0.1' });
      expect(judgePrice(rates, model.kind).errors, model.id).toEqual([]);
      // Nobody asks money for moderation, and Anthropic none for a page it fetches.
      if (model.kind !== 'moderation')
        for (const [bucket, value] of Object.entries(rates.perUnit))
          expect(value > 0n || bucket === 'webFetches', `${model.id} ${bucket}`).toBe(true);
    }
  });

  it('name only vendors, capabilities and categories that exist', () => {
    for (const model of models) {
      for (const route of model.routes)
        expect(findVendor(route.vendor), `${model.id} at ${route.vendor}`).toBeDefined();
      for (const name of model.capabilities) expect(CAPABILITIES).toContain(name);
      for (const name of model.categories) expect(CATEGORIES).toContain(name);
    }
  });

  it('know context and output of every chat model', () => {
    for (const model of models.filter((one) => one.kind === 'chat')) {
      expect(model.context, model.id).toBeGreaterThan(0);
      expect(model.maxOutput, model.id).toBeGreaterThan(0);
      expect(model.maxOutput, model.id).toBeLessThanOrEqual(model.context ?? 0);
      expect(model.capabilities, model.id).toContain('streaming');
    }
  });

  it('fill every category and every kind', () => {
    for (const category of CATEGORIES)
      expect(
        models.some((model) => model.categories.includes(category)),
        category,
      ).toBe(true);
    for (const kind of ['chat', 'embedding', 'speech', 'transcription'])
      expect(
        models.some((model) => model.kind === kind),
        kind,
      ).toBe(true);
  });

  it('put the maker before any other road', () => {
    expect(find('anthropic/claude-sonnet-4-5')?.routes.map((route) => route.vendor)).toEqual([
      'anthropic',
      'openrouter',
    ]);
    expect(find('openai/gpt-5-pro')?.routes[0]?.vendor).toBe('openai-responses');
  });

  it('keep the hour-long cache of Anthropic at twice the input price', () => {
    expect(find('anthropic/claude-sonnet-4-5')?.usd).toMatchObject({
      input: '3',
      cache_write_5m: '3.75',
      cache_write_1h: '6',
    });
    expect(find('anthropic/claude-haiku-5-5')?.usd).toMatchObject({ input: '0.1', cache_write_1h: '0.2' });
  });

  it('keep the whole context of the maker, and the price of each length of prompt', () => {
    const { context, usd } = find('google/gemini-2.5-pro') ?? {};
    expect(context).toBe(1_048_576);
    expect(usd).toMatchObject({
      input: '1.25',
      tiers: [{ above: 200_000, usd: { input: '2.5', output: '15', cache_read: '0.25' } }],
    });
    expect(find('anthropic/claude-haiku-5-5')?.usd.tiers).toEqual([
      {
        above: 100_000,
        usd: { input: '0.5', output: '2.5', cache_read: '0.05', cache_write_5m: '0.625', cache_write_1h: '1.0' },
      },
    ]);
    // The source ends this window at its second price; the maker does not.
    expect(find('openai/gpt-5.4')).toMatchObject({ context: 1_050_000, usd: { tiers: [{ above: 272_000 }] } });
  });

  it('have no road that costs more than the model is sold for, at any length of prompt', () => {
    const terms = { exchangeRate: '100000', margin: '0' };
    for (const { id, usd, context = 0, routes } of models) {
      const sold = { version: 'v', ...ratesFromUsd(usd, terms) };
      for (const route of routes) {
        const cost = { version: 'v', ...ratesFromUsd(route.usd ?? usd, terms) };
        const borders = [...(cost.tiers ?? []), ...(sold.tiers ?? [])].map(({ above }) => above + 1);
        for (const prompt of [1, ...borders].filter((length) => length <= context))
          for (const bucket of ['inputFresh', 'output'] as const)
            expect(
              unitPrice(cost, bucket, tierFor(cost, prompt)) <= unitPrice(sold, bucket, tierFor(sold, prompt)),
              `${id} at ${route.vendor}, ${prompt} tokens`,
            ).toBe(true);
      }
    }
  });

  it('stay compact', () => {
    const size = readFileSync(new URL('../../src/catalog/data/models.gen.json', import.meta.url)).length;
    expect(size).toBeLessThan(300_000);
  });
});

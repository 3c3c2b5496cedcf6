import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CAPABILITIES, CATEGORIES } from '../../src/catalog/model.ts';
import { judgePrice } from '../../src/catalog/prices/price-bounds.ts';
import { ratesFromUsd } from '../../src/catalog/prices/toman-price.ts';
import { listedModels } from '../../src/catalog/seed/listed-models.ts';
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
      for (const value of Object.values(rates.perUnit)) expect(value > 0n, model.id).toBe(true);
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

  it('end the context where the maker begins to charge more than the listed price', () => {
    expect(find('google/gemini-2.5-pro')?.context).toBe(200_000);
  });

  it('stay compact', () => {
    const size = readFileSync(new URL('../../src/catalog/data/models.gen.json', import.meta.url)).length;
    expect(size).toBeLessThan(300_000);
  });
});

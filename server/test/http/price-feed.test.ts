/** The feed of prices: in both languages, with the price before and after, and no address but our own. */
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import type { PriceQuestion } from '../../src/catalog/index.ts';
import { money } from '../../src/core/money.ts';
import { type PriceFeedSources, priceFeeds } from '../../src/http/pages/price-feed.ts';

const NOW = Date.parse('2026-11-15T08:00:00Z');
const priceOf = (version: string, input: bigint) => ({
  version,
  perUnit: { inputFresh: input, output: 200n },
  perRequest: money(0n),
});

async function read(path: string, publicUrl?: string) {
  const app = Fastify();
  const asked: PriceQuestion[] = [];
  priceFeeds(app, {
    clock: { now: () => NOW, monotonicMs: () => 0 },
    brand: () => ({ name: { fa: 'درگاه <ما>', en: 'Gate & Co' } }),
    catalog: () => ({
      models: new Map([
        ['maker/one', { id: 'maker/one', simulated: false }],
        ['sandbox/hello', { id: 'sandbox/hello', simulated: true }],
      ]),
    }),
    priceChanges: async (question: PriceQuestion) => {
      asked.push(question);
      return [
        { modelId: 'maker/one', price: priceOf('v3', 90n), before: priceOf('v2', 100n), fromMs: NOW + 86_400_000 },
        { modelId: 'maker/one', price: priceOf('v1', 100n), before: undefined, fromMs: NOW - 1_000 },
      ];
    },
    publicUrl,
  } as unknown as PriceFeedSources);
  const answer = await app.inject({ url: path, headers: { host: 'evil.example' } });
  await app.close();
  return { answer, asked };
}

describe('the feed of prices', () => {
  it.each(['fa', 'en'] as const)('tells old and new price, and dates no entry after itself (%s)', async (language) => {
    const { answer, asked } = await read(`/${language}/prices.atom`, 'https://gate.example');
    expect(answer.headers['content-type']).toContain('application/atom+xml');
    expect(asked).toMatchObject([{ models: ['maker/one'] }]);
    expect(answer.body).toContain(language === 'en' ? 'Gate &amp; Co' : 'درگاه &lt;ما&gt;');
    expect(answer.body).toContain(language === 'en' ? 'Input 100 → 90' : 'ورودی 100 → 90');
    expect(answer.body).toContain(`<id>https://gate.example/${language}/models/maker/one#v3</id>`);
    expect(answer.body).toContain('2026-11-16T08:00:00.000Z');
    expect(answer.body.match(/<updated>[^<]+/g)).toEqual([
      '<updated>2026-11-15T08:00:00.000Z',
      '<updated>2026-11-15T08:00:00.000Z',
      '<updated>2026-11-15T07:59:59.000Z',
    ]);
    expect(answer.body).not.toContain('evil');
  });

  it('is not there where the public address is not known', async () => {
    expect((await read('/en/prices.atom')).answer.statusCode).not.toBe(200);
  });
});

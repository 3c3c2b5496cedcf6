/** A page is rendered once, whatever its readers write into their requests. */
import { gunzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { type PageSources, pages } from '../../src/http/pages/index.ts';
import { packPieces, splicedGzip } from '../../src/http/pages/spliced-gzip.ts';

const NONE = { fa: null, en: null };
const SITE_TEXTS = { terms: NONE, privacy: NONE, contact: NONE };
const brand = {
  name: { fa: 'درگاه', en: 'Dargah' },
  hue: null,
  logo: null,
  support: { phone: null, email: null, address: null },
};
const model = { id: 'mock/chat', kind: 'chat', vendor: 'mock', capabilities: new Set() };

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

/** Counts how often the reference is rendered and how often prices of a model are. */
function serve(publicUrl?: string) {
  const rendered = { docs: 0 };
  const served = Fastify();
  app = served;
  pages(served, {
    clock: { now: () => 0, monotonicMs: () => 0 },
    site: { manifest: () => Promise.reject(new Error('not built')) },
    brand: () => brand,
    siteTexts: () => SITE_TEXTS,
    catalog: () => ({ models: new Map([[model.id, model]]), groups: new Map() }),
    endpoints: () => {
      rendered.docs++;
      return [];
    },
    uptime: { overview: async () => undefined, ofModel: async () => undefined },
    incidents: async () => [],
    pictures: { servedAt: () => undefined, find: async () => undefined },
    prices: async () => [],
    origin: (asCalled: string) => publicUrl ?? asCalled,
  } as unknown as PageSources);
  const get = (url: string, headers: Record<string, string> = {}) => served.inject({ url, headers });
  return { rendered, get };
}

describe('a text compressed in pieces', () => {
  it.each([
    ['one piece', ['only'], 'x'],
    ['empty pieces', ['', '', ''], 'word'],
    ['letters beyond Latin', ['سلام ', ' دنیا', '!'], 'درگاه'],
    ['long pieces', ['a'.repeat(200_000), 'b'.repeat(70_000)], 'https://a.example'],
  ])('is what it was: %s', async (_what, pieces, word) => {
    const packed = splicedGzip(await packPieces(pieces), word);
    expect(gunzipSync(packed).toString()).toBe(pieces.join(word));
  });
});

describe('a public page', () => {
  it('under 150 fresh Host names is rendered once, and shows each its own', async () => {
    const { get, rendered } = serve();
    const names = Array.from({ length: 150 }, (_, at) => `host-${at}.example`);
    const shown = await Promise.all(names.map((host) => get('/en/docs', { host })));
    expect(rendered.docs).toBe(1);
    for (const [at, { body, headers }] of shown.entries()) {
      expect(body).toContain(`<link rel="canonical" href="http://host-${at}.example/en/docs">`);
      expect(body).not.toContain('.invalid');
      expect(headers['etag']).not.toBe(shown[(at + 1) % 150]?.headers['etag']);
    }
  });

  it('is compressed once, whatever the name', async () => {
    const { get } = serve();
    const of = (host: string) => get('/en/guide', { host, 'accept-encoding': 'gzip' });
    const [first, other, again] = [await of('one.example'), await of('two.example'), await of('one.example')];
    expect(first.rawPayload.equals(again.rawPayload)).toBe(true);
    const text = (payload: Buffer) => gunzipSync(payload).toString();
    expect(text(other.rawPayload)).toContain('http://two.example/api/v1');
    expect(text(other.rawPayload)).toBe(text(first.rawPayload).replaceAll('one.example', 'two.example'));
    expect(other.rawPayload.length).toBeLessThan(text(other.rawPayload).length / 2);
  });

  it('shows the public address where one is configured, whatever the Host says', async () => {
    const { get } = serve('https://ai.example.ir');
    const { body } = await get('/en/docs', { host: 'evil.example' });
    expect(body).toContain('https://ai.example.ir/en/docs');
    expect(body).not.toContain('evil');
  });

  it('repeats no Host that is none, and nothing of a query that it does not know', async () => {
    const { get, rendered } = serve();
    const { body } = await get('/en/docs?evil=1', { host: 'a"><script>.example' });
    expect(body).not.toContain('<script>.example');
    expect(body).not.toContain('evil');
    await get('/en/docs?other=2');
    await get('/en/docs/');
    expect(rendered.docs).toBe(1);
  });
});

/** The guide and the reference over HTTP: the same in both languages, and nothing in a text that runs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import persianGuide from '../../../docs/customers.fa.md';
import { buildWebIfStale } from '../../bin/build-web.mjs';
import { markdown } from '../../src/http/pages/texts/markdown.ts';
import { PERSIAN } from '../../src/http/pages/texts/reference-texts.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  await buildWebIfStale();
  gateway = await startGateway();
}, 180_000);
afterAll(() => gateway?.stop());

const get = (path: string) => fetch(gateway.origin + path);
const text = async (path: string) => (await get(path)).text();

describe('the guide', () => {
  it('has the same parts in both languages, and an anchor for each', async () => {
    const outline = async (language: string) => {
      const page = await text(`/${language}/guide`);
      return [...page.matchAll(/<h([1-4]) id="([^"]+)"/g)].map(([, level, id]) => `${level} ${id}`);
    };
    const persian = await outline('fa');
    expect(persian).toEqual(await outline('en'));
    for (const part of [
      'clients',
      'claude-code',
      'codex',
      'langchain',
      'errors',
      'limits',
      'receipts',
      'wallet',
      'knowledge-bases',
    ])
      expect(
        persian.some((one) => one.endsWith(` ${part}`)),
        part,
      ).toBe(true);
    const blocks = async (language: string) => (await text(`/${language}/guide`)).split('<pre').length;
    expect(await blocks('fa')).toBe(await blocks('en'));
    const page = await text('/fa/guide');
    expect(page).toContain(`${gateway.origin}/api/v1`);
    expect(page).not.toContain('&lt;service&gt;');
    const anchors = new Set(persian.map((one) => one.slice(2)));
    for (const [, anchor = ''] of (await text('/fa')).matchAll(/href="\/fa\/guide#([^"]+)"/g))
      expect(anchors).toContain(anchor);
  });

  it('is written in Persian letters and half-spaces, without Arabic forms', () => {
    const words = persianGuide.replace(/```[\s\S]*?```|`[^`]*`/g, '');
    expect(words).not.toMatch(/[يكة٤٥٦]/);
    expect(words).not.toMatch(/(^|\s)ن?می\s/);
  });

  it('shows HTML in a text as text, and makes no link of what is none', () => {
    const shown = markdown(
      '# <script>x</script>\n\n<img src=x onerror=y> [a](javascript:x) [b](//evil.test) ![c](http://x/y)',
      {
        language: 'en',
        anchor: () => 'top',
      },
    ).text;
    expect(shown).not.toMatch(/<script|<img|javascript:x"|href="\/\/|src="/);
  });
});

describe('the reference', () => {
  it('says in Persian what every field of the model endpoints means, and has no endpoint of the operator', async () => {
    const page = await text('/fa/docs');
    expect(page).toContain('/api/v1/chat/completions');
    expect(page).not.toContain('/api/admin');
    const { paths, components } = (await (await get('/api/openapi.json')).json()) as {
      paths: Record<string, object>;
      components: { schemas: Record<string, object> };
    };
    const described = new Set<string>();
    const seen = new Set<unknown>();
    const walk = (node: unknown) => {
      if (typeof node !== 'object' || node === null || seen.has(node)) return;
      seen.add(node);
      const { description, $ref, 'x-description-fa': own } = node as Record<string, unknown>;
      if (typeof description === 'string' && own === undefined) described.add(description);
      if (typeof $ref === 'string') walk(components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)]);
      for (const [name, inner] of Object.entries(node)) if (name !== 'responses') walk(inner);
    };
    for (const [path, methods] of Object.entries(paths)) if (path.startsWith('/api/v1/')) walk(methods);
    expect(described.size).toBeGreaterThan(10);
    expect([...described].filter((one) => PERSIAN[one] === undefined)).toEqual([]);
  });
});

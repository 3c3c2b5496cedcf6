/** The public pages over HTTP: both languages, nothing of suppliers, nothing that runs, and the same for everybody who asks. @tier services */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWebIfStale } from '../../bin/build-web.mjs';
import { answer, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

/** Names that stand nowhere but in the operator's configuration: a page that shows one has leaked. */
const SUPPLIER = 'veiled-supplier';
const UPSTREAM = 'veiled-upstream-name';
const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

const PATHS = [
  '',
  '/catalog',
  '/compare?m=maker/shown&m=maker/hostile',
  '/models/maker/shown',
  '/status',
  '/guide',
  '/docs',
];

let gateway: TestGateway;

beforeAll(async () => {
  await buildWebIfStale();
  const vendor = await startFakeVendor();
  const base = defaultConfig(vendor) as { providers: object[]; models: object[] };
  const model = (id: string, more: object) => ({
    id,
    routes: [
      { provider: SUPPLIER, model: UPSTREAM },
      { provider: 'chat-b', model: 'second-way' },
    ],
    price: { input: 364_500, output: 1_822_500, cache_read: 36_450 },
    context: 200_000,
    capabilities: ['vision', 'tools', 'streaming'],
    ...more,
  });
  gateway = await startGateway({
    vendor,
    config: {
      providers: [
        ...base.providers,
        { id: SUPPLIER, protocol: 'openai-chat', base_url: vendor.baseUrls['openai-chat'], api_key: 'sealed-secret' },
      ],
      models: [
        ...base.models,
        model('maker/shown', { name: 'Shown One', categories: ['popular'] }),
        model('maker/hostile', { name: HOSTILE }),
        model('maker/dear', { price: { input: 9_000_000, output: 9_000_000 }, context: 8_000, capabilities: [] }),
      ],
    },
  });
}, 180_000);
afterAll(async () => {
  await gateway?.stop();
  await gateway?.vendor.close();
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(gateway.origin + path, { headers });
const text = async (path: string, headers: Record<string, string> = {}) => (await get(path, headers)).text();

describe('every public page', () => {
  it('comes in both languages with its own address, and in the reader’s where none is named', async () => {
    for (const path of PATHS) {
      for (const language of ['fa', 'en']) {
        const response = await get(`/${language}${path}`);
        expect(response.status, path).toBe(200);
        const page = await response.text();
        expect(page, path).toContain(`<html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}">`);
        if (path.includes('?')) continue;
        expect(page, path).toContain(`<link rel="canonical" href="${gateway.origin}/${language}${path}">`);
        for (const other of ['fa', 'en'])
          expect(page, path).toContain(`hreflang="${other}" href="${gateway.origin}/${other}${path}"`);
      }
    }
    expect(await text('/catalog', { 'accept-language': 'en-US,en' })).toContain('<html lang="en"');
    expect(await text('/catalog', { 'accept-language': 'de' })).toContain('<html lang="fa"');
    expect(await text('/catalog', { cookie: 'dargah_lang=en', 'accept-language': 'fa' })).toContain('<html lang="en"');
    expect(await text('/fa/catalog', { cookie: 'dargah_lang=en; dargah_theme=dark' })).toContain(
      '<html lang="fa" dir="rtl" data-theme="dark">',
    );
  });

  it('has a strict policy, no inline code, nothing from another host, and landmarks with unique ids', async () => {
    for (const path of PATHS) {
      const response = await get(`/fa${path}`);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      const page = await response.text();
      expect(page, path).not.toMatch(/<script(?![^>]*\ssrc="\/assets\/)/);
      expect(page, path).not.toMatch(/\sstyle="|<style|\son[a-z]+="/);
      expect(page, path).not.toMatch(/(?:src|action)="(?:https?:)?\/\//);
      const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size, path).toBe(ids.length);
      for (const landmark of ['<header', '<main id="main"', '<footer', '<h1'])
        expect(page.split(landmark), `${path} ${landmark}`).toHaveLength(2);
    }
  });

  it('tells nothing of suppliers, also after one has failed and another has answered', async () => {
    gateway.vendor.next(faults.failWith(500));
    gateway.vendor.next(answer('from the second'));
    const response = await gateway.chat({ model: 'maker/shown', messages: [{ role: 'user', content: 'hi' }] });
    await response.text();
    for (const path of [...PATHS, '/catalog?q=veiled', '/models/maker/hostile'])
      for (const language of ['fa', 'en']) {
        const page = await text(`/${language}${path}`);
        for (const secret of [
          SUPPLIER,
          UPSTREAM,
          'second-way',
          'chat-b',
          'sealed-secret',
          gateway.vendor.baseUrls['openai-chat'],
        ])
          expect(page.replaceAll('q=veiled', ''), `${path} ${secret}`).not.toContain(secret);
      }
  });

  it('shows names and questions as text, whatever stands in them', async () => {
    const question = encodeURIComponent(HOSTILE);
    for (const path of [
      '/catalog',
      '/models/maker/hostile',
      '/compare?m=maker/hostile',
      `/catalog?q=${question}&vendor=${question}&kind=${question}&sort=${question}&in=${question}`,
      `/compare?m=${question}`,
      `/models/maker/shown?n=${question}&in=${question}`,
    ]) {
      const page = await text(`/en${path}`);
      expect(page, path).not.toContain('<img src=x');
      expect(page, path).not.toContain('<script>alert');
    }
    expect(await text(`/en/catalog?q=${question}`)).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  it('is sent once to who has it, and compressed to who can read it', async () => {
    const first = await get('/fa/catalog', { 'accept-encoding': 'gzip' });
    expect(first.headers.get('content-encoding')).toBe('gzip');
    expect(await first.text()).toContain('maker/shown');
    const tag = first.headers.get('etag') ?? '';
    expect((await get('/fa/catalog', { 'if-none-match': tag })).status).toBe(304);
    expect((await get('/en/catalog', { 'if-none-match': tag })).status).toBe(200);
  });

  it('offers the console to who is signed in, and never shows what their cookie holds', async () => {
    const page = await text('/en', { cookie: 'dargah=a-session-secret' });
    expect(page).toContain('Open the console');
    expect(page).not.toContain('a-session-secret');
    expect(await text('/en')).toContain('Create account');
  });
});

describe('the catalog', () => {
  const listed = async (query: string) => {
    // Rows that only the search leaves out are there, hidden, for whoever changes the words with a script.
    const page = (await text(`/en/catalog?${query}`)).replace(/<tr hidden .*?<\/tr>/gs, '');
    return [...page.matchAll(/name="m" value="([^"]+)"/g)].map(([, id]) => id);
  };

  it('is searched, filtered and ordered by its address alone', async () => {
    expect(await listed('q=shown')).toEqual(['maker/shown']);
    expect(await listed('q=mock/embed&kind=embedding')).toEqual(['mock/embed']);
    expect(await listed('vendor=maker&sort=cheap')).toEqual(['maker/hostile', 'maker/shown', 'maker/dear']);
    expect(await listed('vendor=maker&sort=dear')).toEqual(['maker/dear', 'maker/hostile', 'maker/shown']);
    expect(await listed('vendor=maker&capability=vision')).not.toContain('maker/dear');
    expect(await listed('vendor=maker&context=128000')).not.toContain('maker/dear');
    expect(await listed('vendor=maker&price=1000000')).toEqual(['maker/shown', 'maker/hostile']);
    expect(await listed('category=popular')).toEqual(expect.arrayContaining(['maker/shown', 'mock/chat']));
    expect(await text('/fa/catalog?q=nothing-like-this')).toContain('مدلی با این ویژگی‌ها نیست');
  });

  it('says what a thousand messages cost, to the last toman, for the size that is asked', async () => {
    // (800 × 364,500 + 300 × 1,822,500) / 1,000
    expect(await text('/en/catalog?q=shown')).toContain('>838,350</bdi>');
    expect(await text('/fa/catalog?q=shown')).toContain('>۸۳۸٬۳۵۰</bdi>');
    expect(await text('/en/catalog?q=shown&in=1000&out=۲۰۰۰')).toContain('>4,009,500</bdi>');
  });

  it('compares up to four side by side', async () => {
    const ids = ['maker/shown', 'maker/dear', 'mock/chat', 'mock/two', 'mock/claude'];
    const page = await text(`/en/compare?${ids.map((id) => `m=${id}`).join('&')}`);
    expect(page).toContain('Only the first four are shown');
    expect(page).toContain('/en/models/mock/two');
    expect(page).not.toContain('/en/models/mock/claude');
    expect(await text('/fa/compare')).toContain('هنوز مدلی انتخاب نکرده‌اید');
  });
});

describe('the page of a model', () => {
  it('has its price, samples without a key, and is not there for a model that is not', async () => {
    const page = await text('/en/models/maker/shown');
    expect(page).toContain('1,822,500');
    expect(page).toContain('$DARGAH_KEY');
    expect(page).not.toMatch(/dg-[A-Za-z0-9]{8}/);
    for (const client of ['curl', 'Python', 'Node.js', 'Anthropic', 'LangChain', 'Claude Code'])
      expect(page).toContain(`data-tab="${client}"`);
    for (const path of ['/models/maker/none', '/models/%E0%A4%A', '/models/', '/fa/models/../status/x'])
      expect((await get(path)).status, path).toBeGreaterThanOrEqual(400);
  });

  it('that is not there says so to a reader in the look of the site, and to a program as JSON', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    for (const path of ['/en/models/maker/none', '/en/no-such-page', `/en/${encodeURIComponent(HOSTILE)}`]) {
      const response = await get(path, browser);
      expect(response.status, path).toBe(404);
      expect(response.headers.get('content-type')).toContain('text/html');
      const page = await response.text();
      expect(page).toContain('This page was not found');
      expect(page).toContain('name="robots" content="noindex"');
      expect(page).not.toContain('<img src=x');
    }
    expect(await text('/fa/nowhere', browser)).toContain('این صفحه پیدا نشد');
    expect(await text('/v1/chat/completions', { ...browser, 'accept-language': 'en' })).toContain(
      '<span>/api/v1/chat/completions</span>',
    );
    for (const [path, headers] of [
      ['/en/no-such-page', {}],
      ['/api/v1/no-such', browser],
      ['/api', browser],
    ] as const) {
      const response = await get(path, headers);
      expect(response.status, path).toBe(404);
      expect(await response.json(), path).toMatchObject({ error: { code: 'not_found' } });
    }
  });

  it('shows the history of the price and what is announced', async () => {
    const made = await gateway.admin('POST', '/api/admin/models', {
      id: 'maker/changing',
      routes: [{ provider: SUPPLIER, model: UPSTREAM }],
      price: { input: 100_000, output: 400_000 },
    });
    expect(made.status).toBeLessThan(300);
    const price = (body: object) => gateway.admin('POST', '/api/admin/models/maker/changing/prices', body);
    expect((await price({ price: { input: 100_000, output: 500_000 } })).status).toBeLessThan(300);
    const announced = await price({ price: { output: 600_000 }, effective_at: '2099-03-21T00:00:00+03:30' });
    expect(announced.status).toBeLessThan(300);
    await expect.poll(() => text('/en/models/maker/changing'), { timeout: 80_000 }).toContain('(20% more)');
    const page = await text('/en/models/maker/changing');
    expect(page).toContain('500,000');
    expect(page).toContain('400,000');
    expect(page).toContain('(20% more)');
    expect(await text('/fa/models/maker/changing')).toContain('۲۰٪ بیشتر');
    expect(await text('/en/catalog?q=changing')).toContain('600,000');
  });
});

describe('the status page', () => {
  it('shows incidents as the operator writes them, and takes their text as text', async () => {
    const opened = await gateway.admin('POST', '/api/admin/incidents', {
      title: { fa: `کندی ${HOSTILE}`, en: `Slow ${HOSTILE}` },
      text: { fa: `می‌سنجیم ${HOSTILE}`, en: `We look ${HOSTILE}` },
      impact: 'major',
      vendors: ['maker'],
    });
    expect(opened.status).toBeLessThan(300);
    const { id } = (await opened.json()) as { id: string };
    await expect.poll(() => text('/en/status'), { timeout: 80_000 }).toContain('Slow &quot;');
    const page = await text('/fa/status');
    expect(page).toContain('بخشی از سرویس قطع است');
    expect(page).not.toContain('<img src=x');
    await gateway.admin('POST', `/api/admin/incidents/${id}/updates`, {
      state: 'resolved',
      text: { fa: 'درست شد', en: 'It is well' },
    });
    await expect.poll(() => text('/en/status'), { timeout: 80_000 }).toContain('It is well');
    expect(await text('/en/status')).not.toContain('Part of the service is down');
  });
});

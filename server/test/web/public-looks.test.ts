/**
 * Every public page in both languages, both themes, on a phone and on a desk: axe finds nothing, nothing is wider than the screen,
 * and a picture of each is written for people to look at. And what script adds works, while nothing needs it.
 */
import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { buildWebIfStale } from '../../bin/build-web.mjs';
import { systemClock } from '../../src/core/clock.ts';
import { startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { openTemporaryDatabase } from '../services/embedded-database.ts';
import { CHROMIUM, MAY_SKIP, TIMEOUT_MS, takePicture } from './browser.ts';
import { looksOf } from './looks-of.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const DAY_MS = 86_400_000;
const PAGES: Record<string, string> = {
  landing: '',
  catalog: '/catalog',
  'catalog-empty': '/catalog?q=nothing-like-this',
  compare: '/compare?m=anthropic/claude-sonnet-4-5&m=openai/gpt-5&m=google/gemini-2.5-pro',
  model: '/models/anthropic/claude-sonnet-4-5',
  status: '/status',
  guide: '/guide',
  docs: '/docs',
  privacy: '/privacy',
  terms: '/terms',
  contact: '/contact',
  changelog: '/changelog',
  'docs-search': '/docs/search?q=key+429',
  'docs-search-none': '/docs/search?q=qwxzqwxz',
};

let gateway: TestGateway;
let browser: Browser;
let dataDir: string;

/** Ninety days as they might have been: mostly good, one bad hour, one weekend without anybody. */
async function furnish(): Promise<string> {
  const temporary = await openTemporaryDatabase();
  const now = systemClock.now();
  const day = (at: number) => new Date(now - at * DAY_MS).toISOString();
  const row = (model: string, route: string, at: number, answered: number, failed: number) => ({
    model_id: model,
    route,
    hour: day(at),
    answered,
    failed,
    first_token: Array.from({ length: 38 }, (_, step) => (step === 9 ? answered : step === 14 ? failed : 0)),
  });
  const rows = ['anthropic/claude-sonnet-4-5', 'openai/gpt-5', 'google/gemini-2.5-pro'].flatMap((model, offset) =>
    Array.from({ length: 89 }, (_, at) => at).flatMap((at) => {
      if (at === 20 + offset || at === 21 + offset) return [];
      const failed = at === 33 + offset ? 160 : at === 47 - offset ? 25 : at % 11 === 0 ? 3 : 0;
      return [
        row(model, '', at, 1000, failed),
        row(model, 'veiled:one', at, 700, failed * 2),
        row(model, 'chat-b:two', at, 300, 0),
      ];
    }),
  );
  await temporary.db.query(
    `insert into uptime_hour select * from jsonb_to_recordset($1::jsonb)
       as given (model_id text, route text, hour timestamptz, answered bigint, failed bigint, first_token integer[])`,
    [JSON.stringify(rows)],
  );
  const price = (at: number, output: number) => ({
    version: `price-of-${at}`,
    model_id: 'anthropic/claude-sonnet-4-5',
    per_unit: { input: String(output / 5), output: String(output) },
    per_request: 0,
    effective_at: day(at),
    source: 'config',
    created_at: day(at),
  });
  await temporary.db.query(
    `insert into price (version, model_id, per_unit, per_request, effective_at, source, created_at)
     select * from jsonb_to_recordset($1::jsonb) as given
       (version text, model_id text, per_unit jsonb, per_request bigint, effective_at timestamptz, source text, created_at timestamptz)`,
    [
      JSON.stringify([
        price(160, 1_590_000),
        price(120, 1_610_000),
        price(80, 1_580_000),
        price(40, 1_710_000),
        price(-15, 1_911_000),
      ]),
    ],
  );
  await temporary.db.close();
  return temporary.dataDir;
}

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  await buildWebIfStale();
  dataDir = await furnish();
  const vendor = await startFakeVendor();
  const base = defaultConfig(vendor) as { providers: object[]; models: object[] };
  const model = (id: string, name: string, input: number, output: number, more: object = {}) => ({
    id,
    name,
    routes: [
      { provider: 'veiled', model: 'one' },
      { provider: 'chat-b', model: 'two' },
    ],
    price: { input, output, cache_read: input / 10 },
    context: 200_000,
    max_output: 64_000,
    capabilities: ['vision', 'files', 'tools', 'json_schema', 'reasoning', 'streaming'],
    ...more,
  });
  gateway = await startGateway({
    dataDir,
    vendor,
    config: {
      providers: [
        ...base.providers,
        { id: 'veiled', protocol: 'openai-chat', base_url: vendor.baseUrls['openai-chat'], api_key: 'sealed' },
      ],
      models: [
        ...base.models,
        model('anthropic/claude-sonnet-4-5', 'Claude Sonnet 4.5', 364_500, 1_822_500, {
          categories: ['popular', 'coding'],
        }),
        model('openai/gpt-5', 'GPT-5', 151_870, 1_215_000, { categories: ['popular'], context: 400_000 }),
        model('google/gemini-2.5-pro', 'Gemini 2.5 Pro', 151_870, 1_215_000, { context: 1_048_576 }),
        model('deepseek/deepseek-chat', 'DeepSeek Chat', 34_020, 51_030, { capabilities: ['tools', 'streaming'] }),
      ],
    },
  });
  await gateway.admin('POST', '/api/admin/incidents', {
    title: { fa: 'کندی پاسخ مدل‌های آنتروپیک', en: 'Slow answers of Anthropic’s models' },
    text: {
      fa: 'از ساعت ۱۰ پاسخ‌ها دیرتر می‌رسد. درخواست‌ها از مسیر دوم می‌روند و پولی برای تلاش ناموفق کم نمی‌شود.',
      en: 'Answers have been late since 10. Requests go by the second route, and a failed attempt costs nothing.',
    },
    impact: 'minor',
    vendors: ['anthropic'],
  });
  browser = await chromium.connect(inject('sharedChromium'));
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await gateway?.vendor.close();
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
});

async function open(language: string, options: { script?: boolean } = {}) {
  const context = await browser.newContext({
    locale: language === 'fa' ? 'fa-IR' : 'en-GB',
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    javaScriptEnabled: options.script ?? true,
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(gateway.origin)) faults.push(`asked ${request.url()}`);
  });
  return { context, page, faults };
}

/** Runs in the page; a text, since the server's code knows no document. */
const LOOK = `async (options) => {
  const { violations } = options === null ? { violations: [] } : await axe.run(document, options);
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary));
  const wider = document.documentElement.scrollWidth - innerWidth;
  if (wider > 0) found.push('wider than the screen by ' + wider + ' px');
  return found;
}`;

function faultsOf(page: Page, asked: object | null): Promise<string[]> {
  return page.evaluate<string[]>(`(${LOOK})(${JSON.stringify(asked)})`);
}

describe.skipIf(MAY_SKIP)('the public pages', { timeout: 420_000 }, () => {
  for (const language of ['fa', 'en'] as const)
    it(`are sound in ${language}, light and dark, on a phone and on a desk`, async () => {
      const axe = await readFile(AXE, 'utf8');
      const { context, page, faults } = await open(language);
      const wrong: string[] = [];
      for (const [place, [name, path]] of Object.entries(PAGES).entries()) {
        await page.goto(`${gateway.origin}/${language}${path}`);
        await page.evaluate('document.fonts.ready.then(() => undefined)');
        await page.evaluate(axe);
        for (const { width, theme, axe: asked } of looksOf(language, place)) {
          await page.setViewportSize({ width, height: 900 });
          const look = `public-${name}-${language}-${width}-${theme}`;
          await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
          wrong.push(...(await faultsOf(page, asked)).map((fault) => `${look}: ${fault}`));
          const fullPage = name !== 'docs' && name !== 'guide';
          await takePicture(page, look, { fullPage });
        }
        wrong.push(...faults.splice(0).map((fault) => `${name} ${language}: ${fault}`));
        await page.setViewportSize({ width: 1280, height: 900 });
      }
      await context.close();
      expect(wrong).toEqual([]);
    });

  it('stand still while they load', async () => {
    const { context, page } = await open('fa');
    await page.addInitScript(`
      window.shifted = 0;
      window.movers = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          window.shifted += entry.value;
          for (const { node, previousRect, currentRect } of entry.sources ?? [])
            window.movers.push((node?.nodeName ?? '') + '.' + (node?.className ?? '') + ' from ' + Math.round(previousRect.y) + ' to ' + Math.round(currentRect.y));
        }
      }).observe({ type: 'layout-shift', buffered: true });
    `);
    const moved: string[] = [];
    for (const address of ['', '/models/anthropic/claude-sonnet-4-5', '/catalog'])
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${gateway.origin}/fa${address}`, { waitUntil: 'networkidle' });
        const shifted = Number(await page.evaluate('window.shifted'));
        // Rows of a table grow by a few points when the font comes late.
        if (shifted > (address === '' ? 0.02 : 0.05))
          moved.push(`${address} at ${width}: ${shifted}: ${String(await page.evaluate('window.movers.join("; ")'))}`);
      }
    await context.close();
    expect(moved).toEqual([]);
  });

  it('say everything without script, and forms are asked by their address', async () => {
    const { context, page } = await open('fa', { script: false });
    await page.goto(`${gateway.origin}/fa/catalog`);
    await page.fill('input[name=q]', 'sonnet');
    await page.click('[data-filters] button[type=submit]');
    // Until the page is there as a whole.
    await page.waitForURL((url) => url.search.includes('q=sonnet'));
    expect(await page.locator('tbody tr:visible').count()).toBe(1);
    await page.check('tbody tr:visible input[name=m]');
    await page.click('form#compare button');
    await page.waitForURL((url) => url.href.includes('/fa/compare?m=anthropic%2Fclaude-sonnet-4-5'));
    await page.goto(`${gateway.origin}/fa/models/anthropic/claude-sonnet-4-5`);
    expect(await page.locator('.samples section:visible').count()).toBe(6);
    await page.fill('input[name=n]', '۲۰٬۰۰۰');
    await page.click('form[data-work] button');
    await page.waitForURL((url) => url.searchParams.has('n'));
    expect(await page.textContent('[data-work-total]')).toBe('۱۶٬۷۶۷٬۰۰۰');
    await context.close();
  });

  it('show the contents of the guide beside it on a desk, and behind one line on a phone', async () => {
    const { context, page } = await open('en');
    await page.goto(`${gateway.origin}/en/guide`);
    const entry = page.locator('.contents a').first();
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await entry.isVisible()).toBe(true);
    await page.setViewportSize({ width: 360, height: 900 });
    expect(await entry.isVisible()).toBe(false);
    expect((await page.locator('h1').boundingBox())?.y).toBeLessThan(300);
    await page.click('.contents summary');
    expect(await entry.isVisible()).toBe(true);
    await context.close();
  });

  it('narrow while one types, mark no more than four, reckon at once and remember the theme', async () => {
    const { context, page, faults } = await open('en');
    await page.goto(`${gateway.origin}/en/catalog`);
    await page.keyboard.press('/');
    await page.keyboard.type('gpt');
    expect(await page.locator('tbody tr:visible').count()).toBe(1);
    expect(await page.textContent('[data-count]')).toMatch(/^1 of \d+ models$/);
    await page.fill('input[name=q]', 'nothing-like-this');
    expect(await page.isVisible('[data-none]')).toBe(true);
    await page.fill('input[name=q]', '');
    expect(await page.isVisible('[data-none]')).toBe(false);
    expect(await page.textContent('[data-count]')).toMatch(/^\d+ models$/);
    const boxes = page.locator('tbody input[name=m]');
    for (let at = 0; at < 4; at++) await boxes.nth(at).check();
    expect(await boxes.nth(4).isDisabled()).toBe(true);
    await page.click('[data-theme-switch]');
    await page.goto(`${gateway.origin}/en/models/anthropic/claude-sonnet-4-5`);
    expect(await page.getAttribute('html', 'data-theme')).toBe('dark');
    await page.click('[role=tab]:has-text("Claude Code")');
    expect(await page.locator('[role=tabpanel]:visible').textContent()).toContain('ANTHROPIC_BASE_URL');
    await page.fill('input[name=in]', '1,000');
    expect(await page.textContent('[data-work-each]')).toBe('911.25');
    expect(faults).toEqual([]);
    await context.close();
  });
});

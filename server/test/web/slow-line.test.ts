/**
 * The console on 400 kbit/s with 400 ms each way there and back: how many files, how many bytes, and that the frame stands before
 * any script has run. Bytes and counts are asserted; the times depend on the machine and are printed.
 */
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../people/client.ts';
import { MAY_SKIP, openStage, type Stage } from './browser.ts';

const LINE = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const MAX_REQUESTS = 12;
const KB = 1024;

let stage: Stage;
let customer: Browser;

interface Loaded {
  page: Page;
  /** Compressed, as they went over the line, by kind. */
  bytes: Record<string, number>;
  asked: string[];
}

/** Opens a page as somebody who has never been here, and waits for what it shows. */
async function load(path: string, content: string): Promise<Loaded> {
  const { context, page } = await stage.open();
  const url = stage.gateway.origin;
  const session = (customer.cookie ?? '').replace(/^dargah=/, '');
  await context.addCookies([
    { name: 'dargah', value: session, url },
    { name: 'dargah_lang', value: 'fa', url },
  ]);
  const line = await context.newCDPSession(page);
  const { bytes, asked } = await countOn(line, url);
  await line.send('Network.emulateNetworkConditions', LINE);
  await page.addInitScript(`
    new MutationObserver(() => {
      if (window.shownAt === undefined && document.querySelector(${JSON.stringify(content)})) window.shownAt = performance.now();
    }).observe(document, { childList: true, subtree: true, characterData: true });`);
  await page.goto(url + path, { waitUntil: 'commit' });
  await page.waitForSelector(content);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  const times = await page.evaluate<{ frame: number; content: number }>(`({
    frame: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    content: window.shownAt,
  })`);
  console.info(
    `${path}: frame after ${Math.round(times.frame)} ms, content after ${Math.round(times.content)} ms, ${asked.length} requests, ${JSON.stringify(bytes)}`,
  );
  return { page, bytes, asked };
}

async function countOn(line: CDPSession, origin: string): Promise<Pick<Loaded, 'bytes' | 'asked'>> {
  const asked: string[] = [];
  const bytes: Record<string, number> = {};
  const kinds = new Map<string, string>();
  await line.send('Network.enable');
  await line.send('Network.setCacheDisabled', { cacheDisabled: true });
  line.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    asked.push(request.url.replace(origin, ''));
    kinds.set(requestId, type ?? 'Other');
  });
  line.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? 'Other';
    bytes[kind] = (bytes[kind] ?? 0) + encodedDataLength;
  });
  return { bytes, asked };
}

describe.skipIf(MAY_SKIP)('the console on a slow line', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    stage = await openStage();
    customer = new Browser(stage.gateway);
    const entered = await customer.signIn('09121234567', { name: 'مینا رستگار', account_name: 'نوین‌داده' });
    customer.account = entered.body.accounts[0]?.id ?? '';
    await customer.post('/keys', { name: 'first' });
  }, 300_000);
  afterAll(() => stage?.stop());

  it('shows the overview with its data from few files and asks for nothing that came with the page', async () => {
    const { page, bytes, asked } = await load('/console', '.panel .hero .amt');
    expect(asked.length).toBeLessThanOrEqual(MAX_REQUESTS);
    expect(bytes['Script']).toBeLessThanOrEqual(120 * KB);
    // Our face comes after the script, and with the page once the browser has it.
    const isFont = (path: string) => path.endsWith('.woff2');
    const lastScript = asked.findLastIndex((path) => path.endsWith('.js'));
    expect(asked.findIndex(isFont)).toBeGreaterThan(lastScript);
    // The live connection alone: all that is read came along.
    expect(asked.filter((path) => path.startsWith('/api/')).map((path) => path.split('?')[0])).toEqual([
      '/api/console/live',
    ]);
    expect(await page.locator('main .skel').count()).toBe(0);
    const font = asked.find(isFont);
    await expect
      .poll(async () => (await page.context().cookies()).some(({ name }) => name === 'dargah_face'))
      .toBe(true);
    await page.reload();
    expect(await page.getAttribute('link[as=font]', 'href')).toBe(font);
    await page.context().close();
  });

  it('shows the playground with its models', async () => {
    const { page, bytes, asked } = await load('/console/playground', '.talk .pick-btn:enabled');
    expect(asked.length).toBeLessThanOrEqual(MAX_REQUESTS);
    expect(bytes['Script']).toBeLessThanOrEqual(150 * KB);
    await page.context().close();
  });

  it('has its frame in the page itself, and none of it for somebody who is not in', async () => {
    const read = async (headers: Record<string, string>) => {
      const answer = await fetch(`${stage.gateway.origin}/console`, { headers });
      return { text: await answer.text(), kept: answer.headers.get('cache-control') };
    };
    const inside = await read({ cookie: `${customer.cookie}; dargah_lang=fa` });
    expect(inside.text).toMatch(/<div id="root"[^>]*><div class="app"/);
    expect(inside.text).toContain('پایگاه دانش');
    expect(inside.kept).toBe('private, no-store');
    // A name that looks like markup stays a text.
    await customer.patch('/me', { name: '</template><script>alert(1)</script>' });
    const hostile = await read({ cookie: `${customer.cookie}; dargah_lang=fa` });
    expect(hostile.text).toContain('&lt;/template&gt;&lt;script&gt;');
    expect(hostile.text).not.toContain('<script>alert');
    for (const cookie of ['', 'dargah=nobody', 'dargah_lang=fa']) {
      const outside = await read({ cookie });
      expect(outside.text).not.toContain('class="app"');
      expect(outside.text).not.toContain('<template');
      expect(outside.kept).toBe('no-cache');
    }
  });
});

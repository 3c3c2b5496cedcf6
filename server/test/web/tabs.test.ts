/**
 * Many tabs of one browser share one live connection: a browser has six to a host, and the seventh tab would wait for ever. What
 * happens reaches all of them, also when the tab that has the connection is closed or put to sleep.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../people/client.ts';
import { MAY_SKIP, openStage, type Stage, signIn, signInAsOperator, TIMEOUT_MS } from './browser.ts';

const TABS = 8;

let stage: Stage;
let context: BrowserContext;
let tabs: Page[];
let faults: string[];
let colleague: Browser;

/** The tabs that asked for the live connection, in the order in which they did. */
function asksOf(within: BrowserContext, path: string): Page[] {
  const found: Page[] = [];
  within.on('request', (request) => {
    if (new URL(request.url()).pathname === path) found.push(request.frame().page());
  });
  return found;
}

async function openMore(path: string, count: number): Promise<Page[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const tab = await context.newPage();
      await tab.goto(stage.gateway.origin + path);
      await tab.waitForSelector('.page-head');
      return tab;
    }),
  );
}

const makeKey = async (name: string) => (await colleague.post<{ id: string }>('/keys', { name })).body.id;
const allShow = (name: string) => Promise.all(tabs.map((tab) => tab.waitForSelector(`tr:has-text("${name}")`)));
const another = (asks: readonly Page[], before: number) =>
  expect.poll(() => asks.length, { timeout: TIMEOUT_MS }).toBeGreaterThan(before);

describe.skipIf(MAY_SKIP)('eight tabs of one browser', { timeout: 240_000 }, () => {
  let asks: Page[];
  beforeAll(async () => {
    stage = await openStage();
    const opened = await stage.open();
    ({ context, faults } = opened);
    asks = asksOf(context, '/api/console/live');
    await signIn(stage, opened.page, '09121234567', 'مینا');
    colleague = new Browser(stage.gateway);
    colleague.cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    await opened.page.click('a[href="/console/keys"]');
    tabs = [opened.page, ...(await openMore('/console/keys', TABS - 1))];
  }, 300_000);
  afterAll(() => stage?.stop());

  it('follow by one connection, and all of them see what changes', async () => {
    await makeKey('first-key');
    await allShow('first-key');
    expect(asks).toEqual([tabs[0]]);
  });

  it('go on when the tab with the connection is closed, and miss nothing meanwhile', async () => {
    await tabs.shift()?.close();
    await makeKey('second-key');
    await allShow('second-key');
    expect(asks).toHaveLength(2);
    await makeKey('third-key');
    await allShow('third-key');
    expect(asks).toHaveLength(2);
  });

  it('take the connection from a tab that sleeps, which sees everything when it wakes', async () => {
    const sleeper = asks.at(-1);
    if (sleeper === undefined) throw new Error('nobody follows');
    // Held where its next line would run, with the lock in its hands.
    const hand = await context.newCDPSession(sleeper);
    await hand.send('Debugger.enable');
    await hand.send('Debugger.pause');
    const awake = tabs.filter((tab) => tab !== sleeper);
    await awake[0]?.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await another(asks, 2);
    expect(asks.at(-1)).not.toBe(sleeper);
    await makeKey('fourth-key');
    await Promise.all(awake.map((tab) => tab.waitForSelector('tr:has-text("fourth-key")')));
    await hand.send('Debugger.disable');
    await allShow('fourth-key');
    await makeKey('fifth-key');
    await allShow('fifth-key');
    expect(asks).toHaveLength(3);
    expect(faults).toEqual([]);
  });

  it('have a connection each where the browser has no locks', async () => {
    const plain = await stage.open();
    await plain.context.addInitScript(`Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })`);
    await plain.context.addCookies(await context.cookies());
    const own = asksOf(plain.context, '/api/console/live');
    const pair = [plain.page, await plain.context.newPage()];
    await Promise.all(pair.map((tab) => tab.goto(`${stage.gateway.origin}/console/keys`)));
    await another(own, 1);
    await makeKey('sixth-key');
    await Promise.all(pair.map((tab) => tab.waitForSelector('tr:has-text("sixth-key")')));
    await plain.context.close();
  });

  it('of the operator share theirs, too', async () => {
    const desk = await stage.open();
    const own = asksOf(desk.context, '/api/admin/live');
    await signInAsOperator(stage, desk.page);
    const second = await desk.context.newPage();
    const pair = [desk.page, second];
    await Promise.all(pair.map((tab) => tab.goto(`${stage.gateway.origin}/operator/tickets`)));
    await Promise.all(pair.map((tab) => tab.waitForSelector('.page-head')));
    await colleague.post('/tickets', { category: 'general', subject: 'تازه', text: 'سلام' });
    await Promise.all(pair.map((tab) => tab.waitForSelector('tr:has-text("تازه")')));
    // One of the page at which the sign-in ended, one of the two.
    expect(own).toHaveLength(2);
    expect(desk.faults).toEqual([]);
    await desk.context.close();
  });
});

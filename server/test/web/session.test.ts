/**
 * A session that ends while a page is open: the page stays with all that was written there, somebody signs in again over it or in
 * another tab, and it goes on. Another person gets a page of their own, and whoever signs out is gone from every tab.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../people/client.ts';
import { MAY_SKIP, openStage, type Stage, signInAsOperator, TIMEOUT_MS, takePicture } from './browser.ts';

const OVER = 'dialog:has(h2:text-is("نشست شما پایان یافت"))';
const PASSWORD = 'correct horse battery';

let stage: Stage;
let mina: Browser;
let homa: Browser;

async function personOf(to: string, name: string): Promise<Browser> {
  const person = new Browser(stage.gateway);
  await person.signIn(to, { name, account_name: name });
  await person.send('PUT', '/api/console/me/password', { password: PASSWORD });
  return person;
}

/** A session of its own, in a browser of its own. */
async function enter(to: string) {
  const opened = await stage.open();
  await bringSession(opened.context, to);
  return opened;
}

async function bringSession(context: BrowserContext, to: string): Promise<void> {
  const person = new Browser(stage.gateway);
  await person.post('/sign-in/password', { to, password: PASSWORD });
  const [name = '', value = ''] = (person.cookie ?? '').split('=', 2);
  await context.addCookies([{ name, value, url: stage.gateway.origin }]);
}

/** As from another device; the open pages learn it from their live connection. */
const endOtherSessions = (person: Browser) => person.post('/me/sessions/end-others');

async function comeBack(page: Page, to: string): Promise<void> {
  await page.click(`${OVER} button:has-text("ورود با رمز عبور")`);
  await page.fill(`${OVER} input[name=username]`, to);
  await page.fill(`${OVER} input[name=password]`, PASSWORD);
  await page.click(`${OVER} button[type=submit]`);
}

const isGone = (page: Page) => page.waitForSelector(OVER, { state: 'detached' });

describe.skipIf(MAY_SKIP)('a page whose session ended', { timeout: 240_000 }, () => {
  const MINA = '09121234567';
  const HOMA = '09121234599';
  beforeAll(async () => {
    stage = await openStage();
    mina = await personOf(MINA, 'مینا');
    homa = await personOf(HOMA, 'هما');
  }, 300_000);
  afterAll(() => stage?.stop());

  it('keeps a half-written ticket, asks once, and sends it after signing in over it', async () => {
    const { context, page, faults } = await enter(MINA);
    await page.goto(`${stage.gateway.origin}/console/tickets`);
    await page.click('.page-head button');
    await page.fill('dialog textarea', 'نیمه‌کاره نوشته‌ام');
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/console/me')) asked += 1;
    });
    await endOtherSessions(mina);
    await page.waitForSelector(OVER);
    await takePicture(page, 'session-over');
    // Escape, also pressed twice, does not lead past it.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.click(`${OVER} button:has-text("ورود با رمز عبور")`);
    await page.fill(`${OVER} input[name=username]`, MINA);
    await page.fill(`${OVER} input[name=password]`, 'not the password');
    await page.click(`${OVER} button[type=submit]`);
    await page.waitForSelector(`${OVER} .hint.bad`);
    expect(await page.inputValue(`${OVER} input[name=username]`)).toBe(MINA);
    expect(asked).toBeLessThan(5);
    await page.fill(`${OVER} input[name=password]`, PASSWORD);
    await page.click(`${OVER} button[type=submit]`);
    await isGone(page);
    expect(await page.inputValue('dialog textarea')).toBe('نیمه‌کاره نوشته‌ام');
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}');
    await page.click('dialog footer .btn.main');
    await page.waitForSelector('.drawer :text("نیمه‌کاره نوشته‌ام")');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('keeps the conversation of the playground, and goes on when another tab is signed in', async () => {
    const { context, page, faults } = await enter(MINA);
    await page.goto(`${stage.gateway.origin}/console/playground?model=sandbox%2Fhello`);
    await page.fill('.compose textarea', 'سلام');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.talk footer a');
    await page.fill('.compose textarea', 'و پرسش بعدی');
    await endOtherSessions(mina);
    await page.waitForSelector(OVER);
    const other = await context.newPage();
    await other.goto(`${stage.gateway.origin}/console`);
    await other.click('button:has-text("ورود با رمز عبور")');
    await other.fill('input[name=username]', MINA);
    await other.fill('input[name=password]', PASSWORD);
    await other.click('form button[type=submit]');
    await other.waitForSelector('.page-head');
    await isGone(page);
    expect(await page.locator('.msg.you').count()).toBe(1);
    expect(await page.inputValue('.compose textarea')).toBe('و پرسش بعدی');
    await page.click('.compose .btn.main');
    await expect.poll(() => page.locator('.msg.you').count(), { timeout: TIMEOUT_MS }).toBe(2);
    await page.waitForSelector('.msgs .msg:nth-child(4) .copy');
    expect(await page.locator('.msgs .bad').count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('asks again when somebody comes to it, whichever way they were signed in', async () => {
    const { context, page } = await enter(HOMA);
    await page.goto(`${stage.gateway.origin}/console/tickets`);
    await page.click('.page-head button');
    await page.fill('dialog textarea', 'مانده');
    await endOtherSessions(homa);
    await page.waitForSelector(OVER);
    await bringSession(context, HOMA);
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    await isGone(page);
    expect(await page.inputValue('dialog textarea')).toBe('مانده');
    await context.close();
  });

  it('is loaded anew for another person, with nothing of the first', async () => {
    const { context, page } = await enter(MINA);
    await page.goto(`${stage.gateway.origin}/console/tickets`);
    await page.waitForSelector('tr:has-text("نیمه‌کاره"), tr.opens');
    await page.click('.page-head button');
    await page.fill('dialog textarea', 'رازی از مینا');
    await page.evaluate(() => Object.assign(globalThis, { stayed: true }));
    await endOtherSessions(mina);
    await page.waitForSelector(OVER);
    await comeBack(page, HOMA);
    await page.waitForSelector('.account-switch:has-text("هما")');
    expect(await page.evaluate(`'stayed' in globalThis`)).toBe(false);
    await page.waitForSelector('.page-head');
    expect(await page.content()).not.toContain('رازی از مینا');
    expect(await page.locator('tr.opens').count()).toBe(0);
    await context.close();
  });

  it('is left in every tab by whoever signs out in one', async () => {
    const { context, page } = await enter(HOMA);
    await page.goto(`${stage.gateway.origin}/console/keys`);
    await page.waitForSelector('.page-head');
    const other = await context.newPage();
    await other.goto(`${stage.gateway.origin}/console`);
    await other.click('.bar .end button.icon:has(.face)');
    await other.click('[role=menuitem]:has-text("خروج")');
    await other.waitForSelector('input[name=contact]');
    await page.waitForSelector('input[name=contact]');
    expect(await page.locator(OVER).count()).toBe(0);
    await context.close();
  });

  it('keeps what staff was answering', async () => {
    const { id } = (await mina.post<{ id: string }>('/tickets', { category: 'general', subject: 'س', text: 'کی؟' }))
      .body;
    const { context, page, faults } = await stage.open();
    await signInAsOperator(stage, page);
    await page.goto(`${stage.gateway.origin}/operator/tickets/${id}`);
    await page.fill('.drawer textarea', 'همین امروز');
    await context.clearCookies();
    await page.click('.drawer button:text-is("ارسال")');
    await page.fill(`${OVER} input[type=password]`, await stage.gateway.ownPassword());
    await page.click(`${OVER} button[type=submit]`);
    await isGone(page);
    expect(await page.inputValue('.drawer textarea')).toBe('همین امروز');
    await page.click('.drawer button:text-is("ارسال")');
    await page.waitForSelector('.drawer .talk-line:has-text("همین امروز")');
    expect(faults).toEqual([]);
    await context.close();
  });
});

/** The life of a customer in a real browser: from signing up to the first answered call, its receipt, and a paused key. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAY_SKIP, openStage, SHOTS, type Stage, signIn } from './browser.ts';

let stage: Stage;
let page: Page;
let faults: string[];
let key: string;

describe.skipIf(MAY_SKIP)('a customer', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    stage = await openStage();
    ({ page, faults } = await stage.open());
  });
  afterAll(() => stage?.stop());

  const at = (path: string) => page.goto(`${stage.gateway.origin}/console${path}`);
  const call = (body: object) => stage.gateway.chat(body, { key });

  it('signs up with a mobile number and sees the first steps', async () => {
    await signIn(stage, page, '09121234567', 'مینا');
    await page.waitForSelector('.steps');
    await page.screenshot({ path: `${SHOTS}life-1-first-steps.png`, fullPage: true });
  });

  it('makes a key, whose text is shown once, and watches its first call arrive', async () => {
    await at('/keys?new');
    await page.fill('input[name=key-name]', 'prod-web');
    await page.fill('dialog .with-unit input', '۸۰٬۰۰۰');
    await page.click('dialog button[type=submit]');
    key = (await page.textContent('[data-secret]')) ?? '';
    expect(key).toMatch(/^dg-\w{40,}$/);
    await page.waitForSelector('dialog .live');
    const answer = await call({ model: 'sandbox/hello', messages: [{ role: 'user', content: 'سلام' }] });
    expect(answer.status).toBe(200);
    await page.waitForSelector('dialog .good');
    await page.click('dialog footer .btn.main');
    await page.reload();
    await page.waitForSelector('tr.opens');
    expect(await page.content()).not.toContain(key);
  });

  it('reads the receipt of the call from the log', async () => {
    await at('/requests');
    await page.click('tr.opens');
    await page.waitForSelector('.drawer .hero');
    expect(page.url()).toMatch(/\/console\/requests\/req_/);
    expect(await page.textContent('.drawer')).toContain('sandbox/hello');
    await page.screenshot({ path: `${SHOTS}life-2-receipt.png`, fullPage: true });
    await page.keyboard.press('Escape');
    await page.waitForSelector('.drawer', { state: 'detached' });
  });

  it('pauses the key and is refused within a second, then takes it back', async () => {
    await at('/keys');
    await page.click('tr.opens:has-text("prod-web")');
    const body = { model: 'sandbox/hello', messages: [{ role: 'user', content: 'هنوز؟' }] };
    await page.click('button:has-text("توقف موقت")');
    await page.waitForSelector('.toast');
    await expect.poll(async () => (await call(body)).status, { timeout: 2_000 }).toBe(403);
    await page.click('.toast .act');
    await expect.poll(async () => (await call(body)).status, { timeout: 2_000 }).toBe(200);
  });

  it('talks to a model in the playground, and hostile words stay words', async () => {
    await at('/playground');
    const hostile =
      '<img src=x onerror="window.hacked=1"> [a](javascript:window.hacked=1) ![b](https://evil.test/x.png)';
    await page.fill('.compose textarea', hostile);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.talk footer a');
    await page.screenshot({ path: `${SHOTS}life-3-playground.png`, fullPage: true });
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('.msgs img, .msgs a[href^="javascript"]').count()).toBe(0);
  });

  it('finds a page and a request by the palette', async () => {
    await at('');
    await page.waitForSelector('.page-head');
    await page.keyboard.press('Control+k');
    await page.fill('dialog.palette input', 'اعضا');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/members');
  });

  it('writes hostile names into every field it can, and none of them runs', async () => {
    const hostile = '"><img src=x onerror=window.hacked=2><script>window.hacked=3</script>';
    await at('/settings');
    await page.fill('form input[autocomplete=name]', hostile);
    await page.click('form button[type=submit]');
    await page.waitForSelector('.toast');
    await at('/settings/account');
    await page.fill('section form input.input', hostile);
    await page.click('section form button[type=submit]');
    await page.waitForSelector('.toast');
    await at('/keys?new');
    await page.fill('input[name=key-name]', hostile);
    await page.click('dialog button[type=submit]');
    await page.waitForSelector('[data-secret]');
    await page.click('dialog footer .btn.main');
    await at('/knowledge');
    await page.click('.page-head button');
    await page.fill('dialog input', hostile);
    await page.click('dialog button[type=submit]');
    await page.waitForURL('**/console/knowledge/*');
    for (const path of [
      '',
      '/keys',
      '/knowledge',
      '/members',
      '/settings/account',
      '/requests?model=%22%3E%3Cimg%20src=x%20onerror=window.hacked=4%3E',
    ]) {
      await at(path);
      await page.waitForSelector('.page-head');
      expect(await page.evaluate('window.hacked'), path).toBeUndefined();
    }
  });

  it('keeps no secret in the address or in the browser, and asks no other host', async () => {
    const kept = await page.evaluate<string>(
      'JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie + location.href',
    );
    expect(kept).not.toContain(key);
    expect(kept).not.toMatch(/session/i);
    expect(faults).toEqual([]);
  });

  it('signs out and is back at the gate', async () => {
    await at('');
    await page.click('.bar .end button.icon:has(.face)');
    await page.click('[role=menuitem]:has-text("خروج")');
    await page.waitForSelector('input[name=contact]');
    expect(await page.evaluate('localStorage.length')).toBe(0);
  });
});

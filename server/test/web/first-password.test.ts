/** The operator's first minutes in a real browser: the first password is replaced before anything else is seen; then a token. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAY_SKIP, openStage, type Stage, takePicture } from './browser.ts';

const OWN = 'the operator chose this one';

describe.skipIf(MAY_SKIP)('the operator', { timeout: 300_000 }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  }, 300_000);
  afterAll(() => stage?.stop());

  const replaceIn = async (page: Page, current: string, next: string) => {
    await page.fill('input[name=current]', current);
    await page.fill('input[name=password]', next);
    await page.click('form button[type=submit]');
  };

  it('who came in with the first password sees its replacement on every page, and the console after it', async () => {
    const { gateway } = stage;
    const { context, page, faults } = await stage.open();
    await page.goto(`${gateway.origin}/operator`);
    await page.fill('input[type=password]', gateway.firstPassword);
    await page.click('form button[type=submit]');
    await page.waitForSelector('h1:text-is("رمز عبور خودتان را بگذارید")');
    await takePicture(page, 'first-password-fa', { fullPage: true });
    for (const path of ['/operator/accounts', '/operator/staff', '/console/keys']) {
      await page.goto(gateway.origin + path);
      await page.waitForSelector('input[name=current]');
      expect(await page.locator('nav').count()).toBe(0);
    }
    await page.goto(`${gateway.origin}/operator`);
    await replaceIn(page, 'not the one', OWN);
    await page.waitForSelector('.field:has(input[name=current]) .hint.bad');
    await replaceIn(page, gateway.firstPassword, gateway.firstPassword);
    await page.waitForSelector('text=این همان رمز موقت است');
    await replaceIn(page, gateway.firstPassword, OWN);
    await page.waitForSelector('.page-head');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('makes a token, sees it once, and revokes it', async () => {
    const { gateway } = stage;
    const { context, page, faults } = await stage.open();
    await page.goto(`${gateway.origin}/operator/tokens`);
    await page.fill('input[type=password]', OWN);
    await page.click('form button[type=submit]');
    await page.waitForSelector('tr:has-text("environment")');
    const form = page.locator('form[aria-label="ساخت توکن"]');
    await form.locator('input').first().fill('گزارش شبانه');
    await form.locator('label:has-text("مدل‌ها و قیمت‌ها") input').check();
    await takePicture(page, 'tokens-fa', { fullPage: true });
    await form.locator('button[type=submit]').click();
    const text = (await page.locator('dialog .secret span').first().textContent()) ?? '';
    expect(text).toMatch(/^dgo-[0-9A-Za-z]{43}$/);
    await takePicture(page, 'tokens-fresh-fa');
    const headers = { authorization: `Bearer ${text}` };
    const asked = async () => (await fetch(`${gateway.origin}/api/admin/models`, { headers })).status;
    expect(await asked()).toBe(200);
    await page.click('dialog footer button');
    const row = page.locator('tr:has-text("گزارش شبانه")');
    await row.locator('.pill:has-text("فعال")').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await takePicture(page, 'tokens-fa-phone', { fullPage: true });
    await page.setViewportSize({ width: 1280, height: 900 });
    await row.locator('button:has-text("ابطال")').click();
    await page.locator('dialog footer button:has-text("ابطال")').click();
    await row.locator('.pill:has-text("باطل‌شده")').waitFor();
    expect(await asked()).toBe(401);
    expect(faults).toEqual([]);
    await context.close();
  });
});

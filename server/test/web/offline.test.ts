/** Without a network nothing is done, and nothing is kept to be done later: an act that was cancelled never runs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAY_SKIP, openStage, type Stage, signIn } from './browser.ts';

describe.skipIf(MAY_SKIP)('a console without a network', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.stop());

  it('says so, refuses an act at once, and runs none of it when the network is back', async () => {
    const { context, page } = await stage.open();
    await signIn(stage, page, '09121234567', 'مینا');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(new URL(request.url()).pathname);
    });
    await page.goto(`${stage.gateway.origin}/console/keys?new`);
    await page.fill('input[name=key-name]', 'ghost-key');
    await context.setOffline(true);
    await page.waitForSelector('.offline .note');
    await page.click('dialog button[type=submit]');
    await page.waitForSelector('.toast');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog[open]', { state: 'detached' });
    const askedOffline = asked.length;

    await context.setOffline(false);
    await page.waitForSelector('.offline .note', { state: 'detached' });
    // A second act goes through, so whatever waited for the network has had its chance before it.
    await page.goto(`${stage.gateway.origin}/console/keys?new`);
    await page.fill('input[name=key-name]', 'real-key');
    await page.click('dialog button[type=submit]');
    await page.waitForSelector('[data-secret]');
    await page.reload();
    await page.waitForSelector('tr:has-text("real-key")');
    expect(await page.locator('tr:has-text("ghost-key")').count()).toBe(0);
    expect(asked.length).toBe(askedOffline + 1);
    await context.close();
  });
});

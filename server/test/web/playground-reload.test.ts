/** An answer of the playground outlives the page that shows it: a reload goes on where it was, and stopping it stops the provider. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGate, faults } from '../fake-vendor/index.ts';
import { MAY_SKIP, openStage, type Stage, signIn } from './browser.ts';

const TEXT = 'یک پاسخ بلند که در میانهٔ آن صفحه دوباره بار می‌شود و از همان‌جا ادامه پیدا می‌کند.';
const ANSWER = { text: TEXT, pieces: 8 };

let stage: Stage;
let page: Page;
let faultsOfPage: string[];

describe.skipIf(MAY_SKIP)('an answer in the playground', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    stage = await openStage();
    ({ page, faults: faultsOfPage } = await stage.open());
    await signIn(stage, page, '09121234570', 'مینا');
    const { accounts } = (await (await page.request.get(`${stage.gateway.origin}/api/console/me`)).json()) as {
      accounts: { id: string }[];
    };
    const credit = { id: 'playground-reload', kind: 'top-up', amount: 1_000 };
    await stage.gateway.admin('POST', `/api/admin/accounts/${accounts[0]?.id}/transfers`, credit);
  }, 300_000);
  afterAll(() => stage?.stop());
  beforeEach(() => stage.gateway.vendor.reset());

  /** Asks, and leaves the provider in the middle of its answer; what the page shows by then. */
  const asked = async (gate = createGate()) => {
    stage.gateway.vendor.next(faults.stallAfter(5, gate, ANSWER));
    await page.goto(`${stage.gateway.origin}/console/playground?model=mock%2Fchat`);
    await page.fill('.compose textarea', 'پرسش');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.msgs :text("یک پاسخ بلند")');
    return gate;
  };
  const said = async () => (await page.locator('.msg:not(.you)').last().textContent()) ?? '';

  it('goes on after a reload in the middle: whole, from one call, kept no longer than it runs', async () => {
    const gate = await asked();
    await page.reload();
    await page.waitForSelector('.msgs :text("یک پاسخ بلند")');
    expect(await said()).not.toContain('ادامه پیدا می‌کند');
    gate.open();
    await page.waitForSelector('.msgs :text("ادامه پیدا می‌کند.")');
    await page.waitForSelector('.talk footer a');
    expect((await said()).split('یک پاسخ بلند')).toHaveLength(2);
    expect(await said()).toContain(TEXT);
    expect(await page.locator('.msg.you').count()).toBe(1);
    expect(stage.gateway.vendor.requests).toHaveLength(1);
    await page.reload();
    await page.waitForSelector('.compose textarea');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('is stopped at its provider by whoever reloaded', async () => {
    const gate = await asked();
    const upstream = await stage.gateway.vendor.received(0);
    await page.reload();
    await page.waitForSelector('.msgs :text("یک پاسخ بلند")');
    await page.click('.talk header button:has-text("توقف")');
    expect(await upstream.ended).toBe('aborted');
    gate.open();
    await page.waitForSelector('.talk footer a');
    expect(faultsOfPage).toEqual([]);
  });
});

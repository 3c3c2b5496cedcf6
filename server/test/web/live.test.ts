/**
 * Open pages keep up with what others do, without a reload and without asking again and again: a transfer that staff confirm, an
 * answer of support, a key that a colleague pauses, and whatever happened while the connection was away.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';
import { MAY_SKIP, openStage, type Stage, signIn, signInAsOperator, TIMEOUT_MS, takePicture } from './browser.ts';

let stage: Stage;
let page: Page;
let desk: Page;
let faults: string[];
/** The same customer, with the same session, at another page. */
let colleague: Browser;

const asStaff = async <T>(method: string, path: string, body?: object) => {
  const answer = await stage.gateway.admin(method, `/api/admin${path}`, body);
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as T;
};

describe.skipIf(MAY_SKIP)('an open page', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    stage = await openStage();
    ({ page, faults } = await stage.open());
    await asStaff('PATCH', '/payment-gateways/bank-transfer', {
      enabled: true,
      options: { instructions: 'شبا IR06 0960' },
    });
    await signIn(stage, page, '09121234567', 'مینا');
    colleague = new Browser(stage.gateway);
    colleague.cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const staff = await stage.open();
    desk = staff.page;
    await signInAsOperator(stage, desk);
  }, 300_000);
  afterAll(() => stage?.stop());

  const at = async (path: string) => {
    await Promise.all([
      page.waitForResponse((response) => response.url().includes('/api/console/live')),
      page.goto(`${stage.gateway.origin}/console${path}`),
    ]);
    await page.evaluate(() => Object.assign(globalThis, { stayed: true }));
  };
  const stayed = () => page.evaluate(() => 'stayed' in globalThis);
  const begin = async (amount: string) =>
    (await colleague.post<{ id: string }>('/wallet/orders', { gateway: 'bank-transfer', amount })).body.id;

  it('of the wallet shows a transfer that staff confirm, with its money', async () => {
    const order = await begin('250000');
    await desk.goto(`${stage.gateway.origin}/operator/payments`);
    await at('/wallet/orders');
    await page.waitForSelector('tr:has-text("۲۵۰٬۰۰۰")');
    await asStaff('POST', `/payments/${order}/confirm`, { reference: '778899' });
    await page.waitForSelector('tr:has-text("۲۵۰٬۰۰۰") .pill.ok');
    await page.waitForSelector('.stat:has-text("۲۵۰٬۰۰۰")');
    await desk.waitForSelector('tr:has-text("۲۵۰٬۰۰۰") .pill.ok');
    expect(await stayed()).toBe(true);
    await takePicture(page, 'live-wallet', { fullPage: true });
  });

  it('of an order takes the receipt of a transfer, and shows why staff reject it', async () => {
    const bank = { id: 'main', name: 'اصلی', iban: 'IR820540102680020817909002', holder: 'شرکت درگاه' };
    await asStaff('PATCH', '/invoice-settings', { bank_accounts: [bank] });
    await page.goto(`${stage.gateway.origin}/console/wallet?amount=120000&way=bank-transfer`);
    await page.click('form button.main:has-text("شبا"):not([disabled])');
    await page.waitForURL('**/console/wallet/orders/ord_*');
    await page.reload();
    await page.waitForSelector(':text("IR82 0540 1026 8002 0817 9090 02")');
    for (const told of ['بانک پارسیان', 'شرکت درگاه', '۱۲۰٬۰۰۰', 'در انتظار واریز'])
      await page.waitForSelector(`main :text("${told}")`);
    await page.fill('input[name=receipt_number]', '۱۴۰۵-۱۱۲۲');
    await page.fill('input[name=receipt_from]', '1234');
    await page.click('form button.main');
    await page.waitForSelector('.hint.bad');
    await page.fill('input[name=receipt_from]', '6037991234567893');
    await page.click('form button.main');
    await page.waitForSelector('main :text("در حال بررسی رسید")');
    await page.waitForSelector('main :text("603799******7893")');
    const order = page.url().split('/').at(-1) ?? '';
    await asStaff('POST', `/payments/${order}/reject`, { reason: 'این واریز در حساب ما نیست' });
    await page.waitForSelector('main :text("این واریز در حساب ما نیست")');
    await page.click('main a:has-text("شارژ دوباره")');
    await page.waitForURL('**/console/wallet?amount=120000*');
    expect(faults).toEqual([]);
  });

  it('of a ticket shows the answer, and staff’s shows what the customer says to it', async () => {
    const opened = { category: 'general', subject: 'پرسش', text: 'چه زمانی؟' };
    const { id } = (await colleague.post<{ id: string }>('/tickets', opened)).body;
    await at(`/tickets/${id}`);
    await page.waitForSelector('.drawer :text("چه زمانی؟")');
    // Half-written words stay where they are while others speak.
    await page.fill('.drawer textarea', 'سپاس');
    await desk.goto(`${stage.gateway.origin}/operator/tickets/${id}`);
    await desk.fill('.drawer textarea', 'همین امروز.');
    await desk.click('.drawer button:text-is("ارسال")');
    await page.waitForSelector('.drawer :text("همین امروز.")');
    expect(await page.inputValue('.drawer textarea')).toBe('سپاس');
    await page.click('.drawer form button[type=submit]');
    await desk.waitForSelector('.drawer .talk-line:has-text("سپاس")');
    expect(await stayed()).toBe(true);
  });

  it('of keys shows one that a colleague makes and pauses', async () => {
    await at('/keys');
    const { id } = (await colleague.post<{ id: string }>('/keys', { name: 'shared-key' })).body;
    await page.waitForSelector('tr:has-text("shared-key")');
    await colleague.post(`/keys/${id}/pause`);
    await page.waitForSelector('tr:has-text("shared-key"):has-text("متوقف")');
    expect(await stayed()).toBe(true);
  });

  it('of the operator counts tickets as they come', async () => {
    await desk.goto(`${stage.gateway.origin}/operator`);
    const count = desk.locator('.stat a[href="/operator/tickets?state=open"]');
    await expect.poll(() => count.textContent(), { timeout: TIMEOUT_MS }).toMatch(/[۰-۹]/);
    const before = await count.textContent();
    await colleague.post('/tickets', { category: 'general', subject: 'یکی دیگر', text: 'سلام' });
    await expect.poll(() => count.textContent(), { timeout: TIMEOUT_MS }).not.toBe(before);
  });

  it('reads everything once more when the connection was away', async () => {
    const order = await begin('470000');
    await at('/wallet/orders');
    await page.waitForSelector('tr:has-text("۴۷۰٬۰۰۰")');
    await page.route('**/api/console/live*', (route) => route.abort());
    stage.gateway.service.app.server.closeAllConnections();
    // Those of this test are cut as well.
    await eventually(() => stage.gateway.admin('GET', '/api/admin/health'));
    await asStaff('POST', `/payments/${order}/confirm`, { reference: '112233' });
    await page.unroute('**/api/console/live*');
    await page.waitForSelector('tr:has-text("۴۷۰٬۰۰۰") .pill.ok');
    expect(await stayed()).toBe(true);
  });

  it('asks nothing while nothing happens, however long an order waits', async () => {
    await begin('330000');
    await page.clock.install();
    await at('/wallet/orders');
    await page.waitForSelector('tr:has-text("۳۳۰٬۰۰۰")');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    // Shorter than the silence after which a connection counts as dead.
    await page.clock.runFor(40_000);
    expect(asked).toEqual([]);
    expect(faults).toEqual([]);
  });
});

/**
 * The life of an operator in a real browser: a price is changed and stands in the catalog, a provider with a wrong key is seen dead
 * and mended, credit is given with a reason and stands in the books, and the books prove.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeStripe } from '../fake-bank/index.ts';
import { answer, faults as failures } from '../fake-vendor/index.ts';
import { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';
import { MAY_SKIP, openStage, type Stage, signInAsOperator, TIMEOUT_MS, takePicture } from './browser.ts';

let stage: Stage;
let page: Page;
let faults: string[];

describe.skipIf(MAY_SKIP)('an operator', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    stage = await openStage();
    const { gateway } = stage;
    ({ page, faults } = await stage.open());
    await gateway.admin('POST', '/api/admin/models', {
      id: 'openai/gpt-5-mini',
      routes: [{ provider: 'chat-a', model: 'up-model' }],
      price: { input: 30_000, output: 240_000 },
      categories: ['popular'],
    });
    await signInAsOperator(stage, page);
  }, 300_000);
  afterAll(() => stage?.stop());

  const at = (path: string) => page.goto(`${stage.gateway.origin}/operator${path}`);
  const call = (model: string) => stage.gateway.chat({ model, messages: [{ role: 'user', content: 'سلام' }] });

  it('changes a price after seeing what changes, and the catalog shows it', async () => {
    await at('/models?q=gpt-5-mini');
    await page.click('tr.opens:has-text("openai/gpt-5-mini")');
    await page.fill('dialog .field:has-text("پاسخ") input', '۲۵۲۷۲۰');
    await page.waitForSelector('dialog .what:has-text("۲۵۲٬۷۲۰")');
    expect(await page.textContent('dialog .what')).toContain('۵٫۳');
    await takePicture(page, 'operator-life-1-price');
    await page.click('dialog button.main');
    await page.waitForSelector('tr:has-text("openai/gpt-5-mini"):has-text("۲۵۲٬۷۲۰")');
    await eventually(async () => {
      const listed = (await (await stage.gateway.fetch('/api/v1/models')).json()) as { data: { id: string }[] };
      expect(JSON.stringify(listed.data.find(({ id }) => id === 'openai/gpt-5-mini'))).toContain('252720');
    });
    await page.goto(`${stage.gateway.origin}/catalog`);
    expect(await page.textContent('body')).toMatch(/۲۵۲[٬,]۷۲۰/);
  });

  it('makes a model, sees what a margin does to every price, announces it, and takes it back', async () => {
    await at('/models');
    await page.click('button:has-text("مدل جدید")');
    await page.fill('dialog input[name=id]', 'acme/chat');
    await page.fill('dialog input[name=upstream]', 'up-model');
    await page.fill('dialog input[name=input]', '۱۰٬۰۰۰');
    await page.fill('dialog input[name=output]', '۲۰٬۰۰۰');
    await page.click('dialog button.main');
    await page.waitForSelector('tr:has-text("acme/chat"):has-text("ثابت")');
    const form = page.locator('form[aria-label="تغییر نرخ یا حاشیهٔ سود"]');
    await form.locator('select').first().selectOption('vendor');
    await form.locator('select[name=subject]').selectOption('openai');
    await form.locator('input[name=value]').fill('۱۵');
    await form.locator('.date-field button.input').click();
    await page.click('.month:popover-open button[aria-label="ماه بعد"]');
    await page.locator('.month:popover-open .month-days button').nth(9).click();
    await takePicture(page, 'operator-life-1-margin', { fullPage: true });
    await form.locator('button[type=submit]').click();
    await page.waitForSelector('dialog:has-text("اعلام‌شده برای")');
    await takePicture(page, 'operator-life-1-margin-preview');
    await page.click('dialog button.main');
    const announced = page.locator('li:has-text("حاشیهٔ سود یک سازنده"):has-text("openai")');
    await announced.waitFor();
    expect(await announced.textContent()).toContain('۱۵٪');
    await announced.locator('button:has-text("لغو")').click();
    await announced.waitFor({ state: 'detached' });
  });

  it('gives the service its name, and customers see it', async () => {
    await at('/settings');
    await page.fill('input[name=name_fa]', 'پل');
    await page.fill('input[name=hue]', '۳۰۰');
    await page.click('section[aria-label="نام و نشان"] .commit button.main');
    await page.waitForSelector('text=مشتریان با باز کردن دوبارهٔ صفحه می‌بینند');
    await page.goto(`${stage.gateway.origin}/fa`);
    expect(await page.textContent('.site-bar .brand')).toBe('پل');
    await takePicture(page, 'operator-life-5-brand');
  });

  it('adds a provider with a wrong key, sees it dead, and mends it', async () => {
    const { gateway } = stage;
    const right = 'sk-right-0123456789abcdef-0002';
    gateway.vendor.choose((request) =>
      JSON.stringify(request.headers).includes('sk-wrong') ? failures.failWith(401, 'invalid api key') : answer('خوب'),
    );
    await at('/providers');
    await page.click('button:has-text("ارائه‌دهندهٔ جدید")');
    await page.fill('dialog .field:nth-of-type(1) input', 'spare');
    await page.fill('dialog input[type=password]', 'sk-wrong-0123456789abcdef-0001');
    await page.fill('dialog input[placeholder="https://"]', gateway.vendor.baseUrls['openai-chat']);
    await page.click('dialog button.main');
    await page.waitForURL('**/providers/spare/offer');
    await gateway.admin('POST', '/api/admin/models', {
      id: 'openai/spare-model',
      routes: [{ provider: 'spare', model: 'up-model' }],
      price: { input: 30_000, output: 240_000 },
    });
    await expect.poll(async () => (await call('openai/spare-model')).status, { timeout: TIMEOUT_MS }).toBe(502);
    await at('/providers');
    await page.waitForSelector('tr:has-text("spare") .pill.is-bad:has-text("کلید پذیرفته نمی‌شود")');
    await page.click('tr.opens:has-text("spare")');
    await page.click('.drawer button:has-text("تست این ارائه‌دهنده")');
    await page.waitForSelector('.drawer .pill.is-bad');
    await takePicture(page, 'operator-life-2-dead');
    // A key is known by its last four characters, and taking the only one away says what stops.
    await page.click('.drawer .row:has-text("…0001") button:has-text("حذف")');
    await page.waitForSelector('dialog:has-text("از همین لحظه پاسخ نمی‌دهند")');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('انصراف');
    await page.click('dialog button:has-text("حذف کلید")');
    await page.waitForSelector('.drawer .row:has-text("…0001")', { state: 'detached' });
    // The list may hear of it before the dialog does, and nothing can be typed behind an open one.
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.fill('.drawer input[type=password]', right);
    await page.fill('.drawer .field:has-text("نام کلید") input', 'حساب دوم');
    await page.click('.drawer button:has-text("افزودن کلید")');
    await page.waitForSelector('.drawer .row:has-text("حساب دوم"):has-text("…0002")');
    await expect.poll(async () => (await call('openai/spare-model')).status, { timeout: TIMEOUT_MS }).toBe(200);
    await at('/providers');
    await page.waitForSelector('tr:has-text("spare") .pill.ok:has-text("سالم")');
    expect(await page.content()).not.toContain(right);
  });

  it('turns a provider off, is told what that does, and takes it back', async () => {
    await at('/providers');
    await page.click('tr:has-text("spare") input.toggle');
    await page.waitForSelector('.toast:has-text("spare"):has-text("خاموش شد")');
    await page.waitForSelector('tr:has-text("spare") .pill.off');
    await page.click('.toast button:has-text("برگرداندن")');
    await page.waitForSelector('tr:has-text("spare") input.toggle:checked');
    // What the configuration file decides is not offered.
    expect(await page.locator('tr:has-text("chat-b") input.toggle').isDisabled()).toBe(true);
  });

  it('is told on the first page of what nobody was looking for', async () => {
    const customer = new Browser(stage.gateway);
    customer.account = (await customer.signIn('09120000042')).body.accounts[0]?.id;
    await customer.post('/tickets', { category: 'technical', subject: 'پاسخ نمی‌آید', text: 'از دیشب.' });
    await at('');
    const told = page.locator('section[aria-label="اعلان‌ها"] article:has-text("تیکت جدید")');
    await told.locator('a:has-text("پاسخ نمی‌آید")').click();
    await page.waitForURL('**/operator/tickets/tkt_*');
  });

  it('gives credit with a reason, which stands in the ledger and in the trail', async () => {
    await at('/accounts');
    await page.click('tr.opens:has-text("Acme")');
    await page.click('.seg button:has-text("سفارش و اعتبار")');
    await page.waitForURL('**/operator/accounts/acme/money');
    await page.fill('input[name=amount]', '۱۲٬۳۴۵');
    await page.fill('input[name=reason]', 'جبران قطعی دیشب');
    await page.fill('input[name=public_note]', 'جبران قطعی دیشب');
    await page.click('form:has(input[name=reason]) button[type=submit]');
    await page.waitForSelector('tr:has-text("جبران قطعی دیشب"):has-text("۱۲٬۳۴۵")');
    await takePicture(page, 'operator-life-3-credit', { fullPage: true });
    // From the account to its lines in the books, and from there to those of everybody.
    await page.click('section[aria-label="گردش حساب"] a:has-text("دفتر کل")');
    await page.waitForURL('**/operator/ledger/transfers?account=acme');
    const line = page.locator('section[aria-label="گردش‌ها"] tr:has-text("جبران قطعی دیشب")');
    await line.locator('a[href="/operator/accounts/acme"]').waitFor();
    expect(await line.textContent()).toMatch(/اصلاح.*۱۲٬۳۴۵/s);
    expect(await line.locator('td').nth(3).textContent()).toContain('از کارکنان');
    const rows = () => page.locator('section[aria-label="گردش‌ها"] tbody tr').count();
    await page.click('.filters button:has-text("جهت")');
    await page.click('.menu-list:popover-open button:has-text("از کیف پول")');
    await line.waitFor({ state: 'detached' });
    await page.click('.filters button:has-text("پاک کردن")');
    await line.waitFor();
    expect(await rows()).toBeGreaterThan(1);
    await page.fill('.filters input[aria-label="مرجع"]', 'nothing');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.empty:has-text("با این فیلترها گردشی پیدا نشد")');
  });

  it('reads in the trail who did it, in words, with the before and after', async () => {
    await stage.gateway.admin('PATCH', '/api/admin/settings', { welcome_credit: 700 });
    await stage.gateway.admin('PATCH', '/api/admin/settings', { welcome_credit: 900 });
    await at('/trail');
    await page.waitForSelector('tr:has-text("تغییر تنظیم"):has-text("هدیهٔ خوش‌آمد"):has-text("۷۰۰"):has-text("۹۰۰")');
    await page.waitForSelector('tr:has-text("اصلاح موجودی"):has-text("جبران قطعی دیشب")');
    // No act stands there by its name in the program.
    const acts = await page.locator('tbody td.c1').allTextContents();
    expect(acts.filter((act) => /^[a-z_-]+\.[a-z_-]+$/.test(act.trim()))).toEqual([]);
  });

  it('changes the prices of several models at once, after seeing each, and reads the catalog anew', async () => {
    for (const name of ['one', 'two'])
      await stage.gateway.admin('POST', '/api/admin/models', {
        id: `bulk/${name}`,
        routes: [{ provider: 'chat-a', model: 'up-model' }],
        price: { input: 1_000, output: 2_000 },
      });
    await at('/models');
    await page.check('tr:has-text("bulk/one") input.check');
    await page.check('tr:has-text("bulk/two") input.check');
    await page.click('.bulk button:has-text("تغییر قیمت")');
    await page.fill('dialog input', '۱۲٫۵');
    await page.waitForSelector('dialog tr:has-text("bulk/two"):has-text("۱٬۱۲۵"):has-text("۲٬۲۵۰")');
    await page.click('dialog button.main');
    await page.waitForSelector('section tr:has-text("bulk/one"):has-text("۱٬۱۲۵")');
    // The list shows the first price while the second is still saved; at the end nothing is chosen any more.
    await page.waitForSelector('.bulk', { state: 'detached' });
    const { data } = (await (await stage.gateway.admin('GET', '/api/admin/models')).json()) as {
      data: { id: string; price: { price: { input: string; output: string } } }[];
    };
    const prices = data.filter(({ id }) => id.startsWith('bulk/')).map(({ price }) => price.price);
    expect(prices.map(({ input, output }) => [input, output])).toEqual([
      ['1125', '2250'],
      ['1125', '2250'],
    ]);
    await page.check('tr:has-text("bulk/one") input.check');
    await page.click('.bulk button:has-text("خاموش کردن")');
    await expect.poll(async () => (await call('bulk/one')).status, { timeout: TIMEOUT_MS }).toBe(404);
    await page.click('button:has-text("خواندن دوبارهٔ فهرست")');
    await page.waitForSelector('text=فهرست دوباره خوانده شد');
  });

  it('refunds a top-up that the gateway refuses to send, and gives the credit back', async () => {
    const { gateway } = stage;
    const stripe = await new FakeStripe().open();
    const secrets = { secret_key: 'sk_test_1', webhook_secret: 'whsec_1' };
    const options = { base_url: stripe.origin };
    await gateway.admin('PATCH', '/api/admin/payment-gateways/stripe', { enabled: true, secrets, options });
    const wanted = { account_id: 'operator', gateway: 'stripe', amount: 200_000 };
    const { id } = (await (await gateway.admin('POST', '/api/admin/payments', wanted)).json()) as { id: string };
    stripe.pay([...stripe.sessions.keys()].at(-1) ?? '');
    await gateway.admin('POST', `/api/admin/payments/${id}/verify`);
    stripe.failNext('/v1/refunds', { kind: 'code', code: 402 });
    await at('/payments');
    const row = `tr:has(button[aria-label$="${id}"])`;
    const choose = async (name: string, text: string) => {
      await page.click(`${row} button[aria-haspopup=menu]`);
      await page.click(`.menu-list:popover-open button:has-text("${name}")`);
      await page.fill('dialog .field input', text);
      await page.click('dialog .btn:not([disabled]):is(.stop, .main)');
      await page.waitForSelector('dialog', { state: 'detached' });
    };
    await choose('بازگرداندن', 'مشتری پولش را می‌خواهد');
    await page.waitForSelector(`${row} .pill.is-bad:has-text("درگاه پول را برنگرداند")`);
    await takePicture(page, 'operator-life-6-refund');
    await choose('اعتبار پس داده شود', 'در استرایپ نبود');
    await page.waitForSelector(`${row} .pill:has-text("به کیف پول رسید")`);
    await stripe.close();
  });

  it('writes what customers read before a bank transfer', async () => {
    await at('/payments/gateways');
    const form = page.locator('form[aria-label="راهنمای واریز"]');
    await form.locator('textarea').fill('شبا: IR06 0960 به نام پل');
    await form.locator('button[type=submit]').click();
    await eventually(async () => {
      const listed = await (await stage.gateway.admin('GET', '/api/admin/payment-gateways')).json();
      expect(JSON.stringify(listed)).toContain('IR06 0960 به نام پل');
    });
  });

  it('writes who sells and with how much tax, after a number that was mistyped', async () => {
    await at('/payments/seller');
    const panel = page.locator('section[aria-label="فروشنده و مالیات"]');
    await panel.locator('.note:has-text("هنوز مشخصات فروشنده نوشته نشده است")').waitFor();
    await panel.locator('input[name=seller_name]').fill('شرکت پل');
    await panel.locator('input[name=national_id]').fill('۱۰۳۸۰۲۸۴۷۹۱');
    await panel.locator('input[name=vat_percent]').fill('۹٫۵');
    await panel.locator('.commit button.main').click();
    await panel.locator('input[name=national_id][aria-invalid=true]').waitFor();
    await panel.locator('input[name=national_id]').fill('۱۰۳۸۰۲۸۴۷۹۰');
    await panel.locator('.commit button.main').click();
    await panel.locator('.commit').waitFor({ state: 'detached' });
    await panel.locator('.note').waitFor({ state: 'detached' });
    await takePicture(page, 'operator-life-7-seller', { fullPage: true });
    expect(await (await stage.gateway.admin('GET', '/api/admin/invoice-settings')).json()).toMatchObject({
      seller: { kind: 'company', name: 'شرکت پل', national_id: '10380284790' },
      vat_percent: '9.5',
      pause_on_chargeback: true,
    });
  });

  it('makes gift codes with a note and a last day, and revokes one after a question', async () => {
    await at('/payments/gifts');
    const form = page.locator('form[aria-label="کدهای هدیه"]');
    await form.locator('input').nth(0).fill('۲');
    await form.locator('input').nth(1).fill('۷٬۰۰۰');
    await form.getByLabel('یادداشت').fill('نوروز');
    await form.locator('.date-field button.input').click();
    await form.locator('button[data-day][aria-current=date]').click();
    await form.locator('button[type=submit]').click();
    const codes = ((await form.locator('pre').textContent()) ?? '').trim().split('\n');
    expect(codes).toHaveLength(2);
    const made = (await (await stage.gateway.admin('GET', '/api/admin/gift-codes')).json()) as {
      data: { note: string; amount: string; expires_at: string }[];
    };
    expect(made.data.slice(0, 2)).toMatchObject([
      { note: 'نوروز', amount: '7000' },
      { note: 'نوروز', amount: '7000' },
    ]);
    // Good until the end of today, where the operator is.
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tehran', timeStyle: 'medium' });
    expect(clock.format(new Date(made.data[0]?.expires_at ?? 0))).toBe('23:59:59');
    const row = page.locator(`section[aria-label="کدهای هدیه"] tr:has-text("…${codes[0]?.slice(-4)}")`);
    await row.locator('.pill.ok:has-text("خرج‌نشده")').waitFor();
    await row.locator('button:has-text("باطل کردن")').click();
    await page.waitForSelector('dialog:has-text("۷٬۰۰۰ تومان")');
    await page.click('dialog button.stop');
    await row.locator('.pill:has-text("باطل شد")').waitFor();
    expect(await row.locator('button').count()).toBe(0);
    await takePicture(page, 'operator-life-8-gifts', { fullPage: true });
  });

  it('reaches the last page by the palette too, and learns the keys', async () => {
    await at('/trail');
    await page.waitForSelector('.page-head');
    await page.keyboard.press('Control+k');
    await page.waitForSelector('dialog.palette');
    await page.keyboard.press('ArrowUp');
    await page.waitForSelector('dialog.palette [aria-selected=true]:has-text("سیستم")');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/operator/system');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog:has-text("کلیدهای میان‌بر"):has-text("دفتر کل")');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
  });

  it('proves the books', async () => {
    await at('/ledger/proofs');
    await page.click('button:has-text("کنترل کامل همین حالا")');
    await page.waitForSelector('table[aria-label="کنترل‌ها"] .pill.ok:has-text("درست")');
    expect(await page.locator('table[aria-label="کنترل‌ها"] .pill.is-bad').count()).toBe(0);
    await page.waitForSelector('table[aria-label="اجراها"] tr:has-text("کامل") .pill.ok:has-text("تراز")');
    await page.waitForSelector('.bar .pill.ok:has-text("دفترها تراز است")');
    const checks = await page.locator('table[aria-label="کنترل‌ها"] tbody tr').allInnerTexts();
    expect(checks).toHaveLength(22);
    expect(checks.filter((text) => /[a-z]/i.test(text))).toEqual([]);
    expect(faults).toEqual([]);
  });
});

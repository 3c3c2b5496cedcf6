/**
 * The guide leads an operator from the first password to the first sold answer, with a vendor, a bank and a carrier of messages that
 * are servers of their own. Every step ticks itself by what was really done; none can be ticked by hand.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { generateSync } from 'otplib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeZarinpal } from '../fake-bank/index.ts';
import { answer } from '../fake-vendor/index.ts';
import { eventually } from '../services/eventually.ts';
import { MAY_SKIP, openStage, type Stage, TIMEOUT_MS, takePicture } from './browser.ts';

const OWN = 'the operator chose this one';
const MODEL = 'openai/gpt-4o';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

let stage: Stage;
let page: Page;
let faults: string[];
const bank = new FakeZarinpal();
/** What the carrier of messages was given, by receiver. */
const carried = new Map<string, string>();
let carrier: Server;

describe.skipIf(MAY_SKIP)('the first-run guide', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    await bank.open();
    carrier = createServer(async (request, response) => {
      const fields = new URLSearchParams(await text(request));
      carried.set(fields.get('receptor') ?? '', fields.get('token') ?? fields.get('message') ?? '');
      response.setHeader('content-type', 'application/json').end('{"return":{"status":200}}');
    }).listen(0, '127.0.0.1');
    await once(carrier, 'listening');
    stage = await openStage({
      config: { providers: [], models: [], groups: [], accounts: [] },
      env: {
        KAVENEGAR_API_KEY: 'key-of-the-carrier',
        KAVENEGAR_TEMPLATE: 'code',
        KAVENEGAR_ORIGIN: `http://127.0.0.1:${(carrier.address() as AddressInfo).port}`,
      },
    });
    ({ page, faults } = await stage.open());
  }, 300_000);
  afterAll(async () => {
    await stage?.stop();
    await bank.close();
    carrier.close();
  });

  const at = (path: string) => page.goto(`${stage.gateway.origin}${path}`);
  const stepIs = async (id: string, state: 'done' | 'open' | 'failed') => {
    await at('/operator/setup');
    await page.waitForSelector(`li[data-step=${id}][data-state=${state}]`);
  };
  /** As the page's own session: the cookie and the origin are the browser's. */
  const call = (method: string, path: string, body?: object) =>
    page.evaluate(
      async ([how, where, what]) => {
        const response = await fetch(where as string, {
          method: how as string,
          ...(what === undefined
            ? {}
            : { body: JSON.stringify(what), headers: { 'content-type': 'application/json' } }),
        });
        return { status: response.status, body: (await response.json()) as Record<string, string> };
      },
      [method, path, body] as const,
    );
  const shot = (name: string) => takePicture(page, `setup-${name}`, { fullPage: true });

  it('stands on the overview from the first sign-in on, with nothing done', async () => {
    await at('/operator');
    await page.fill('input[type=password]', stage.gateway.firstPassword);
    await page.click('form button[type=submit]');
    await page.fill('input[name=current]', stage.gateway.firstPassword);
    await page.fill('input[name=password]', OWN);
    await page.click('form button[type=submit]');
    await page.click('section[aria-label="راه‌اندازی"] a:has-text("باز کردن راهنما")');
    await page.waitForSelector('li[data-step=password][data-state=open]:has-text("ورود دومرحله‌ای هنوز روشن نیست")');
    expect(await page.locator('li[data-state=done]').count()).toBe(0);
    expect(await page.locator('.guide input').count()).toBe(0);
    await shot('begin');
  });

  it('sees the second factor, the name, the seller and the tax', async () => {
    const { body: made } = await call('POST', '/api/console/me/second-factor');
    const code = generateSync({ secret: made['secret'] ?? '' });
    expect((await call('POST', '/api/console/me/second-factor/confirm', { code })).status).toBe(200);
    await stepIs('password', 'done');
    await call('PATCH', '/api/admin/branding', { name_fa: 'پل', support_phone: '021-1234' });
    await call('PUT', '/api/admin/branding/logo', { image: PIXEL });
    await stepIs('identity', 'open');
    expect(await page.textContent('li[data-step=identity] .lacks')).toBe('مشخصات فروشنده ثبت نشده است.');
    const seller = { kind: 'company', name: 'پل', national_id: '10380284790' };
    expect((await call('PATCH', '/api/admin/invoice-settings', { seller })).status).toBe(200);
    await stepIs('identity', 'done');
    await page.click('li[data-step=vat] button:has-text("مالیات نمی‌گیریم")');
    await page.waitForSelector('li[data-step=vat][data-state=done]');
  });

  it('tests the key of a provider itself: a wrong one fails, a right one passes', async () => {
    stage.gateway.vendor.always(answer({ text: 'خوب', usage: { input: 100, output: 20 } }));
    await at('/operator/providers');
    await page.click('button:has-text("ارائه‌دهندهٔ جدید")');
    await page.fill('dialog .field:nth-of-type(1) input', 'house');
    await page.fill('dialog input[type=password]', 'sk-house-0123456789abcdef-0001');
    await page.fill('dialog input[placeholder="https://"]', 'http://127.0.0.1:9/v1');
    await page.click('dialog button.main');
    await page.waitForURL('**/providers/house/offer');
    await stepIs('provider', 'open');
    await page.click('li[data-step=provider] button:has-text("آزمون دوباره")');
    await page.waitForSelector('li[data-step=provider][data-state=failed]');
    const base_url = stage.gateway.vendor.baseUrls['openai-chat'];
    const changed = await stage.gateway.admin('PATCH', '/api/admin/providers/house', { base_url });
    expect(changed.status).toBe(200);
    await page.click('li[data-step=provider] button:has-text("آزمون دوباره")');
    await page.waitForSelector('li[data-step=provider][data-state=done]:has-text("house")');
  });

  it('sees models published and prices confirmed', async () => {
    await at('/operator/providers/house/offer');
    await page.check(`input[aria-label="انتخاب ${MODEL}"]`);
    await page.click('button:has-text("ساختن پیش‌نویس")');
    await page.waitForURL('**/operator/changes/*');
    await page.click('button.main:has-text("انتشار")');
    await page.waitForSelector('.page-head .pill:has-text("منتشرشده")');
    await stepIs('models', 'done');
    await stepIs('pricing', 'open');
    // A price that nobody stands behind is shown to nobody.
    const shop = async () => (await stage.gateway.fetch('/en/catalog')).text();
    expect(await shop()).not.toContain(MODEL);
    expect((await stage.gateway.fetch(`/en/models/${MODEL}`)).status).toBe(404);
    await page.click('li[data-step=pricing] a');
    await page.click('.note button:has-text("تأیید نرخ و حاشیه")');
    await page.click('dialog button.main:has-text("تأیید نرخ و حاشیه")');
    await page.waitForSelector('.note button', { state: 'detached' });
    await stepIs('pricing', 'done');
    expect(await shop()).toContain(MODEL);
  });

  it('pays 1,000 toman through a real gateway, and sends a message through a real carrier', async () => {
    const gateway = { enabled: true, secrets: { merchant_id: 'f'.repeat(36) }, options: { base_url: bank.origin } };
    expect((await stage.gateway.admin('PATCH', '/api/admin/payment-gateways/zarinpal', gateway)).status).toBe(200);
    await stepIs('payment', 'open');
    await page.click('li[data-step=payment] button:has-text("۱٬۰۰۰ تومان")');
    await page.waitForSelector('dialog a.main');
    const [authority = '', session] = [...bank.sessions][0] ?? [];
    expect(session?.amount).toBe(10_000);
    bank.pay(authority);
    await page.goto(`${session?.callback}?Authority=${authority}&Status=OK`);
    await stepIs('payment', 'done');
    await at('/operator/settings');
    await page.fill('input[name=messenger_to]', '09120000001');
    await page.click('button:has-text("ارسال پیام آزمایشی")');
    await page.waitForSelector('text=فرستاده شد');
    expect([...carried.keys()].join()).toContain('9120000001');
    await stepIs('messenger', 'done');
  });

  it('hears of a backup and of a second owner', async () => {
    const place = { location: 's3://backups/dargah.dump' };
    expect((await stage.gateway.admin('POST', '/api/admin/backups', place)).status).toBe(200);
    await stepIs('backup', 'done');
    expect((await stage.gateway.admin('POST', '/api/admin/staff', { to: '09120000002', role: 'owner' })).status).toBe(
      201,
    );
    await stepIs('second_owner', 'open');
    await page.waitForSelector('li[data-step=second_owner]:has-text("ورود دومرحله‌ای هنوز روشن نیست")');
  });

  it('the first answer sold to a customer ends it, and its receipt is one press away', async () => {
    const made = await stage.gateway.admin('POST', '/api/admin/accounts', { id: 'first', name: 'First' });
    expect(made.status).toBe(201);
    const gift = {
      kind: 'gift',
      amount: 50_000,
      number: 'g-1',
      note: 'to try it',
      campaign: 'first',
      public_note: 'خوش آمدید',
    };
    expect((await stage.gateway.admin('POST', '/api/admin/accounts/first/credit', gift)).status).toBeLessThan(300);
    const { key } = (await (
      await stage.gateway.admin('POST', '/api/admin/keys', { account_id: 'first', name: 'k' })
    ).json()) as { key: string };
    await stepIs('first_sale', 'open');
    const asked = await stage.gateway.chat({ model: MODEL, messages: [{ role: 'user', content: 'سلام' }] }, { key });
    expect(asked.status).toBe(200);
    const id = asked.headers.get('x-request-id') ?? '';
    await eventually(async () => {
      const setup = (await (await stage.gateway.admin('GET', '/api/admin/setup')).json()) as {
        steps: { id: string; seen: string | null }[];
      };
      expect(setup.steps.find((step) => step.id === 'first_sale')?.seen).toBe(id);
    });
    await stepIs('first_sale', 'done');
    await shot('sold');
    await page.click('li[data-step=first_sale] a:has-text("رسید")');
    await page.waitForURL(`**/operator/requests/${id}`);
  });

  it('the owner sends it away, and settings bring it back; an unknown address is a page that says so', async () => {
    await at('/operator/setup');
    await page.click('.page-head button:has-text("بستن راهنما")');
    await page.click('dialog button.main');
    await page.waitForSelector('nav a[href="/operator/setup"]', { state: 'detached' });
    await at('/operator');
    await page.waitForSelector('.page-head');
    expect(await page.locator('section[aria-label="راه‌اندازی"]').count()).toBe(0);
    await at('/operator/settings');
    await page.click('button:has-text("نمایش دوبارهٔ راهنمای راه‌اندازی")');
    await page.waitForSelector('nav a[href="/operator/setup"]', { timeout: TIMEOUT_MS });
    await at('/operator/no-such-page');
    await page.waitForSelector('h1:text-is("این صفحه پیدا نشد")');
    expect(faults).toEqual([]);
  });
});

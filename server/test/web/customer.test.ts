/**
 * The life of a customer in a real browser, every step clicked as a person would: signing up, paying at the sandbox bank, a key,
 * calls that arrive live, receipts and invoices, a paused key, a cited answer from own documents, a raised limit.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../fake-vendor/index.ts';
import { eventually } from '../services/eventually.ts';
import {
  MAY_SKIP,
  openStage,
  type Stage,
  signIn,
  signInAsOperator,
  TIMEOUT_MS,
  takePicture,
  textOfDownload,
} from './browser.ts';

let stage: Stage;
let page: Page;
let faults: string[];
let key: string;

describe.skipIf(MAY_SKIP)('a customer', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    stage = await openStage();
    ({ page, faults } = await stage.open());
    // Where models cost real money the sandbox bank is off until the operator wants it.
    await stage.gateway.admin('PATCH', '/api/admin/payment-gateways/sandbox', { enabled: true });
  }, 300_000);
  afterAll(() => stage?.stop());

  const at = (path: string) => page.goto(`${stage.gateway.origin}/console${path}`);
  const call = (body: object) => stage.gateway.chat(body, { key });

  it('signs up with a mobile number and sees the first steps', async () => {
    await signIn(stage, page, '09121234567', 'مینا');
    await page.waitForSelector('.steps');
    await takePicture(page, 'life-1-first-steps', { fullPage: true });
  });

  it('tops up at the sandbox bank and sees the money in the wallet', async () => {
    await page.click('a:has-text("شارژ کیف پول")');
    await page.click('.chip:has-text("۱۰۰٬۰۰۰")');
    await page.click('form button.main:not([disabled])');
    await page.waitForURL('**/sandbox-bank/*');
    await page.click('form[action$="/pay"] button');
    await page.waitForURL('**/pay/orders/*');
    await page.click('a[href^="/console/wallet"]');
    await page.waitForURL('**/console/wallet/orders/ord_*');
    await page.waitForSelector('main :text("به کیف پول رسید")');
    await at('/wallet');
    await page.waitForSelector('.stat:has-text("۱۰۰٬۰۰۰")');
    await takePicture(page, 'life-2-wallet', { fullPage: true });
  });

  it('finds the invoice of the payment, to print and as a file', async () => {
    await at('/wallet/invoices');
    await page.waitForSelector('table a[href^="/invoices/"]');
    const [paper] = await Promise.all([
      page.context().waitForEvent('page'),
      page.click('table a[href^="/invoices/"]:not([download])'),
    ]);
    await paper.waitForSelector('svg');
    expect(await paper.textContent('body')).toMatch(/14\d\d-\d{6}|۱۴[۰-۹]{2}-[۰-۹]{6}/);
    await paper.close();
    const file = await page.getAttribute('table a[download]', 'href');
    const pdf = await fetch(stage.gateway.origin + file);
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
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
    // The very first call of a newcomer names no limit, and gets words for nothing.
    expect(await answer.text()).toContain('شما گفتید: سلام');
    await page.waitForSelector('dialog .good');
    await page.click('dialog footer .btn.main');
    await page.reload();
    await page.waitForSelector('tr.opens');
    expect(await page.content()).not.toContain(key);
  });

  it('sees a call arrive in the open log by itself, and reads its receipt', async () => {
    await at('/requests');
    await page.waitForSelector('tr.opens');
    await page.waitForSelector('.page-head .live');
    const before = await page.locator('tr.opens').count();
    // Nothing is pushed from under the pointer: what comes meanwhile waits until it has left the list.
    await page.hover('tr.opens');
    expect((await call({ model: 'sandbox/hello', messages: [{ role: 'user', content: 'زنده؟' }] })).status).toBe(200);
    await page.waitForSelector('.page-head:has-text("۱ درخواست جدید منتظر است")');
    expect(await page.locator('tr.opens').count()).toBe(before);
    await page.mouse.move(1, 1);
    await expect.poll(() => page.locator('tr.opens').count(), { timeout: TIMEOUT_MS }).toBe(before + 1);
    await page.click('tr.opens');
    await page.waitForSelector('.drawer .hero');
    expect(page.url()).toMatch(/\/console\/requests\/req_/);
    expect(await page.textContent('.drawer')).toContain('sandbox/hello');
    await page.keyboard.press('c');
    await page.waitForSelector('.toast:has-text("کپی شد")');
    await takePicture(page, 'life-3-receipt', { fullPage: true });
    await page.keyboard.press('Escape');
    await page.waitForSelector('.drawer', { state: 'detached' });
  });

  it('takes the whole log as a file, not only the page that is on the screen', async () => {
    const asked = await Promise.all(
      Array.from({ length: 55 }, () => call({ model: 'sandbox/hello', messages: [{ role: 'user', content: 'یکی' }] })),
    );
    expect(asked.map(({ status }) => status)).toEqual(Array.from({ length: 55 }, () => 200));
    const ids = asked.map(({ headers }) => headers.get('x-svc-request-id') ?? '');
    await expect
      .poll(
        async () => {
          await at('/requests');
          await page.waitForSelector('tr.opens');
          const coming = page.waitForEvent('download');
          await page.click('.page-head button:has-text("CSV")');
          const file = await textOfDownload(await coming);
          return ids.filter((id) => !file.includes(id));
        },
        { timeout: TIMEOUT_MS },
      )
      .toEqual([]);
  });

  it('pauses the key and is refused, then takes it back', async () => {
    await at('/keys');
    await page.click('tr.opens:has-text("prod-web")');
    const body = { model: 'sandbox/hello', messages: [{ role: 'user', content: 'هنوز؟' }] };
    await page.click('button:has-text("توقف موقت")');
    // It stays for as long as the pointer is on it.
    await page.hover('.toast');
    await eventually(async () => expect((await call(body)).status).toBe(403));
    await page.click('.toast .act');
    await eventually(async () => expect((await call(body)).status).toBe(200));
  });

  it('tests a request against the rules, and sees at which gate it stops', async () => {
    await at('/keys');
    await page.click('tr.opens:has-text("prod-web")');
    const gates = page.locator('.gates > li');
    await page.click('button:has-text("تست")');
    await page.waitForSelector('.verdict.good-verdict');
    expect(await page.locator('.gates > li.pass').count()).toBe(await gates.count());
    await page.fill('.gates > li:has(h3:has-text("درخواست در دقیقه")) input', '0');
    await page.click('.commit .btn.main');
    await page.waitForSelector('.commit', { state: 'detached' });
    await page.click('button:has-text("تست")');
    await page.waitForSelector('.gates > li.halt:has(h3:has-text("درخواست در دقیقه"))');
    expect(await page.locator('.gates > li.halt').count()).toBe(1);
    expect(await page.textContent('.verdict h3')).toBe('رد می‌شود: درخواست در دقیقه');
    expect(await gates.first().getAttribute('class')).toBe('pass');
    await page.fill('.gates > li:has(h3:has-text("درخواست در دقیقه")) input', '');
    await page.fill('.gates > li:has(h3:has-text("آدرس‌های IP مجاز")) input', '198.51.100.0/24');
    await page.keyboard.press('Enter');
    await page.click('.commit .btn.main');
    await page.waitForSelector('.commit', { state: 'detached' });
    await page.waitForSelector('.gates > li:has-text("فقط از ۱ آدرس یا بازه پذیرفته می‌شود.")');
    await page.click('button:has-text("تست")');
    await page.waitForSelector('.gates > li.halt:has(h3:has-text("آدرس‌های IP مجاز"))');
    await page.click('.gates > li.halt .boxed button');
    await page.click('.commit .btn.main');
    await page.waitForSelector('.gates > li:has-text("از هر آدرس پذیرفته می‌شود.")');
    await page.waitForSelector('.commit', { state: 'detached' });
  });

  it('talks to a model in the playground, and hostile words stay words', async () => {
    await at('/playground?model=sandbox%2Fhello');
    const hostile =
      '<img src=x onerror="window.hacked=1"> [a](javascript:window.hacked=1) ![b](https://evil.test/x.png)';
    await page.fill('.compose textarea', hostile);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.talk footer a');
    await takePicture(page, 'life-4-playground', { fullPage: true });
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('.msgs img, .msgs a[href^="javascript"]').count()).toBe(0);
  });

  it('caps the key of the playground, and is offered nothing that it refuses', async () => {
    await at('/keys');
    await page.click('tr.opens:has-text("از مرورگر")');
    const daily = '.gates > li:has(h3:has-text("سقف روزانه"))';
    await page.fill(`${daily} input`, '40000');
    await page.click('.commit .btn.main');
    await page.waitForSelector('.commit', { state: 'detached' });
    await page.reload();
    await page.waitForSelector(`${daily}:has-text("تا ۴۰٬۰۰۰ تومان")`);
    expect(await page.locator('button:has-text("ابطال")').count()).toBe(0);
    expect(await page.locator('.gates .with-unit input:not([disabled])').count()).toBe(2);
  });

  it('gives a model the results of all tools it asked for at once, and takes the conversation as code', async () => {
    const { vendor } = stage.gateway;
    await at('/playground?model=mock%2Fchat');
    vendor.next(
      answer({
        toolCalls: [
          { id: 'call_a', name: 'weather', arguments: '{"city":"Yazd"}' },
          { id: 'call_b', name: 'clock', arguments: '{}' },
        ],
      }),
    );
    await page.fill('.compose textarea', 'هوا و ساعت یزد؟');
    await page.keyboard.press('Enter');
    await page.fill('input[aria-label$="weather"]', 'hot');
    await page.fill('input[aria-label$="clock"]', '12:05');
    const asked = vendor.requests.length;
    vendor.next(answer({ text: 'گرم است.\n\n1. یزد\n2. GPT' }));
    await page.click('button:has-text("ارسال نتیجه‌ها")');
    await page.waitForSelector('.msg:has-text("گرم است")');
    // Numbers of a Persian list stand on the right, whatever script an item begins with.
    expect(await page.getAttribute('.markdown:has(ol)', 'dir')).toBe('rtl');
    expect(await page.evaluate("getComputedStyle(document.querySelector('.markdown li:last-child')).direction")).toBe(
      'rtl',
    );
    const { messages } = (await vendor.received(asked)).body as { messages: { role: string }[] };
    expect(messages.filter(({ role }) => role === 'tool')).toEqual([
      { role: 'tool', tool_call_id: 'call_a', content: 'hot' },
      { role: 'tool', tool_call_id: 'call_b', content: '12:05' },
    ]);
    await page.click('button:has-text("کد همین گفت‌وگو")');
    await page.click('dialog .seg button:has-text("LangChain")');
    const code = (await page.textContent('dialog .code')) ?? '';
    expect(code).toContain('"tool_call_id": "call_b"');
    expect(code).toContain('max_tokens=1024');
    expect(code).not.toContain(key);
  });

  it('teaches a knowledge base and gets an answer that cites it', async () => {
    await at('/knowledge');
    await page.click('.page-head button');
    await page.fill('dialog input', 'راهنمای کارکنان');
    await page.click('dialog button[type=submit]');
    await page.waitForURL('**/console/knowledge/*');
    await page.click('.seg button:has-text("متن")');
    await page.fill('section form input.input', 'مرخصی');
    await page.fill('section form textarea', 'هر کارمند در سال ۲۶ روز مرخصی استحقاقی دارد.');
    await page.click('section form button[type=submit]');
    await page.waitForSelector('.pill.ok:has-text("آماده")');
    await takePicture(page, 'life-5-knowledge', { fullPage: true });
    await page.click('a:has-text("پرسیدن در محیط آزمایش"), button:has-text("پرسیدن در محیط آزمایش")');
    await page.waitForURL('**/console/playground?*');
    stage.gateway.vendor.next(answer({ text: 'سالی ۲۶ روز. [1]' }));
    await page.click('.talk .pick-btn:enabled');
    await page.fill('.pick:popover-open input', 'mock/chat');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.talk .pick-btn:has-text("mock/chat")');
    await page.fill('.compose textarea', 'مرخصی سالانه چند روز است؟');
    await page.keyboard.press('Enter');
    const cited = page.locator('.talk .cite span:has-text("۱.") a:has-text("مرخصی")');
    await cited.waitFor();
    // The number in the words leads to the citation, and the citation says where in the document it stands.
    await page.click('.talk .markdown a.cited:has-text("1")');
    await page.waitForSelector('.talk .cite > span:target:has-text("بند ۱")');
    await takePicture(page, 'life-6-cited', { fullPage: true });
    // Its words are read in another tab, and the conversation stays.
    const [passage] = await Promise.all([page.context().waitForEvent('page'), cited.click()]);
    await passage.waitForURL('**/console/knowledge/*?document=doc_*&passage=1');
    await passage.waitForSelector('.drawer p:has-text("۲۶ روز")');
    await passage.close();
    expect(await page.locator('.msg.you').count()).toBe(1);
  });

  it('finds on the receipt of that answer which passage it was given, and reads it', async () => {
    await page.click('.talk footer a');
    await page.waitForURL('**/console/requests/req_*');
    const receipt = page.url();
    const passage = '.used-passages li:has-text("مرخصی")';
    await page.waitForSelector(`${passage} .number:has-text("۱")`);
    await page.locator(passage).scrollIntoViewIfNeeded();
    await takePicture(page, 'life-6-receipt');
    await page.click(`${passage} a`);
    await page.waitForURL('**/console/knowledge/*?document=doc_*&passage=1');
    await page.waitForSelector('.drawer h2:has-text("مرخصی")');
    await page.waitForSelector('.drawer p:has-text("۲۶ روز")');
    await page.keyboard.press('Escape');
    await page.click('button[aria-label="حذف مرخصی"]');
    await page.click('dialog footer button:has-text("حذف")');
    await page.waitForSelector('button[aria-label="حذف مرخصی"]', { state: 'detached' });
    // What is gone keeps its name and leads nowhere.
    await page.goto(receipt);
    await page.waitForSelector(`${passage}:has-text("دیگر در پایگاه نیست")`);
    expect(await page.locator('.used-passages a').count()).toBe(0);
  });

  it('asks for a higher limit, which the operator approves with one click', async () => {
    await at('/limits');
    await page.click('a:has-text("درخواست بالا بردن سقف")');
    await page.fill('dialog .with-unit input', '۱۲۳۴');
    await page.fill('dialog textarea', 'بار ما دو برابر می‌شود.');
    await page.click('dialog button[type=submit]');
    await page.waitForURL('**/console/tickets/tkt_*');
    const operator = await stage.open();
    await signInAsOperator(stage, operator.page);
    await operator.page.goto(`${stage.gateway.origin}/operator/tickets`);
    await operator.page.click('tr.opens');
    await operator.page.waitForSelector('.drawer dd:has-text("۱٬۲۳۴")');
    await operator.page.click('.drawer button:has-text("پذیرفتن و اعمال")');
    await operator.page.waitForSelector('.drawer button:has-text("پذیرفتن")', { state: 'detached' });
    expect(operator.faults).toEqual([]);
    await operator.context.close();
    await at('/limits');
    await page.waitForSelector('.meter:has-text("۱٬۲۳۴")');
    const pace = '.panel:has(h2:has-text("با روند هفت روز گذشته"))';
    await page.waitForSelector(`${pace} p:has-text("نه موجودی تمام می‌شود و نه هیچ سقفی")`);
    // What was spent so far is a few toman: at that pace a cap of this size ends within days.
    const accounts = await (await stage.gateway.admin('GET', '/api/admin/accounts')).json();
    const { data } = accounts as { data: { id: string; name: string }[] };
    const mina = data.find(({ name }) => name === 'مینا')?.id;
    const capped = { rules: { caps: { total: '50' } } };
    expect((await stage.gateway.admin('PATCH', `/api/admin/accounts/${mina}`, capped)).status).toBe(200);
    await page.reload();
    await page.waitForSelector(`${pace} li:has-text("سقف کل حساب"):has-text("تمام می‌شود")`);
    await takePicture(page, 'life-7-raised', { fullPage: true });
  });

  it('is looked at by staff, who sees whose account it is, is offered no change, and leaves', async () => {
    const staff = await stage.open();
    await signInAsOperator(stage, staff.page);
    await staff.page.goto(`${stage.gateway.origin}/operator/accounts`);
    await staff.page.click('tr.opens:has-text("مینا")');
    await staff.page.click('button:has-text("مشاهده از دید مشتری")');
    await staff.page.fill('dialog textarea', 'پیگیری تیکت');
    await staff.page.click('dialog footer button:has-text("مشاهده از دید مشتری")');
    await staff.page.waitForSelector('.note:has-text("مینا"):has-text("فقط می‌توانید ببینید")');
    await staff.page.waitForSelector('.account-switch:has-text("مینا"):has-text("بیننده")');
    expect(await staff.page.locator('a:has-text("کلید جدید")').count()).toBe(0);
    await takePicture(staff.page, 'life-8-viewed', { fullPage: true });
    await staff.page.click('.note button:has-text("پایان مشاهده")');
    await staff.page.waitForURL('**/operator/accounts/*');
    expect(staff.faults).toEqual([]);
    await staff.context.close();
  });

  it('finds a page and a request by the palette', async () => {
    await at('');
    await page.waitForSelector('.page-head');
    await page.keyboard.press('Control+k');
    await page.fill('dialog.palette input', 'اعضا');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/members');
    const asked = await call({ model: 'sandbox/hello', messages: [{ role: 'user', content: 'کجا؟' }] });
    const id = asked.headers.get('x-svc-request-id') ?? '';
    await page.keyboard.press('Control+k');
    await page.fill('dialog.palette input', id);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/requests/${id}`);
  });

  it('makes a management key, which is revoked only after the question that names what stops', async () => {
    await at('/settings/management');
    await page.click('button:has-text("کلید مدیریت جدید")');
    await page.fill('dialog .field:has-text("نام") input', 'terraform');
    await page.click('dialog footer .btn.main');
    await page.waitForSelector('dialog .secret');
    await page.click('dialog footer .btn.main');
    const row = 'tr:has-text("terraform")';
    await page.click(`${row} button:has-text("ابطال")`);
    await page.waitForSelector('dialog:has-text("terraform"):has-text("از همین لحظه کار نمی‌کنند")');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('انصراف');
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.waitForSelector(`${row} .pill.ok:has-text("فعال")`);
    await page.click(`${row} button:has-text("ابطال")`);
    await page.click('dialog button.stop:has-text("ابطال")');
    await page.waitForSelector(`${row} .pill:has-text("باطل‌شده")`);
    // The audit log says in words what the key could open, and names the key that was made.
    await at('/settings/trail');
    await page.waitForSelector('tr:has-text("ساخت کلید مدیریت"):has-text("درخواست‌ها و مصرف: خواندن")');
    expect(await page.locator('tr:has-text("ساخت کلید") td.changes').last().textContent()).not.toBe('—');
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

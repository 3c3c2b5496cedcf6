/**
 * The desk of staff in a real browser: a ticket with its files, an incident told in both languages, a colleague who leaves only
 * after a question, a month that two people close, and a viewer who is offered nothing to change.
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovedClock } from '../harness/moved-clock.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { Browser } from '../people/client.ts';
import { MAY_SKIP, openStage, type Stage, signInAsOperator } from './browser.ts';

const VIEWER = '09121234568';
const ACCOUNTANT = '09121234569';
/** So long ago that its month can be closed, whatever day it is. */
const A_MONTH_AGO_MS = 34 * DAY_MS;
const clock = new MovedClock();
let stage: Stage;
let page: Page;
let faults: string[];
let customer: Browser;

const asStaff = async <T>(method: string, path: string, body?: object) =>
  (await (await stage.gateway.admin(method, `/api/admin${path}`, body)).json()) as T;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe.skipIf(MAY_SKIP)('staff', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    clock.moved = -A_MONTH_AGO_MS;
    stage = await openStage({ clock });
    await asStaff('PATCH', '/invoice-settings', {
      seller: { kind: 'company', name: 'درگاه', national_id: '14003778990' },
    });
    await asStaff('POST', '/accounts', { id: 'kept', name: 'مشتری' });
    const receipt = { number: 'r-1', payer: 'مشتری', dated_on: new Date(clock.now()).toISOString().slice(0, 10) };
    await asStaff('POST', '/accounts/kept/credit', { kind: 'receipt', amount: 500_000, ...receipt });
    clock.moved = 0;
    customer = new Browser(stage.gateway);
    const entered = await customer.signIn('09121234567', { name: 'نگار', account_name: 'آزمون' });
    customer.account = entered.body.accounts[0]?.id ?? '';
    ({ page, faults } = await stage.open());
    await signInAsOperator(stage, page);
  }, 300_000);
  afterAll(() => stage?.stop());

  const at = (path: string) => page.goto(`${stage.gateway.origin}/operator${path}`);

  it('reads what a customer attached and what the system said, and answers with a file', async () => {
    const attachments = [{ name: 'خطا.txt', type: 'text/plain', data: base64('a log') }];
    const opened = { category: 'technical', subject: 'خطا', text: 'پیوست را ببینید.', attachments };
    const { id } = (await customer.post<{ id: string }>('/tickets', opened)).body;
    await customer.post(`/tickets/${id}/close`, {});
    await at(`/tickets/${id}`);
    await page.waitForSelector('.drawer .talk-line:has-text("تیکت بسته شد.")');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.click('.drawer .talk-line button:has-text("خطا.txt")'),
    ]);
    expect(file.suggestedFilename()).toBe('خطا.txt');
    await page.fill('.drawer textarea', 'راه‌حل در پیوست است.');
    const answer = { name: 'answer.txt', mimeType: 'text/plain', buffer: Buffer.from('so') };
    await page.setInputFiles('.drawer input[type=file]', answer);
    await page.click('.drawer button:text-is("ارسال")');
    await page.waitForSelector('.drawer .talk-line.mine button:has-text("answer.txt")');
  });

  it('tells of an incident in both languages, and by the name of its state where nothing is written', async () => {
    const both = { fa: 'کندی', en: 'Slow' };
    await asStaff('POST', '/incidents', { title: both, text: both, impact: 'minor' });
    await at('/news');
    const incident = page.locator('article:has-text("کندی")');
    await incident.locator('textarea').nth(1).fill('A cable was cut.');
    await incident.locator('button:text-is("علت پیدا شد")').click();
    await incident.locator('p:has-text("علت پیدا شد")').waitFor();
    await incident.locator('button:text-is("برطرف شد")').click();
    await incident.locator('textarea').first().waitFor({ state: 'detached' });
    const { data } = await asStaff<{ data: { updates: { text: object }[] }[] }>('GET', '/incidents');
    const told = data[0]?.updates.map(({ text }) => text) ?? [];
    expect(told).toContainEqual({ fa: 'علت پیدا شد', en: 'A cable was cut.' });
    expect(told).toContainEqual({ fa: 'برطرف شد', en: 'Resolved' });
  });

  it('asks before a colleague loses a role', async () => {
    await asStaff('POST', '/staff', { to: 'sara@example.com', name: 'سارا', role: 'support' });
    await at('/staff');
    await page.click('tr:has-text("سارا") button[aria-haspopup=menu]');
    await page.click('.menu-list:popover-open button:has-text("حذف")');
    await page.waitForSelector('dialog:has-text("سارا"):has-text("نقش «پشتیبانی»")');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('انصراف');
    await page.click('dialog button.stop');
    await page.waitForSelector('tr:has-text("سارا")', { state: 'detached' });
  });

  it('closes a month by two people; what is corrected afterwards is booked in the open one', async () => {
    expect(await wholeProof(stage.gateway.admin)).toMatchObject({ ok: true });
    const accountant = new Browser(stage.gateway);
    await asStaff('POST', '/staff', { to: ACCOUNTANT, name: 'مریم', role: 'finance' });
    await accountant.signIn(ACCOUNTANT);
    const asked = await stage.open();
    const [name = '', value = ''] = (accountant.cookie ?? '').split('=', 2);
    await asked.context.addCookies([{ name, value, url: stage.gateway.origin }]);
    await asked.page.goto(`${stage.gateway.origin}/operator/books`);
    const closing = asked.page.locator('button:text-is("درخواست بستن")');
    await closing.waitFor();
    expect(await asked.page.locator('.month-checks .dot.bad').count()).toBe(0);
    expect(await closing.isDisabled()).toBe(true);
    for (const field of await asked.page.locator('.month-checks input').all()) await field.fill('می‌دانیم');
    await closing.click();
    await asked.page.waitForSelector('.closing-steps :text("مریم درخواست کرده است.")');
    await at('/books');
    await page.click('button:text-is("تأیید و بستن ماه")');
    await page.click('dialog button:text-is("تأیید و بستن ماه")');
    // Whoever looks at the months sees it closed, with the names of both.
    await page.click('.month-list li:has-text("بسته") button');
    await page.waitForSelector('section .pill:text-is("بسته")');
    await page.waitForSelector('section:has-text("مریم درخواست کرده است.")');
    const { data: months } = await asStaff<{ data: { id: string; state: string }[] }>('GET', '/periods');
    const closed = months.find(({ state }) => state === 'closed')?.id;
    const running = months.find(({ state }) => state === 'running')?.id;
    const correction = { kind: 'correction', number: 'c-1', amount: -1_000, reason: 'other', note: 'اصلاح ماه پیش' };
    await asStaff('POST', '/accounts/kept/credit', correction);
    const entriesOf = async (month = '') => {
      const { data } = await asStaff<{ data: { kind: string }[] }>('GET', `/books/journal?month=${month}`);
      return data.filter(({ kind }) => kind === 'adjustment').length;
    };
    expect([await entriesOf(closed), await entriesOf(running)]).toEqual([0, 1]);
    expect([...asked.faults, ...faults]).toEqual([]);
    await asked.context.close();
  });

  it('offers a viewer nothing to change', async () => {
    const viewer = new Browser(stage.gateway);
    await viewer.signIn(VIEWER, { name: 'بیتا', account_name: 'بیتا' });
    await asStaff('POST', '/staff', { to: VIEWER, role: 'viewer' });
    const seen = await stage.open();
    const [name = '', value = ''] = (viewer.cookie ?? '').split('=', 2);
    await seen.context.addCookies([{ name, value, url: stage.gateway.origin }]);
    await seen.page.goto(`${stage.gateway.origin}/operator/news`);
    await seen.page.waitForSelector('article:has-text("کندی")');
    expect(await seen.page.locator('main form').count()).toBe(0);
    expect(await seen.page.locator('a[href="/operator/staff"]').count()).toBe(0);
    // What customers write is for those who answer.
    expect(await seen.page.locator('a[href="/operator/tickets"]').count()).toBe(0);
    await seen.page.goto(`${stage.gateway.origin}/operator/staff`);
    await seen.page.waitForSelector('text=این صفحه برای مالک است');
    expect([...seen.faults, ...faults]).toEqual([]);
    await seen.context.close();
  });
});

/** Small untruths of the console, each seen as the person who met it: a developer, an invited colleague, a reader of the log. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../people/client.ts';
import { MAY_SKIP, openStage, type Stage, takePicture } from './browser.ts';

let stage: Stage;
let owner: Browser;

async function openAs(person: Browser): Promise<Page> {
  const { context, page } = await stage.open();
  const url = stage.gateway.origin;
  await context.addCookies([
    { name: 'dargah', value: (person.cookie ?? '').replace(/^dargah=/, ''), url },
    { name: 'dargah_lang', value: 'fa', url },
  ]);
  return page;
}

describe.skipIf(MAY_SKIP)('the console', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    stage = await openStage();
    owner = new Browser(stage.gateway);
    const entered = await owner.signIn('09121234567', { name: 'مینا رستگار', account_name: 'نوین‌داده' });
    owner.account = entered.body.accounts[0]?.id ?? '';
  }, 300_000);
  afterAll(() => stage?.stop());

  it('closes an announcement for good, and shows the next one', async () => {
    const announce = (fa: string) =>
      stage.gateway.admin('POST', '/api/admin/announcements', { title: { fa, en: fa }, text: { fa, en: fa } });
    expect((await announce('جمعه به‌روزرسانی داریم')).ok).toBe(true);
    const page = await openAs(owner);
    await page.goto(`${stage.gateway.origin}/console`);
    await page.click('button[aria-label="بستن: جمعه به‌روزرسانی داریم"]');
    await page.waitForSelector('text=جمعه به‌روزرسانی داریم', { state: 'detached' });
    expect((await announce('مدل جدید آمد')).ok).toBe(true);
    await page.reload();
    await page.waitForSelector('text=مدل جدید آمد');
    expect(await page.locator('text=جمعه به‌روزرسانی داریم').count()).toBe(0);
    await page.context().close();
  });

  it('offers no nameless model in the filter of the log', async () => {
    const { body } = await owner.post<{ key: string }>('/keys', { name: 'log' });
    const ask = (model: object) =>
      stage.gateway.chat({ ...model, messages: [{ role: 'user', content: 'x' }] }, { key: body.key });
    expect((await ask({})).status).toBe(400);
    await ask({ model: 'sandbox/hello' });
    const page = await openAs(owner);
    await page.goto(`${stage.gateway.origin}/console/requests`);
    await page.waitForSelector('tr.opens');
    await page.click('.filters button[title="مدل"]');
    const names = await page.locator('[role=menu]:popover-open [role=menuitem]').allTextContents();
    expect(names.filter((name) => name.trim() === '')).toEqual([]);
    await page.context().close();
  });

  it('says that the archive is away, and asks it again when told to', async () => {
    const page = await openAs(owner);
    await page.route('**/api/console/requests?*', async (route) => {
      const asksAgain = new URL(route.request().url()).searchParams.has('after');
      const rest = asksAgain
        ? { next: null, searched_back_to: null }
        : { next: 'older', searched_back_to: '2026-11-10T20:30:00.000Z' };
      await route.fulfill({ json: { object: 'list', data: [], ...rest } });
    });
    await page.goto(`${stage.gateway.origin}/console/requests?state=completed`);
    const note = page.locator('.note.is-warn[role=status]');
    await note.waitFor();
    expect(await note.textContent()).toContain('بایگانی الان پاسخ نمی‌دهد');
    // Neither the filters nor the reader are to blame, so the empty list blames neither.
    expect(await page.textContent('.panel .empty')).toContain('درخواست تازه‌تری نیست');
    await takePicture(page, 'archive-away');
    await note.locator('button').click();
    await note.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('forgets an invitation that was used, and asks a developer for no money', async () => {
    const made = await owner.post<{ invitation: string }>('/invitations', { to: '09127654321', role: 'developer' });
    const { context, page } = await stage.open();
    await page.goto(`${stage.gateway.origin}/console#invitation=${made.body.invitation}`);
    await page.fill('input[name=contact]', '09127654321');
    await page.click('form button[type=submit]');
    await page.waitForSelector('input[name=code]');
    await page.fill('input[name=code]', await stage.codeFor('09127654321'));
    await page.fill('input[name=name]', 'رضا');
    await page.click('form button[type=submit]');
    await page.waitForSelector('.steps');
    expect(await page.evaluate<string>('location.href')).toBe(`${stage.gateway.origin}/console`);
    expect(await page.textContent('.steps')).not.toContain('شارژ');
    await context.close();
    const asOwner = await openAs(owner);
    await asOwner.goto(`${stage.gateway.origin}/console`);
    await asOwner.waitForSelector('.steps');
    expect(await asOwner.textContent('.steps')).toContain('شارژ');
    await asOwner.context().close();
  });
});

/** The question for a fresh proof, in a real browser: it comes over the page, and what was begun goes on when it is answered. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovedClock } from '../harness/moved-clock.ts';
import { Browser, outbox } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';
import { MAY_SKIP, openStage, type Stage, takePicture } from './browser.ts';

const TO = '09121234567';
const PASSWORD = 'the blue bicycle';
const clock = new MovedClock();
let stage: Stage;

describe.skipIf(MAY_SKIP)('a page that changes how one signs in', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    stage = await openStage({ clock });
    const person = new Browser(stage.gateway);
    await person.signIn(TO, { name: 'مینا', account_name: 'مینا' });
    await person.send('PUT', '/api/console/me/password', { password: PASSWORD });
  }, 300_000);
  afterAll(() => stage?.stop());

  it.each([
    ['fa-IR', 1280],
    ['fa-IR', 390],
    ['en-US', 1280],
    ['en-US', 390],
  ])('asks who it is and goes on with the act (%s, %i)', async (locale, width) => {
    const { context, page, faults } = await stage.open({ locale, width });
    const person = new Browser(stage.gateway);
    await person.post('/sign-in/password', { to: TO, password: PASSWORD });
    const [name = '', value = ''] = (person.cookie ?? '').split('=', 2);
    await context.addCookies([{ name, value, url: stage.gateway.origin }]);
    clock.moved += 6 * 60_000;
    await page.goto(`${stage.gateway.origin}/console/settings/security`);
    const next = page.locator('input[autocomplete=new-password]');
    await next.fill(PASSWORD);
    await next.press('Enter');
    const dialog = page.locator('dialog[open]');
    await dialog.locator('input[autocomplete=current-password]').waitFor();
    await takePicture(page, `proof-${locale}-${width}`);
    const isPersian = /[\u0600-\u06ff]/.test((await dialog.textContent()) ?? '');
    expect(isPersian).toBe(locale === 'fa-IR');
    await dialog.locator('input[autocomplete=current-password]').fill('not the password');
    await dialog.locator('button[type=submit]').click();
    await dialog.locator('.hint.bad').waitFor();
    await dialog.locator('.seg button').nth(1).click();
    await dialog.locator('select').waitFor();
    await takePicture(page, `proof-code-${locale}-${width}`);
    await dialog.locator('.seg button').nth(0).click();
    await dialog.locator('input[autocomplete=current-password]').fill(PASSWORD);
    await dialog.locator('button[type=submit]').click();
    await page.locator('.toast').waitFor();
    expect(await page.locator('dialog[open]').count()).toBe(0);
    expect(await next.inputValue()).toBe('');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('is ended for everybody by the link of the message, without signing in', async () => {
    const text = await eventually(async () => {
      const found = (await outbox(stage.gateway)).find(({ kind, to }) => kind === 'security' && to === TO);
      if (!found) throw new Error('nobody was told');
      return found.text;
    });
    const link = /https?:\S+end-sessions#\w+/.exec(text)?.[0] ?? '';
    const { context, page, faults } = await stage.open({ width: 390 });
    // The link names the listening address, localhost; the test's browser knows it by its number.
    await page.goto(link.replace(/^https?:\/\/[^/]+/, stage.gateway.origin));
    await page.locator('.gate-card .btn.stop').waitFor();
    await takePicture(page, 'end-sessions');
    await page.locator('.gate-card .btn.stop').click();
    await page.locator('.gate-card a.btn.main').waitFor();
    await takePicture(page, 'end-sessions-done');
    expect(faults).toEqual([]);
    await context.close();
  });
});

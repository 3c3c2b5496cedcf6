/**
 * Every role of staff on every page of the operator's side, in a real browser: nothing that a page asks for by itself is refused,
 * and nothing that can be pressed there asks for what the role may not do.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STAFF_ROLES, type StaffRole } from '../../src/http/routes/access.ts';
import { Browser } from '../people/client.ts';
import { MAY_SKIP, openStage, type Stage } from './browser.ts';
import { furnish, type Home, ShiftedClock } from './furnish.ts';

interface Operation {
  method: string;
  path: RegExp;
  roles: readonly string[];
}

let stage: Stage;
let home: Home;
let operations: Operation[];

/** Behind the navigation: what stands in drawers, dialogs and tabs. */
const inner = () => [
  '/operator/accounts?q=09121234567',
  `/operator/accounts/${home.account}`,
  `/operator/requests/${home.requestId}`,
  '/operator/models?model=openai%2Fgpt-5-mini',
  '/operator/providers?provider=spare-openai',
  '/operator/groups?group=fast',
  '/operator/ledger/transfers',
  '/operator/ledger/profit',
  `/operator/tickets/${home.ticketId}`,
];

describe.skipIf(MAY_SKIP)('staff in the role', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    const clock = new ShiftedClock();
    stage = await openStage({ clock });
    home = await furnish(stage.gateway, clock);
    const document = (await (await stage.gateway.admin('GET', '/api/admin/openapi.json')).json()) as {
      paths: Record<string, Record<string, { 'x-access': { roles?: string[] } }>>;
    };
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { 'x-access': access }]) => ({
        method: method.toUpperCase(),
        path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        roles: access.roles ?? [],
      })),
    );
  }, 300_000);
  afterAll(() => stage?.stop());

  it.each(STAFF_ROLES)(
    '%s is refused nothing that the pages ask for, and offered nothing that would be',
    async (role) => {
      const { page, close, faults } = await enter(role);
      const refused: string[] = [];
      page.on('response', (answer) => {
        if (answer.status() === 403) refused.push(`${page.url()}: ${answer.request().method()} ${answer.url()}`);
      });
      const asked = await answerInTheServersPlace(page);
      const linked = await page.evaluate<string[]>(
        `[...document.querySelectorAll('nav.nav a[href^="/operator"]')].map((link) => link.getAttribute('href'))`,
      );
      expect(linked.includes('/operator/staff')).toBe(role === 'owner');
      for (const address of new Set([...linked, ...inner()])) {
        // As a link does it: the page changes without being loaded again.
        await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`);
        await settled(page);
        await page.evaluate(PRESS_ALL);
      }
      expect(refused).toEqual([]);
      expect(faults).toEqual([]);
      const wrongly = asked.filter(
        ({ method, path }) =>
          !operations.some((one) => one.method === method && one.path.test(path) && one.roles.includes(role)),
      );
      expect(wrongly).toEqual([]);
      // The presses arrive: whoever may do something did some of it, and whoever only looks did nothing.
      if (role === 'viewer') expect(asked).toEqual([]);
      else expect(new Set(asked.map(({ method, path }) => `${method} ${path}`)).size).toBeGreaterThan(2);
      await close();
    },
  );

  it('sees values where they cannot be changed, and reads who may', async () => {
    const { page, close } = await enter('finance');
    await page.goto(`${stage.gateway.origin}/operator/accounts/${home.account}`);
    const rules = page.locator('form[aria-label="قانون‌های حساب"]');
    await rules.locator('.who-may:has-text("«مالک» و «پشتیبانی»")').waitFor();
    expect(await rules.locator('input').first().inputValue()).toBe('۱٬۰۰۰');
    expect(await rules.locator('input:enabled').count()).toBe(0);
    await page.locator('form[aria-label="اعتبار یا اصلاح"] input[name=amount]:enabled').waitFor();
    await page.goto(`${stage.gateway.origin}/operator/settings`);
    await page.locator('.who-may:has-text("تنها نقش «مالک»")').first().waitFor();
    expect(await page.locator('main :is(input, select):enabled').count()).toBe(0);
    await close();
  });
});

const cookies = new Map<StaffRole, string>();

/** Signs in once: the next code of a number is sent a minute later. */
async function cookieOf(role: StaffRole): Promise<string> {
  const to = `0912140000${STAFF_ROLES.indexOf(role)}`;
  await stage.gateway.admin('POST', '/api/admin/staff', { to, role });
  const person = new Browser(stage.gateway);
  await person.signIn(to, { name: role });
  cookies.set(role, person.cookie ?? '');
  return person.cookie ?? '';
}

/** A person of this role, signed in. */
async function enter(role: StaffRole) {
  const { gateway } = stage;
  const cookie = cookies.get(role) ?? (await cookieOf(role));
  const { context, page, faults } = await stage.open();
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([
    { name, value, url: gateway.origin },
    { name: 'dargah_lang', value: 'fa', url: gateway.origin },
  ]);
  await page.goto(`${gateway.origin}/operator`);
  await settled(page);
  return { page, faults, close: () => context.close() };
}

/** What would change something is noted and refused here, so that every role finds the same house. */
async function answerInTheServersPlace(page: Page): Promise<{ method: string; path: string }[]> {
  const asked: { method: string; path: string }[] = [];
  await page.route('**/api/**', async (route) => {
    const request = route.request();
    if (request.method() === 'GET') return route.continue();
    asked.push({ method: request.method(), path: new URL(request.url()).pathname });
    await route.fulfill({ status: 409, json: { error: { code: 'conflict', message: 'not now', type: 'conflict' } } });
  });
  return asked;
}

async function settled(page: Page): Promise<void> {
  await page.waitForSelector('.page-head, .empty, dialog[open]');
  await page.waitForLoadState('networkidle');
  await page.waitForSelector('main .skel', { state: 'detached' });
}

/** Runs in the page; tabs and filters would lead away from it. What a press opens is filled in and pressed next. */
const PRESS_ALL = `(async () => {
  const settled = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const isThere = (element) => element.isConnected && element.getClientRects().length > 0 && !element.matches(':disabled');
  // The rows of a table are alike.
  const LEFT_OUT = '.seg, .filters, [aria-label="بستن"], tbody tr:nth-child(n + 4)';
  const fill = () => {
    const fields = document.querySelectorAll('main :is(input:not([type=checkbox], [type=file], [type=search]), textarea)');
    for (const field of fields) {
      if (!isThere(field) || field.value !== '') continue;
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, '123');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
  };
  const pressed = new Set();
  for (let turn = 0; turn < 3; turn++) {
    fill();
    await settled();
    for (const element of document.querySelectorAll('main button, main input[type=checkbox], dialog[open] footer button, [role=menuitem]')) {
      if (pressed.has(element) || !isThere(element) || element.closest(LEFT_OUT)) continue;
      if (element.matches('dialog footer .btn:not(.main, .stop, .danger)')) continue;
      pressed.add(element);
      element.click();
      await settled();
    }
  }
})()`;

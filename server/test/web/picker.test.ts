/** The model picker in a real browser: by keyboard, on a phone, among five hundred models, and with names that nobody has. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultConfig } from '../harness/default-config.ts';
import { Browser } from '../people/client.ts';
import { MAY_SKIP, openStage, type Stage, takePicture } from './browser.ts';

const MANY = 500;
/** As many rows as are rendered before somebody scrolls; a few heads stand between them. */
const RENDERED = 60;

let stage: Stage;
let page: Page;
let customer: Browser;
const faults: string[][] = [];

async function manyModels(): Promise<Record<string, unknown>> {
  const base = defaultConfig({ baseUrls: {} } as never);
  const models = base['models'] as { id: string; price: object; capabilities: string[] }[];
  const more = Array.from({ length: MANY }, (_, at) => ({
    // Each an object of its own: YAML would refuse that many aliases.
    ...structuredClone(models[0]),
    id: `${['acme', 'beta', 'gamma'][at % 3]}/model-${at}`,
    name: `Model ${at}`,
    categories: [],
    context: 1_048_576,
    price: { input: 36_450 + at, output: 303_750 + at },
  }));
  return { models: [...models, ...more] };
}

async function open(width: number, language: 'fa' | 'en', theme: 'light' | 'dark'): Promise<Page> {
  const opened = await stage.open({ locale: language === 'fa' ? 'fa-IR' : 'en-GB', width });
  faults.push(opened.faults);
  const url = stage.gateway.origin;
  const cookies = {
    dargah: (customer.cookie ?? '').replace(/^dargah=/, ''),
    dargah_lang: language,
    dargah_theme: theme,
  };
  await opened.context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url })));
  return opened.page;
}

async function violations(on: Page): Promise<string[]> {
  await on.evaluate(axe.source);
  return on.evaluate<string[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' at ' + target.join(' '))))`,
  );
}

describe.skipIf(MAY_SKIP)('the model picker', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    stage = await openStage({ config: await manyModels() });
    customer = new Browser(stage.gateway);
    const entered = await customer.signIn('09121234567', { name: 'مینا رستگار', account_name: 'نوین‌داده' });
    customer.account = entered.body.accounts[0]?.id ?? '';
    page = await open(1280, 'fa', 'light');
  }, 300_000);
  afterAll(async () => {
    await stage?.stop();
    expect(faults.flat()).toEqual([]);
  });

  it('is one short call for all models of the account', async () => {
    const answer = await fetch(`${stage.gateway.origin}/api/console/models`, {
      headers: { cookie: customer.cookie ?? '', 'x-svc-account': customer.account ?? '', 'accept-encoding': 'gzip' },
    });
    const { data, groups, vendors } = (await answer.json()) as {
      data: { id: string; input: string; output: string; per: string }[];
      groups: { id: string; models: string[] }[];
      vendors: Record<string, { fa: string }>;
    };
    expect(data.length).toBeGreaterThan(MANY);
    expect(data.find(({ id }) => id === 'acme/model-0')).toMatchObject({ input: '36450', output: '303750' });
    expect(data.find(({ id }) => id === 'mock/tts')).toMatchObject({ output: '1500', per: 'thousand_characters' });
    expect(groups).toContainEqual(expect.objectContaining({ id: 'economical', models: ['mock/chat'] }));
    expect(vendors['sandbox']?.fa).toBe('آزمایشی');
  });

  it('chooses by keyboard alone, renders few of many rows, and gives the focus back', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${stage.gateway.origin}/console/playground`);
    // The popular model of this installation, not a simulator.
    await page.waitForSelector('.talk .pick-btn:has-text("mock/chat"), .talk .pick-btn:has-text("chat")');
    await page.focus('.talk .pick-btn');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.pick:popover-open [role=option]');
    expect(await page.locator('.pick:popover-open [role=option]').count()).toBeLessThanOrEqual(RENDERED);
    expect(await violations(page)).toEqual([]);
    await takePicture(page, 'picker-fa-1280-light');
    await page.keyboard.type('model-49');
    await page.waitForSelector('.pick [role=status]:has-text("۱۱ از")');
    await page.keyboard.press('ArrowDown');
    const active = await page.getAttribute('.pick:popover-open input', 'aria-activedescendant');
    expect(await page.locator(`[id="${active}"]`).textContent()).toContain('Model 495');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.pick:popover-open', { state: 'detached' });
    expect(await page.textContent('.talk .pick-btn')).toContain('Model 495');
    expect(await page.evaluate('document.activeElement.className')).toContain('pick-btn');
    // Walking to the end of what is there brings more of it.
    await page.keyboard.press('Enter');
    await page.waitForSelector('.pick:popover-open [role=option]');
    for (let step = 0; step < RENDERED + 5; step += 1) await page.keyboard.press('ArrowDown');
    expect(await page.locator('.pick:popover-open [role=option]').count()).toBeLessThanOrEqual(2 * RENDERED);
    await page.waitForSelector('.pick:popover-open .opt.at');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.pick:popover-open', { state: 'detached' });
    // They came with the page.
    expect(asked.filter((path) => path === '/api/console/models')).toEqual([]);
  });

  it('takes no name that nobody has, and shows a group as the pattern that it is', async () => {
    const made = await customer.post<{ id: string }>('/keys', { name: 'picker' });
    await page.goto(`${stage.gateway.origin}/console/keys/${made.body.id}`);
    const gate = page.locator('.gates > li:has(h3:text-is("مدل‌های مجاز"))');
    await gate.locator('button:has-text("افزودن مدل")').click();
    await page.waitForSelector('.pick:popover-open [role=option]');
    await page.keyboard.type('nonsense');
    await page.waitForSelector('.pick:popover-open .empty');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await gate.locator('.chosen').count()).toBe(0);
    await gate.locator('button:has-text("افزودن مدل")').click();
    for (const typed of ['group:econ', 'acme/model-3 ']) {
      await page.fill('.pick:popover-open input', typed);
      await page.keyboard.press('Enter');
    }
    expect(await violations(page)).toEqual([]);
    await takePicture(page, 'picker-many-fa-1280-light');
    await page.click('.pick:popover-open footer .btn');
    expect(await gate.locator('.chosen').allTextContents()).toEqual(['گروهeconomical', 'acme/model-3']);
    await page.click('.commit .btn.main');
    await page.waitForSelector('.commit', { state: 'detached' });
    const { body } = await customer.get<{ rules: { models: string[] } }>(`/keys/${made.body.id}`);
    expect(body.rules.models).toEqual(['group:economical', 'acme/model-3']);
  });

  it('is a sheet over the whole screen of a phone, in both languages and themes', async () => {
    for (const [language, theme] of [
      ['fa', 'dark'],
      ['en', 'light'],
    ] as const) {
      const phone = await open(360, language, theme);
      await phone.goto(`${stage.gateway.origin}/console/playground`);
      await phone.click('.talk .pick-btn:enabled');
      await phone.waitForSelector('.pick:popover-open [role=option]');
      const box = await phone.locator('.pick:popover-open').boundingBox();
      expect(box).toEqual({ x: 0, y: 0, width: 360, height: 900 });
      expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(360);
      expect(await violations(phone)).toEqual([]);
      await takePicture(phone, `picker-${language}-360-${theme}`);
      await phone.click('.pick:popover-open .find button');
      await phone.waitForSelector('.pick:popover-open', { state: 'detached' });
      await phone.context().close();
    }
  });
});

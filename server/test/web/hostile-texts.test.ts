/**
 * A thief writes markup and script into every text that others read: names of people, accounts, keys, tickets, files, models,
 * groups, documents, bases, announcements. Customers, staff and visitors open every page, and nothing runs, loads or breaks.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../fake-vendor/index.ts';
import { Browser } from '../people/client.ts';
import { MAY_SKIP, openStage, type Stage, TIMEOUT_MS } from './browser.ts';

const MARKUP = '"><img src=x onerror=window.hacked=1><svg onload=window.hacked=2></svg>';
const SCRIPT = "</script><script>window.hacked=3</script>'-alert(1)-'{{7*7}}";
const BOTH = MARKUP + SCRIPT;
/** Short enough for names of forty characters. */
const SHORT = '<img src=x onerror=window.hacked=4>';
const MARKDOWN = [
  '<script>window.hacked=5</script><iframe src="https://evil.test"></iframe>',
  '[a](javascript:window.hacked=6) [b](data:text/html,<script>window.hacked=7</script>) [c](  JaVaScRiPt:window.hacked=8)',
  '![pixel](https://evil.test/x.png) <img src="https://evil.test/y.png" onerror="window.hacked=9">',
  '<a href="https://evil.test" ping="https://evil.test/p" style="position:fixed;inset:0" onclick="window.hacked=10">x</a>',
  '```html"><img src=x onerror=window.hacked=11>\n</code></pre><script>window.hacked=12</script>\n```',
  '| <b onmouseover=window.hacked=13>t</b> | <form action="https://evil.test"><input></form> |\n|-|-|\n| <style>*{display:none}</style> | <math><mi xlink:href="data:x,<script>"></math> |',
  '<details open ontoggle=window.hacked=14>x</details><object data="https://evil.test"></object><base href="https://evil.test/">',
].join('\n\n');

let stage: Stage;
let customer: Browser;
let account: string;
const places = { ticket: '', base: '', document: '', key: '' };

describe.skipIf(MAY_SKIP)('hostile texts', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    stage = await openStage();
    const { gateway } = stage;
    customer = new Browser(gateway);
    const entered = await customer.signIn('09121234567', { name: BOTH, account_name: BOTH });
    account = entered.body.accounts[0]?.id ?? '';
    customer.account = account;
    await plant();
  }, 300_000);
  afterAll(() => stage?.stop());

  it('stay texts for the customer', async () => {
    const { page, faults } = await opened(customer.cookie ?? '');
    await visit(page, '/console', [
      '',
      '/keys',
      `/keys/${places.key}`,
      '/usage',
      '/requests',
      '/wallet',
      '/knowledge',
      `/knowledge/${places.base}`,
      `/knowledge/${places.base}?document=${places.document}`,
      '/limits',
      '/alerts',
      '/members',
      '/tickets',
      `/tickets/${places.ticket}`,
      '/settings',
      '/settings/account',
      '/settings/management',
      `/requests?q=${encodeURIComponent(BOTH)}&model=${encodeURIComponent(BOTH)}`,
    ]);
    expect(faults).toEqual([]);
  });

  it('stay texts for staff', async () => {
    const { origin } = stage.gateway;
    const entry = await fetch(`${origin}/api/admin/sign-in`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ password: await stage.gateway.ownPassword() }),
    });
    const { page, faults } = await opened(entry.headers.get('set-cookie')?.split(';')[0] ?? '');
    await visit(page, '/operator', [
      '',
      '/accounts',
      ...['', '/people', '/keys', '/tickets', '/limits', '/history'].map((tab) => `/accounts/${account}${tab}`),
      '/requests',
      '/models',
      '/providers',
      '/groups',
      '/payments',
      '/tickets',
      `/tickets/${places.ticket}`,
      '/news',
      '/settings',
      '/staff',
      '/tokens',
      '/outbox',
      '/trail',
      `/accounts?q=${encodeURIComponent(BOTH)}`,
    ]);
    expect(faults).toEqual([]);
  });

  it('stay texts for visitors', async () => {
    const { page, faults } = await opened('');
    await visit(page, '', [
      '/fa',
      '/fa/catalog',
      '/en/models/acme/hostile',
      '/fa/status',
      '/en/compare?m=acme/hostile',
      `/fa/catalog?q=${encodeURIComponent(BOTH)}`,
      `/nowhere/${encodeURIComponent(BOTH)}`,
    ]);
    expect(faults).toEqual([]);
  });

  it('in an answer of a model are read and neither run nor load', async () => {
    stage.gateway.vendor.always(answer({ text: MARKDOWN, usage: { input: 8, output: 8 } }));
    const { page, faults } = await opened(customer.cookie ?? '');
    await page.goto(`${stage.gateway.origin}/console/playground?model=acme/hostile`);
    await page.fill('.compose textarea', 'سلام');
    await page.click('.compose button[type=submit], .compose .btn.main');
    await page.waitForSelector('text=window.hacked=12');
    expect(await hacked(page)).toBeUndefined();
    const inside = '.talk, .answer, main';
    expect(
      await page.locator(`${inside} >> css=iframe, object, form[action^="https://evil"], base, style`).count(),
    ).toBe(0);
    for (const href of await page
      .locator('main a[href]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href'))))
      expect(href).not.toMatch(/^\s*(javascript|data|vbscript):/i);
    expect(
      await page.locator('main [onerror], main [onclick], main [onload], main [ontoggle], main [style*=fixed]').count(),
    ).toBe(0);
    expect(faults).toEqual([]);
  });
});

async function plant(): Promise<void> {
  const { gateway } = stage;
  const asOperator = async (method: string, path: string, body: object) => {
    const said = await gateway.admin(method, `/api/admin${path}`, body);
    if (!said.ok) throw new Error(`${method} ${path}: ${said.status} ${await said.text()}`);
    return said.json();
  };
  await asOperator('POST', '/models', {
    id: 'acme/hostile',
    name: BOTH,
    name_fa: BOTH,
    routes: [{ provider: 'chat-a', model: 'up-model' }],
    price: { input: 1_000, output: 1_000 },
    categories: ['popular'],
  });
  await asOperator('PUT', '/groups/hostile', { name: BOTH, name_fa: BOTH, models: ['acme/hostile'] });
  const words = { fa: BOTH, en: BOTH };
  await asOperator('POST', '/announcements', { title: words, text: words });
  await asOperator('POST', '/incidents', { title: words, text: words, impact: 'minor', vendors: ['acme'] });
  await asOperator('PATCH', '/branding', { name_fa: SHORT, name_en: SHORT, support_phone: SHORT });
  await asOperator('POST', `/accounts/${account}/notes`, { text: BOTH, pinned: true });
  await asOperator('POST', `/accounts/${account}/transfers`, {
    id: 't-1',
    kind: 'adjustment',
    amount: 100_000,
    note: BOTH,
  });
  const made = async (path: string, body: object) =>
    (await customer.post<{ id: string; key?: string }>(path, body)).body;
  const key = await made('/keys', { name: BOTH });
  places.key = key.id;
  stage.gateway.vendor.always(answer({ text: 'خوب', usage: { input: 8, output: 8 } }));
  await fetch(`${gateway.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json', 'user-agent': BOTH },
    body: JSON.stringify({ model: 'acme/hostile', user: BOTH, messages: [{ role: 'user', content: BOTH }] }),
  });
  places.base = (await made('/knowledge-bases', { name: BOTH })).id;
  const document = { name: BOTH, text: `# ${BOTH}\n\n${MARKDOWN}`, format: 'markdown' };
  places.document = (await made(`/knowledge-bases/${places.base}/documents`, document)).id;
  await made('/management-keys', { name: BOTH, resources: { keys: 'read' } });
  places.ticket = (await made('/tickets', { category: 'technical', subject: BOTH, text: MARKDOWN + BOTH })).id;
  await asOperator('POST', `/tickets/${places.ticket}/messages`, { text: MARKDOWN + BOTH });
  await customer.post('/invitations', { to: 'reza@example.com', role: 'developer' });
}

async function opened(cookie: string) {
  const { context, page, faults } = await stage.open();
  page.on('dialog', (dialog) => {
    faults.push(`asked by a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const [name = '', value = ''] = cookie.split('=', 2);
  if (cookie !== '') await context.addCookies([{ name, value, url: stage.gateway.origin }]);
  return { page, faults };
}

/** Opens each page until it has come to rest, and looks whether anything ran. */
async function visit(page: Page, under: string, paths: string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(stage.gateway.origin + under + path);
    await page.waitForSelector('h1, h2, pre');
    await expect.poll(() => page.locator('.skel').count(), { timeout: TIMEOUT_MS }).toBe(0);
    expect([path, await hacked(page)]).toEqual([path, undefined]);
    expect([path, await page.locator('img[src="x"], svg[onload], [onerror]').count()]).toEqual([path, 0]);
  }
}

function hacked(page: Page): Promise<unknown> {
  return page.evaluate(() => (globalThis as { hacked?: unknown }).hacked);
}

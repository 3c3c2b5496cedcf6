/**
 * Every role of staff on every page of the operator's side, in a real browser: nothing that a page asks for by itself is refused,
 * and nothing that can be pressed there asks for what the role may not do. Every act that the pages have is pressed.
 */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { STAFF_ROLES, type StaffRole } from '@dargah/core/roles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faults } from '../fake-vendor/index.ts';
import { LONG } from '../harness/long.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';
import { MAY_SKIP, openStage, type Stage } from './browser.ts';
import { furnish, type Home, ShiftedClock } from './furnish.ts';
import { furnishBooks } from './furnish-books.ts';
import { type Act, answerInTheServersPlace, ONE_DOT, pressAll } from './press-all.ts';
import { settled } from './settled.ts';

const SOURCES = fileURLToPath(new URL('../../../web/src/operator/', import.meta.url));

interface Operation {
  method: string;
  path: RegExp;
  roles: readonly string[];
}

let stage: Stage;
let home: Home;
let orderId: string;
/** Of the catalog: one that can be published or thrown away, one that can be undone. */
let changes: { draft: string; published: string };
let settlements: { gateway: string; bank: string };
let operations: Operation[];
/** What the pages of the operator can ask for and that changes something, as their sources name it. */
let acts: (Operation & { name: string })[];

/** Acts that no press reaches on these pages, and why. */
const NOT_PRESSED: Readonly<Record<string, string>> = {
  'DELETE /api/admin/catalog/lists': 'the list of this service is the shipped one',
  'DELETE /api/admin/catalog/lists/:id/announcement': 'no list is proposed',
  'POST /api/admin/catalog/lists/:id/apply': 'no list is proposed',
  'DELETE /api/admin/pricing/rate-source': 'the rate is written by hand',
  'POST /api/admin/pricing/rate-source/fetch': 'the rate is written by hand',
  'POST /api/admin/tasks/costs/count': 'it follows a cost that was saved, and these presses save nothing',
  'POST /api/admin/conformance/runs': 'no budget is set, so nothing may be asked',
  'POST /api/admin/conformance/forget': 'no route was asked yet',
  'POST /api/admin/exports': 'it stands among the filters, which no press touches (lists/exports)',
  'POST /api/admin/views': 'it stands among the filters, which no press touches (lists/staff-lists)',
  'DELETE /api/admin/replicas/:id': 'there is one process, and it is alive',
  'POST /api/admin/alerts/targets/:id/enable': 'no webhook was switched off',
  'POST /api/admin/payments/:id/refund/settle': 'no gateway refused a refund',
  'POST /api/admin/approvals': 'nothing was beyond a limit',
  'POST /api/admin/periods/:id/closing': 'no month has ended',
  'POST /api/admin/periods/:id/closing/decision': 'no month has ended',
  'DELETE /api/admin/approvals/:id': 'what waits was asked for by a program',
  'POST /api/admin/exports/:id/stop': 'so small a file is made before anybody could stop it',
  'DELETE /api/admin/views/:id': 'a view is deleted from the page that shows it, and none is shown',
  'PUT /api/admin/credit/limits': 'every figure is there, and none is changed',
  'POST /api/admin/settlements': 'no press chooses a file',
  'POST /api/admin/settlements/fetch': 'no gateway here tells its payouts',
  'POST /api/admin/settlements/opening': 'its day is chosen in a calendar',
  'POST /api/admin/documents/:id/files': 'no press chooses a file',
  'POST /api/admin/bills': 'its days are chosen in a calendar',
};

/** Behind the navigation: what stands in drawers, dialogs and tabs. */
const inner = () => [
  '/operator/accounts?q=09121234567',
  ...['', '/people', '/keys', '/requests', '/money', '/invoices', '/tickets', '/limits', '/history'].map(
    (tab) => `/operator/accounts/${home.account}${tab}`,
  ),
  '/operator/accounts/shut',
  `/operator/requests/${home.requestId}`,
  `/operator/orders/${orderId}`,
  '/operator/models?model=openai%2Fgpt-5-mini',
  '/operator/providers?provider=spare-openai',
  '/operator/providers?provider=never-called',
  '/operator/providers/spare-openai/offer',
  '/operator/models?routes=own%2Funused',
  '/operator/models?routes=openai%2Fgpt-5-mini',
  `/operator/changes/${changes.draft}`,
  `/operator/changes/${changes.published}`,
  '/operator/groups?group=fast',
  '/operator/payments/gateways',
  '/operator/payments/seller',
  '/operator/payments/gifts',
  '/operator/ledger/proofs',
  '/operator/ledger/transfers',
  '/operator/ledger/profit',
  '/operator/books/settlement',
  `/operator/books/settlement/${settlements.gateway}`,
  `/operator/books/settlement/${settlements.bank}`,
  '/operator/books/settlement?tab=ours',
  '/operator/books/settlement?tab=receipts',
  '/operator/books/settlement?tab=opening',
  '/operator/books/bills',
  '/operator/books/documents',
  '/operator/books/documents?tab=undocumented',
  '/operator/books/trial',
  '/operator/books/trial?book=wallets',
  '/operator/books/profit',
  '/operator/books/cash',
  '/operator/books/journal',
  '/operator/books/vat',
  '/operator/books/invoices',
  '/operator/by-hand?tab=entries',
  '/operator/by-hand?tab=limits',
  `/operator/tickets/${home.ticketId}`,
];

describe.skipIf(MAY_SKIP)('staff in the role', { timeout: 600_000 }, () => {
  beforeAll(async () => {
    const clock = new ShiftedClock();
    stage = await openStage({ clock });
    home = await furnish(stage.gateway, clock);
    await furnishMore();
    await furnishCatalog();
    await furnishDesk();
    settlements = await furnishBooks(stage.gateway);
    await furnishOutage();
    // A run that is under way holds the button of the next.
    expect(await wholeProof(stage.gateway.admin)).toMatchObject({ ok: true });
    const orders = await stage.gateway.admin('GET', '/api/admin/payments?state=credited&limit=1');
    orderId = ((await orders.json()) as { data: { id: string }[] }).data[0]?.id ?? '';
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
    acts = (await actsInSources()).flatMap((name) => {
      const [method = '', path = ''] = name.split(' ');
      const tried = path.replaceAll(/:\w+/g, 'x');
      const found = operations.find((one) => one.method === method && one.path.test(tried));
      return found === undefined ? [] : [{ ...found, name }];
    });
    expect(acts.length).toBeGreaterThan(50);
    expect(acts.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(NOT_PRESSED)));
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
      const asked: Act[] = [];
      const linked = await page.evaluate<string[]>(
        `[...document.querySelectorAll('nav.nav a[href^="/operator"]')].map((link) => link.getAttribute('href'))`,
      );
      expect(linked.includes('/operator/staff')).toBe(role === 'owner');
      // The owner presses everything; of the others each presses on half of the pages, and on all with `npm run test:long`.
      const isWhole = LONG || role === 'owner';
      const addresses = [...new Set([...linked, ...inner()])];
      for (const address of addresses.filter((_, index) => isWhole || index % 2 === STAFF_ROLES.indexOf(role) % 2))
        asked.push(...(await pressAll(page, address)));
      expect(refused).toEqual([]);
      expect(faults).toEqual([]);
      const wrongly = asked.filter(
        ({ method, path }) =>
          !operations.some((one) => one.method === method && one.path.test(path) && one.roles.includes(role)),
      );
      expect(wrongly).toEqual([]);
      // The presses arrive: whoever may do something did it, and whoever only looks did nothing.
      const unpressed = acts.filter(
        (act) =>
          isWhole &&
          act.roles.includes(role) &&
          !asked.some(({ method, path }) => act.method === method && act.path.test(path)),
      );
      // How they are told themselves is theirs to choose.
      if (role === 'viewer') expect(asked.filter(({ path }) => !path.startsWith('/api/admin/alerts'))).toEqual([]);
      expect(unpressed.map(({ name }) => name).filter((name) => !(name in NOT_PRESSED))).toEqual([]);
      await close();
    },
  );

  it('sees values where they cannot be changed, and reads who may', async () => {
    const { page, close } = await enter('finance');
    await page.goto(`${stage.gateway.origin}/operator/accounts/${home.account}/limits`);
    const rules = page.locator('section[aria-label="محدودیت‌ها"]');
    await rules.locator('.who-may:has-text("«مالک» و «پشتیبانی»")').waitFor();
    expect(await rules.locator('input').first().inputValue()).toBe('۱٬۰۰۰');
    expect(await rules.locator('input:enabled').count()).toBe(0);
    await page.goto(`${stage.gateway.origin}/operator/accounts/${home.account}/money`);
    await page.locator('form[aria-label="ثبت دستی"] input[name=amount]:enabled').waitFor();
    await page.goto(`${stage.gateway.origin}/operator/settings`);
    await page.locator('.who-may:has-text("فقط نقش «مالک»")').first().waitFor();
    // Gateways are finance's too.
    const others = page.locator('main section:has(.who-may) :is(input, select):enabled');
    expect(await others.count()).toBe(0);
    await close();
  });
});

async function asStaff(method: string, path: string, body: object): Promise<{ id: string }> {
  const answered = await stage.gateway.admin(method, `/api/admin${path}`, body);
  expect(answered.ok, `${path}: ${await answered.clone().text()}`).toBe(true);
  return (await answered.json()) as { id: string };
}

/** A provider, a model and a route that were never used, all switched off; a draft of the catalog and a change that was published. */
async function furnishCatalog(): Promise<void> {
  const base_url = stage.gateway.vendor.baseUrls['openai-chat'];
  await asStaff('POST', '/providers', { id: 'never-called', vendor: 'openai', base_url, api_key: 'sk-never-0000' });
  await asStaff('PATCH', '/providers/never-called', { state: 'off' });
  const price = { input: 1_000, output: 2_000 };
  await asStaff('POST', '/models', {
    id: 'own/unused',
    routes: [{ provider: 'spare-openai', model: 'unused' }],
    price,
  });
  await asStaff('PATCH', '/models/own/unused/routes?provider=spare-openai&model=unused', { state: 'off' });
  await asStaff('PATCH', '/models/own/unused', { state: 'off' });
  const at = new Date(Date.now() + 400 * 86_400_000).toISOString();
  await asStaff('POST', '/models/own/unused/retirement', { at });
  const drafted = (input: number) =>
    asStaff('POST', '/catalog/changes', { edits: [{ op: 'price', model: 'own/unused', price: { ...price, input } }] });
  const { id: published } = await drafted(1_500);
  await asStaff('POST', `/catalog/changes/${published}/publish`, {});
  changes = { draft: (await drafted(1_700)).id, published };
}

/** A model that has just failed its customers. */
async function furnishOutage(): Promise<void> {
  const { gateway } = stage;
  gateway.vendor.choose(() => faults.failWith(503));
  const messages = [{ role: 'user', content: 'hello' }];
  for (let at = 0; at < 8; at++) await gateway.chat({ model: 'deepseek/deepseek-chat', messages }, { key: home.key });
  gateway.vendor.reset();
  await eventually(async () => {
    const { open } = (await (await gateway.admin('GET', '/api/admin/outages')).json()) as { open: { kind: string }[] };
    expect(open.map(({ kind }) => kind)).toContain('model.failing');
    // Whoever helps one of its customers reads of it on the account's page.
    const desk = await gateway.admin('GET', `/api/admin/accounts/${home.account}/desk`);
    const { outages } = (await desk.json()) as { outages: { subject: string }[] };
    expect(outages.map(({ subject }) => subject)).toEqual(['deepseek/deepseek-chat']);
  });
}

/** What only staff can press on: a transfer to confirm, prices that can be taken back, a picture that can be removed. */
async function furnishMore(): Promise<void> {
  const effective_at = new Date(Date.now() + 30 * 86_400_000).toISOString();
  await asStaff('PATCH', '/payment-gateways/bank-transfer', { enabled: true, options: { instructions: 'IR06 0960' } });
  await home.customer.post('/wallet/orders', { gateway: 'bank-transfer', amount: '250000' });
  await asStaff('POST', '/models/openai/gpt-5-mini/prices', {
    price: { input: 32_000, output: 260_000 },
    effective_at,
  });
  await asStaff('POST', '/pricing', { margins: [{ layer: 'global', margin: '0.12' }], effective_at });
  await asStaff('PUT', '/branding/logo', { image: ONE_DOT });
  await asStaff('POST', '/operator-tokens', { name: 'shop', scopes: ['credit'] });
  await asStaff('POST', `/accounts/${home.account}/credit`, {
    kind: 'gift',
    number: 'waits',
    amount: 150_000_000,
    campaign: 'launch',
    note: 'a contract',
    ask: 'a contract of a year',
  });
}

/** What support works on: a note, an open invitation, and an account that is blocked for a day. */
async function furnishDesk(): Promise<void> {
  await asStaff('POST', `/accounts/${home.account}/notes`, { text: 'فاکتور رسمی می‌خواهند', pinned: true });
  expect((await home.customer.post('/invitations', { to: '09121212121', role: 'viewer' })).status).toBe(201);
  await asStaff('POST', '/accounts', { id: 'shut', name: 'Shut' });
  await asStaff('POST', '/accounts/shut/block', { reason: 'unusual requests', hours: 24 });
}

async function actsInSources(): Promise<string[]> {
  const names = new Set<string>();
  for (const file of await readdir(SOURCES, { recursive: true }))
    if (/\.tsx?$/.test(file))
      for (const [, name = ''] of (await readFile(SOURCES + file, 'utf8')).matchAll(
        /'((?:POST|PUT|PATCH|DELETE) \/api\/admin[^']+)'/g,
      ))
        if (!name.endsWith('/preview')) names.add(name);
  return [...names];
}

const cookies = new Map<StaffRole, string>();

/** Signs in once: the next code of a number is sent a minute later. */
async function cookieOf(role: StaffRole): Promise<string> {
  const to = `0912140000${STAFF_ROLES.indexOf(role)}`;
  await stage.gateway.admin('POST', '/api/admin/staff', { to, role });
  const person = new Browser(stage.gateway);
  await person.signIn(to, { name: role });
  await person.send('POST', '/api/admin/alerts/targets', { url: 'https://pager.example/hook' });
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
  await answerInTheServersPlace(context);
  await page.goto(`${gateway.origin}/operator`);
  await settled(page);
  return { page, faults, close: () => context.close() };
}

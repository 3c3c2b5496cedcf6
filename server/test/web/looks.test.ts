/**
 * Every page of the console and of the operator's side, in both languages, both themes, on a phone and on a desk: axe finds
 * nothing, nothing is wider than the screen or than its place, and nothing fails. `npm run test:long` looks at all eight combinations and leaves a
 * picture of each in coverage/shots for people to look at; otherwise each language is seen light on one width and dark on the
 * other, and axe looks once in each theme.
 */
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startFakeVendor } from '../fake-vendor/index.ts';
import { MAY_SKIP, openStage, type Stage, takePicture } from './browser.ts';
import { furnish, type Home, ShiftedClock } from './furnish.ts';
import { type HandedIn, handIn } from './furnish-batches.ts';
import { furnishBooks } from './furnish-books.ts';
import { type Answered, routeAnswers } from './furnish-routing.ts';
import { looksOf } from './looks-of.ts';
import { countCalls, goTo } from './settled.ts';

const LANGUAGES = ['fa', 'en'] as const;

let stage: Stage;
let home: Home;
let operatorCookie: string;
let orderId: string;
let batches: HandedIn;
let answers: Answered;
let draftId: string;
let settlements: { gateway: string; bank: string };

/** `name: address`; the name is the picture's. */
const consolePages = (): Record<string, string> => ({
  overview: '/console',
  keys: '/console/keys',
  key: `/console/keys/${home.keyId}`,
  'key-new': '/console/keys?new',
  usage: '/console/usage',
  'usage-members': '/console/usage?by=member',
  'usage-tags': '/console/usage?by=tag',
  requests: '/console/requests',
  receipt: `/console/requests/${home.requestId}`,
  'receipt-grounded': `/console/requests/${home.groundedRequestId}`,
  'receipt-cached': `/console/requests/${home.cachedRequestId}`,
  'receipt-guaranteed': `/console/requests/${answers.guaranteed}`,
  'receipt-routed': `/console/requests/${answers.routed}`,
  'receipt-continued': `/console/requests/${answers.continued}`,
  'receipt-searched': `/console/requests/${answers.searched}`,
  'receipt-refused': `/console/requests/${home.failedRequestId}`,
  wallet: '/console/wallet',
  'wallet-transfers': '/console/wallet/transfers',
  'wallet-orders': '/console/wallet/orders',
  'wallet-order': `/console/wallet/orders/${orderId}`,
  'wallet-invoices': '/console/wallet/invoices',
  'wallet-identity': '/console/wallet/identity',
  knowledge: '/console/knowledge',
  'knowledge-base': `/console/knowledge/${home.baseId}`,
  passages: `/console/knowledge/${home.baseId}?document=${home.documentId}`,
  passage: `/console/knowledge/${home.baseId}?document=${home.documentId}&passage=2`,
  batches: '/console/batches',
  batch: `/console/batches/${batches.answered}`,
  'batch-refused': `/console/batches/${batches.refused}`,
  playground: '/console/playground',
  limits: '/console/limits',
  alerts: '/console/alerts',
  'alerts-targets': '/console/alerts?tab=targets',
  'alerts-sent': '/console/alerts?tab=sent',
  'alerts-notices': '/console/alerts?tab=notices',
  members: '/console/members',
  tickets: '/console/tickets',
  ticket: `/console/tickets/${home.ticketId}`,
  settings: '/console/settings',
  'settings-account': '/console/settings/account',
  'settings-security': '/console/settings/security',
  'settings-privacy': '/console/settings/privacy',
  'settings-management': '/console/settings/management',
  'settings-trail': '/console/settings/trail',
  nowhere: '/console/no-such-page',
});

const operatorPages = (): Record<string, string> => ({
  overview: '/operator',
  accounts: '/operator/accounts',
  account: `/operator/accounts/${home.account}`,
  'account-people': `/operator/accounts/${home.account}/people`,
  'account-keys': `/operator/accounts/${home.account}/keys`,
  'account-requests': `/operator/accounts/${home.account}/requests`,
  'account-money': `/operator/accounts/${home.account}/money`,
  'account-invoices': `/operator/accounts/${home.account}/invoices`,
  'account-tickets': `/operator/accounts/${home.account}/tickets`,
  'account-limits': `/operator/accounts/${home.account}/limits`,
  'account-history': `/operator/accounts/${home.account}/history`,
  'account-none': '/operator/accounts/empty',
  'account-none-people': '/operator/accounts/empty/people',
  'account-none-money': '/operator/accounts/empty/money',
  requests: '/operator/requests',
  request: `/operator/requests/${home.requestId}`,
  'request-guaranteed': `/operator/requests/${answers.guaranteed}`,
  'request-routed': `/operator/requests/${answers.routed}`,
  'request-grounded': `/operator/requests/${home.groundedRequestId}`,
  outages: '/operator/outages',
  conformance: '/operator/conformance',
  models: '/operator/models',
  'model-price': '/operator/models?model=openai%2Fgpt-5-mini',
  'model-tool-prices': '/operator/models?model=openai%2Fgpt-5-search',
  providers: '/operator/providers',
  provider: '/operator/providers?provider=spare-openai',
  offer: '/operator/providers/spare-openai/offer',
  'model-routes': '/operator/models?routes=openai%2Fgpt-5-mini',
  changes: '/operator/changes',
  change: `/operator/changes/${draftId}`,
  groups: '/operator/groups',
  payments: '/operator/payments',
  'payments-gateways': '/operator/payments/gateways',
  'payments-seller': '/operator/payments/seller',
  'payments-gifts': '/operator/payments/gifts',
  order: `/operator/orders/${orderId}`,
  people: '/operator/people',
  'requests-none': '/operator/requests?model=nothing%2Fthere&period=31d',
  ledger: '/operator/ledger',
  'ledger-proofs': '/operator/ledger/proofs',
  'ledger-transfers': '/operator/ledger/transfers',
  'ledger-transfers-none': '/operator/ledger/transfers?reference=nothing&kind=refund',
  'ledger-profit': '/operator/ledger/profit',
  settlement: '/operator/books/settlement',
  'settlement-one': `/operator/books/settlement/${settlements.gateway}`,
  'settlement-bank': `/operator/books/settlement/${settlements.bank}`,
  'settlement-ours': '/operator/books/settlement?tab=ours',
  'settlement-opening': '/operator/books/settlement?tab=opening',
  bills: '/operator/books/bills',
  documents: '/operator/books/documents',
  document: '/operator/books/documents?document=owner-money%3Aowner-1',
  'documents-undocumented': '/operator/books/documents?tab=undocumented',
  'books-month': '/operator/books',
  'books-trial': '/operator/books/trial',
  'books-accounts': '/operator/books/trial?book=wallets',
  'books-profit': '/operator/books/profit',
  'books-cash': '/operator/books/cash',
  'books-journal': '/operator/books/journal',
  'books-vat': '/operator/books/vat',
  'books-invoices': '/operator/books/invoices',
  'books-invoices-none': '/operator/books/invoices?number=1300-1',
  'by-hand': '/operator/by-hand',
  'by-hand-entries': '/operator/by-hand?tab=entries',
  'by-hand-limits': '/operator/by-hand?tab=limits',
  tickets: '/operator/tickets',
  ticket: `/operator/tickets/${home.ticketId}`,
  news: '/operator/news',
  setup: '/operator/setup',
  settings: '/operator/settings',
  staff: '/operator/staff',
  'staff-alerts': '/operator/staff/alerts',
  tokens: '/operator/tokens',
  outbox: '/operator/outbox',
  trail: '/operator/trail',
  system: '/operator/system',
});

/** Notes of staff on one account, and another that is blocked and has nothing. */
async function furnishDesk(): Promise<void> {
  const { admin } = stage.gateway;
  const note = (text: string, pinned = false) =>
    admin('POST', `/api/admin/accounts/${home.account}/notes`, { text, pinned });
  await note('سقف ماهانه را تا ۴ میلیون خواستند. سابقهٔ پرداخت خوب است.');
  await note('فاکتور رسمی می‌خواهند؛ پیش از هر برگشت پول با مالی‌شان هماهنگ شود.', true);
  const gone = (await (await note('شمارهٔ تماس عوض شده است.')).json()) as { id: string };
  await admin('POST', `/api/admin/accounts/${home.account}/notes/${gone.id}`, { act: 'withdraw' });
  await admin('POST', '/api/admin/accounts', { id: 'empty', name: '09121234567' });
  await admin('POST', '/api/admin/accounts/empty/block', { reason: 'درخواست‌های غیرعادی از چند کشور.', hours: 24 });
}

describe.skipIf(MAY_SKIP)('every page', { timeout: 600_000 }, () => {
  beforeAll(async () => {
    const clock = new ShiftedClock();
    const vendor = await startFakeVendor();
    // Own keys are taken only for a vendor at its own address.
    vi.stubEnv('OPENAI_BASE_URL', vendor.baseUrls['openai-chat']);
    stage = await openStage({ clock, vendor });
    home = await furnish(stage.gateway, clock);
    batches = await handIn(stage.gateway, home.customer, home.key);
    answers = await routeAnswers(stage.gateway, home.customer, home.key);
    settlements = await furnishBooks(stage.gateway);
    const { origin } = stage.gateway;
    const entered = await fetch(`${origin}/api/admin/sign-in`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ password: await stage.gateway.ownPassword() }),
    });
    const edits = [
      { op: 'offer', model: 'openai/gpt-4o', provider: 'spare-openai', upstream: 'gpt-4o' },
      { op: 'offer', model: 'openai/tts-1', provider: 'spare-openai', upstream: 'tts-1' },
      { op: 'price', model: 'openai/gpt-5-mini', price: { input: 40_000, output: 300_000 } },
    ];
    const drafted = await stage.gateway.admin('POST', '/api/admin/catalog/changes', { edits });
    ({ id: draftId } = (await drafted.json()) as { id: string });
    await furnishDesk();
    const orders = await stage.gateway.admin('GET', '/api/admin/payments?state=credited&limit=1');
    orderId = ((await orders.json()) as { data: { id: string }[] }).data[0]?.id ?? '';
    operatorCookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  }, 300_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await stage?.stop();
    await stage?.gateway.vendor.close();
  });

  for (const language of LANGUAGES) {
    it(`of the customer, ${language}`, async () => {
      expect(await lookAt('console', language, home.customer.cookie ?? '', consolePages())).toEqual([]);
    });
    it(`of the operator, ${language}`, async () => {
      expect(await lookAt('operator', language, operatorCookie, operatorPages())).toEqual([]);
    });
  }

  it('of an order only what its state allows is offered', async () => {
    const { context, page } = await stage.open();
    await keepCookies(context, { dargah: operatorCookie.replace(/^dargah=/, ''), dargah_lang: 'fa' });
    await page.goto(`${stage.gateway.origin}/operator/payments`);
    const offered = async (state: string) => {
      await page.locator(`tr:has-text("${state}") button[aria-label^="عملیات"]`).first().click();
      const names = await page.locator('[role=menuitem]:visible').allTextContents();
      await page.keyboard.press('Escape');
      return names;
    };
    expect(await offered('به کیف پول رسید')).toEqual(['بازگرداندن']);
    expect(await offered('در حال بررسی')).toEqual(['استعلام دوباره']);
    await context.close();
  });

  it('a list stays where it was read while a receipt opens beside it', async () => {
    const { context, page } = await stage.open();
    await keepCookies(context, { dargah: (home.customer.cookie ?? '').replace(/^dargah=/, ''), dargah_lang: 'fa' });
    await page.goto(`${stage.gateway.origin}/console/requests`);
    const row = page.locator('tr.opens').nth(40);
    await row.scrollIntoViewIfNeeded();
    const before = await page.evaluate<number>('scrollY');
    expect(before).toBeGreaterThan(0);
    await row.click();
    await page.waitForSelector('.drawer');
    expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(0);
    await context.close();
  });
});

/** Everything that is wrong on these pages, one line each. */
async function lookAt(
  area: 'console' | 'operator',
  language: (typeof LANGUAGES)[number],
  cookie: string,
  pages: Record<string, string>,
): Promise<string[]> {
  const { context, page, faults } = await stage.open({ locale: language === 'fa' ? 'fa-IR' : 'en-GB' });
  await keepCookies(context, { dargah: cookie.replace(/^dargah=/, ''), dargah_lang: language, dargah_theme: 'light' });
  await countCalls(context);
  await page.goto(`${stage.gateway.origin}/${area}`);
  await page.evaluate(axe.source);
  const wrong: string[] = [];
  for (const [place, [name, address]] of Object.entries(pages).entries()) {
    await goTo(page, address);
    for (const { width, theme, axe: asked } of looksOf(language, place)) {
      await page.setViewportSize({ width, height: 900 });
      const look = `${area}-${name}-${language}-${width}-${theme}`;
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      wrong.push(...(await faultsOf(page, asked)).map((fault) => `${look}: ${fault}`));
      await takePicture(page, look, { fullPage: true });
    }
    wrong.push(...faults.splice(0).map((fault) => `${area}-${name}-${language}: ${fault}`));
    await page.setViewportSize({ width: 1280, height: 900 });
  }
  await context.close();
  return wrong;
}

async function keepCookies(context: BrowserContext, cookies: Record<string, string>): Promise<void> {
  const { origin } = stage.gateway;
  await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: origin })));
}

function faultsOf(page: Page, asked: object | null): Promise<string[]> {
  return page.evaluate<string[]>(`(${LOOK})(${JSON.stringify(asked)})`);
}

/** Runs in the page; a text, since the server's code knows no document. */
const LOOK = `async (options) => {
  const { violations } = options === null ? { violations: [] } : await axe.run(document, options);
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary));
  const wider = document.documentElement.scrollWidth - innerWidth;
  if (wider > 0) {
    const out = [...document.querySelectorAll('body *')].filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (left < -1 || right > innerWidth + 1) && !element.closest('.scroll-x, .filters, .vh, .skip');
    });
    const names = out.slice(0, 3).map(({ tagName, className }) => tagName + '.' + className);
    found.push('wider than the screen by ' + wider + ' px: ' + names.join(', '));
  }
  // A column that must be scrolled to is a column that nobody sees.
  for (const box of document.querySelectorAll('main .scroll-x')) {
    const hidden = box.scrollWidth - box.clientWidth;
    if (hidden > 1) found.push('the table ' + box.firstElementChild.ariaLabel + ' hides ' + hidden + ' px');
  }
  // A page that could not read its data is not a page that looks right.
  for (const box of document.querySelectorAll('main .trouble')) found.push('an error is shown: ' + box.textContent);
  // Where rows fold, every cell keeps to its own place.
  for (const cell of document.querySelectorAll('main .table.fold td')) {
    if (getComputedStyle(cell).display !== 'block') continue;
    if (cell.scrollWidth > cell.clientWidth + 1) found.push('a cell runs out of its place: ' + cell.textContent);
  }
  return found;
}`;

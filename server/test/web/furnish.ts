/**
 * A gateway as it looks after some weeks of use, made only by calls that people and programs make: an account with keys, rules,
 * payments, members, tickets and a knowledge base, and an operator with prices, news and gift codes.
 */
import type { Clock } from '../../src/core/clock.ts';
import { answer, faults } from '../fake-vendor/index.ts';
import type { TestGateway } from '../harness/start-gateway.ts';
import { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';
import { askFromDocuments, teach } from './furnish-knowledge.ts';

const DAY = 86_400_000;
const DAYS = 16;

/** Runs as fast as the real one, from some days ago to now. */
export class ShiftedClock implements Clock {
  behindMs = DAYS * DAY;

  now(): number {
    return Date.now() - this.behindMs;
  }

  monotonicMs(): number {
    return performance.now();
  }
}

/** A person whose every step must be accepted: a page full of nothing proves nothing. */
class Furnisher extends Browser {
  override async send<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const reply = await super.send<T>(method, path, body, headers);
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply;
  }
}

async function asOperator(gateway: TestGateway, method: string, path: string, body: object): Promise<unknown> {
  const answered = await gateway.admin(method, `/api/admin${path}`, body);
  const said = await answered.text();
  if (!answered.ok) throw new Error(`${method} ${path}: ${answered.status} ${said}`);
  return JSON.parse(said);
}

export interface Home {
  customer: Browser;
  account: string;
  /** The text of a key that may call. */
  key: string;
  keyId: string;
  requestId: string;
  failedRequestId: string;
  /** Answered from the response cache. */
  cachedRequestId: string;
  /** Answered from passages, of which one is gone since. */
  groundedRequestId: string;
  baseId: string;
  documentId: string;
  ticketId: string;
}

export async function furnish(gateway: TestGateway, clock: ShiftedClock): Promise<Home> {
  const customer = new Furnisher(gateway);
  customer.language = 'fa';
  const entered = await customer.signIn('09121234567', { name: 'مینا رستگار', account_name: 'نوین‌داده' });
  const account = entered.body.accounts[0]?.id ?? '';
  customer.account = account;
  const home = { customer, account };
  await operatorBegins(gateway);
  await pay(gateway, customer, 2_500_000, 'pay');
  const keys = await makeKeys(customer);
  await customer.post('/budgets', {
    name: 'تیم محصول',
    key_ids: [keys.web.id, keys.dev.id, keys.summary.id],
    caps: { daily: 150_000, monthly: 2_500_000 },
  });
  for (let day = DAYS; day > 0; day -= 1) {
    clock.behindMs = day * DAY;
    await spendADay(gateway, keys, day);
  }
  clock.behindMs = 0;
  const { requestId, failedRequestId, cachedRequestId } = await today(gateway, customer, keys);
  await customer.post(`/keys/${keys.old.id}/pause`);
  const taught = await teach(customer);
  const groundedRequestId = await askFromDocuments(gateway, customer, taught.baseId, keys.web.key);
  await people(gateway, customer, account);
  const ticketId = await support(gateway, customer, requestId, failedRequestId);
  await moreMoney(gateway, customer);
  const requests = { requestId, failedRequestId, cachedRequestId, groundedRequestId };
  return { ...home, key: keys.web.key, keyId: keys.web.id, ...requests, ...taught, ticketId };
}

type FreshKey = { id: string; key: string };
type Keys = Record<'web' | 'summary' | 'dev' | 'night' | 'old', FreshKey>;

async function makeKeys(customer: Browser): Promise<Keys> {
  const make = async (name: string, rules: object) => (await customer.post<FreshKey>('/keys', { name, rules })).body;
  return {
    old: await make('old-mobile', { caps: { daily: 20_000 } }),
    night: await make('batch-night', { caps: { daily: 60_000 } }),
    dev: await make('dev-reza', { caps: { daily: 400 } }),
    summary: await make('summarizer', { caps: { monthly: 900_000 }, models: ['openai/gpt-5-mini', 'sandbox/hello'] }),
    web: await make('prod-web', {
      caps: { daily: 80_000, monthly: 2_000_000 },
      rpm: 120,
      expires_at: new Date(Date.now() + 100 * DAY).toISOString(),
    }),
  };
}

const QUESTION = [{ role: 'user', content: 'چکیدهٔ گزارش فروش هفتهٔ گذشته را در سه خط بنویسید.' }];

async function spendADay(gateway: TestGateway, keys: Keys, day: number): Promise<void> {
  const busy = 1 + ((day * 7) % 4);
  const ask = (key: FreshKey, model: string, more: object = {}) =>
    gateway.chat({ model, messages: QUESTION, ...more }, { key: key.key });
  const usage = (input: number, output: number) => ({ usage: { input, cached: Math.round(input * 0.6), output } });
  for (let n = 0; n < busy; n += 1) {
    gateway.vendor.next(answer({ text: 'فروش هفته رشد داشت.', ...usage(19_716 + n * 311, 742 + n * 40) }));
    await ask(keys.web, 'anthropic/claude-sonnet-4.5', {
      user: `customer-${(n % 3) + 1}`,
      svc: { tags: { team: n % 2 === 0 ? 'search' : 'support', env: 'prod' } },
    });
    gateway.vendor.next(answer({ text: 'رشد ۸٪.', ...usage(8_120 + day * 97, 310) }));
    await ask(n % 2 === 0 ? keys.summary : keys.web, 'openai/gpt-5-mini');
  }
  gateway.vendor.next(answer({ text: 'انجام شد.', ...usage(41_877, 2_400) }));
  await ask(keys.night, 'deepseek/deepseek-chat');
  if (day % 4 === 0) {
    gateway.vendor.next(faults.failWith(503), faults.failWith(503), faults.failWith(503));
    await ask(keys.old, 'google/gemini-2.5-flash');
    gateway.vendor.reset();
  }
}

async function today(gateway: TestGateway, customer: Browser, keys: Keys) {
  await spendADay(gateway, keys, 1);
  // The first route fails and the second answers: a receipt with two attempts.
  gateway.vendor.next(
    faults.failWith(503),
    answer({ text: 'پاسخ از مسیر دوم.', usage: { input: 18_000, output: 640 } }),
  );
  const answered = await gateway.chat(
    { model: 'deepseek/deepseek-chat', messages: QUESTION, svc: { tags: ['team:search', 'weekly-report'] } },
    { key: keys.web.key },
  );
  const requestId = answered.headers.get('x-svc-request-id') ?? '';
  gateway.vendor.reset();
  gateway.vendor.next(answer({ text: 'فروش هفته رشد داشت.', usage: { input: 12_000, output: 240 } }));
  const equal = { model: 'openai/gpt-5-mini', messages: QUESTION, svc: { cache_seconds: 600 } };
  await gateway.chat(equal, { key: keys.web.key });
  const cached = await gateway.chat(equal, { key: keys.web.key });
  const cachedRequestId = cached.headers.get('x-svc-request-id') ?? '';
  gateway.vendor.next(answer({ text: '۱', usage: { input: 12_000, output: 90 } }));
  await gateway.chat({ model: 'openai/gpt-5-mini', messages: QUESTION, max_tokens: 100 }, { key: keys.dev.key });
  const refused = await gateway.chat({ model: 'openai/gpt-5-mini', messages: QUESTION }, { key: keys.dev.key });
  const failedRequestId = refused.headers.get('x-svc-request-id') ?? '';
  await gateway.chat({ model: 'openai/no-such-model', messages: QUESTION }, { key: keys.web.key });
  await eventually(async () => {
    const { body } = await customer.get<{ state: string }>(`/requests/${requestId}`);
    if (body.state !== 'completed') throw new Error(`the request is ${body.state}`);
  });
  return { requestId, failedRequestId, cachedRequestId };
}

async function pay(gateway: TestGateway, customer: Browser, amount: number, play: string): Promise<void> {
  const { body } = await customer.post<{ redirect_url: string }>('/wallet/orders', { gateway: 'sandbox', amount });
  const path = new URL(body.redirect_url).pathname;
  const answered = await fetch(`${gateway.origin}${path}/${play}`, { method: 'POST', redirect: 'manual' });
  const back = answered.headers.get('location');
  if (back !== null) await fetch(new URL(back, gateway.origin));
}

async function moreMoney(gateway: TestGateway, customer: Browser): Promise<void> {
  await customer.send('PUT', '/api/console/wallet/legal-identity', {
    kind: 'company',
    name: 'شرکت نوین‌داده',
    national_id: '14005893875',
    postal_code: '1966713111',
    address: 'تهران، خیابان ولیعصر، پلاک ۱۲',
  });
  await pay(gateway, customer, 500_000, 'pay');
  await pay(gateway, customer, 300_000, 'refuse');
  await pay(gateway, customer, 1_000_000, 'wait');
  const made = await asOperator(gateway, 'POST', '/gift-codes', { count: 3, amount: 50_000, note: 'نوروز' });
  const { codes } = made as { codes: string[] };
  await customer.post('/wallet/gift-codes', { code: codes[0] ?? '' });
}

async function people(gateway: TestGateway, customer: Browser, account: string): Promise<void> {
  const invited = await customer.post<{ invitation: string }>('/invitations', {
    to: 'reza@example.com',
    role: 'developer',
  });
  const reza = new Furnisher(gateway);
  await reza.signIn('reza@example.com', { name: 'رضا کاظمی', invitation: invited.body.invitation });
  await customer.post('/invitations', { to: '09351112233', role: 'billing' });
  await customer.post('/management-keys', { name: 'terraform', resources: { keys: 'write', requests: 'read' } });
  await customer.patch('/alerts/rules/balance.low', { channels: ['console', 'email'], terms: { below: 50_000 } });
  await customer.post('/alerts/test', { event: 'balance.low' });
  await asOperator(gateway, 'PATCH', `/accounts/${account}`, {
    rules: { rpm: 1_000, caps: { daily: 150_000, monthly: 2_500_000 } },
  });
  const second = new Furnisher(gateway);
  await second.signIn('09127654321', { name: 'سپیده نادری', account_name: 'پخش پارس' });
}

async function support(gateway: TestGateway, customer: Browser, ...requests: string[]): Promise<string> {
  const limits = await customer.post<{ id: string }>('/tickets', {
    category: 'limits',
    subject: 'سقف درخواست در دقیقه',
    text: 'از هفتهٔ آینده بار ما دو برابر می‌شود. خواهش می‌کنیم سقف را بالا ببرید.',
    wish: { rules: { rpm: 2_000, caps: { daily: 400_000 } } },
  });
  const technical = await customer.post<{ id: string }>('/tickets', {
    category: 'technical',
    subject: 'این درخواست چرا رد شد؟',
    text: 'دیروز همین درخواست می‌گذشت.',
    request_ids: requests,
  });
  await asOperator(gateway, 'POST', `/tickets/${technical.body.id}/messages`, {
    text: 'سقف روزانهٔ کلید پر شده بود. نیمه‌شب باز می‌شود، یا خودتان سقف را بالا ببرید.',
  });
  return limits.body.id;
}

async function operatorBegins(gateway: TestGateway): Promise<void> {
  const send = (method: string, path: string, body: object) => asOperator(gateway, method, path, body);
  await send('PATCH', '/payment-gateways/sandbox', { enabled: true });
  await send('PATCH', '/invoice-settings', {
    seller: { kind: 'company', name: 'شرکت درگاه', national_id: '10380284790', address: 'تهران' },
    vat_percent: '10',
  });
  await send('POST', '/announcements', {
    title: { fa: 'مدل جدید: gemini-2.5-flash', en: 'New model: gemini-2.5-flash' },
    text: { fa: 'از امروز با قیمت فهرست در دسترس است.', en: 'Available from today at its list price.' },
  });
  await send('POST', '/incidents', {
    title: { fa: 'کندی پاسخ‌ها', en: 'Slow answers' },
    text: {
      fa: 'پاسخ‌ها تا ۳ ثانیه دیرتر می‌رسند. در حال بررسی هستیم.',
      en: 'Answers come up to 3 s late. We are looking.',
    },
    impact: 'minor',
    vendors: ['google'],
  });
  const named = (id: string, routes: object[], input: number, output: number) =>
    send('POST', '/models', {
      id,
      routes,
      price: { input, output, cache_read: Math.round(input / 10) },
      context: 200_000,
      max_output: 16_384,
      capabilities: ['vision', 'tools', 'json_schema', 'streaming'],
      categories: ['popular'],
    });
  const cost = { input: 28_000, output: 170_000, cache_read: 2_800 };
  const by = (provider: string, priority = 1) => ({ provider, model: 'up-model', priority, cost });
  await named(
    'anthropic/claude-sonnet-4.5',
    [{ ...by('messages-a'), cost: { input: 337_500, output: 1_687_500, cache_read: 33_750 } }],
    364_500,
    1_822_500,
  );
  await named('openai/gpt-5-mini', [by('chat-a')], 30_375, 243_000);
  await named('google/gemini-2.5-flash', [by('gemini-a')], 36_450, 303_750);
  await named('deepseek/deepseek-chat', [by('chat-a'), by('chat-b', 2)], 34_000, 51_000);
  await send('POST', '/models/openai/gpt-5-mini/prices', { price: { input: 31_000, output: 250_000 } });
  await send('PUT', '/groups/fast', {
    name: 'Fast',
    name_fa: 'سریع',
    models: ['openai/gpt-5-mini', 'google/gemini-2.5-flash'],
  });
  await send('POST', '/staff', { to: 'sahar@example.com', name: 'سحر امینی', role: 'support' });
  await send('POST', '/operator-tokens', { name: 'گزارش شبانه', scopes: ['read', 'catalog'] });
  await send('POST', '/providers', {
    id: 'spare-openai',
    vendor: 'openai',
    base_url: gateway.vendor.baseUrls['openai-chat'],
    api_key: 'sk-spare-0000',
  });
}

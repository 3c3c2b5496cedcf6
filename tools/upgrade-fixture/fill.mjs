/**
 * A life over HTTP in which every table gets rows, every kind of transfer is posted and orders come to rest in every state that
 * a caller can bring them to. Answers what a later version is compared with.
 */
import { Browser, Operator, oneTimeCode, Program, PUBLIC_URL, stripeSays, until } from './client.mjs';
import { NEVER_ENDS, paySession } from './outside.mjs';
import { makePasskey, register } from './passkey.mjs';

export const MOBILE = '09121234567';
export const PASSWORD = 'a long pass phrase of Sara 1405';
const PROVIDER_SECRET = 'sk-sealed-secret-of-the-provider';
const WEBHOOK_SECRET = 'whsec_of_the_fixture';
const PRICE = { input: 15_000, output: 60_000 };
const COST = { input: 9_000, output: 40_000 };

/** Weeks ago: what is sold, and requests whose days the log has dropped since. */
export async function sellLongAgo(origin, outside) {
  const operator = new Operator(origin);
  const admin = (method, path, body) => operator.ask(method, `/api/admin${path}`, body);
  await admin('POST', '/providers', {
    id: 'maker',
    protocol: 'openai-chat',
    base_url: `${outside.origin}/v1`,
    auth: 'bearer',
  });
  await admin('POST', '/providers/maker/credentials', { secret: PROVIDER_SECRET, label: 'sealed' });
  const routes = [{ provider: 'maker', model: 'up-one', cost: COST }];
  const capabilities = ['tools', 'json_object', 'streaming'];
  await admin('POST', '/models', {
    id: 'maker/one',
    price: PRICE,
    routes,
    context: 64_000,
    max_output: 4_000,
    capabilities,
  });
  await admin('POST', '/models', {
    id: 'maker/two',
    price: { ...PRICE, request: 3 },
    routes,
    context: 8_000,
    max_output: 1_000,
  });
  await admin('POST', '/models', {
    id: 'maker/embed',
    kind: 'embedding',
    price: { input: 2_000 },
    routes: [{ provider: 'maker', model: 'up-embed', cost: { input: 1_000 } }],
  });
  await admin('PUT', '/groups/cheap', { name: 'Cheap', models: ['maker/one', 'maker/two'], default: 'maker/one' });
  await admin('POST', '/accounts', { id: 'acme', name: 'Acme', rules: { caps: { monthly: 5_000_000 } } });
  await admin('POST', '/accounts/acme/transfers', { id: 'first', kind: 'top-up', amount: 900_000, note: 'cash' });
  const key = await admin('POST', '/keys', { account_id: 'acme', name: 'old', rules: { caps: { total: 900_000 } } });
  const program = new Program(origin, key.key);
  for (let n = 0; n < 3; n++) await good(program.chat(`long ago ${n}`));
  return { key: key.key };
}

export async function live(origin, outside, { key }) {
  const operator = new Operator(origin);
  const program = new Program(origin, key);
  const sara = new Browser(origin, operator);
  await settings(operator);
  const person = await signUp(sara);
  const account = person.accounts[0].id;
  const requests = await chats(program);
  await money(operator, account, requests);
  const orders = await pay(operator, sara, outside, origin);
  await keep(program, sara, operator);
  await talk(operator, sara);
  const secrets = await secondFactors(sara);
  await leaveOpen(origin, operator);
  return { person, account, requests, orders, ...secrets };
}

async function settings(operator) {
  const admin = (method, path, body) => operator.ask(method, `/api/admin${path}`, body);
  await admin('PATCH', '/settings', { suppliers_shown: true });
  await admin('PATCH', '/branding', { name_en: 'Fixture', hue: 200 });
  await admin('POST', '/pricing', { exchange_rate: 120_000, margins: [{ layer: 'global', margin: '10' }] });
  await admin('PUT', '/pricing/rate-source', {
    url: 'https://rates.test/usd.json',
    field: '/data/usd/price',
    unit: 'toman',
    every_minutes: 1_440,
    most_change_percent: 10,
    stale_hours: 700,
    stop_when_stale: false,
    least: 50_000,
    most: 500_000,
  });
  const seller = {
    kind: 'company',
    name: 'شرکت درگاه پردازش',
    national_id: '14003778990',
    postal_code: '1439614411',
    address: 'تهران',
  };
  await admin('PATCH', '/invoice-settings', { seller, vat_percent: '10', pause_on_chargeback: false });
  await admin('PATCH', '/payment-gateways/bank-transfer', { enabled: true, options: { instructions: 'IR06 0960' } });
  await admin('PATCH', '/payment-gateways/sandbox', { enabled: true });
}

async function signUp(sara) {
  const entered = await sara.enter(MOBILE, { name: 'سارا', account_name: 'شرکت سارا', language: 'fa' });
  await sara.put('/api/console/wallet/legal-identity', {
    kind: 'person',
    name: 'سارا محمدی',
    postal_code: '1439614411',
  });
  await sara.patch('/api/console/account', { log_prompts: { enabled: true, days: 30 } });
  await sara.post('/api/console/invitations', { to: 'omid@example.com', role: 'viewer' });
  await sara.post('/api/console/management-keys', { name: 'deploy', resources: { keys: 'write' } });
  return entered;
}

/** Ended well, refused, turned away, and one that other replicas heard of while it ran. */
async function chats(program) {
  const ids = [];
  for (let n = 0; n < 4; n++)
    ids.push((await good(program.chat(`hello ${n}`, n % 2 ? { model: 'maker/two' } : {}))).id);
  ids.push((await good(program.chat('once', {}, { 'idempotency-key': 'the-same-again' }))).id);
  ids.push((await program.chat('nobody', { model: 'maker/none' })).id);
  await program.post('/api/v1/embeddings', { model: 'maker/embed', input: 'a text' });
  return ids;
}

async function good(asked) {
  const answer = await asked;
  if (answer.status !== 200)
    throw new Error(`a chat was not answered: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Kinds of transfers that staff make: top-up, adjustment, refund. Charges and costs are there, payments bring the others. */
async function money(operator, account, requests) {
  const transfer = (to, body) => operator.post(`/api/admin/accounts/${to}/transfers`, body);
  await transfer(account, { id: 'welcome', kind: 'top-up', amount: 400_000, note: 'welcome' });
  await transfer('acme', { id: 'mend', kind: 'adjustment', amount: -1_234, note: 'counted twice' });
  await until(
    async () => (await operator.send('GET', `/api/admin/requests/${requests[0]}`)).body.state === 'completed',
  );
  await transfer('acme', { id: 'back', kind: 'refund', amount: 1, request_id: requests[0], note: 'half an answer' });
}

async function pay(operator, sara, outside, origin) {
  const begin = (gateway, amount) => sara.post('/api/console/wallet/orders', { gateway, amount });
  const play = async (order, how) => {
    const page = new URL(order.redirect_url ?? order.pay_url ?? order.url);
    const answer = await sara.send('POST', `${page.pathname}/${how}`);
    const back = new URL(answer.headers.location, PUBLIC_URL);
    await sara.send('GET', back.pathname + back.search);
  };
  await play(await begin('sandbox', 50_000), 'pay');
  await play(await begin('sandbox', 60_000), 'refuse');
  await play(await begin('sandbox', 70_000), 'wait');
  const toExpire = await begin('sandbox', 80_000);
  await begin('bank-transfer', 90_000);
  const transfer = await begin('bank-transfer', 110_000);
  await operator.post(`/api/admin/payments/${transfer.id}/confirm`, { reference: 'track 77' });
  await operator.post(`/api/admin/payments/${transfer.id}/refund`, { reason: 'changed their mind', by_hand: true });
  const kept = await begin('bank-transfer', 130_000);
  await operator.post(`/api/admin/payments/${kept.id}/confirm`, { reference: 'track 78' });
  const { codes } = await operator.post('/api/admin/gift-codes', { count: 2, amount: 7_000, note: 'Nowruz' });
  await sara.post('/api/console/wallet/gift-codes', { code: codes[0].code ?? codes[0] });
  await disputed(operator, begin, outside, origin);
  return { toExpire: toExpire.id };
}

async function disputed(operator, begin, outside, origin) {
  await operator.patch('/api/admin/payment-gateways/stripe', {
    enabled: true,
    secrets: { secret_key: 'sk_test_1', webhook_secret: WEBHOOK_SECRET },
    options: { base_url: outside.origin, currency: 'usd', toman_per_unit: '120000' },
  });
  const order = await begin('stripe', 240_000);
  const [session] = [...outside.stripe.sessions.values()].slice(-1);
  paySession(outside.stripe, session.id);
  const say = (id, type, object) => stripeSays(origin, { id, type, data: { object } }, WEBHOOK_SECRET, Date.now());
  await say('evt_1', 'checkout.session.completed', { id: session.id });
  const stateOf = async () => (await operator.get(`/api/admin/payments/${order.id}`)).state;
  await until(async () => (await stateOf()) === 'credited');
  const intent = { payment_intent: `pi_${session.id}`, amount: session.amount_total, currency: 'usd' };
  outside.stripe.disputes.set('dp_1', { id: 'dp_1', ...intent, status: 'needs_response' });
  await say('evt_2', 'charge.dispute.created', { id: 'dp_1' });
  await until(async () =>
    (await operator.get('/api/admin/transfers?kind=chargeback')).data.length > 0 ? true : undefined,
  );
}

/** What the service keeps for its callers: answers, conversations, documents with their vectors, texts. */
async function keep(program, sara, operator) {
  await program.post('/api/v1/responses', { model: 'maker/one', input: 'remember this', max_output_tokens: 50 });
  await program.post('/api/v1/conversations', { items: [{ type: 'message', role: 'user', content: 'hello' }] });
  const base = await program.post('/api/v1/knowledge_bases', { name: 'Handbook', embedding_model: 'maker/embed' });
  const path = `/api/v1/knowledge_bases/${base.id}/documents`;
  await program.post(path, { name: 'tea.txt', text: 'Tea is served at four. چای ساعت چهار سرو می‌شود.' });
  await until(async () => {
    const { data } = await program.get(path);
    return data.length > 0 && data.every(({ status, state }) => /ready|done|indexed/.test(status ?? state))
      ? true
      : undefined;
  });
  const own = await sara.post('/api/console/keys', { name: 'of Sara' });
  const answer = await good(new Program(sara.origin, own.key).chat('a text that is kept'));
  await until(async () => (await sara.send('GET', `/api/console/requests/${answer.id}/texts`)).status === 200);
  await sara.post(`/api/console/keys/${own.id}/rotate`, {});
  const listed = {
    id: 'openai/brand-new',
    usd: { input: '1.25', output: '10' },
    routes: [{ vendor: 'openai', model: 'brand-new' }],
  };
  await operator.post('/api/admin/catalog/lists', { document: { format: 'dargah-price-list/1', models: [listed] } });
  // Its vector never comes: the document is still in the queue when the process ends.
  await program.post(path, { name: 'waiting.txt', text: `A text of which reading ${NEVER_ENDS}.` });
}

/** Staff and customers: tickets, notices, announcements, incidents, alerts and where they go. */
async function talk(operator, sara) {
  const picture = { name: 'a.txt', type: 'text/plain', data: Buffer.from('see here').toString('base64') };
  const ticket = { category: 'technical', subject: 'کند است', text: 'پاسخ‌ها دیر می‌رسند.', attachments: [picture] };
  const opened = await sara.post('/api/console/tickets', ticket);
  await operator.post(`/api/admin/tickets/${opened.id}/messages`, { text: 'بررسی می‌کنیم.' });
  const both = (text) => ({ fa: text, en: text });
  await operator.post('/api/admin/announcements', { title: both('News'), text: both('A model came.') });
  await operator.post('/api/admin/incidents', { title: both('Slow'), text: both('We look.'), impact: 'minor' });
  await operator.post('/api/admin/staff', { to: 'support@example.com', role: 'support', name: 'Support' });
  await sara.patch('/api/console/alerts/rules/balance.low', {
    enabled: true,
    terms: { below: 10_000_000 },
    channels: ['console', 'email', 'webhook'],
  });
  await sara.put('/api/console/alerts/quiet-hours', { from: '23:00', to: '07:00' });
  await sara.post('/api/console/alerts/targets', { url: 'https://hooks.test/dargah' });
  await sara.post('/api/console/alerts/test', { event: 'balance.low' });
  await sara.post('/api/console/notices/read', {});
  // The watcher of balances remembers that it told of this one.
  const own = await sara.post('/api/console/keys', { name: 'under watch' });
  await good(new Program(sara.origin, own.key).chat('spends below the line'));
  await until(async () => {
    const { data } = await sara.get('/api/console/notices');
    return data.filter(({ event }) => event === 'balance.low').length > 1 ? true : undefined;
  });
}

async function secondFactors(sara) {
  await sara.put('/api/console/me/password', { password: PASSWORD });
  const { ticket, options } = await sara.post('/api/console/me/passkeys/options');
  const passkey = makePasskey();
  const response = register(passkey, options, PUBLIC_URL);
  await sara.post('/api/console/me/passkeys', { ticket, name: 'laptop', response });
  const { secret } = await sara.post('/api/console/me/second-factor');
  await sara.post('/api/console/me/second-factor/confirm', { code: oneTimeCode(secret, Date.now()) });
  return { passkey, totp: secret };
}

/** A code nobody typed, a ticket nobody used, a password that was wrong. */
async function leaveOpen(origin, operator) {
  const stranger = new Browser(origin, operator);
  await stranger.post('/api/console/sign-in/codes', { to: '09120000009' });
  await stranger.post('/api/console/sign-in/passkey/options');
  await stranger.send('POST', '/api/console/sign-in/password', { to: MOBILE, password: 'wrong pass phrase 1405' });
}

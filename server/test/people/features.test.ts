/** What the console adds to the request path: dry runs, texts that are kept, a second factor, and many who sign in at once. */
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RULES, VERDICTS, verdictsWith } from '../errors/rules-in-order.ts';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { Browser } from './client.ts';

interface DryRun {
  passes: boolean;
  model: string;
  rules: { rule: string; verdict: string; code: string | null; message: string | null }[];
  tokens: { input: number };
  price: { least: string; most: string };
  hold: string;
  routes: { provider: string | null }[];
}

let gateway: TestGateway;
let browser: Browser;
let key: { id: string; key: string };
const clock = new MovedClock();
const hello = { model: 'mock/chat', messages: [{ role: 'user', content: 'the planted secret swordfish-77' }] };

beforeAll(async () => {
  gateway = await startGateway({ clock });
  browser = new Browser(gateway);
  const { body } = await browser.signIn('09121600001');
  await gateway.admin('POST', `/api/admin/accounts/${body.accounts[0]?.id}/transfers`, {
    id: 'features',
    kind: 'top-up',
    amount: 1_000_000,
  });
  key = (await browser.post<{ id: string; key: string }>('/keys', { name: 'k' })).body;
}, 120_000);
afterAll(() => gateway?.stop());

const rulesOf = ({ rules }: DryRun) => rules.map(({ rule, verdict }) => `${rule} ${verdict}`);

describe('a dry run', () => {
  it('tells every rule in its order, the price and the routes, and neither sends nor charges', async () => {
    const asked = gateway.vendor.requests.length;
    const bodies = [
      ['chat/completions', { ...hello, svc: { dry_run: true } }],
      ['messages', { ...hello, max_tokens: 50, svc: { dry_run: true } }],
      ['responses', { model: 'mock/chat', input: 'hi', svc: { dry_run: true } }],
    ] as const;
    for (const [path, body] of bodies) {
      const answer = await gateway.fetch(`/api/v1/${path}`, {
        key: key.key,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const told = (await answer.json()) as DryRun;
      expect([path, answer.status, told.passes, told.model]).toEqual([path, 200, true, 'mock/chat']);
      expect(told.tokens.input).toBeGreaterThan(0);
      expect(Number(told.price.most)).toBeGreaterThanOrEqual(Number(told.price.least));
      expect(told.routes.length).toBeGreaterThan(0);
      expect(told.routes.every(({ provider }) => provider === null)).toBe(true);
      expect(told.rules.map(({ rule }) => rule)).toEqual(VERDICTS.slice(VERDICTS.indexOf('model')));
    }
    expect(gateway.vendor.requests.length).toBe(asked);
    expect((await browser.get<{ held: string; balance: string }>('/wallet')).body).toMatchObject({
      held: '0',
      balance: '1000000',
    });
  });

  it('of the tester names the first rule that refuses and does not reach those after it', async () => {
    await browser.patch(`/keys/${key.id}`, { rules: { ips: ['198.51.100.0/24'], caps: { daily: 0 } } });
    const test = (more: object) => browser.post<DryRun>(`/keys/${key.id}/test`, { request: hello, ...more });
    const fromElsewhere = (await test({ ip: '203.0.113.9' })).body;
    expect(rulesOf(fromElsewhere)).toEqual(verdictsWith('ip'));
    expect(fromElsewhere.rules.find(({ verdict }) => verdict === 'refuses')?.code).toBe('ip_not_allowed');
    const capped = (await test({ ip: '198.51.100.7' })).body;
    expect(capped.rules.find(({ verdict }) => verdict === 'refuses')).toMatchObject({
      rule: 'cap',
      code: 'spend_cap_reached',
    });
    expect(rulesOf(capped).slice(-2)).toEqual(['wallet not_reached', 'tokens_of_key not_reached']);
    const unknown = (await test({ ip: '198.51.100.7', request: { ...hello, model: 'no/such' } })).body;
    expect(unknown.rules.find(({ verdict }) => verdict === 'refuses')).toMatchObject({
      rule: 'model',
      code: 'model_not_found',
    });
    const broken = (await test({ ip: '198.51.100.7', request: { messages: 'x' } })).body;
    expect(broken.rules.find(({ verdict }) => verdict === 'refuses')?.rule).toBe('body');
    await browser.patch(`/keys/${key.id}`, { rules: { ips: null, caps: { daily: null } } });
  });
});

describe('the rule tester', () => {
  const ofKey = RULES.flatMap(({ name, verdict, code, key: rules, body }) =>
    rules === undefined || verdict === undefined ? [] : [{ name, verdict, code, rules, body }],
  );
  let tested: { id: string };

  beforeAll(async () => {
    tested = (await browser.post<{ id: string }>('/keys', { name: 'tested' })).body;
  });

  it.each(ofKey)('$name: names it, with what passes before and is not reached after', async ({ rules, ...rule }) => {
    const { body: before } = await browser.get<{ rules: Record<string, unknown> }>(`/keys/${tested.id}`);
    const lifted = Object.fromEntries(Object.keys(rules).map((field) => [field, before.rules[field]]));
    await browser.patch(`/keys/${tested.id}`, { rules });
    const request = { ...hello, ...rule.body };
    const { body: told } = await browser.post<DryRun>(`/keys/${tested.id}/test`, { request });
    await browser.patch(`/keys/${tested.id}`, { rules: lifted });
    expect(rulesOf(told)).toEqual(verdictsWith(rule.verdict));
    expect(told.rules.find(({ verdict }) => verdict === 'refuses')?.code).toBe(rule.code);
  });
});

describe('texts', () => {
  it('are not kept unless asked for; then sealed, shown to who may, and gone on time', async () => {
    const call = async () => {
      const answer = await gateway.chat(hello, { key: key.key });
      expect(answer.status).toBe(200);
      return answer.headers.get('x-svc-request-id') ?? '';
    };
    const first = await call();
    expect((await browser.get(`/requests/${first}/texts`)).status).toBe(404);
    expect((await browser.patch('/account', { log_prompts: { enabled: true, days: 2 } })).status).toBe(200);
    const second = await eventually(async () => {
      const id = await call();
      const kept = await browser.get<{ request: { messages: object[] }; answer: string }>(`/requests/${id}/texts`);
      expect(kept.status).toBe(200);
      expect(JSON.stringify(kept.body.request)).toContain('swordfish-77');
      expect(kept.body.answer).toContain('choices');
      return id;
    });
    expect((await browser.get<{ texts_kept: boolean }>(`/requests/${second}`)).body.texts_kept).toBe(true);
    const invited = await browser.post<{ invitation: string }>('/invitations', { to: '09121600002', role: 'viewer' });
    const viewer = new Browser(gateway);
    await viewer.signIn('09121600002', { invitation: invited.body.invitation });
    expect((await viewer.get(`/requests/${second}/texts`)).status).toBe(403);
    expect((await viewer.get<{ texts_kept: boolean }>(`/requests/${second}`)).body.texts_kept).toBe(false);
    const stranger = new Browser(gateway);
    await stranger.signIn('09121600003');
    expect((await stranger.get(`/requests/${second}/texts`)).status).toBe(404);
    expect(JSON.stringify(gateway.log.lines)).not.toContain('swordfish');
    clock.moved += 2 * 86_400_000 + 1_000;
    expect((await browser.get(`/requests/${second}/texts`)).status).toBe(404);
    await browser.patch('/account', { log_prompts: { enabled: false } });
  });
});

describe('texts of one key', () => {
  it('are kept though the account keeps none, and not though it keeps all', async () => {
    const make = async (enabled: boolean) =>
      (await browser.post<{ id: string; key: string }>('/keys', { name: 'own', log_prompts: { enabled, days: 1 } }))
        .body;
    const keeping = await make(true);
    const silent = await make(false);
    const keeps = async (secret: string) => {
      const answer = await gateway.chat(hello, { key: secret });
      const id = answer.headers.get('x-svc-request-id') ?? '';
      return { id, status: (await browser.get(`/requests/${id}/texts`)).status };
    };
    await eventually(async () => expect((await keeps(keeping.key)).status).toBe(200));
    await browser.patch('/account', { log_prompts: { enabled: true, days: 1 } });
    await eventually(async () => expect((await keeps(key.key)).status).toBe(200));
    // Later than one that is kept: what was to be kept of it would be there.
    const { id } = await keeps(silent.key);
    await eventually(async () => expect((await keeps(key.key)).status).toBe(200));
    expect((await browser.get(`/requests/${id}/texts`)).status).toBe(404);
    await browser.patch('/account', { log_prompts: { enabled: false } });
  });
});

describe('suppliers', () => {
  it('are named in a dry run and on receipts only where the operator allows it', async () => {
    const named = async () => {
      const test = (await browser.post<DryRun>(`/keys/${key.id}/test`, { request: hello })).body;
      return test.routes.map(({ provider }) => provider);
    };
    expect(await named()).toEqual([null]);
    await gateway.admin('PATCH', '/api/admin/settings', { suppliers_shown: true });
    await eventually(async () => expect(await named()).toEqual(['chat-a']));
    await gateway.admin('PATCH', '/api/admin/settings', { suppliers_shown: false });
    await eventually(async () => expect(await named()).toEqual([null]));
  });
});

describe('a second factor', () => {
  it('is asked for after the first, takes each code once, and lets a recovery code in once', async () => {
    const person = new Browser(gateway);
    await person.signIn('09121600010');
    const { body: setup } = await person.post<{ secret: string; uri: string }>('/me/second-factor');
    expect(setup.uri).toMatch(/^otpauth:\/\/totp\//);
    const codeNow = () => generateSync({ secret: setup.secret, epoch: Math.floor(clock.now() / 1000) });
    const confirmed = await person.post<{ recovery_codes: string[] }>('/me/second-factor/confirm', { code: codeNow() });
    expect(confirmed.body.recovery_codes).toHaveLength(10);
    clock.moved += 61_000;
    const again = new Browser(gateway);
    const { body } = await again.signIn('09121600010');
    expect(body.person).toBeNull();
    expect(again.cookie).toBeUndefined();
    const ticket = body.second_factor?.ticket;
    const code = codeNow();
    const entered = await again.post('/sign-in/second-factor', { ticket, code });
    expect(entered.status).toBe(200);
    expect((await again.post('/sign-in/second-factor', { ticket, code })).status).toBe(401);
    clock.moved += 61_000;
    const third = new Browser(gateway);
    const begun = await third.signIn('09121600010');
    const recovery = { ticket: begun.body.second_factor?.ticket, code: confirmed.body.recovery_codes[0] };
    expect((await third.post('/sign-in/second-factor', { ...recovery, code })).status).toBe(401);
    expect((await third.post('/sign-in/second-factor', recovery)).status).toBe(200);
  });

  it('can be required of staff: without it the door stays shut', async () => {
    await gateway.admin('POST', '/api/admin/staff', { to: '09121600011', role: 'support' });
    const support = new Browser(gateway);
    await support.signIn('09121600011');
    expect((await support.send('GET', '/api/admin/accounts')).status).toBe(200);
    await gateway.admin('PATCH', '/api/admin/settings', { staff_second_factor: true });
    const refused = await support.send<{ error: { code: string } }>('GET', '/api/admin/accounts');
    expect([refused.status, refused.body.error.code]).toEqual([403, 'second_factor_required']);
    const { body: setup } = await support.post<{ secret: string }>('/me/second-factor');
    const code = generateSync({ secret: setup.secret, epoch: Math.floor(clock.now() / 1000) });
    await support.post('/me/second-factor/confirm', { code });
    expect((await support.send('GET', '/api/admin/accounts')).status).toBe(200);
    await gateway.admin('PATCH', '/api/admin/settings', { staff_second_factor: false });
  });
});

describe('a thousand who sign in at once', () => {
  it('wait in a bounded queue or are told to come back, while chat goes on', async () => {
    const one = (index: number) =>
      new Browser(gateway).post('/sign-in/password', {
        to: `0912${String(7_000_000 + index)}`,
        password: 'not this one',
      });
    // Two hundred at a time: more connections at once than the kernel queues would be cut by it, not by us.
    const untold: number[] = [];
    const flood = Array.from({ length: 200 }, async (_, lane) => {
      const statuses: number[] = [];
      for (let round = 0; round < 2; round++) {
        const { status, headers } = await one(lane * 2 + round);
        statuses.push(status);
        if (status !== 401 && !(Number(headers.get('retry-after')) > 0)) untold.push(status);
      }
      return statuses;
    });
    const answers = await Promise.all(Array.from({ length: 5 }, () => gateway.chat(hello, { key: key.key })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const statuses = new Set((await Promise.all(flood)).flat());
    expect([...statuses].every((status) => [401, 429, 503].includes(status))).toBe(true);
    expect(statuses.has(503) || statuses.has(429)).toBe(true);
    expect(untold).toEqual([]);
  }, 120_000);
});

describe('days of either calendar', () => {
  it('mean the same to a customer', async () => {
    const path = (from: string, to: string) => `/usage/series?${new URLSearchParams({ from, to })}`;
    const gregorian = await browser.get<object>(path('2027-03-21', '2027-04-21'));
    expect(gregorian.status).toBe(200);
    expect((await browser.get<object>(path('1406/01/01', '۱۴۰۶/۰۲/۰۱'))).body).toEqual(gregorian.body);
  });
});

describe('wrong input', () => {
  it.each([
    ['POST', '/keys', { name: 5 }, 'name'],
    ['POST', '/keys', { name: 'x', rules: { rpm: -1 } }, 'rules.rpm'],
    ['POST', '/keys', { name: 'x', colour: 'red' }, 'colour'],
    ['POST', '/invitations', { to: 'a@b.example', role: 'owner' }, 'role'],
    ['POST', '/management-keys', { name: 'x', resources: { rockets: 'write' } }, 'resources.rockets'],
    ['POST', '/management-keys', { name: 'x', resources: { keys: 'read' }, ips: ['999.1.1.1'] }, 'ips.0'],
    ['POST', '/management-keys', { name: 'x', resources: { keys: 'read' }, expires_at: 'soon' }, 'expires_at'],
    ['PATCH', '/account', { log_prompts: { enabled: true, days: 0 } }, 'log_prompts.days'],
    ['GET', '/usage/series?from=yesterday', undefined, 'from'],
    ['GET', '/requests?limit=9999', undefined, 'limit'],
    ['GET', '/requests?cost_over=much', undefined, 'cost_over'],
  ])('%s %s %j names %s, in both languages', async (method, path, body, param) => {
    const before = (await browser.get<{ data: object[] }>('/keys')).body.data.length;
    for (const language of ['fa', 'en']) {
      browser.language = language;
      const refused = await browser.send<{ error: { param: string; message: string } }>(
        method,
        `/api/console${path}`,
        body,
      );
      expect([refused.status, refused.body.error.param]).toEqual([400, param]);
      expect(/[\u0600-\u06ff]/.test(refused.body.error.message)).toBe(language === 'fa');
    }
    browser.language = 'en';
    expect((await browser.get<{ data: object[] }>('/keys')).body.data.length).toBe(before);
  });
});

describe('how long the balance lasts', () => {
  it('is the same on the overview and among the limits', async () => {
    await gateway.chat(hello, { key: key.key });
    await eventually(async () => {
      const { daily_pace } = (await browser.get<{ daily_pace: string | null }>('/wallet')).body;
      expect(Number(daily_pace)).toBeGreaterThan(0);
      const { data } = (await browser.get<{ data: { what: string; daily_pace: string }[] }>('/forecast')).body;
      expect(data.find(({ what }) => what === 'balance')?.daily_pace).toBe(daily_pace);
    });
  });
});

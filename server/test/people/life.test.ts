/**
 * A customer's whole life at a service as its newcomer gets it: nothing configured, messages in the operator's outbox, simulated
 * models. One script over HTTP, from the first number to the closed account; each step stands on the ones before it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { eventually } from '../services/eventually.ts';
import { Browser, codeTo, outbox, type SignedIn } from './client.ts';
import { LiveTail } from './live-tail.ts';

const DAY = 86_400_000;
const clock = new MovedClock();
const bare = { providers: [], models: [], groups: [], accounts: [] };
const persian = (text: string) => text.replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)] ?? '');

let gateway: TestGateway;
let sara: Browser;
let omid: Browser;
let account: string;
let saraId: string;
let omidId: string;
let key: { id: string; key: string };

beforeAll(async () => {
  gateway = await startGateway({ clock, config: bare });
  expect((await gateway.admin('PATCH', '/api/admin/settings', { welcome_credit: 5_000 })).status).toBe(200);
  sara = new Browser(gateway);
  omid = new Browser(gateway);
}, 120_000);
afterAll(() => gateway?.stop());

const ask = (text: string, more: object = {}, secret = key.key) =>
  gateway.chat({ model: 'sandbox/echo', messages: [{ role: 'user', content: text }], ...more }, { key: secret });
const idOf = (answer: Response) => answer.headers.get('x-svc-request-id') ?? '';
const balance = async () => Number((await sara.get<{ balance: string }>('/wallet')).body.balance);

describe('a customer', () => {
  it('signs up with a number in Persian digits and has an account with welcome credit at once', async () => {
    const sent = await sara.post<{ to: string }>('/sign-in/codes', { to: '۰۹۱۲ ۱۹۰ ۰۰۰۱' });
    expect([sent.status, sent.body.to]).toEqual([202, '09121900001']);
    const code = await codeTo(gateway, '09121900001');
    const entered = await sara.post<SignedIn>('/sign-in/code', {
      to: '+۹۸۹۱۲۱۹۰۰۰۰۱',
      code: persian(code),
      name: 'سارا',
      account_name: 'نوین',
    });
    expect(entered.status).toBe(200);
    expect(entered.body).toMatchObject({ new_account: true, accounts: [{ name: 'نوین', role: 'owner' }] });
    sara.to = '09121900001';
    account = entered.body.accounts[0]?.id ?? '';
    saraId = entered.body.person.id;
    expect(await balance()).toBe(5_000);
  });

  it('makes a key, sees its first call arrive as it ends, and reads the receipt', async () => {
    const made = await sara.post<{ id: string; key: string }>('/keys', { name: 'backend', rules: { rpm: 600 } });
    expect(made.status).toBe(201);
    key = made.body;
    const tail = await LiveTail.open(sara, account);
    const answer = await ask('سلام');
    expect(answer.status).toBe(200);
    const told = await tail.next();
    expect(told).toMatchObject({ id: idOf(answer), state: 'completed', key_id: key.id });
    const streamed = await ask('دوباره', { stream: true });
    expect(await streamed.text()).toContain('[DONE]');
    expect((await tail.next())?.id).toBe(idOf(streamed));
    tail.close();
    const receipt = (await sara.get<{ cost: string; formula: string; attempts: object[] }>(`/requests/${idOf(answer)}`))
      .body;
    expect(Number(receipt.cost)).toBeGreaterThan(0);
    expect(receipt.cost).toBe(answer.headers.get('x-svc-cost'));
    expect(receipt.attempts).toMatchObject([{ provider: null }]);
    await eventually(async () => {
      const { total } = (await sara.get<{ total: { requests: number; cost: string } }>('/usage/series')).body;
      expect(total.requests).toBe(2);
      expect(await balance()).toBeCloseTo(5_000 - Number(total.cost), 6);
    });
  });

  it('asks what would happen and spends nothing', async () => {
    const before = await balance();
    const test = await sara.post<{ passes: boolean; rules: object[]; price: { most: string }; hold: string }>(
      `/keys/${key.id}/test`,
      { request: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'چه می‌شود؟' }] } },
    );
    expect([test.status, test.body.passes]).toEqual([200, true]);
    expect(Number(test.body.price.most)).toBeGreaterThan(0);
    const dry = (await (await ask('چه می‌شود؟', { svc: { dry_run: true } })).json()) as { object: string; hold: string };
    expect([dry.object, dry.hold]).toEqual(['dry_run', test.body.hold]);
    expect(await balance()).toBe(before);
    const { data } = (await sara.get<{ data: object[] }>('/requests')).body;
    expect(data).toHaveLength(2);
  });

  it('invites a viewer, who is refused what a viewer may not, until the role is another', async () => {
    const invited = await sara.post<{ invitation: string }>('/invitations', { to: 'omid@example.com', role: 'viewer' });
    const message = await eventually(async () => {
      const found = (await outbox(gateway)).find(({ to, kind }) => to === 'omid@example.com' && kind === 'invitation');
      expect(found?.text).toContain(`/console#invitation=${invited.body.invitation}`);
      return found?.text ?? '';
    });
    const secret = /#invitation=(\w+)/.exec(message)?.[1];
    const preview = await omid.post<object>('/sign-in/invitation', { invitation: secret });
    expect(preview.body).toEqual({ account_name: 'نوین', role: 'viewer', to: 'omid@example.com' });
    const joined = await omid.signIn('omid@example.com', { name: 'امید', invitation: secret });
    expect(joined.body.accounts).toMatchObject([{ id: account, role: 'viewer' }]);
    omidId = joined.body.person.id;
    expect((await omid.post('/keys', { name: 'no' })).status).toBe(403);
    expect((await omid.get(`/keys/${key.id}`)).status).toBe(200);
    expect((await sara.patch(`/members/${omidId}`, { role: 'developer' })).status).toBe(200);
    expect((await omid.post('/keys', { name: 'yes' })).status).toBe(201);
    expect((await omid.post('/invitations', { to: '09121900009', role: 'viewer' })).status).toBe(403);
    expect((await omid.get('/wallet/transfers')).status).toBe(403);
    expect((await omid.patch(`/members/${saraId}`, { role: 'viewer' })).status).toBe(403);
  });

  it('cannot tell a foreign account from one that is not there', async () => {
    const stranger = new Browser(gateway);
    await stranger.signIn('09121900002');
    const at = (id: string) => stranger.send('GET', '/api/console/keys', undefined, { 'x-svc-account': id });
    const foreign = await at(account);
    const unknown = await at('acc_that_never_was');
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
  });

  it('rotates the key: both secrets work until the overlap is ended early', async () => {
    const works = async (secret: string) => (await gateway.fetch('/api/v1/key', { key: secret })).status;
    const old = key.key;
    const rotated = await sara.post<{ key: string; overlap: { until: string; last4: string } }>(
      `/keys/${key.id}/rotate`,
      { overlap_hours: 2 },
    );
    expect(rotated.body.overlap.last4).toBe(old.slice(-4));
    expect(Date.parse(rotated.body.overlap.until) - clock.now()).toBeLessThanOrEqual(2 * 3_600_000);
    key = { id: key.id, key: rotated.body.key };
    expect([await works(old), await works(key.key)]).toEqual([200, 200]);
    expect((await sara.post(`/keys/${key.id}/end-overlap`)).status).toBe(200);
    await eventually(async () => expect([await works(old), await works(key.key)]).toEqual([401, 200]));
  });

  it('keeps prompts for a day, for the eyes of those who may', async () => {
    expect((await sara.patch('/account', { log_prompts: { enabled: true, days: 1 } })).status).toBe(200);
    const asked = await eventually(async () => {
      const id = idOf(await ask('رمز کاشته‌شده: شاه‌ماهی-۷۷'));
      expect((await sara.get(`/requests/${id}/texts`)).status).toBe(200);
      return id;
    });
    const kept = (await sara.get<{ request: object }>(`/requests/${asked}/texts`)).body;
    expect(JSON.stringify(kept.request)).toContain('شاه‌ماهی-۷۷');
    expect((await omid.get(`/requests/${asked}/texts`)).status).toBe(200);
    await sara.patch(`/members/${omidId}`, { role: 'billing' });
    expect((await omid.get(`/requests/${asked}/texts`)).status).toBe(403);
    expect(JSON.stringify(gateway.log.lines)).not.toContain('شاه‌ماهی');
    clock.moved += DAY + 1_000;
    expect((await sara.get(`/requests/${asked}/texts`)).status).toBe(404);
    expect((await sara.get<{ texts_kept: boolean }>(`/requests/${asked}`)).body.texts_kept).toBe(false);
  });

  it('gives a script a management key that reads, from its own address, until it expires', async () => {
    const make = (rules: object) =>
      sara.post<{ key: string }>('/management-keys', { name: 'script', resources: { keys: 'read' }, ...rules });
    const by = (secret: string, method: string, path: string, body?: object) =>
      new Browser(gateway).send(method, `/api/console${path}`, body, { authorization: `Bearer ${secret}` });
    const expiresAt = new Date(clock.now() + 3_600_000).toISOString();
    const reader = (await make({ expires_at: expiresAt })).body.key;
    expect(reader).toMatch(/^dgm-/);
    expect((await by(reader, 'GET', `/keys/${key.id}`)).status).toBe(200);
    expect((await by(reader, 'POST', '/keys', { name: 'no' })).status).toBe(403);
    expect((await by(reader, 'GET', '/wallet')).status).toBe(403);
    const elsewhere = (await make({ ips: ['203.0.113.0/24'] })).body.key;
    expect((await by(elsewhere, 'GET', '/keys')).status).toBe(401);
    const here = (await make({ ips: ['127.0.0.0/8'] })).body.key;
    expect((await by(here, 'GET', '/keys')).status).toBe(200);
    clock.moved += 3_601_000;
    expect((await by(reader, 'GET', '/keys')).status).toBe(401);
  });

  it('is cut off from the live tail when no longer a member', async () => {
    await sara.patch(`/members/${omidId}`, { role: 'developer' });
    const tail = await LiveTail.open(omid, account);
    await sara.patch(`/members/${omidId}`, { role: 'billing' });
    expect(await tail.next()).toBeUndefined();
  });

  it('hands the account over and leaves', async () => {
    expect((await sara.post('/account/leave')).status).toBe(409);
    expect((await sara.post('/account/transfer-ownership', { member_id: omidId })).status).toBe(200);
    expect((await sara.get<{ role: string }>('/account')).body.role).toBe('admin');
    expect((await sara.post('/account/transfer-ownership', { member_id: omidId })).status).toBe(403);
    expect((await sara.post('/account/leave')).status).toBe(200);
    const gone = await sara.send('GET', '/api/console/keys', undefined, { 'x-svc-account': account });
    expect(gone.status).toBe(404);
  });

  it('closes the account: everything is exported, keys end, the money is on the books', async () => {
    // The last charges are posted behind their answers: between the two readings one may still come.
    const left = await eventually(async () => {
      const lines = (await omid.send<string>('GET', '/api/console/account/export')).body.trim().split('\n');
      const things = lines.map((line) => JSON.parse(line) as { kind: string; value: { amount?: string } });
      expect(new Set(things.map(({ kind }) => kind))).toEqual(
        new Set(['account', 'member', 'key', 'transfer', 'request']),
      );
      const { balance: now } = (await omid.get<{ balance: string }>('/wallet')).body;
      const moved = things.filter(({ kind }) => kind === 'transfer').map(({ value }) => BigInt(value.amount ?? 0));
      expect(Number(moved.reduce((sum, amount) => sum + amount, 0n)) / 1_000_000).toBe(Number(now));
      return now;
    });
    const closed = await omid.post<{ balance_left: string; keys_revoked: number }>('/account/close', {
      confirm: 'نوین',
    });
    expect(closed.body).toEqual({ done: true, balance_left: left, keys_revoked: 2 });
    await eventually(async () => expect((await ask('هنوز؟')).status).toBe(401));
    expect((await omid.post('/keys', { name: 'late' })).status).toBe(409);
    const keys = (await omid.get<{ data: { revoked_at: string | null }[] }>('/management-keys')).body.data;
    expect(keys.every(({ revoked_at: at }) => at !== null)).toBe(true);
    expect(await wholeProof(gateway.admin)).toMatchObject({ ok: true });
  });

  it('finds the real actor of everything in the trail', async () => {
    const { data } = (await omid.get<{ data: { actor: string; action: string }[] }>('/trail?limit=200')).body;
    const acts = data.map(({ actor, action }) => `${actor} ${action}`);
    for (const act of [
      `person:${saraId} account.create`,
      `person:${saraId} key.create`,
      `person:${saraId} member.invite`,
      `person:${omidId} member.join`,
      `person:${saraId} member.role`,
      `person:${omidId} key.create`,
      `person:${saraId} key.rotate`,
      `person:${saraId} management_key.create`,
      `person:${saraId} account.ownership`,
      `person:${saraId} member.remove`,
      `person:${omidId} key.revoke`,
      `person:${omidId} management_key.revoke`,
      `person:${omidId} account.close`,
    ])
      expect(acts).toContain(act);
    expect(acts.every((act) => act.startsWith(`person:${saraId}`) || act.startsWith(`person:${omidId}`))).toBe(true);
  });
});

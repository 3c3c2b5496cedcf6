/** What a thief would try: farming welcome credit, and invitations meant for somebody else. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { eventually } from '../services/eventually.ts';
import { Browser, codeTo } from './client.ts';

let gateway: TestGateway;
const clock = new MovedClock();

beforeAll(async () => {
  gateway = await startGateway({ clock, config: { settings: { trusted_proxies: ['127.0.0.0/8'] } } });
});

afterAll(() => gateway.stop());
// Limits count in whole hours: each test begins one, so that none runs across its end.
beforeEach(() => {
  clock.moved += 3_600_000 - (clock.now() % 3_600_000) + 1_000;
});

describe('welcome credit', () => {
  it('is given once per number, through the books, and never to an e-mail address', async () => {
    await gateway.admin('PATCH', '/api/admin/settings', { welcome_credit: 5_000 });
    const balance = async (browser: Browser) => (await browser.get<{ balance: string }>('/wallet')).body.balance;
    const first = new Browser(gateway);
    await first.signIn('09121500040');
    await eventually(async () => expect(await balance(first)).toBe('5000'));
    // The number is given up and taken anew.
    await first.post('/me/methods/codes', { to: 'spare@example.com' });
    await first.post('/me/methods', { to: 'spare@example.com', code: await codeTo(gateway, 'spare@example.com') });
    const methods = await first.get<{ data: { id: string; kind: string }[] }>('/me/methods');
    const mobile = methods.body.data.find(({ kind }) => kind === 'mobile');
    expect((await first.remove(`/me/methods/${mobile?.id}`)).status).toBe(200);
    clock.moved += 601_000;
    const again = new Browser(gateway);
    expect((await again.signIn('09121500040')).body.new_account).toBe(true);
    expect(await balance(again)).toBe('0');
    const mail = new Browser(gateway);
    await mail.signIn('farmer+1@example.com');
    expect(await balance(mail)).toBe('0');
    const other = await again.post<{ id: string }>('/accounts', { name: 'second' });
    again.account = other.body.id;
    expect(await balance(again)).toBe('0');
    expect(await wholeProof(gateway.admin)).toMatchObject({ ok: true });
    await gateway.admin('PATCH', '/api/admin/settings', { welcome_credit: 0 });
  });
});

describe('invitations', () => {
  it('work only for whoever owns what was invited, and only once', async () => {
    const owner = new Browser(gateway);
    await owner.signIn('09121500050', { account_name: 'Guarded' });
    const { body } = await owner.post<{ invitation: string }>('/invitations', {
      to: 'wanted@example.com',
      role: 'admin',
    });
    const thief = new Browser(gateway);
    const entered = await thief.signIn('09121500051', { invitation: body.invitation });
    expect(entered.body.accounts.map(({ name }) => name)).not.toContain('Guarded');
    expect((await thief.post('/me/invitations/accept', { invitation: body.invitation })).status).toBe(409);
    expect((await thief.post('/me/invitations/accept', { invitation: 'x'.repeat(43) })).status).toBe(404);
    const wanted = new Browser(gateway);
    const joined = await wanted.signIn('wanted@example.com', { invitation: body.invitation });
    expect(joined.body.accounts).toMatchObject([{ name: 'Guarded', role: 'admin' }]);
    expect((await wanted.post('/me/invitations/accept', { invitation: body.invitation })).status).toBe(404);
    const owners = await owner.get<{ data: { id: string; role: string }[] }>('/members');
    const ownerId = owners.body.data.find(({ role }) => role === 'owner')?.id;
    expect((await wanted.patch(`/members/${ownerId}`, { role: 'viewer' })).status).toBe(409);
    expect((await wanted.remove(`/members/${ownerId}`)).status).toBe(409);
    const grab = await wanted.patch<{ error: { param: string } }>(`/members/${joined.body.person.id}`, {
      role: 'owner',
    });
    expect([grab.status, grab.body.error.param]).toEqual([400, 'role']);
  });
});

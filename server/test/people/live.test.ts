/** The one live connection of an open console, and staff's: who hears of what, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { Browser } from './client.ts';
import { type HeardChange, LiveTail } from './live-tail.ts';

const CONSOLE = '/api/console/live';
const bare = { providers: [], models: [], groups: [], accounts: [] };

let gateway: TestGateway;
let sara: Browser;
let omid: Browser;
let staff: Browser;

beforeAll(async () => {
  gateway = await startGateway({ config: bare });
  const enter = async (to: string, name: string) => {
    const browser = new Browser(gateway);
    browser.account = (await browser.signIn(to, { name, account_name: name })).body.accounts[0]?.id;
    return browser;
  };
  sara = await enter('09121950001', 'Sara');
  omid = await enter('09121950002', 'Omid');
  await gateway.admin('POST', '/api/admin/staff', { to: '09121950003', role: 'support' });
  staff = await enter('09121950003', 'Staff');
  const transfers = { enabled: true, options: { instructions: 'IR06 0960' } };
  await gateway.admin('PATCH', '/api/admin/payment-gateways/bank-transfer', transfers);
}, 120_000);
afterAll(() => gateway?.stop());

const open = (browser: Browser, account = browser.account ?? '') => LiveTail.open(browser, account, CONSOLE);
const openStaff = (browser: Browser) => LiveTail.open(browser, '', '/api/admin/live');
const makeKey = async (browser: Browser) => (await browser.post<{ id: string }>('/keys', { name: 'k' })).body.id;
const openTicket = async (browser: Browser) => {
  const made = await browser.post<{ id: string }>('/tickets', { category: 'general', subject: 'Help', text: 'Please' });
  expect(made.status).toBe(201);
  return made.body.id;
};
/** Everything up to the thing that is waited for. */
async function heardUntil(tail: LiveTail, what: string): Promise<HeardChange[]> {
  const heard: HeardChange[] = [];
  for (;;) {
    const change = await tail.nextChange();
    if (change === undefined) throw new Error(`the tail ended before ${what}`);
    heard.push(change);
    if (change.what === what) return heard;
  }
}
/** A person of Sara's account. */
async function colleague(to: string, role: string): Promise<Browser> {
  const { invitation } = (await sara.post<{ invitation: string }>('/invitations', { to, role })).body;
  const browser = new Browser(gateway);
  expect((await browser.signIn(to, { name: role, invitation })).body.accounts).toMatchObject([{ role }]);
  browser.account = sara.account;
  return browser;
}

describe('a live connection', () => {
  it('tells an account of its own things only', async () => {
    const [hers, his] = [await open(sara), await open(omid)];
    const key = await makeKey(sara);
    const ticket = await openTicket(sara);
    expect(await heardUntil(hers, 'tickets')).toEqual([
      { what: 'keys', id: key },
      { what: 'tickets', id: ticket },
    ]);
    const own = await makeKey(omid);
    expect(await heardUntil(his, 'keys'), 'nothing of another account came before').toEqual([
      { what: 'keys', id: own },
    ]);
    hers.close();
    his.close();
  });

  it('tells of an answer of support, of credit that the operator gives, and of the notices they raise', async () => {
    const ticket = await openTicket(sara);
    const tail = await open(sara);
    const said = { text: 'Here you are' };
    expect((await staff.send('POST', `/api/admin/tickets/${ticket}/messages`, said)).status).toBe(201);
    expect(new Set((await heardUntil(tail, 'tickets')).map(({ what }) => what))).toEqual(
      new Set(['notices', 'tickets']),
    );
    const credit = { id: 'gift-1', kind: 'top-up', amount: '5000' };
    expect((await gateway.admin('POST', `/api/admin/accounts/${sara.account}/transfers`, credit)).status).toBe(201);
    expect((await heardUntil(tail, 'wallet')).at(-1)).toEqual({ what: 'wallet', id: sara.account });
    tail.close();
  });

  it('tells each role of what it may read', async () => {
    const billing = await colleague('09121950010', 'billing');
    const developer = await colleague('09121950011', 'developer');
    const tails = { billing: await open(billing), developer: await open(developer) };
    const key = await makeKey(sara);
    const order = await sara.post<{ id: string }>('/wallet/orders', { gateway: 'bank-transfer', amount: '100000' });
    expect(order.status).toBe(201);
    const ticket = await openTicket(sara);
    const told = { what: 'tickets', id: ticket };
    expect(await heardUntil(tails.billing, 'tickets')).toEqual([{ what: 'orders', id: order.body.id }, told]);
    expect(await heardUntil(tails.developer, 'tickets')).toEqual([{ what: 'keys', id: key }, told]);
    // From now on a billing role: it hears what the new role hears, over the same connection.
    const members = (await sara.get<{ data: { id: string; name: string }[] }>('/members')).body.data;
    const id = members.find(({ name }) => name === 'developer')?.id;
    expect((await sara.patch(`/members/${id}`, { role: 'billing' })).status).toBe(200);
    expect(await heardUntil(tails.developer, 'members')).toEqual([{ what: 'members', id }]);
    await makeKey(sara);
    await openTicket(sara);
    expect((await heardUntil(tails.developer, 'tickets')).map(({ what }) => what)).toEqual(['tickets']);
    tails.billing.close();
    expect((await sara.remove(`/members/${id}`)).status).toBe(200);
    expect(await tails.developer.nextChange(), 'whoever is no member any more is cut off').toBeUndefined();
  });

  it('shows requests to those who may read the log, and to the others that something was spent', async () => {
    const billing = await colleague('09121950012', 'billing');
    const [hers, theirs] = [await open(sara), await open(billing)];
    const key = await sara.post<{ key: string }>('/keys', { name: 'talks' });
    const body = { model: 'sandbox/hello', messages: [{ role: 'user', content: 'hi' }] };
    const answer = await gateway.chat(body, { key: key.body.key });
    expect(answer.status).toBe(200);
    expect(await hers.next()).toMatchObject({ id: answer.headers.get('x-svc-request-id'), state: 'completed' });
    expect(await heardUntil(theirs, 'usage')).toContainEqual({ what: 'usage', id: null });
    hers.close();
    theirs.close();
  });

  it('tells staff of all accounts, and nobody else', async () => {
    await expect(openStaff(sara)).rejects.toThrow('401');
    const tail = await openStaff(staff);
    const ticket = await openTicket(omid);
    const heard = await heardUntil(tail, 'tickets');
    expect(heard).toContainEqual({ what: 'tickets', id: ticket });
    expect(heard.map(({ what }) => what)).toContain('staff_notices');
    const order = await omid.post<{ id: string }>('/wallet/orders', { gateway: 'bank-transfer', amount: '100000' });
    expect(await heardUntil(tail, 'orders')).toContainEqual({ what: 'orders', id: order.body.id });
    // Who works here is the owner's to see.
    await gateway.admin('POST', '/api/admin/staff', { to: '09121950020', role: 'viewer' });
    const key = await makeKey(omid);
    const next = await heardUntil(tail, 'keys');
    expect(next).toContainEqual({ what: 'keys', id: key });
    expect(next.map(({ what }) => what)).not.toContain('staff');
    tail.close();
  });

  it('is for people: a management key has the log of requests', async () => {
    const body = { name: 'all', resources: { account: 'write', requests: 'read', keys: 'write' } };
    const { key } = (await sara.post<{ key: string }>('/management-keys', body)).body;
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(gateway.origin + CONSOLE, { headers })).status).toBe(403);
    const stop = new AbortController();
    const live = await fetch(`${gateway.origin}/api/console/requests/live`, { headers, signal: stop.signal });
    expect(live.status).toBe(200);
    stop.abort();
  });

  it('has a bound, and those that end make room', async () => {
    const tails = await Promise.all(Array.from({ length: 40 }, () => open(omid)));
    await expect(open(omid)).rejects.toThrow('429');
    const other = await open(sara);
    other.close();
    for (const tail of tails) tail.close();
    await eventually(async () => (await open(omid)).close());
  });
});

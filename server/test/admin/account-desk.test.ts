/** The account page of support: its head, notes, people and keys. Other accounts' things are none, and no answer holds a secret. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from '../people/client.ts';
import { describedRoutes, wholeAddressOf } from '../people/console-routes.ts';
import { eventually } from '../services/eventually.ts';

const hello = { model: 'mock/chat', messages: [{ role: 'user', content: 'hello' }] };
const SCRIPT = '<img src=x onerror="alert(1)"> فاکتور رسمی می‌خواهند';

interface People {
  members: {
    id: string;
    contacts: string[];
    sessions: number;
    blocked: boolean;
    second_factor: boolean;
    staff: boolean;
  }[];
  invitations: { id: string; to: string }[];
}
interface Note {
  id: string;
  text: string;
  pinned: boolean;
  withdrawn_at: string | null;
}
interface Customer {
  browser: Browser;
  person: string;
  account: string;
  key: { id: string; key: string };
}

const clock = new MovedClock();
let gateway: TestGateway;
let sara: Customer;
let omid: Customer;
const staff: Record<string, Browser> = {};
const as = (role: string) => staff[role] as Browser;
const at = (path: string) => `/api/admin/accounts/${sara.account}${path}`;

async function signUp(to: string): Promise<Customer> {
  const browser = new Browser(gateway);
  const { body } = await browser.signIn(to);
  const account = body.accounts[0]?.id ?? '';
  await gateway.admin('POST', `/api/admin/accounts/${account}/transfers`, { id: to, kind: 'top-up', amount: 100_000 });
  const key = (await browser.post<{ id: string; key: string }>('/keys', { name: 'site' })).body;
  return { browser, person: body.person.id, account, key };
}

beforeAll(async () => {
  gateway = await startGateway({ clock });
  sara = await signUp('09121700000');
  omid = await signUp('09121700001');
  expect((await gateway.chat(hello, { key: sara.key.key })).status).toBe(200);
  for (const [index, role] of ['owner', 'finance', 'support', 'viewer'].entries()) {
    await gateway.admin('POST', '/api/admin/staff', { to: `0912171000${index}`, role });
    staff[role] = new Browser(gateway);
    await as(role).signIn(`0912171000${index}`);
  }
}, 120_000);
afterAll(() => gateway?.stop());

describe('the head', () => {
  it('tells state, money, use and what is open in one small answer', async () => {
    await eventually(async () => {
      const { body } = await as('viewer').send<{ last_used_at: string | null; last_day: { requests: number } }>(
        'GET',
        at('/desk'),
      );
      expect([body.last_used_at === null, body.last_day.requests]).toEqual([false, 1]);
    });
    const { body, status } = await as('support').send<Record<string, unknown>>('GET', at('/desk'));
    expect(status).toBe(200);
    expect(body).toMatchObject({ block: null, closed_at: null, keys: 1, members: 1, open_tickets: 0, incidents: [] });
    expect(Number(body['spent_30_days'])).toBeGreaterThan(0);
    expect(JSON.stringify(body).length).toBeLessThan(30_000);
  });

  it('names an open incident of a vendor that the account uses, and no other', async () => {
    const both = { fa: 'قطعی', en: 'Down' };
    const open = (vendors: string[]) =>
      gateway.admin('POST', '/api/admin/incidents', { title: both, text: both, impact: 'major', vendors });
    await open(['mock']);
    await open(['elsewhere']);
    const { body } = await as('support').send<{ incidents: { vendors: string[] }[] }>('GET', at('/desk'));
    expect(body.incidents.map(({ vendors }) => vendors)).toEqual([['mock']]);
  });
});

describe('notes', () => {
  const add = (role: string, body: object) => as(role).send<Note>('POST', at('/notes'), body);
  const list = async (role = 'viewer') => (await as(role).send<{ data: Note[] }>('GET', at('/notes'))).body.data;

  it('are kept as they were written, pinned first, and withdrawn instead of deleted', async () => {
    const first = (await add('finance', { text: SCRIPT })).body;
    await add('support', { text: 'older rule', pinned: true });
    await add('support', { text: 'newest' });
    expect((await list()).map(({ text }) => text)).toEqual(['older rule', 'newest', SCRIPT]);
    const act = (role: string, name: string) => as(role).send<Note>('POST', at(`/notes/${first.id}`), { act: name });
    // Somebody else's note is not theirs to take back.
    expect((await act('support', 'withdraw')).status).toBe(403);
    expect((await act('finance', 'withdraw')).body.withdrawn_at).not.toBeNull();
    expect((await act('owner', 'pin')).status).toBe(409);
    expect((await list()).find(({ id }) => id === first.id)?.text).toBe(SCRIPT);
  });

  it('are written by staff but viewers, about requests of the account alone', async () => {
    expect((await add('viewer', { text: 'no' })).status).toBe(403);
    const strange = await gateway.chat(hello, { key: omid.key.key });
    const request_id = strange.headers.get('x-request-id') ?? '';
    expect((await add('support', { text: 'see', request_id })).status).toBe(400);
    const own = await gateway.chat(hello, { key: sara.key.key });
    expect((await add('support', { text: 'see', request_id: own.headers.get('x-request-id') })).status).toBe(201);
  });

  it('are nowhere in what the customer reads or downloads', async () => {
    await add('support', { text: 'a secret word: marmalade' });
    const history = (await as('support').send<{ data: { action: string }[] }>('GET', at('/history'))).body.data;
    expect(history.map(({ action }) => action)).toContain('note.add');
    const routes = (await describedRoutes('console')).filter(
      ({ method, streams, path }) => method === 'GET' && !streams && !path.endsWith('/live'),
    );
    expect(routes.length).toBeGreaterThan(30);
    for (const route of routes) {
      const address = wholeAddressOf(route, sara.key.id);
      const { body } = await sara.browser.send('GET', address);
      expect([address, /marmalade|note\.(add|pin|withdraw)|note_1/.test(JSON.stringify(body))]).toEqual([
        address,
        false,
      ]);
    }
  });
});

describe('people', () => {
  const people = async (role: string) => (await as(role).send<People>('GET', at('/members'))).body;
  const act = (role: string, person: string, name: string) =>
    as(role).send<People>('POST', at(`/members/${person}`), { act: name, reason: 'a stolen phone' });

  it('are shown with contacts, masked for viewers', async () => {
    expect((await people('support')).members[0]).toMatchObject({
      contacts: ['09121700000'],
      second_factor: false,
      staff: false,
    });
    expect((await people('viewer')).members[0]?.contacts).toEqual(['0912•••0000']);
  });

  it('lose their sessions, and their way in, with a reason that the account reads', async () => {
    // A second code to one number is not sent within a minute.
    clock.moved += 120_000;
    const other = new Browser(gateway);
    await other.signIn('09121700000');
    expect((await act('support', sara.person, 'sign_out')).body.members[0]?.sessions).toBe(0);
    expect((await other.get('/me')).status).toBe(401);
    expect((await act('support', sara.person, 'block')).body.members[0]?.blocked).toBe(true);
    expect((await act('support', sara.person, 'unblock')).body.members[0]?.blocked).toBe(false);
    clock.moved += 120_000;
    await sara.browser.signIn('09121700000');
    const log = (
      await sara.browser.get<{ data: { action: string; actor: string; detail: { reason?: string } }[] }>('/trail')
    ).body.data;
    expect(log.find(({ action }) => action === 'person.block')?.detail.reason).toBe('a stolen phone');
  });

  it('are invited again by a new link, which no answer shows', async () => {
    const invited = await sara.browser.post<{ id: string }>('/invitations', { to: '09121700056', role: 'viewer' });
    expect(invited.status).toBe(201);
    const { body, status } = await as('support').send<People>('POST', at(`/invitations/${invited.body.id}`));
    expect(status).toBe(200);
    expect(body.invitations.map(({ to }) => to)).toEqual(['09121700056']);
    expect(body.invitations[0]?.id).not.toBe(invited.body.id);
    expect(JSON.stringify(body)).not.toContain('invitation=');
  });
});

describe('keys', () => {
  const act = (key: string, name: string, role = 'support') =>
    as(role).send('POST', at(`/keys/${key}`), { act: name, reason: 'seen on a public page' });

  it('are paused, resumed and revoked with a reason; a rotation is asked of the customer', async () => {
    const used = async () => (await gateway.chat(hello, { key: sara.key.key })).status;
    expect((await act(sara.key.id, 'pause')).status).toBe(200);
    await eventually(async () => expect(await used()).toBe(403));
    expect((await act(sara.key.id, 'resume')).status).toBe(200);
    await eventually(async () => expect(await used()).toBe(200));
    expect((await act(sara.key.id, 'ask_rotation')).status).toBe(200);
    const { data } = (await sara.browser.get<{ data: { event: string; text: { en: string } }[] }>('/notices')).body;
    expect(data.find(({ event }) => event === 'key.rotation_asked')?.text.en).toContain('seen on a public page');
    const spare = (await sara.browser.post<{ id: string }>('/keys', { name: 'spare' })).body;
    expect((await act(spare.id, 'revoke')).status).toBe(200);
    expect((await act(spare.id, 'ask_rotation')).status).toBe(409);
    expect((await act(sara.key.id, 'pause', 'finance')).status).toBe(403);
  });

  it('never show their text to support, on any road', async () => {
    const roads: [string, string, object?][] = [
      ['POST', '/keys', { account_id: sara.account, name: 'mine' }],
      ['POST', `/keys/${sara.key.id}/rotate`],
      ['GET', `/keys?account_id=${sara.account}`],
      ['GET', `/keys/${sara.key.id}`],
      ['GET', `/accounts/${sara.account}/desk`],
      ['GET', `/accounts/${sara.account}/history`],
      ['GET', `/accounts/${sara.account}/members`],
      ['GET', '/outbox'],
    ];
    for (const [method, path, body] of roads) {
      const read = JSON.stringify((await as('support').send(method, `/api/admin${path}`, body)).body);
      expect([path, read.includes(sara.key.key), /"key":"dg-/.test(read)]).toEqual([path, false, false]);
    }
  });
});

describe('a thing of another account', () => {
  it('is none, whatever is done to it', async () => {
    const note = (await as('support').send<Note>('POST', `/api/admin/accounts/${omid.account}/notes`, { text: 'x' }))
      .body;
    const invited = (await omid.browser.post<{ id: string }>('/invitations', { to: '09121700077', role: 'viewer' }))
      .body;
    const reason = 'a mistake';
    const tries: [string, object?][] = [
      [`/notes/${note.id}`, { act: 'pin' }],
      [`/members/${omid.person}`, { act: 'block', reason }],
      [`/keys/${omid.key.id}`, { act: 'revoke', reason }],
      [`/invitations/${invited.id}`],
    ];
    for (const [path, body] of tries)
      expect([path, (await as('owner').send('POST', at(path), body)).status]).toEqual([path, 404]);
    for (const path of ['/desk', '/notes', '/members', '/history'])
      expect((await as('owner').send('GET', `/api/admin/accounts/none${path}`)).status).toBe(404);
    expect((await gateway.chat(hello, { key: omid.key.key })).status).toBe(200);
  });
});

describe('a ticket', () => {
  it('is opened for the customer, who is told and answers', async () => {
    const input = { category: 'account', subject: 'Your invoice', text: 'Which name shall stand on it?' };
    const opened = await as('finance').send<{ id: string; state: string }>('POST', at('/tickets'), input);
    expect([opened.status, opened.body.state]).toEqual([201, 'answered']);
    const { body } = await sara.browser.get<{ data: { id: string; unread: boolean }[] }>('/tickets');
    expect(body.data.find(({ id }) => id === opened.body.id)?.unread).toBe(true);
    const said = await sara.browser.post<{ state: string }>(`/tickets/${opened.body.id}/messages`, {
      text: 'Sara Ltd.',
    });
    expect([said.status, said.body.state]).toEqual([201, 'open']);
    expect((await as('viewer').send('POST', at('/tickets'), input)).status).toBe(403);
  });
});

/** Caps that an account sets for all of itself, who made its keys, and what each of them used. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGate } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { ask, exactAnswer, exactAnswerBehind, keyView, tomanFor } from '../money/fixed-price.ts';
import { eventually } from '../services/eventually.ts';
import { Browser } from './client.ts';

interface MadeKey {
  id: string;
  key: string;
  created_by: { kind: string; id: string | null; name: string | null } | null;
}
interface Breakdown {
  data: { value: string; name: string | null; cost: string }[];
  total: { cost: string };
}
interface Refusal {
  error: { code: string; message: string; cap: string; cap_set_by?: string; remedy_url?: string };
}

const PARALLEL = 64;
const PUBLIC = 'https://gate.example';

let gateway: TestGateway;
let sara: Browser;
let omid: Browser;
let accountId: string;
let saras: MadeKey;
let omids: MadeKey;

beforeAll(async () => {
  gateway = await startGateway({ env: { DARGAH_PUBLIC_URL: PUBLIC } });
  sara = new Browser(gateway);
  const { body } = await sara.signIn('09121700001', { name: 'Sara' });
  accountId = body.accounts[0]?.id ?? '';
  await gateway.admin('POST', `/api/admin/accounts/${accountId}/transfers`, {
    id: 'own-caps',
    kind: 'top-up',
    amount: 1_000,
  });
  const invited = await sara.post<{ invitation: string }>('/invitations', {
    to: 'omid@example.com',
    role: 'developer',
  });
  omid = new Browser(gateway);
  await omid.signIn('omid@example.com', { name: 'Omid', invitation: invited.body.invitation });
  omid.account = accountId;
  saras = (await sara.post<MadeKey>('/keys', { name: 'of sara' })).body;
  omids = (await omid.post<MadeKey>('/keys', { name: 'of omid' })).body;
}, 120_000);
afterAll(() => gateway?.stop());
beforeEach(() => gateway.vendor.reset());

const setCaps = (browser: Browser, caps: object) => browser.send('PUT', '/api/console/account/caps', caps);
/** The cap of this account as the request path knows it; changes arrive as messages. */
const knows = (limit: string | undefined) =>
  eventually(async () => {
    const { caps } = await keyView(gateway.origin, saras.key);
    expect(caps.find(({ scope, period }) => scope === 'account' && period === 'daily')?.limit).toBe(limit);
  });

describe('a cap of the account itself', () => {
  it('is set by its admins alone, and by nobody through a wrong field', async () => {
    expect((await setCaps(omid, { daily: 5 })).status).toBe(403);
    expect((await setCaps(sara, { daily: -1 })).status).toBe(400);
    expect((await setCaps(sara, { total: 5 })).status).toBe(400);
    expect((await sara.get<{ own_caps: object }>('/account')).body.own_caps).toEqual({ daily: null, monthly: null });
  });

  it(`lets ${PARALLEL} at once over two keys spend no more than it says`, async () => {
    const already = Number((await sara.get<{ spend: { spent: string }[] }>('/wallet')).body.spend[0]?.spent);
    expect(already).toBe(0);
    expect((await setCaps(sara, { daily: String(tomanFor(5)) })).status).toBe(200);
    await knows(String(tomanFor(5)));
    const gate = createGate();
    gateway.vendor.always(exactAnswerBehind(gate));
    let refused = 0;
    const all = Array.from({ length: PARALLEL }, async (_, i) => {
      const response = await ask(gateway.origin, i % 2 === 0 ? saras.key : omids.key);
      if (response.status !== 200) refused++;
      return { status: response.status, body: (await response.json()) as Refusal };
    });
    await eventually(() => expect([refused, gateway.vendor.requests.length]).toEqual([PARALLEL - 5, 5]));
    gate.open();
    const answers = await Promise.all(all);
    const no = answers.find(({ status }) => status === 402)?.body.error;
    expect(no).toMatchObject({
      code: 'spend_cap_reached',
      cap: 'account.daily',
      cap_set_by: 'account',
      remedy_url: `${PUBLIC}/console/limits`,
    });
    expect(no?.message).toContain('set by its own admins');
    await eventually(async () => {
      const { caps } = await keyView(gateway.origin, saras.key);
      expect(caps).toMatchObject([{ scope: 'account', spent: String(tomanFor(5)), held: '0', remaining: '0' }]);
    });
  });

  it('yields to a stricter one of staff, and the refusal says whose it is', async () => {
    gateway.vendor.always(exactAnswer());
    await gateway.admin('PATCH', `/api/admin/accounts/${accountId}`, { rules: { caps: { daily: tomanFor(4) } } });
    await knows(String(tomanFor(4)));
    const refused = await ask(gateway.origin, saras.key);
    const { error } = (await refused.json()) as Refusal;
    expect([refused.status, error.cap, error.cap_set_by]).toEqual([402, 'account.daily', 'service']);
    expect(error.message).toContain('set by support');
    await setCaps(sara, { daily: String(tomanFor(900)) });
    const { caps } = (await sara.get<{ caps: { limit: string | null; set_by: string | null }[] }>('/limits')).body;
    expect(caps.map(({ limit, set_by }) => [limit, set_by])).toEqual([
      [String(tomanFor(4)), 'service'],
      [null, null],
      [null, null],
    ]);
    await gateway.admin('PATCH', `/api/admin/accounts/${accountId}`, { rules: { caps: { daily: null } } });
    await knows(String(tomanFor(900)));
    expect((await ask(gateway.origin, saras.key)).status).toBe(200);
  });

  it('ends when it is lifted, and stays out of the way of what staff change', async () => {
    await gateway.admin('PATCH', `/api/admin/accounts/${accountId}`, { name: 'Renamed' });
    await knows(String(tomanFor(900)));
    await setCaps(sara, { daily: null });
    await knows(undefined);
  });
});

describe('who made a key', () => {
  it('is told of each key; the one of the playground has no maker, and staff have no name', async () => {
    const script = await sara.post<{ key: string }>('/management-keys', {
      name: 'terraform',
      resources: { keys: 'write' },
    });
    const made = await gateway.fetch('/api/console/keys', {
      key: script.body.key,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'of a script' }),
    });
    expect(made.status).toBe(201);
    await gateway.admin('POST', '/api/admin/keys', { account_id: accountId, name: 'of staff' });
    await sara.get('/playground');
    const { data } = (await omid.get<{ data: (MadeKey & { name: string })[] }>('/keys')).body;
    expect(data.map(({ name, created_by: by }) => [name, by && [by.kind, by.name]])).toEqual([
      ['Playground', null],
      ['of staff', ['service', null]],
      ['of a script', ['management_key', 'terraform']],
      ['of omid', ['member', 'Omid']],
      ['of sara', ['member', 'Sara']],
    ]);
  });

  it('is whom use counts for', async () => {
    gateway.vendor.always(exactAnswer());
    const id = (key: MadeKey) => key.created_by?.id ?? '';
    const spent = async (more = '') => {
      const { data, total } = (await sara.get<Breakdown>(`/usage/breakdown?by=member${more}`)).body;
      const of = (key: MadeKey) => Number(data.find(({ value }) => value === id(key))?.cost ?? 0);
      return { names: data.map(({ name }) => name).sort(), sara: of(saras), omid: of(omids), all: Number(total.cost) };
    };
    const before = await eventually(async () => {
      const found = await spent();
      // Whose requests the cap let through is chance; rows and total are two reads, between which a charge may be posted.
      expect([found.all, Number((found.sara + found.omid).toFixed(6))]).toEqual([tomanFor(6), tomanFor(6)]);
      return found;
    });
    expect((await ask(gateway.origin, omids.key)).status).toBe(200);
    const omid = Number((before.omid + tomanFor(1)).toFixed(6));
    const after = { names: ['Omid', 'Sara'], sara: before.sara, omid, all: tomanFor(7) };
    await eventually(async () => expect(await spent()).toEqual(after));
    const member = `member=${encodeURIComponent(id(omids))}`;
    expect(await spent(`&${member}`)).toEqual({ names: ['Omid'], sara: 0, omid, all: omid });
    expect(Number((await sara.get<Breakdown>(`/usage/series?${member}`)).body.total.cost)).toBe(omid);
  });
});

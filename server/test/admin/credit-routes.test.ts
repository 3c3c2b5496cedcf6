/** Credit by hand over HTTP: who may what, proofs of persons, tokens, and what the customer reads. The rules are in conformance/credit-by-hand.suite.ts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from '../people/client.ts';

interface Booked {
  state: string;
  balance: string;
  order_id: string | null;
  transfer_id: string | null;
  approval: { id: string } | null;
  error?: { code: string };
}

const clock = new MovedClock();
let gateway: TestGateway;
let customer: Browser;
let account: string;
const staff: Record<string, Browser> = {};
let serial = 0;

beforeAll(async () => {
  gateway = await startGateway({ clock });
  customer = new Browser(gateway);
  const { body } = await customer.signIn('09121800000', { name: 'Sara' });
  account = body.accounts[0]?.id ?? '';
  for (const [index, role] of ['owner', 'finance', 'support', 'viewer'].entries()) {
    const to = `0912180100${index}`;
    await gateway.admin('POST', '/api/admin/staff', { to, role });
    const browser = new Browser(gateway);
    browser.to = to;
    await browser.signIn(to);
    staff[role] = browser;
  }
}, 120_000);
afterAll(() => gateway?.stop());

const as = (role: string) => staff[role] as Browser;
const credit = (role: string, body: object) =>
  as(role).send<Booked>('POST', `/api/admin/accounts/${account}/credit`, { number: `t${++serial}`, ...body });
const correction = (amount: number) => ({ kind: 'correction', amount, reason: 'outage', note: 'slow yesterday' });
const balance = async () => {
  const { body } = await as('owner').send<{ wallet: { balance: string } }>(
    'GET',
    `/api/admin/accounts/${account}/wallet`,
  );
  return body.wallet.balance;
};

describe('who books what', () => {
  it('support corrects, gives and refunds, and takes no receipt; viewers and beyond the limit nothing', async () => {
    expect((await credit('support', correction(1_000))).body).toMatchObject({ state: 'booked', balance: '1000' });
    const receipt = { kind: 'receipt', amount: 5_000, payer: 'Sara', dated_on: '2026-11-10' };
    expect((await credit('support', receipt)).status).toBe(403);
    expect((await credit('viewer', correction(1))).status).toBe(403);
    const beyond = await credit('support', correction(500_001));
    expect([beyond.status, beyond.body.error?.code]).toEqual([403, 'credit_limit_exceeded']);
    expect(await balance()).toBe('1000');
    const taken = await credit('finance', receipt);
    expect(taken.body).toMatchObject({ state: 'booked', balance: '6000', order_id: expect.stringMatching(/^ord_/) });
  });

  it('900,000,000 by one call is refused, by whatever door', async () => {
    const before = await balance();
    const much = 900_000_000;
    const old = { id: 'much', kind: 'top-up', amount: much };
    const byToken = await gateway.admin('POST', `/api/admin/accounts/${account}/transfers`, old);
    expect([byToken.status, await byToken.text()]).toEqual([403, expect.stringContaining('credit_limit_exceeded')]);
    expect((await as('owner').send('POST', `/api/admin/accounts/${account}/transfers`, old)).status).toBe(403);
    const gifts = { count: 9, amount: 100_000_000 };
    expect((await as('owner').send('POST', '/api/admin/gift-codes', gifts)).status).toBe(403);
    const unmatched = { id: 'm1', kind: 'unmatched', amount: much, bank: 'main' };
    expect((await as('finance').send('POST', '/api/admin/documents', unmatched)).status).toBe(201);
    const matched = { id: 'm2', kind: 'matched', amount: much, account_id: account };
    expect((await as('finance').send('POST', '/api/admin/documents', matched)).status).toBe(403);
    expect(await balance()).toBe(before);
  });

  it('a field that means nothing for its kind is refused by name', async () => {
    const refused = async (body: object) => {
      const { status, body: answer } = await credit('owner', body);
      return [status, (answer as unknown as { error: { param: string } }).error.param];
    };
    expect(await refused({ kind: 'receipt', amount: 5_000, payer: 'x' })).toEqual([400, 'dated_on']);
    expect(await refused({ ...correction(1), campaign: 'x' })).toEqual([400, 'campaign']);
    expect(await refused({ kind: 'gift', amount: -1, note: 'why not', campaign: 'x' })).toEqual([400, 'amount']);
    expect(await refused({ ...correction(5), note: ' a ' })).toEqual([400, 'note']);
    const receipt = { kind: 'receipt', amount: 5_000, payer: 'x' };
    for (const day of ['2026-13-45', '2999-01-01'])
      expect(await refused({ ...receipt, dated_on: day })).toEqual([400, 'dated_on']);
    const gift = { kind: 'gift', amount: 1, note: 'why not', campaign: 'x' };
    expect(await refused({ ...gift, last_day: '1399-01-01' })).toEqual([400, 'last_day']);
  });
});

describe('beyond the limit', () => {
  it('a second person decides with a fresh proof; support sees what it asked for, and a token decides nothing', async () => {
    const before = Number(await balance());
    const { body } = await credit('support', { ...correction(700_000), ask: 'a day without service' });
    const id = body.approval?.id ?? '';
    expect(body).toMatchObject({ state: 'waiting', transfer_id: null, balance: String(before) });
    const decision = `/api/admin/approvals/${id}/decision`;
    expect((await as('support').send('POST', decision, { approve: true })).status).toBe(403);
    expect((await gateway.admin('POST', decision, { approve: true })).status).toBe(403);
    const listed = async (role: string) =>
      (await as(role).send<{ data: { id: string }[] }>('GET', '/api/admin/approvals?state=waiting')).body.data;
    expect(await listed('support')).toMatchObject([{ id }]);
    // The proof of signing in is old by now.
    clock.moved += 6 * 60_000;
    as('finance').provesAgain = false;
    const unproved = await as('finance').send<{ error: { code: string } }>('POST', decision, { approve: true });
    expect(unproved.body.error.code).toBe('proof_required');
    as('finance').provesAgain = true;
    expect((await as('finance').send('POST', decision, { approve: true })).body).toMatchObject({ state: 'approved' });
    expect(await balance()).toBe(String(before + 700_000));
    expect(await listed('finance')).toEqual([]);
    const entries = await as('finance').send<{ data: object[] }>('GET', '/api/admin/credit/entries?limit=1');
    expect(entries.body.data).toMatchObject([{ kind: 'correction', amount: '700000', alone: false }]);
    expect((await as('support').send('GET', '/api/admin/credit/entries')).status).toBe(403);
    expect((await as('support').send('GET', `/api/admin/credit/entries?account_id=${account}`)).status).toBe(200);
  });

  it('limits are set by a person who is owner', async () => {
    const { body: limits } = await as('owner').send<Record<string, unknown>>('GET', '/api/admin/credit/limits');
    const { object: _object, ...wanted } = limits;
    expect((await gateway.admin('PUT', '/api/admin/credit/limits', wanted)).status).toBe(403);
    expect((await as('finance').send('PUT', '/api/admin/credit/limits', wanted)).status).toBe(403);
    expect((await as('owner').send('PUT', '/api/admin/credit/limits', wanted)).body).toEqual(limits);
    const less = { ...wanted, support: { credit: { act: 5, day: 4 }, receipt: { act: 0, day: 0 } } };
    expect((await as('owner').send('PUT', '/api/admin/credit/limits', less)).status).toBe(400);
  });
});

describe('a program with a token', () => {
  it('credits within what an owner set, once per number', async () => {
    const made = await gateway.admin('POST', '/api/admin/operator-tokens', { name: 'shop', scopes: ['credit'] });
    const token = (await made.json()) as { id: string; token: string };
    const pay = async (body: object) => {
      const response = await fetch(`${gateway.origin}/api/admin/accounts/${account}/credit`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'receipt', number: 'shop-1', payer: 'Reza', dated_on: '2026-11-10', ...body }),
      });
      return { status: response.status, body: (await response.json()) as Booked };
    };
    const before = Number(await balance());
    expect((await pay({ amount: 10_000, ask: 'please' })).status).toBe(403);
    const path = `/api/admin/operator-tokens/${token.id}/credit-limits`;
    expect((await gateway.admin('PUT', path, { act: 20_000, day: 50_000 })).status).toBe(403);
    expect((await as('owner').send('PUT', path, { act: 20_000, day: 50_000 })).body).toMatchObject({
      credit_limits: { act: '20000', day: '50000' },
    });
    const first = await pay({ amount: 10_000 });
    const again = await pay({ amount: 10_000, number: 'shop 1' });
    expect([first.status, again.body.transfer_id]).toEqual([201, first.body.transfer_id]);
    expect((await pay({ amount: 11_000 })).status).toBe(409);
    expect((await pay({ amount: 20_001, number: 'shop-2' })).status).toBe(403);
    expect(await balance()).toBe(String(before + 10_000));
  });
});

describe('the customer', () => {
  it('reads kind, amount and the public note, and nothing that staff wrote for itself', async () => {
    const said = { note: 'secret of staff', public_note: 'Sorry for yesterday' };
    await credit('support', { ...correction(3_000), ...said });
    customer.account = account;
    const { body } = await customer.get<{ data: object[] }>('/wallet/transfers?limit=1');
    expect(body.data).toMatchObject([{ kind: 'adjustment', amount: '3000', note: 'Sorry for yesterday' }]);
    const everything = await Promise.all(
      ['/wallet/transfers', '/wallet/orders', '/events'].map(async (path) =>
        JSON.stringify((await customer.get(path)).body),
      ),
    );
    for (const word of ['secret of staff', 'slow yesterday', 'a day without service'])
      expect(everything.join()).not.toContain(word);
  });
});

describe('the paper of a receipt', () => {
  const PDF = Buffer.from('%PDF-1.4 receipt');
  const HTML = Buffer.from('<html><script>alert(1)</script></html>');

  it('takes pictures and PDFs by their first bytes, gives them as downloads, and keeps them', async () => {
    const receipt = { kind: 'receipt', amount: 5_000, payer: 'Sara', dated_on: '2026-11-10' };
    const { body } = await credit('finance', receipt);
    const paper = `/api/admin/documents/${encodeURIComponent(`topup:${body.order_id}`)}`;
    const attach = (role: string, name: string, data: Buffer) =>
      as(role).send<{ files: { id: string; name: string; type: string; bytes: number }[] }>('POST', `${paper}/files`, {
        name,
        data: data.toString('base64'),
      });
    expect((await attach('support', 'a.pdf', PDF)).status).toBe(403);
    expect((await attach('finance', 'a.pdf', HTML)).status).toBe(400);
    expect((await attach('finance', 'a.pdf', Buffer.concat([PDF, Buffer.alloc(3 * 1024 * 1024)]))).status).toBe(400);
    expect((await attach('finance', '../<b>.html', PDF)).status).toBe(201);
    const { body: kept } = await attach('owner', 'again.pdf', PDF);
    expect(kept.files).toMatchObject([{ name: '__b_.html', type: 'application/pdf', bytes: PDF.length }]);
    const url = `${gateway.origin}${paper}/files/${kept.files[0]?.id}`;
    const file = await fetch(url, { headers: { cookie: as('finance').cookie ?? '' } });
    expect(Buffer.from(await file.arrayBuffer())).toEqual(PDF);
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(file.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    const stranger = await fetch(url, { headers: { cookie: as('viewer').cookie ?? '' } });
    expect(stranger.status).toBe(403);
    for (let n = 0; n < 4; n++) await attach('finance', 'more.png', Buffer.from(`%PDF-${n}`));
    expect((await attach('finance', 'more.png', Buffer.from('%PDF-9'))).status).toBe(409);
    expect(
      (await as('finance').send('POST', '/api/admin/documents/none/files', { name: 'a', data: 'JVBERi0=' })).status,
    ).toBe(404);
  });
});

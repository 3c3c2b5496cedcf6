/** Paying through the whole service: the play bank's page, returns without a session, refunds, gift codes, invoices. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeStripe, FakeZarinpal } from '../fake-bank/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { Browser } from '../people/client.ts';
import { type Operator, operatorOf } from './operator.ts';

const zarinpal = new FakeZarinpal();
const stripe = new FakeStripe();
let gateway: TestGateway;
let operator: Operator;

beforeAll(async () => {
  await Promise.all([zarinpal.open(), stripe.open()]);
  gateway = await startGateway();
  operator = await operatorOf(gateway);
});
afterAll(async () => {
  expect(await wholeProof(gateway.admin)).toMatchObject({ ok: true });
  await gateway.stop();
  await Promise.all([zarinpal.close(), stripe.close()]);
});

interface Order {
  id: string;
  state: string;
  redirect_url: string;
  invoice_id: string | null;
  vat: string;
}
const begin = (name: string, amount: number | string = 50_000, account = 'acme') =>
  operator.post<Order>('/payments', { account_id: account, gateway: name, amount });
const order = (id: string) => operator.get<Order>(`/payments/${id}`);
const balance = async (account = 'acme') =>
  Number((await operator.get<{ wallet: { balance: string } }>(`/accounts/${account}/transfers`)).wallet.balance);
const open = (path: string, init: RequestInit = {}) =>
  fetch(path.startsWith('http') ? path : gateway.origin + path, { redirect: 'manual', ...init });

describe('the play bank', () => {
  it('does not exist where a provider costs real money, until the operator wants it', async () => {
    expect(
      await operator.refused('POST', '/payments', { account_id: 'acme', gateway: 'sandbox', amount: 1000 }),
    ).toEqual([400, 'gateway']);
    await operator.patch('/payment-gateways/sandbox', { enabled: true });
    expect((await begin('sandbox')).state).toBe('sent');
  });

  it.each([
    ['pay', 'credited', 50_000],
    ['refuse', 'failed', 0],
    ['wait', 'returned', 0],
    ['twice', 'credited', 50_000],
  ])('%s: the order is %s', async (play, state, paid) => {
    const before = await balance();
    const { id, redirect_url: bank } = await begin('sandbox');
    const page = await open(bank);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain(`/${play}"`);
    const played = await open(`${bank}/${play}`, { method: 'POST' });
    expect(played.status).toBe(303);
    const back = await open(played.headers.get('location') ?? '');
    expect(back.headers.get('location')).toContain(`/pay/orders/${id}`);
    expect((await order(id)).state).toBe(state);
    expect((await balance()) - before).toBe(paid);
    for (const lang of ['fa', 'en']) {
      const receipt = await open(`/pay/orders/${id}?lang=${lang}`);
      expect(receipt.status).toBe(200);
      const text = await receipt.text();
      expect(text).toContain(lang === 'fa' ? 'بانک آزمایشی' : 'Sandbox bank');
      expect(text.includes('href="/invoices/inv_')).toBe(state === 'credited');
    }
  });

  it('close: nobody comes back, and asking again finds the money', async () => {
    const { id, redirect_url: bank } = await begin('sandbox');
    expect((await open(`${bank}/close`, { method: 'POST' })).status).toBe(200);
    await operator.post(`/payments/${id}/verify`);
    expect((await order(id)).state).toBe('credited');
  });
});

describe('returns and messages', () => {
  it('have no address for a gateway whose secret is not set', async () => {
    for (const method of ['GET', 'POST'])
      expect((await open('/pay/zarinpal/return?Authority=A1&Status=OK', { method })).status).toBe(404);
    expect((await open('/pay/stripe/webhook', { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await open('/pay/nobody/return')).status).toBe(404);
  });

  it('come by GET and by POST, without a session, and credit once', async () => {
    const secrets = { merchant_id: '0'.repeat(36) };
    const set = await operator.patch('/payment-gateways/zarinpal', {
      enabled: true,
      secrets,
      options: { base_url: zarinpal.origin },
    });
    expect(JSON.stringify(set)).not.toContain(secrets.merchant_id);
    const before = await balance();
    const { id } = await begin('zarinpal');
    const authority = [...zarinpal.sessions.keys()].at(-1) ?? '';
    zarinpal.pay(authority);
    const form = new URLSearchParams({ Authority: authority, Status: 'OK' });
    const post = await open('/pay/zarinpal/return', { method: 'POST', body: form });
    expect(post.status).toBe(303);
    expect((await open(`/pay/zarinpal/return?${form}`)).status).toBe(303);
    expect((await order(id)).state).toBe('credited');
    expect((await balance()) - before).toBe(50_000);
  });

  it('have the gateway asked so often about one order, and no other order waits for it', async () => {
    await begin('zarinpal');
    const one = [...zarinpal.sessions.keys()].at(-1) ?? '';
    const { id } = await begin('zarinpal');
    const other = [...zarinpal.sessions.keys()].at(-1) ?? '';
    const statuses: number[] = [];
    for (let n = 0; n < 100 && !statuses.includes(429); n++)
      statuses.push((await open(`/pay/zarinpal/return?Authority=${one}&n=${n}`)).status);
    expect(new Set(statuses)).toEqual(new Set([303, 429]));
    zarinpal.pay(other);
    expect((await open(`/pay/zarinpal/return?Authority=${other}`)).status).toBe(303);
    expect((await order(id)).state).toBe('credited');
  });
});

describe('refunds', () => {
  it('take the credit back with a reason, once, and leave a credit note', async () => {
    const { id, redirect_url: bank } = await begin('sandbox', 30_000);
    await open(`${bank}/pay`, { method: 'POST' });
    await operator.post(`/payments/${id}/verify`);
    const before = await balance();
    expect(await operator.refused('POST', `/payments/${id}/refund`, { reason: '' })).toEqual([400, 'reason']);
    await operator.post(`/payments/${id}/refund`, { reason: 'paid twice by mistake' });
    expect(await balance()).toBe(before - 30_000);
    expect((await operator.refused('POST', `/payments/${id}/refund`, { reason: 'again' }))[0]).toBe(409);
    const { data } = await operator.get<{ data: { kind: string; order_id: string }[] }>('/invoices');
    expect(data.filter(({ order_id: of }) => of === id).map(({ kind }) => kind)).toEqual(['credit-note', 'invoice']);
  });

  it('never take what was spent', async () => {
    const { id, redirect_url: bank } = await begin('sandbox', 1_000_000);
    await open(`${bank}/pay`, { method: 'POST' });
    await operator.post(`/payments/${id}/verify`);
    const spent = { id: 'spent-1', kind: 'adjustment', amount: -(await balance()) + 10, note: 'spent' };
    await operator.post('/accounts/acme/transfers', spent);
    expect((await operator.refused('POST', `/payments/${id}/refund`, { reason: 'wants it back' }))[0]).toBe(409);
    expect(await balance()).toBe(10);
    expect((await order(id)).state).toBe('credited');
  });
});

describe('a refund that waits for staff', () => {
  it('is in the list of what is stuck, and is settled once, with its trail', async () => {
    const secrets = { secret_key: 'sk_test_1', webhook_secret: 'whsec_1' };
    await operator.patch('/payment-gateways/stripe', { enabled: true, secrets, options: { base_url: stripe.origin } });
    await operator.post('/accounts', { id: 'back', name: 'Back' });
    const { id } = await begin('stripe', 200_000, 'back');
    stripe.pay([...stripe.sessions.keys()].at(-1) ?? '');
    await operator.post(`/payments/${id}/verify`);
    stripe.failNext('/v1/refunds', { kind: 'code', code: 402 });
    const refunded = await operator.post(`/payments/${id}/refund`, { reason: 'wants it back' });
    expect(refunded).toMatchObject({ state: 'refunded', refund: { state: 'refused', code: 'stripe_402' } });
    expect(await balance('back')).toBe(0);
    const stuck = async () => (await operator.get<{ data: Order[] }>('/payments?stuck=true')).data.map((one) => one.id);
    expect(await stuck()).toContain(id);
    expect(await operator.refused('POST', `/payments/${id}/refund/settle`, { sent: false, note: '' })).toEqual([
      400,
      'note',
    ]);
    const settled = await operator.post(`/payments/${id}/refund/settle`, { sent: false, note: 'not at Stripe' });
    expect(settled).toMatchObject({ state: 'credited', refund: null });
    expect(await balance('back')).toBe(200_000);
    expect(await stuck()).not.toContain(id);
    expect((await operator.refused('POST', `/payments/${id}/refund/settle`, { sent: true, note: 'again' }))[0]).toBe(
      409,
    );
    // No credit note before the money went: the second try has the first one.
    const notes = async () =>
      (await operator.get<{ data: { kind: string; order_id: string }[] }>('/invoices')).data.filter(
        ({ order_id: of, kind }) => of === id && kind === 'credit-note',
      ).length;
    expect(await notes()).toBe(0);
    expect(await operator.post(`/payments/${id}/refund`, { reason: 'once more' })).toMatchObject({
      refund: { state: 'sent' },
    });
    expect(await notes()).toBe(1);
    // The list of transfers finds all of it by the order, and says who did each.
    const { data: moved } = await operator.get<{ data: { id: string; actor: string; note: string }[] }>(
      `/transfers?reference=${id}`,
    );
    expect(moved.map((one) => [one.id, one.actor])).toEqual(
      [`refund:${id}:2`, `refund-undone:${id}:1`, `refund:${id}:1`, `topup:${id}`].map((name) => [name, 'operator']),
    );
    expect(moved[0]?.note).toBe('once more');
  });
});

describe('transfers by hand', () => {
  it('cannot take the id of one that the service writes itself', async () => {
    const { id } = await begin('sandbox', 20_000);
    for (const own of [`topup:${id}`, `refund:${id}:1`, `refund-undone:${id}:1`, 'chargeback:dp_1', 'welcome:x'])
      expect(
        await operator.refused('POST', '/accounts/acme/transfers', { id: own, kind: 'top-up', amount: 20_000 }),
      ).toEqual([400, 'id']);
  });
});

describe('a customer', () => {
  it('is quoted whole toman only, and does not learn which of the staff did something', async () => {
    const customer = new Browser(gateway);
    const signedIn = await customer.signIn('09121230015');
    const account = signedIn.body.accounts[0]?.id ?? '';
    const quote = (amount: string) => customer.get(`/wallet/quote?gateway=sandbox&amount=${amount}`);
    expect((await quote('1000')).status).toBe(200);
    for (const amount of ['1.5', '0.000001', '0', '-1', 'x']) expect((await quote(amount)).status, amount).toBe(400);
    const staff = new Browser(gateway);
    expect((await staff.send('POST', '/api/admin/sign-in', { password: await gateway.ownPassword() })).status).toBe(
      200,
    );
    const begun = await staff.send<{ id: string; created_by: string }>('POST', '/api/admin/payments', {
      account_id: account,
      gateway: 'sandbox',
      amount: 5_000,
    });
    expect(begun.body.created_by).toMatch(/^staff:per_/);
    await staff.send('POST', `/api/admin/payments/${begun.body.id}/verify`, {});
    const [list, one] = [await customer.get('/wallet/orders'), await customer.get(`/wallet/orders/${begun.body.id}`)];
    for (const shown of [list, one]) {
      expect(JSON.stringify(shown.body)).toContain('"created_by":"operator"');
      expect(JSON.stringify(shown.body)).not.toContain('staff:');
    }
  });
});

describe('staff', () => {
  it('book papers of their own, once each, and read them again', async () => {
    const paper = { id: 'zp-1', kind: 'settlement', gateway: 'zarinpal', amount: 1_089_000, fee: 10_000, vat: 1_000 };
    const first = await operator.post<{ lines: object[]; id: string }>('/documents', { ...paper, number: '77' });
    expect(first.lines).toMatchObject([
      { debit: 'bank:main', credit: 'gateway:zarinpal', amount: '1089000' },
      { debit: 'gateway-fees', credit: 'gateway:zarinpal', amount: '10000' },
      { debit: 'vat-input', credit: 'gateway:zarinpal', amount: '1000' },
    ]);
    expect(await operator.post('/documents', { ...paper, number: '77' })).toEqual(first);
    expect(await operator.get(`/documents/${encodeURIComponent(first.id)}`)).toEqual(first);
    const wrong = (change: object) => operator.refused('POST', '/documents', { ...paper, id: 'zp-2', ...change });
    expect(await wrong({ id: 'zp-1', amount: 5 })).toEqual([409, 'id']);
    expect(await wrong({ gateway: 'nobody' })).toEqual([400, 'gateway']);
    expect(await wrong({ bank: 'nobody' })).toEqual([400, 'bank']);
    expect(await wrong({ amount: 0 })).toEqual([400, 'amount']);
    expect(await wrong({ kind: 'bad-debt' })).toEqual([400, 'kind']);
    // Nothing waits there: credit would come from nowhere.
    expect(await wrong({ kind: 'matched', account_id: 'operator', amount: 1 })).toEqual([409, 'amount']);
    expect(await wrong({ kind: 'documented', amount: 900_000_000 })).toEqual([409, 'amount']);
    const { books } = await operator.get<{ books: { book: string; code: string }[] }>('/trial-balance');
    expect(books.map(({ code }) => code)).toEqual(books.map(({ code }) => code).sort());
    expect(books).toContainEqual(expect.objectContaining({ book: 'gateway-fees', code: '5201', class: 'expense' }));
    expect(await wholeProof(gateway.admin)).toMatchObject({ ok: true });
  });

  it('make gift codes, set the tax, and read the profit', async () => {
    const made = await operator.post<{ codes: string[] }>('/gift-codes', { count: 3, amount: 1_000 });
    expect(made.codes).toHaveLength(3);
    const { data } = await operator.get<{ data: { id: string; state: string }[] }>('/gift-codes');
    await operator.remove(`/gift-codes/${data[0]?.id}`);
    await operator.patch('/invoice-settings', { vat_percent: '9.5', seller: { kind: 'person', name: 'فروشنده' } });
    expect((await begin('sandbox', 10_000)).vat).toBe('950');
    expect(await operator.refused('PATCH', '/invoice-settings', { vat_percent: '100' })).toEqual([400, 'vat_percent']);
    for (const by of ['day', 'month', 'vendor', 'model', 'account', 'provider'])
      expect((await operator.get<{ by: string }>(`/profit?by=${by}`)).by).toBe(by);
    expect(await operator.refused('GET', '/profit?by=day&after=nonsense')).toEqual([400, 'after']);
    expect(await operator.get('/tasks/costs')).toMatchObject({
      object: 'cost_tasks',
      without_cost: [],
      corrections: [],
    });
    const nowhere = { model: 'no/such', provider: 'none', upstream_model: 'such' };
    expect((await operator.refused('POST', '/tasks/costs/count', nowhere))[0]).toBe(404);
  });

  it('show an invoice to whoever has its address, as a page and as a PDF, and to nobody else', async () => {
    const { data } = await operator.get<{ data: { page_url: string; pdf_url: string }[] }>('/invoices');
    for (const lang of ['fa', 'en']) {
      const page = await open(`${data[0]?.page_url}?lang=${lang}`);
      expect(await page.text()).toContain('<svg');
      const pdf = await open(`${data[0]?.pdf_url}?lang=${lang}`);
      expect(pdf.headers.get('content-type')).toBe('application/pdf');
    }
    expect((await open('/invoices/inv_000000000AAAAAAAAAAAAAAAA')).status).toBe(404);
  });
});

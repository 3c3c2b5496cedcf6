/** What a version says of its books, its log, its papers and its prices: the same before and after an upgrade. */
import { createHash } from 'node:crypto';
import { Browser, Operator } from './client.mjs';

export async function readState(origin, { key, requests }) {
  const operator = new Operator(origin);
  const get = (path) => operator.get(`/api/admin${path}`);
  const accounts = await all(get, '/accounts');
  const wallets = {};
  for (const { id } of accounts) wallets[id] = (await get(`/accounts/${id}/wallet`)).wallet.balance;
  const receipts = {};
  for (const id of requests) receipts[id] = await get(`/requests/${id}`);
  const orders = await all(get, '/payments');
  const response = await fetch(`${origin}/api/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const models = (await response.json()).data;
  const transfers = await all(get, '/transfers');
  return {
    wallets,
    receipts,
    orders: orders.map(({ id, state, gateway, amount }) => ({ id, state, gateway, amount })),
    transfers: transfers.map(({ id, kind, amount }) => ({ id, kind, amount })).sort((a, b) => (a.id < b.id ? -1 : 1)),
    papers: await papers(origin, await all(get, '/invoices')),
    models: models.sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

async function all(get, path) {
  const rows = [];
  for (let after = ''; ; ) {
    const page = await get(`${path}?limit=100${after}`);
    rows.push(...page.data);
    if (!page.has_more || page.data.length === 0) return rows;
    after = `&after=${encodeURIComponent(page.next ?? page.next_cursor ?? page.last_id ?? page.data.at(-1).id)}`;
  }
}

/** Each invoice and credit note, and its PDF by its digest. */
async function papers(origin, invoices) {
  const reader = new Browser(origin);
  const found = {};
  for (const { id, ...invoice } of invoices) {
    const pdf = await reader.bytes(`/invoices/${id}/pdf?lang=fa`);
    found[id] = { ...invoice, pdf: createHash('sha256').update(pdf).digest('hex') };
  }
  return found;
}

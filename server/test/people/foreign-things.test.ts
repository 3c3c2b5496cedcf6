/**
 * What belongs to others, asked for by its real id at every address that takes one: answered as what is not there, and left
 * alone. An address that is added must say here whose things it shows.
 */

import { RESOURCES } from '@dargah/api/access.ts';
import type { RouteDescription } from '@dargah/api/describe-route.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { Browser } from './client.ts';
import { describedRoutes, labelOf } from './console-routes.ts';
import { takenBody } from './wrong-bodies.ts';

const routes = (await describedRoutes('console')).filter(({ path }) => path.includes(':'));
const collectionOf = ({ path }: RouteDescription) => path.slice('/api/console/'.length, path.indexOf('/:'));
/** Names of events are everybody's. Passkeys are made with an authenticator: see web/passkeys.test.ts. */
const NOT_OWNED = ['alerts/rules', 'me/passkeys'];
const UNKNOWN = 'zzz';

let gateway: TestGateway;
let victim: Browser;
let thief: Browser;
/** By collection: the id of the victim's, and of what lies in it. */
let theirs: Record<string, string[]>;
let ownBase: string;
let managementKey: string;

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.admin('PATCH', '/api/admin/payment-gateways/sandbox', { enabled: true });
  victim = new Browser(gateway);
  thief = new Browser(gateway);
  const entered = await victim.signIn('09121800001', { account_name: 'Victim' });
  await thief.signIn('09121800002', { account_name: 'Thief' });
  theirs = await furnish(entered.body.person.id);
  ownBase = (await thief.post<{ id: string }>('/knowledge-bases', { name: 'mine' })).body.id;
  const resources = Object.fromEntries(
    RESOURCES.filter((one) => one !== 'management_keys').map((one) => [one, 'write']),
  );
  managementKey = (await thief.post<{ key: string }>('/management-keys', { name: 'all', resources })).body.key;
}, 180_000);
afterAll(() => {
  vi.unstubAllEnvs();
  return gateway?.stop();
});

/** One of everything that has an id. */
async function furnish(personId: string): Promise<Record<string, string[]>> {
  const make = async (path: string, body: object) => {
    const { status, body: made } = await victim.post<{ id: string }>(path, body);
    expect([path, status < 300]).toEqual([path, true]);
    return made;
  };
  const order = (await make('/wallet/orders', { gateway: 'sandbox', amount: 200_000 })) as unknown as {
    id: string;
    redirect_url: string;
  };
  const paid = await fetch(`${gateway.origin}${new URL(order.redirect_url).pathname}/pay`, {
    method: 'POST',
    redirect: 'manual',
  });
  await fetch(new URL(paid.headers.get('location') ?? '', gateway.origin));
  const invoices = await eventually(async () => {
    const { body } = await victim.get<{ data: { id: string }[] }>('/wallet/invoices');
    expect(body.data).toHaveLength(1);
    return body.data;
  });
  await victim.patch('/account', { log_prompts: { enabled: true, days: 2 } });
  const key = (await make('/keys', { name: 'theirs' })) as unknown as { id: string; key: string };
  const hello = { model: 'mock/chat', messages: [{ role: 'user', content: 'private words' }] };
  const answer = await gateway.chat(hello, { key: key.key });
  const requestId = answer.headers.get('x-svc-request-id') ?? '';
  // Log, texts and the key's last use are written behind the answer: what comes late would look like the thief's work.
  await eventually(async () => {
    expect((await victim.get(`/requests/${requestId}/texts`)).status).toBe(200);
    expect((await victim.get('/requests')).body).toMatchObject({ data: [{ id: requestId }] });
    const { body } = await victim.get<{ last_used_at: string | null }>(`/keys/${key.id}`);
    expect(body.last_used_at).not.toBeNull();
  });
  const base = await make('/knowledge-bases', { name: 'theirs' });
  const document = await make(`/knowledge-bases/${base.id}/documents`, { name: 'doc', text: 'private words' });
  await eventually(async () => {
    const { body } = await victim.get<{ state: string }>(`/knowledge-bases/${base.id}/documents/${document.id}`);
    expect(body.state).toBe('ready');
  });
  const batch = await endedBatch(key.key);
  const attachments = [{ name: 'a.txt', type: 'text/plain', data: Buffer.from('private').toString('base64') }];
  const ticket = (await make('/tickets', { category: 'general', subject: 's', text: 't', attachments })) as unknown as {
    id: string;
    messages: { attachments: { id: string }[] }[];
  };
  vi.stubEnv('OPENAI_BASE_URL', gateway.vendor.baseUrls['openai-chat']);
  const provider = {
    id: 'openai',
    vendor: 'openai',
    base_url: gateway.vendor.baseUrls['openai-chat'],
    api_key: 'sk-up',
  };
  await gateway.admin('POST', '/api/admin/providers', provider);
  await gateway.admin('PATCH', '/api/admin/settings', { own_keys: true });
  const ownKey = await make('/provider-keys', { provider: 'openai', secret: 'sk-of-the-victim' });
  const budget = await make('/budgets', { name: 'together', key_ids: [] });
  const target = await make('/alerts/targets', { url: 'https://example.com/hook' });
  await victim.patch('/alerts/rules/balance.low', { enabled: true, channels: ['console', 'webhook'] });
  await victim.post('/alerts/test', { event: 'balance.low' });
  const firstOf = async (path: string) => (await victim.get<{ data: { id: string }[] }>(path)).body.data[0]?.id ?? '';
  return {
    keys: [key.id],
    'management-keys': [(await make('/management-keys', { name: 'm', resources: { keys: 'read' } })).id],
    'knowledge-bases': [base.id, document.id],
    invitations: [(await make('/invitations', { to: 'someone@example.com', role: 'viewer' })).id],
    members: [personId],
    tickets: [ticket.id, ticket.messages[0]?.attachments[0]?.id ?? ''],
    'wallet/orders': [order.id],
    'wallet/invoices': [invoices[0]?.id ?? ''],
    'alerts/targets': [target.id],
    batches: [batch, 'input'],
    budgets: [budget.id],
    'provider-keys': [ownKey.id],
    'alerts/deliveries': [await eventually(() => firstOf('/alerts/deliveries').then((id) => id || Promise.reject()))],
    requests: [requestId],
    'playground/requests': [requestId],
    'me/sessions': [await firstOf('/me/sessions')],
    'me/methods': [await firstOf('/me/methods')],
  };
}

/** It ends at once: its one line is none. */
async function endedBatch(key: string): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob(['private words']), 'a.jsonl');
  const file = (await (await gateway.fetch('/api/v1/files', { key, method: 'POST', body: form })).json()) as {
    id: string;
  };
  const order = { input_file_id: file.id, endpoint: '/v1/responses', completion_window: '24h' };
  const headers = { 'content-type': 'application/json' };
  const made = await gateway.fetch('/api/v1/batches', { key, method: 'POST', headers, body: JSON.stringify(order) });
  const { id } = (await made.json()) as { id: string };
  await eventually(async () =>
    expect((await victim.get(`/batches/${id}`)).body).toMatchObject({ id, state: 'failed', downloads: ['input'] }),
  );
  return id;
}

const addressed = ({ path }: RouteDescription, ids: readonly string[]) => {
  let next = 0;
  return path.replace(/:\w+/g, () => ids[next++] ?? UNKNOWN);
};

const bodyOf = ({ method, body, example, operationId }: RouteDescription) => {
  if (/^(add|replace)OwnDocument$/.test(operationId)) return { name: 'x', text: 'x' };
  if (body !== undefined) return example ?? takenBody(body);
  return method === 'GET' || method === 'DELETE' ? undefined : {};
};

async function compare(route: RouteDescription, ids: readonly string[], own: readonly string[], headers = {}) {
  const foreign = await thief.send(route.method, addressed(route, ids), bodyOf(route), headers);
  const unknown = await thief.send(route.method, addressed(route, own), bodyOf(route), headers);
  const plain = JSON.stringify(foreign.body);
  const told = ids.reduce((text, id, at) => text.replaceAll(id, own[at] ?? UNKNOWN), plain);
  return {
    route: labelOf(route),
    found: [foreign.status, told],
    wanted: [unknown.status, JSON.stringify(unknown.body)],
  };
}

async function readableOfVictim(): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [collection, ids] of Object.entries(theirs)) {
    // Deliveries are tried again in the background.
    if (collection === 'alerts/deliveries') continue;
    answers.push((await victim.get(`/${collection}?limit=50`)).body);
    const [first = ''] = ids;
    if (collection !== 'tickets') answers.push((await victim.get(`/${collection}/${first}`)).body);
  }
  return answers;
}

describe('what belongs to others', () => {
  it('is known of every address that takes an id', () => {
    expect(routes.length).toBeGreaterThan(35);
    const missing = routes.filter((route) => !NOT_OWNED.includes(collectionOf(route)) && !theirs[collectionOf(route)]);
    expect(missing.map(labelOf)).toEqual([]);
    for (const ids of Object.values(theirs)) expect(ids.every((id) => id.length > 3)).toBe(true);
  });

  it('is answered as what is not there, and stays as it is', async () => {
    const before = await readableOfVictim();
    const walked = routes.filter((route) => theirs[collectionOf(route)] !== undefined);
    for (const route of walked) {
      const ids = theirs[collectionOf(route)] ?? [];
      const { found, wanted } = await compare(route, ids, [UNKNOWN, UNKNOWN]);
      expect([labelOf(route), wanted[0], ...found]).toEqual([labelOf(route), 404, ...wanted]);
    }
    expect(await readableOfVictim()).toEqual(before);
  });

  it('is not reached through something of one’s own either', async () => {
    const [, document = ''] = theirs['knowledge-bases'] ?? [];
    for (const route of routes.filter(({ path }) => path.includes(':document'))) {
      const { found, wanted } = await compare(route, [ownBase, document], [ownBase, UNKNOWN]);
      expect([labelOf(route), wanted[0], ...found]).toEqual([labelOf(route), 404, ...wanted]);
    }
  });

  it('is not reached by a management key that may do everything at home', async () => {
    const headers = { authorization: `Bearer ${managementKey}` };
    const walked = routes.filter(
      ({ access }) => access.guard === 'console' && access.personOnly !== true && access.roles.includes('admin'),
    );
    const before = await readableOfVictim();
    for (const route of walked.filter((one) => theirs[collectionOf(one)] !== undefined)) {
      const { found, wanted } = await compare(route, theirs[collectionOf(route)] ?? [], [UNKNOWN, UNKNOWN], headers);
      expect([labelOf(route), wanted[0], ...found]).toEqual([labelOf(route), 404, ...wanted]);
    }
    expect(await readableOfVictim()).toEqual(before);
  });
});

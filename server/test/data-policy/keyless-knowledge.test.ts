/** Knowledge bases without a key: indexing and searches of the console go only where the account's keys let them go. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startFakeVendor } from '../fake-vendor/index.ts';
import { providerOf } from '../faults/routes-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';

let gateway: TestGateway;
let sara: Browser;

beforeAll(async () => {
  const vendor = await startFakeVendor();
  const provider = (id: string, more: object = {}) => ({
    id,
    protocol: 'openai-chat',
    base_url: vendor.baseUrls['openai-chat'],
    api_key: `secret-of-${id}`,
    ...more,
  });
  const model = (id: string, ...providers: string[]) => ({
    id,
    kind: 'embedding',
    routes: providers.map((name, at) => ({ provider: name, model: `up-${name}`, priority: at + 1 })),
    price: { input: 1_000 },
  });
  gateway = await startGateway({
    vendor,
    config: {
      settings: { discovery: false },
      providers: [provider('open'), provider('private', { data_policy: { training: false, region: 'de' } })],
      models: [model('mock/open', 'open'), model('mock/both', 'open', 'private')],
      groups: [],
    },
  });
  sara = new Browser(gateway);
  const { body } = await sara.signIn('09121710001', { name: 'Sara' });
  sara.account = body.accounts[0]?.id;
  const transfer = { id: 'keyless', kind: 'top-up', amount: 1_000 };
  await gateway.admin('POST', `/api/admin/accounts/${sara.account}/transfers`, transfer);
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await gateway?.vendor.close();
});
beforeEach(() => gateway.vendor.reset());

interface Shown {
  id: string;
  state: string;
  reason: string | null;
}

const asked = () => gateway.vendor.requests.map(providerOf);

async function makeBase(name: string, embedding_model: string): Promise<string> {
  const { status, body } = await sara.post<{ id: string }>('/knowledge-bases', { name, embedding_model });
  expect(status).toBe(201);
  return body.id;
}

async function index(base: string, name: string): Promise<Shown> {
  const documents = `/knowledge-bases/${base}/documents`;
  const { body } = await sara.post<Shown>(documents, { name, text: 'The tea costs twelve toman.', format: 'text' });
  return eventually(async () => {
    const shown = (await sara.get<Shown>(`${documents}/${body.id}`)).body;
    expect(['ready', 'failed']).toContain(shown.state);
    return shown;
  });
}

const search = (base: string) => sara.post<{ data: unknown[] }>(`/knowledge-bases/${base}/search`, { query: 'tea' });

async function makeKey(rules: object): Promise<string> {
  const { status, body } = await sara.post<{ id: string }>('/keys', { name: 'k', rules });
  expect(status).toBe(201);
  return body.id;
}

it('a document goes anywhere while no key demands anything', async () => {
  expect(await index(await makeBase('free', 'mock/both'), 'a')).toMatchObject({ state: 'ready' });
  expect(asked()).toEqual(['open']);
});

it('a document of the console goes only where every key of the account lets it go, and says why where none is left', async () => {
  const elsewhere = await makeBase('elsewhere', 'mock/both');
  const [open, both] = [await makeBase('open', 'mock/open'), await makeBase('both', 'mock/both')];
  await makeKey({ data_policy: { regions: ['us'] }, knowledge_bases: [elsewhere] });
  const id = await makeKey({ data_policy: { no_training: true } });

  const failed = await index(open, 'a');
  expect(failed).toMatchObject({ state: 'failed', reason: expect.stringContaining('mock/open') });
  expect(asked()).toEqual([]);

  expect(await index(both, 'a')).toMatchObject({ state: 'ready' });
  expect((await search(both)).body.data).toHaveLength(1);
  expect(asked()).toEqual(['private', 'private']);

  // Both keys may use this one, and no provider satisfies both.
  gateway.vendor.reset();
  expect(await index(elsewhere, 'a')).toMatchObject({ state: 'failed' });
  expect(asked()).toEqual([]);

  expect((await sara.post(`/keys/${id}/revoke`)).status).toBe(200);
  expect(await index(open, 'b')).toMatchObject({ state: 'ready' });
  expect(asked()).toEqual(['open']);
});

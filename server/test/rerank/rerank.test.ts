/** Reranking through the gateway: every ending and its money, both addresses, each way of pricing, and the simulator. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receipt, receiptOf } from '../audio/audio-gateway.ts';
import { expectError } from '../errors/expect-error.ts';
import { faults, json } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { knowledgeOf } from '../knowledge/ask.ts';
import { eventually } from '../services/eventually.ts';

const two = [
  { provider: 'chat-a', model: 'up-a', priority: 1, quirks: { rerank_style: 'cohere' } },
  { provider: 'chat-b', model: 'up-b', priority: 2 },
];
/** Three toman a search; a toman a token. */
const MODELS = [
  { id: 'mock/chat', routes: [{ provider: 'chat-a', model: 'up' }], price: { input: 1, output: 1 } },
  { id: 'mock/rerank', kind: 'rerank', routes: two, price: { searches: 3_000_000 } },
  { id: 'mock/by-token', kind: 'rerank', routes: [two[1]], price: { input: 1_000_000 } },
];
const DOCUMENTS = ['Tehran is the capital of Iran.', 'Isfahan has bridges.', 'Shiraz has gardens.'];
const results = [
  { index: 1, relevance_score: 0.2 },
  { index: 0, relevance_score: 0.9 },
];
const BY_SEARCH = json(200, { id: 'x', results, meta: { billed_units: { search_units: 2 } } });
const BY_TOKEN = json(200, { results, usage: { total_tokens: 40 } });

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    config: {
      settings: { discovery: false },
      models: MODELS,
      groups: [],
      accounts: [
        {
          id: 'acme',
          balance: 100_000,
          keys: [
            { id: 'main', key: 'dg-test-main' },
            { id: 'ranker', key: 'dg-test-ranker', rules: { endpoints: ['rerank'] } },
            { id: 'talker', key: 'dg-test-talker', rules: { endpoints: ['chat.completions'] } },
          ],
        },
        { id: 'poor', balance: 2, keys: [{ id: 'poor', key: 'dg-test-poor' }] },
      ],
    },
  });
});
afterAll(() => gateway.stop());

function rank(fields: object = {}, { path = '/api/v1/rerank', ...more }: { path?: string; key?: string } = {}) {
  const body = JSON.stringify({ model: 'mock/rerank', query: 'the capital?', documents: DOCUMENTS, ...fields });
  return gateway.fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body, ...more });
}

async function paid(response: Response): Promise<Receipt> {
  expect(response.status).toBe(200);
  await response.json();
  return receiptOf(gateway, response);
}

describe('an answer', () => {
  it('is what clients of Cohere read, at both of its addresses', async () => {
    for (const path of ['/api/v1/rerank', '/api/v2/rerank']) {
      gateway.vendor.next(BY_SEARCH);
      const response = await rank({ top_n: 2, return_documents: true }, { path });
      expect(await response.json()).toMatchObject({
        id: expect.stringMatching(/^req_/),
        model: 'mock/rerank',
        results: [
          { index: 0, relevance_score: 0.9, document: { text: DOCUMENTS[0] } },
          { index: 1, relevance_score: 0.2, document: { text: DOCUMENTS[1] } },
        ],
        meta: { api_version: { version: '2' }, billed_units: { search_units: 2 } },
        usage: { cost: 6 },
      });
      expect(gateway.vendor.requests.at(-1)).toMatchObject({ path: '/v2/rerank', body: { model: 'up-a', top_n: 2 } });
    }
  });

  it('of the simulator puts the document with the words of the query first', async () => {
    const response = await rank({ model: 'sandbox/rerank', query: 'bridges of Isfahan' });
    const answer = (await response.json()) as { results: { index: number }[] };
    expect(answer.results.map(({ index }) => index)[0]).toBe(1);
    expect(response.headers.get('x-svc-cost')).toBe('20');
  });
});

describe('its money', () => {
  it('is by the searches that the provider counted, and the receipt says so', async () => {
    gateway.vendor.next(BY_SEARCH);
    expect(await paid(await rank())).toMatchObject({
      endpoint: 'rerank',
      state: 'completed',
      cost: '6',
      usage_source: 'upstream',
      usage: { buckets: { searches: 2 } },
      formula: '2 × 3000000 = 6000000 µT',
    });
  });

  it('is by tokens where the model is priced by them', async () => {
    gateway.vendor.next(BY_TOKEN);
    const receipt = await paid(await rank({ model: 'mock/by-token' }));
    expect(receipt).toMatchObject({ cost: '40', usage_source: 'upstream', usage: { buckets: { input_fresh: 40 } } });
  });

  it('is our own count where the provider counts something else, or nothing', async () => {
    gateway.vendor.next(json(200, { results }), json(200, { results, meta: { billed_units: { search_units: 1 } } }));
    const documents = Array.from({ length: 101 }, (_, n) => `document ${n}`);
    expect(await paid(await rank({ documents }))).toMatchObject({ cost: '6', usage_source: 'estimated' });
    const receipt = await paid(await rank({ model: 'mock/by-token' }));
    expect(receipt.usage_source).toBe('estimated');
    expect(Number(receipt.cost)).toBeGreaterThan(10);
    expect(Number(receipt.cost)).toBeLessThanOrEqual(Number(receipt.held));
  });

  it('is held before, more for long documents, which vendors cut into several', async () => {
    gateway.vendor.next(BY_SEARCH, BY_SEARCH);
    expect(await paid(await rank())).toMatchObject({ held: '3' });
    const documents = Array.from({ length: 60 }, () => 'long words here '.repeat(200));
    expect(Number((await paid(await rank({ documents }))).held)).toBeGreaterThan(3);
  });

  it('is of the second route when the first fails or ranks what is not there', async () => {
    gateway.vendor.next(faults.failWith(500), BY_SEARCH);
    const receipt = await paid(await rank());
    expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual([expect.any(String), 'ok']);
    gateway.vendor.next(json(200, { results: [{ index: 9, relevance_score: 1 }] }), BY_SEARCH);
    expect(await paid(await rank())).toMatchObject({ cost: '6' });
  });

  it('is nothing when nobody answers, when the provider refuses, or when the wallet is too small', async () => {
    const costOf = async (response: Response) => {
      const { state, cost } = await receiptOf(gateway, response);
      return [response.status, state, cost];
    };
    gateway.vendor.next(faults.failWith(500), faults.failWith(500));
    expect(await costOf(await rank())).toEqual([502, 'failed', '0']);
    gateway.vendor.next(json(400, { message: 'invalid request: too many tokens' }));
    expect(await costOf(await rank())).toEqual([400, 'failed', '0']);
    const sent = gateway.vendor.requests.length;
    await expectError(await rank({}, { key: 'dg-test-poor' }), 'insufficient_balance');
    expect(await costOf(await rank({ documents: [] }))).toEqual([400, 'refused', '0']);
    expect(gateway.vendor.requests.length).toBe(sent);
  });

  it('is asked once for one Idempotency-Key', async () => {
    gateway.vendor.next(BY_SEARCH);
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'rank-once' };
    const body = JSON.stringify({ model: 'mock/rerank', query: 'q', documents: DOCUMENTS });
    const ask = async () => (await gateway.fetch('/api/v1/rerank', { method: 'POST', headers, body })).text();
    const sent = gateway.vendor.requests.length;
    expect(await ask()).toBe(await ask());
    expect(gateway.vendor.requests.length).toBe(sent + 1);
  });

  it('balances in the books', async () => {
    const proof = await wholeProof((method, path) => gateway.admin(method, path));
    expect(proof).toMatchObject({ ok: true });
  });
});

describe('who may', () => {
  it('a key by its rule on endpoints; a model of another kind nobody', async () => {
    gateway.vendor.next(BY_SEARCH);
    expect((await rank({}, { key: 'dg-test-ranker' })).status).toBe(200);
    await expectError(await rank({}, { key: 'dg-test-talker' }), 'endpoint_not_allowed');
    await expectError(await rank({ model: 'mock/chat' }), 'invalid_request', { param: 'model' });
  });
});

describe('knowledge bases', () => {
  it('are searched in the order of the model that the operator names, and in their own when it does not answer', async () => {
    const { create, upload, settled, search } = knowledgeOf(gateway);
    const base = await create('cities');
    for (const [index, text] of DOCUMENTS.entries()) {
      const { body } = await upload(base, `${index}.txt`, `${text} A city of Iran.`, 'text/plain');
      await settled(base, body.id);
    }
    const sent = () => gateway.vendor.requests.length;
    const before = sent();
    const own = (await search(base, 'city of Iran')).map(({ text }) => text);
    expect([own.length, sent()]).toEqual([3, before]);

    const change = (model: string | null) =>
      gateway.admin('PATCH', '/api/admin/settings', { knowledge_rerank_model: model });
    await expectError(await change('mock/chat'), 'model_not_found', { param: 'knowledge_rerank_model' });
    expect(await (await change('mock/rerank')).json()).toMatchObject({ knowledge_rerank_model: 'mock/rerank' });
    const last = { index: 2, relevance_score: 0.9 };
    gateway.vendor.next(json(200, { results: [last, ...results], meta: { billed_units: { search_units: 1 } } }));
    expect((await search(base, 'city of Iran')).map(({ text }) => text)).toEqual([own[2], own[0], own[1]]);
    expect(gateway.vendor.requests.at(-1)?.body).toMatchObject({ query: 'city of Iran', documents: own });

    gateway.vendor.next(faults.failWith(500), faults.failWith(500));
    expect((await search(base, 'city of Iran')).map(({ text }) => text)).toEqual(own);
    await eventually(async () => {
      const list = await gateway.admin('GET', '/api/admin/requests?endpoint=rerank');
      const { data } = (await list.json()) as { data: { state: string; cost: string }[] };
      expect(data.slice(0, 2).map(({ state, cost }) => [state, cost])).toEqual([
        ['failed', '0'],
        ['completed', '3'],
      ]);
    });
    await change(null);
  });
});

it('the page of a reranker shows what a search costs, in both languages, and a request that works', async () => {
  for (const [path, unit] of [
    ['/models/mock/rerank', 'هر جست‌وجو'],
    ['/en/models/mock/rerank', 'per search'],
  ] as const) {
    const page = await (await gateway.fetch(path)).text();
    expect(page).toContain(unit);
    expect(page).toContain('/api/v1/rerank');
  }
});

/** Equal requests of one account: answered once by a provider, given again in every protocol, each charged, logged and limited. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { knowledgeOf } from '../knowledge/ask.ts';
import { keyView } from '../money/fixed-price.ts';
import { expectAddsUp, receiptOf } from '../money/receipts.ts';
import { eventually } from '../services/eventually.ts';

const clock = new MovedClock();
const accounts = [
  {
    id: 'acme',
    balance: 1_000_000,
    keys: [
      { id: 'main', key: 'dg-test-main' },
      { id: 'always', key: 'dg-test-always', rules: { cache_seconds: 60 } },
      { id: 'narrow', key: 'dg-test-narrow', rules: { models: ['mock/claude'] } },
      { id: 'slow', key: 'dg-test-slow', rules: { rpm: 2 } },
    ],
  },
  { id: 'other', balance: 100_000, keys: [{ id: 'other', key: 'dg-test-other' }] },
  { id: 'thin', balance: 12, keys: [{ id: 'thin', key: 'dg-test-thin' }] },
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    clock,
    config: {
      accounts,
      settings: { cache_max_seconds: 3_600, cache_max_answer_bytes: 4_096, cache_max_account_bytes: 12_288 },
    },
  });
}, 120_000);
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

type Init = RequestInit & { key?: string };
const svc = { cache_seconds: 60 };
let questions = 0;
/** A question that nobody has asked. */
const fresh = () => `question ${++questions}`;

const PROTOCOLS = {
  chat: (text: string) => ['/chat/completions', { messages: [{ role: 'user', content: text }] }] as const,
  completions: (text: string) => ['/completions', { prompt: text }] as const,
  messages: (text: string) => ['/messages', { max_tokens: 500, messages: [{ role: 'user', content: text }] }] as const,
  responses: (text: string) => ['/responses', { input: text }] as const,
};
type Protocol = keyof typeof PROTOCOLS;

function post(path: string, body: object, init: Init = {}): Promise<Response> {
  return gateway.fetch(`/api/v1${path}`, {
    ...init,
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      'accept-language': 'en',
      ...(init.headers as Record<string, string>),
    },
  });
}

function ask(text: string, fields: object = {}, init: Init = {}, protocol: Protocol = 'chat'): Promise<Response> {
  const [path, body] = PROTOCOLS[protocol](text);
  return post(path, { model: 'mock/chat', svc, ...body, ...fields }, init);
}

const said = (response: Response) => response.headers.get('x-svc-cache');
const idOf = (response: Response) => response.headers.get('x-svc-request-id') ?? '';
const asked = () => gateway.vendor.requests.length;
/** Read to its end, so that it is settled. */
async function read(response: Response): Promise<string> {
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

describe.each(Object.keys(PROTOCOLS) as Protocol[])('%s', (protocol) => {
  it.each(['mock/chat', 'mock/claude', 'mock/responses', 'mock/gemini'])(
    'of %s: whole and streamed answers are given again, whole and streamed',
    async (model) => {
      for (const first of [false, true]) {
        const question = fresh();
        gateway.vendor.next(
          answer({ text: 'سلام دنیا, the only answer', pieces: 4, usage: { input: 100, output: 20 } }),
        );
        const before = asked();
        const made = await ask(question, { model, stream: first }, {}, protocol);
        expect(said(made)).toBe('miss');
        expect(textIn(await read(made), first)).toContain('سلام دنیا, the only answer');
        for (const stream of [false, true]) {
          const given = await ask(question, { model, stream }, {}, protocol);
          expect(said(given)).toBe('hit');
          expect(given.headers.get('content-type')).toContain(stream ? 'text/event-stream' : 'application/json');
          expect(idOf(given)).not.toBe(idOf(made));
          expect(textIn(await read(given), stream)).toContain('سلام دنیا, the only answer');
        }
        expect(asked() - before).toBe(1);
      }
    },
  );
});

interface Piece {
  choices?: { delta?: { content?: string }; text?: string }[];
  delta?: string | { text?: string };
}

/** What was said, joined from the frames of a stream in whichever protocol. */
function textIn(body: string, stream: boolean): string {
  if (!stream) return body;
  const pieces = body.split('\n').flatMap((line) => {
    if (!line.startsWith('data: {')) return [];
    const { choices, delta } = JSON.parse(line.slice(6)) as Piece;
    const said =
      typeof delta === 'string' ? delta : (delta?.text ?? choices?.[0]?.delta?.content ?? choices?.[0]?.text);
    return said ?? [];
  });
  return pieces.join('');
}

describe('its money', () => {
  it('is the set part of the price, without a cost, on a receipt that adds up', async () => {
    const question = fresh();
    gateway.vendor.next(answer({ text: 'dear', usage: { input: 1_000, output: 100 } }));
    const made = await ask(question);
    await read(made);
    const given = await ask(question);
    await read(given);
    const full = await receiptOf(gateway, made);
    const hit = await receiptOf(gateway, given);
    expectAddsUp(full);
    expectAddsUp(hit);
    // 1,000 × 15,000 + 100 × 60,000 micro-toman, and a tenth of it.
    expect(full).toMatchObject({ cost: '21', response_cache: 'miss', cache_saved: '0' });
    expect(hit).toMatchObject({ cost: '2.1', response_cache: 'hit', cache_saved: '18.9', attempts: [] });
    expect(hit.price.lines.at(-1)).toMatchObject({ bucket: 'cached', amount: '-18.9' });
    expect(given.headers.get('x-svc-cost')).toBe('2.1');
    const staff = await (await gateway.admin('GET', `/api/admin/requests/${idOf(given)}`)).json();
    expect(staff).toMatchObject({ provider: null, provider_cost: '0', cost: '2.1' });
  });

  it('follows the setting', async () => {
    const question = fresh();
    await read(await ask(question));
    for (const [percent, cost] of [
      [0, '0'],
      [100, undefined],
    ] as const) {
      const changed = await gateway.admin('PATCH', '/api/admin/settings', { cache_price_percent: percent });
      expect(changed.status, await changed.clone().text()).toBe(200);
      await eventually(async () => {
        const given = await ask(question);
        await read(given);
        const receipt = await receiptOf(gateway, given);
        expect(receipt).toMatchObject({ response_cache: 'hit' });
        if (cost === undefined) expect(receipt).toMatchObject({ cache_saved: '0' });
        else expect(receipt.cost).toBe(cost);
        expectAddsUp(receipt);
      });
    }
    await gateway.admin('PATCH', '/api/admin/settings', { cache_price_percent: 10 });
  });

  it('is held for like any other: a wallet that cannot pay for an answer is given none', async () => {
    const question = fresh();
    gateway.vendor.next(answer({ text: 'word '.repeat(150), usage: { input: 10, output: 150 } }));
    await read(await ask(question, { max_tokens: 160 }, { key: 'dg-test-thin' }));
    expect((await ask(question, { max_tokens: 160 }, { key: 'dg-test-thin' })).status).toBe(402);
    expect(asked()).toBe(1);
  });

  it('of a stream whose reader left is charged, and nothing is kept', async () => {
    const question = fresh();
    const gate = createGate();
    gateway.vendor.next(faults.stallAfter(3, gate, { text: 'one two three four', pieces: 6 }));
    const leaving = new AbortController();
    const response = await ask(question, { stream: true }, { signal: leaving.signal });
    const id = idOf(response);
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await eventually(async () => {
      const found = await gateway.fetch(`/api/v1/requests/${id}`);
      expect(await found.json()).toMatchObject({ state: 'client_closed', response_cache: 'miss' });
    });
    gate.open();
    expect(said(await ask(question))).toBe('miss');
  });
});

describe('many at once', () => {
  it('are one call; each has its own receipt', async () => {
    for (const stream of [false, true]) {
      gateway.vendor.reset();
      const question = fresh();
      const gate = createGate();
      gateway.vendor.next(faults.stallBeforeHeaders(gate, { text: 'shared', usage: { input: 1_000, output: 100 } }));
      const all = Array.from({ length: 6 }, () => ask(question, { stream }));
      await eventually(async () => expect(asked()).toBe(1));
      gate.open();
      const responses = await Promise.all(all);
      const texts = await Promise.all(responses.map(read));
      for (const text of texts) expect(textIn(text, stream)).toContain('shared');
      expect(asked()).toBe(1);
      const receipts = await Promise.all(responses.map((response) => receiptOf(gateway, response)));
      const costs = receipts.map(({ cost }) => cost).sort();
      expect(costs).toEqual(['2.1', '2.1', '2.1', '2.1', '2.1', '21']);
    }
  });

  it('each ask for themselves when the first one fails', async () => {
    const question = fresh();
    const gate = createGate();
    gateway.vendor.next(faults.stallBeforeHeaders(gate, { text: 'never' }));
    const leaving = new AbortController();
    const first = ask(question, { stream: true }, { signal: leaving.signal }).catch(() => undefined);
    await eventually(async () => expect(asked()).toBe(1));
    const held = async () => Number((await keyView(gateway.origin, gateway.key)).wallet.held);
    const ofOne = await held();
    const second = ask(question, { stream: true });
    await eventually(async () => expect(await held()).toBeGreaterThan(ofOne * 1.5));
    leaving.abort();
    await first;
    const answered = await second;
    await read(answered);
    expect(await receiptOf(gateway, answered)).toMatchObject({ response_cache: 'miss' });
    gate.open();
    expect(asked()).toBe(2);
  });
});

describe('an answer is never given', () => {
  async function isMadeAgain(first: () => Promise<Response>, second: () => Promise<Response> = first) {
    await (await first()).text();
    const again = await second();
    expect(said(again)).not.toBe('hit');
    await again.text();
  }

  it('to another account', async () => {
    const question = fresh();
    await isMadeAgain(
      () => ask(question),
      () => ask(question, {}, { key: 'dg-test-other' }),
    );
    expect(asked()).toBe(2);
  });

  it('to a key that may not use its model', async () => {
    const question = fresh();
    await read(await ask(question));
    const refused = await ask(question, {}, { key: 'dg-test-narrow' });
    expect(refused.status).toBe(403);
  });

  it('past the limits of its key', async () => {
    const question = fresh();
    const key = 'dg-test-slow';
    await read(await ask(question, {}, { key }));
    expect(said(await ask(question, {}, { key }))).toBe('hit');
    expect((await ask(question, {}, { key })).status).toBe(429);
  });

  it.each([
    ['another question', { messages: [{ role: 'user', content: 'something else' }] }],
    ['another temperature', { temperature: 0.3 }],
    ['another field that nobody here knows', { brand_new: 1 }],
    ['another limit', { max_tokens: 77 }],
    ['other routes', { svc: { ...svc, routing: { sort: 'price' } } }],
  ])('for %s', async (_what, fields) => {
    const question = fresh();
    await isMadeAgain(
      () => ask(question),
      () => ask(question, fields),
    );
  });

  it('but is for another user, other tags, other metadata and fields in another order', async () => {
    const question = fresh();
    await read(await ask(question, { seed: 1, top_p: 1 }));
    const given = await ask(question, {
      top_p: 1,
      seed: 1,
      user: 'u2',
      metadata: { a: 'b' },
      svc: { ...svc, tags: ['t'] },
    });
    expect(said(given)).toBe('hit');
    expect(await receiptOf(gateway, given)).toMatchObject({ user: 'u2', tags: ['t'] });
  });

  it('for a knowledge base that says something else by now, while its references are told with every hit', async () => {
    const knowledge = knowledgeOf(gateway);
    const base = await knowledge.create('Handbook');
    const write = async (text: string, document?: string) => {
      const { body } = await knowledge.upload(base, 'leave.txt', text, 'text/plain', document);
      await knowledge.settled(base, body.id);
      return body.id;
    };
    const document = await write('Annual leave is twenty six days.');
    const grounded = () => ask('How many days of annual leave?', { svc: { ...svc, knowledge_base_ids: [base] } });
    expect(said(await grounded())).toBe('miss');
    const again = await grounded();
    expect(said(again)).toBe('hit');
    expect(await again.json()).toMatchObject({ svc: { references: [{ title: 'leave.txt' }] } });
    await write('Annual leave is thirty days.', document);
    await eventually(async () => expect(JSON.stringify(await knowledge.search(base, 'leave'))).toContain('thirty'));
    expect(said(await grounded())).toBe('miss');
  });

  it.each([
    ['tools', { tools: [{ type: 'function', function: { name: 'pay', parameters: { type: 'object' } } }] }],
    ['a search of the provider', { web_search_options: {} }],
    [
      'a picture at an address',
      {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] }],
      },
    ],
  ])('for a request with %s', async (_what, fields) => {
    const question = fresh();
    for (const _ of [1, 2]) {
      const response = await ask(question, fields);
      expect(said(response)).toBeNull();
      await response.text();
    }
    expect(asked()).toBe(2);
  });

  it.each([
    ['was cut', answer({ text: 'half', finish: 'length' })],
    ['was refused', answer({ text: '', finish: 'content_filter' })],
    ['failed', faults.failWith(400)],
    ['broke off', faults.errorEvent(2, { text: 'one two three' })],
    ['is too long', answer({ text: 'x'.repeat(5_000) })],
  ])('that %s', async (_what, behaviour) => {
    for (const stream of [false, true]) {
      const question = fresh();
      gateway.vendor.next(behaviour);
      await (await ask(question, { stream })).text();
      expect(said(await ask(question, { stream }))).toBe('miss');
    }
  });

  it('after its time, or that of who asks', async () => {
    const question = fresh();
    await read(await ask(question));
    clock.moved += 30_000;
    expect(said(await ask(question, { svc: { cache_seconds: 20 } }))).toBe('miss');
    clock.moved += 15_000;
    expect(said(await ask(question, { svc: { cache_seconds: 20 } }))).toBe('hit');
    clock.moved += 61_000;
    expect(said(await ask(question))).toBe('miss');
  });

  it('once others of the account took its room, and nobody else’s', async () => {
    const kept = fresh();
    await read(await ask(kept, {}, { key: 'dg-test-other' }));
    const flooded = fresh();
    await read(await ask(flooded));
    for (let at = 0; at < 8; at++) {
      gateway.vendor.next(answer({ text: 'x'.repeat(1_000) }));
      await read(await ask(fresh()));
    }
    expect(said(await ask(flooded))).toBe('miss');
    expect(said(await ask(kept, {}, { key: 'dg-test-other' }))).toBe('hit');
  });
});

describe('who decides', () => {
  it('is the key, and the request against it', async () => {
    const question = fresh();
    const key = 'dg-test-always';
    expect(said(await ask(question, { svc: undefined }, { key }))).toBe('miss');
    expect(said(await ask(question, { svc: undefined }, { key }))).toBe('hit');
    expect(said(await ask(question, { svc: { cache_seconds: 0 } }, { key }))).toBeNull();
    expect(said(await ask(question, { svc: undefined }))).toBeNull();
  });

  it.each([-1, 1.5, 'x', 3_601, true])('and %j is refused by name', async (seconds) => {
    const response = await ask(fresh(), { svc: { cache_seconds: seconds } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: 'svc.cache_seconds' } });
  });
});

describe('embeddings', () => {
  it.each(['float', 'base64'] as const)('are given again as %s to the official client', async (encoding_format) => {
    const client = new OpenAI({ apiKey: 'dg-test-always', baseURL: gateway.baseUrl });
    const input = [fresh(), 'b'];
    const before = asked();
    const first = await client.embeddings.create({ model: 'mock/embed', input, encoding_format });
    const again = await client.embeddings.create({ model: 'mock/embed', input, encoding_format }).withResponse();
    expect(again.response.headers.get('x-svc-cache')).toBe('hit');
    expect(again.data.data).toEqual(first.data);
    expect(again.data.usage.prompt_tokens).toBe(first.usage.prompt_tokens);
    expect(asked() - before).toBe(1);
  });
});

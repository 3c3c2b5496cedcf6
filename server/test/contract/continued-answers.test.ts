/** Answers that go on after a cut: their provider is killed at every frame, in every protocol, and nobody but the receipt knows. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectError } from '../errors/expect-error.ts';
import { answer, type Behaviour, createGate, faults, type RecordedRequest, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { expectAddsUp, receiptOf } from '../money/receipts.ts';
import { eventually } from '../services/eventually.ts';

const PRICE = { input: 1_000_000, output: 1_000_000 };
const COST = { input: 400_000, output: 400_000 };
const UPSTREAMS = { chat: 'chat-b', messages: 'messages-a', responses: 'responses-a', gemini: 'gemini-a' };
const route = (provider: string, priority: number) => ({ provider, model: `up-${priority}`, priority, cost: COST });
const model = (id: string, routes: object[], capabilities: string[]) => ({
  id,
  routes,
  price: PRICE,
  context: 128_000,
  max_output: 16_384,
  capabilities,
});
const ALL = ['streaming', 'tools', 'json_schema', 'prefill'];
const MODELS = [
  ...Object.entries(UPSTREAMS).map(([name, provider]) =>
    model(`lab/${name}`, [route('chat-a', 1), route(provider, 2)], ALL),
  ),
  model('lab/claude-first', [route('messages-a', 1), route('chat-b', 2)], ALL),
  model('lab/three', [route('chat-a', 1), route('chat-b', 2), route('messages-a', 3), route('gemini-a', 4)], ALL),
  model('lab/alone', [route('chat-a', 1)], ALL),
  model('lab/no-prefill', [route('chat-a', 1), route('chat-b', 2)], ['streaming', 'tools', 'json_schema']),
  model('lab/thinker', [route('messages-a', 1), route('chat-b', 2)], [...ALL, 'reasoning']),
];
const ACCOUNTS = [
  {
    id: 'acme',
    balance: 1_000_000,
    keys: [
      { id: 'main', key: 'dg-test-main' },
      { id: 'on', key: 'dg-test-on', rules: { continue_answers: true } },
    ],
  },
];

let gateway: TestGateway;
beforeAll(async () => {
  const vendor = await startFakeVendor();
  gateway = await startGateway({ vendor, config: { ...defaultConfig(vendor), models: MODELS, groups: [], accounts: ACCOUNTS } });
});
afterAll(async () => {
  await gateway?.stop();
  await gateway?.vendor.close();
});
beforeEach(() => gateway.vendor.reset());

const WHOLE = 'سلام دنیا، کتاب‌ها را می‌خوانیم: 🌍 one two\n\nthree  four. مُهَندِس تمام شد';
const CLIENTS = {
  chat: { path: '/api/v1/chat/completions', body: { messages: [{ role: 'user', content: 'hi' }] } },
  messages: { path: '/api/v1/messages', body: { max_tokens: 500, messages: [{ role: 'user', content: 'hi' }] } },
  responses: { path: '/api/v1/responses', body: { input: 'hi' } },
  gemini: { path: '/api/v1beta/models/MODEL:streamGenerateContent?alt=sse', body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] } },
  completions: { path: '/api/v1/completions', body: { prompt: 'hi' } },
} as const;
type Client = keyof typeof CLIENTS;

function ask(client: Client, name: string, fields: object = {}, init: { key?: string; signal?: AbortSignal } = {}) {
  const { path, body } = CLIENTS[client];
  const asked = { svc: { routing: { continue: true } }, ...body, ...fields };
  return gateway.fetch(path.replace('MODEL', name), {
    ...init,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(client === 'gemini' ? asked : { model: name, stream: true, ...asked }),
  });
}

/** The text of a stream, in whichever protocol it is. */
function textOf(stream: string): string {
  let text = '';
  for (const [, data] of stream.matchAll(/^data: (\{.*)$/gm)) {
    const frame = JSON.parse(data ?? '') as Record<string, never> & {
      choices?: { delta?: { content?: string }; text?: string }[];
      candidates?: { content?: { parts?: { text?: string }[] } }[];
      delta?: string | { text?: string };
      type?: string;
    };
    if (frame.choices) text += frame.choices[0]?.delta?.content ?? frame.choices[0]?.text ?? '';
    else if (frame.candidates) text += frame.candidates[0]?.content?.parts?.[0]?.text ?? '';
    else if (frame.type === 'response.output_text.delta') text += frame.delta as string;
    else if (frame.type === 'content_block_delta') text += (frame.delta as { text?: string }).text ?? '';
  }
  return text;
}

/** The turn that a provider is to go on with. */
function begunIn({ body }: RecordedRequest): string {
  const turns = (body['messages'] ?? body['input'] ?? body['contents']) as unknown as { role: string }[];
  const last = turns.at(-1) as { role: string; content?: string | { text: string }[]; parts?: { text: string }[] };
  if (last.role !== 'assistant' && last.role !== 'model') return '';
  const said = last.content ?? last.parts ?? '';
  return typeof said === 'string' ? said : said.map(({ text }) => text).join('');
}

/** Every provider dies after so many frames, but the last one. */
function dying(cuts: number[], whole = WHOLE): void {
  let asked = 0;
  gateway.vendor.choose((request) => {
    const text = whole.slice(begunIn(request).length);
    const usage = { input: 1_000, output: 20 };
    const cut = cuts[asked++];
    return cut === undefined ? answer({ text, pieces: 4, usage }) : faults.cutAfter(cut, 'reset', { text, pieces: 9 });
  });
}

async function attemptsOf(response: Response) {
  const id = response.headers.get('x-svc-request-id');
  return eventually(async () => {
    const found = await gateway.admin('GET', `/api/admin/requests/${id}`);
    const receipt = (await found.json()) as {
      state: string;
      cost: string;
      provider_cost: string | null;
      attempts: { route: string; outcome: string; continues: boolean; provider_cost: string | null }[];
    };
    expect(receipt.state).not.toBe('running');
    return receipt;
  });
}

describe.each(Object.keys(CLIENTS) as Client[])('a stream of %s', (client) => {
  it.each(Object.keys(UPSTREAMS))('killed at every frame and gone on with by %s is byte for byte the whole one', async (upstream) => {
    for (let cut = 2; cut <= 11; cut++) {
      dying([cut]);
      const response = await ask(client, `lab/${upstream}`);
      const stream = await response.text();
      expect(textOf(stream), `${cut}: ${stream}`).toBe(WHOLE);
      expect(stream).not.toContain('broke off in the middle');
    }
  });

  it('of a provider of another protocol, cut twice', async () => {
    for (let cut = 3; cut <= 12; cut++) {
      dying([cut, 5]);
      expect(textOf(await (await ask(client, 'lab/claude-first')).text()).length).toBeGreaterThan(0);
      dying([3, cut]);
      expect(textOf(await (await ask(client, 'lab/three')).text())).toBe(WHOLE);
    }
  });
});

describe('who asks for it', () => {
  const died = async (response: Response) => {
    const stream = await response.text();
    expect(stream).toContain('broke off in the middle');
    expect(gateway.vendor.requests).toHaveLength(1);
    return textOf(stream);
  };

  it('nobody by default, a key by its rule, a request by itself', async () => {
    dying([5]);
    await died(await ask('chat', 'lab/chat', { svc: {} }));
    gateway.vendor.reset();
    dying([5]);
    expect(textOf(await (await ask('chat', 'lab/chat', { svc: {} }, { key: 'dg-test-on' })).text())).toBe(WHOLE);
    gateway.vendor.reset();
    dying([5]);
    await died(await ask('chat', 'lab/chat', { svc: { routing: { continue: false } } }, { key: 'dg-test-on' }));
  });

  it.each(['yes', 1, {}, []])('%j is no answer to that', async (value) => {
    const response = await ask('chat', 'lab/chat', { svc: { routing: { continue: value } } });
    await expectError(response, 'invalid_request', { param: 'svc.routing.continue' });
  });

  it.each([
    ['a model that accepts no begun turn', 'lab/no-prefill', {}],
    ['a model with one route', 'lab/alone', {}],
    ['an answer by schema', 'lab/chat', { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } } }],
    ['several answers at once', 'lab/chat', { n: 2 }],
  ])('not of %s', async (_what, name, fields) => {
    dying([6]);
    await died(await ask('chat', name, fields));
  });

  it.each<[string, string, Behaviour]>([
    ['a tool call', 'lab/chat', faults.cutAfter(7, 'reset', { text: 'calling', pieces: 2, toolCalls: [{ name: 'f', arguments: '{"a":1234}' }] })],
    ['signed thinking', 'lab/thinker', faults.cutAfter(12, 'reset', { text: WHOLE, reasoning: 'I think', pieces: 9 })],
  ])('not after %s', async (_what, name, behaviour) => {
    gateway.vendor.next(behaviour);
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    await died(await ask('chat', name, { tools }));
  });
});

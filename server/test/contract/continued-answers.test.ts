/** Answers that go on after a cut: their provider is killed at every frame, in every protocol, and nobody but the receipt knows. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectError } from '../errors/expect-error.ts';
import { answerFrames } from '../fake-vendor/behaviours.ts';
import {
  answer,
  type Behaviour,
  createGate,
  faults,
  type RecordedRequest,
  startFakeVendor,
} from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { keyView } from '../money/fixed-price.ts';
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
  model('lab/thinker', [route('messages-a', 1), route('messages-a', 2)], ALL),
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
  gateway = await startGateway({
    vendor,
    config: { ...defaultConfig(vendor), models: MODELS, groups: [], accounts: ACCOUNTS },
  });
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
  gemini: {
    path: '/api/v1beta/models/MODEL:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  },
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

/** A frame with words, in each protocol. */
const SAYS = /"delta":\{"content":"[^"]|text_delta|output_text\.delta|"parts":\[\{"text":"[^"]/;

/** The provider breaks off after so many pieces of its text, whichever protocol it speaks. */
function brokenAfter(pieces: number, text: string): Behaviour {
  return answerFrames({ text, pieces: 9 }, (frames) => {
    let said = 0;
    const end = frames.findIndex((frame) => SAYS.test(frame) && said++ === pieces);
    return frames.slice(0, end);
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
  it.each(Object.keys(UPSTREAMS))(
    'killed at every frame and gone on with by %s is byte for byte the whole one',
    async (upstream) => {
      const cuts = client === 'chat' || upstream === 'chat' ? [2, 3, 4, 5, 6, 7, 8, 9, 10, 11] : [3, 6, 9];
      for (const cut of cuts) {
        dying([cut]);
        const response = await ask(client, `lab/${upstream}`);
        const stream = await response.text();
        expect(textOf(stream), `${cut}: ${stream}`).toBe(WHOLE);
        expect(stream).not.toContain('upstream_error');
      }
    },
  );

  it('of a provider of another protocol, cut twice', async () => {
    for (const cut of [4, 7, 10]) {
      dying([cut]);
      expect(textOf(await (await ask(client, 'lab/claude-first')).text())).toBe(WHOLE);
      dying([3, cut]);
      expect(textOf(await (await ask(client, 'lab/three')).text())).toBe(WHOLE);
    }
  });
});

describe('who asks for it', () => {
  const died = async (response: Response) => {
    const stream = await response.text();
    expect(stream).toContain('upstream_error');
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
    [
      'an answer by schema',
      'lab/chat',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } } },
    ],
    ['several answers at once', 'lab/chat', { n: 2 }],
  ])('not of %s', async (_what, name, fields) => {
    dying([6]);
    await died(await ask('chat', name, fields));
  });

  it.each<[string, string, Behaviour]>([
    [
      'a tool call',
      'lab/chat',
      faults.cutAfter(7, 'reset', { text: 'calling', pieces: 2, toolCalls: [{ name: 'f', arguments: '{"a":1234}' }] }),
    ],
    ['signed thinking', 'lab/thinker', faults.cutAfter(12, 'reset', { text: WHOLE, reasoning: 'I think', pieces: 9 })],
  ])('not after %s', async (_what, name, behaviour) => {
    gateway.vendor.next(behaviour);
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    await died(await ask('chat', name, { tools }));
  });
});

describe('what it costs', () => {
  const perToken = 0.4;
  /** The customer pays one toman for each token of the one usage that is told. */
  const chargedOnce = async (response: Response, state: string) => {
    const receipt = await receiptOf(gateway, response);
    expect(receipt.state).toBe(state);
    expectAddsUp(receipt);
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = receipt.usage ?? {};
    expect(Number(receipt.cost)).toBe(input + output);
    expect(Number(receipt.cost)).toBeLessThanOrEqual(Number(receipt.held));
    return { receipt, input, output };
  };

  it('one input and one output, when it goes on to its end; the rest is on the attempt that went on', async () => {
    dying([5]);
    const response = await ask('chat', 'lab/chat', { stream_options: { include_usage: true }, max_tokens: 400 });
    const stream = await response.text();
    const { receipt, input, output } = await chargedOnce(response, 'completed');
    expect(receipt.usage_source).toBe('estimated');
    expect(stream).toContain(`"prompt_tokens":${input},"completion_tokens":${output}`);
    expect(stream).toContain('"finish_reason":"stop"');
    expect(stream).toContain('continued by another route');
    // Twenty are reported by the second, and it was asked for what the first had left.
    const before = output - 20;
    expect(before).toBeGreaterThan(5);
    expect(gateway.vendor.requests[1]?.body['max_tokens']).toBe(400 - before);
    const { attempts, provider_cost: sold } = await attemptsOf(response);
    expect(attempts.map(({ continues }) => continues)).toEqual([undefined, true]);
    expect(attempts[0]).toMatchObject({ outcome: expect.not.stringMatching(/^ok$/) as string });
    expect(attempts[1]).toMatchObject({ outcome: 'ok', provider_cost: String(perToken * 1_020) });
    expect(Number(sold)).toBeCloseTo(perToken * (input + before), 6);
  });

  it('what was told, when every provider dies', async () => {
    gateway.vendor.choose((request) => brokenAfter(3, WHOLE.slice(begunIn(request).length)));
    const response = await ask('chat', 'lab/three', { max_tokens: 400 });
    const stream = await response.text();
    expect(stream).toContain('upstream_error');
    expect(gateway.vendor.requests).toHaveLength(3);
    const { output } = await chargedOnce(response, 'interrupted');
    expect(output).toBeGreaterThan(10);
    const { attempts } = await attemptsOf(response);
    expect(attempts.map(({ continues }) => continues)).toEqual([undefined, true, true]);
    for (const { provider_cost: cost } of attempts.slice(1)) expect(Number(cost)).toBeGreaterThan(0);
  });

  it('what was told, when nobody takes it over', async () => {
    gateway.vendor.choose((request) => (begunIn(request) === '' ? brokenAfter(4, WHOLE) : faults.failWith(503)));
    const response = await ask('chat', 'lab/three');
    expect(await response.text()).toContain('upstream_error');
    const { receipt } = await chargedOnce(response, 'interrupted');
    expect(receipt.error?.code).toBe('upstream_error');
    const { attempts } = await attemptsOf(response);
    expect(attempts.map(({ provider_cost: cost }) => cost)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('what was told until then, when the reader leaves while it goes on', async () => {
    const gate = createGate();
    gateway.vendor.choose((request) =>
      begunIn(request) === ''
        ? faults.cutAfter(5, 'reset', { text: WHOLE, pieces: 9 })
        : faults.stallAfter(3, gate, { text: WHOLE.slice(begunIn(request).length), pieces: 6 }),
    );
    const leaving = new AbortController();
    const response = await ask('chat', 'lab/chat', {}, { signal: leaving.signal });
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let stream = '';
    while (textOf(stream).length < WHOLE.length * 0.55) {
      const { value, done } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      stream += decoder.decode(value, { stream: true });
    }
    leaving.abort();
    const { output } = await chargedOnce(response, 'client_closed');
    expect(output).toBeGreaterThan(10);
    gate.open();
    const { attempts } = await attemptsOf(response);
    expect(attempts[1]).toMatchObject({ continues: true, outcome: 'aborted' });
    expect(Number(attempts[1]?.provider_cost)).toBeGreaterThan(0);
  });

  it('not a token more than was asked for: at its limit the answer ends', async () => {
    dying([8]);
    const response = await ask('chat', 'lab/chat', { max_tokens: 8 });
    const stream = await response.text();
    expect(stream).toContain('"finish_reason":"length"');
    expect(gateway.vendor.requests).toHaveLength(1);
    expect((await receiptOf(gateway, response)).state).toBe('completed');
  });

  it('and the books are right after each of these endings', async () => {
    const proof = await wholeProof(gateway.admin);
    expect(proof.checks.filter(({ result }) => result === 'failed')).toEqual([]);
    await eventually(async () => expect((await keyView(gateway.origin, gateway.key)).wallet.held).toBe('0'));
  });
});

describe('what is told on the way', () => {
  it('frames of a resumable stream go on without a gap', async () => {
    dying([5]);
    const response = await ask('chat', 'lab/chat', { svc: { resume_seconds: 60, routing: { continue: true } } });
    const ids = [...(await response.text()).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(ids.map((_, at) => at + 1));
    const id = response.headers.get('x-svc-request-id');
    const rest = await gateway.fetch(`/api/v1/requests/${id}/stream`, { headers: { 'last-event-id': '2' } });
    expect(WHOLE.endsWith(textOf(await rest.text()))).toBe(true);
  });

  it('a stop sequence over the seam ends the answer', async () => {
    const whole = 'one two three STOP four five six seven eight';
    const at = whole.indexOf('OP');
    gateway.vendor.choose((request) =>
      begunIn(request) === ''
        ? faults.cutAfter(2, 'reset', { text: whole.slice(0, at), pieces: 1 })
        : answer({ text: whole.slice(begunIn(request).length), pieces: 12 }),
    );
    const response = await ask('messages', 'lab/chat', { stop_sequences: ['STOP'] });
    const stream = await response.text();
    expect(textOf(stream)).toBe(whole.slice(0, at));
    expect(stream).toContain('"stop_reason":"stop_sequence"');
    expect(stream).toContain('"stop_sequence":"STOP"');
  });

  it('a tool may be called after the words that were cut', async () => {
    gateway.vendor.next(
      faults.cutAfter(3, 'reset', { text: 'I will look it up', pieces: 3 }),
      answer({ text: ' for you', toolCalls: [{ name: 'f', arguments: '{}' }] }),
    );
    const tools = [{ name: 'f', input_schema: { type: 'object' } }];
    const stream = await (await ask('messages', 'lab/chat', { tools })).text();
    expect(stream).toContain('"type":"tool_use"');
    expect(stream).toContain('"stop_reason":"tool_use"');
    const blocks = [...stream.matchAll(/"content_block_(start|stop)","index":(\d)/g)].map(
      ([, what, at]) => `${what}${at}`,
    );
    expect(blocks).toEqual(['start0', 'stop0', 'start1', 'stop1']);
  });
});

/** The stream lifecycle of the contract, sentence by sentence, at the level of frames. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectEveryResponse } from '../errors/expect-error.ts';
import { createGate, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { readStream } from './stream-text.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const messages = [{ role: 'user', content: 'hello there' }];
/** Model, and after how many frames of its provider some text but no finish was sent. */
const ROUTES: [model: string, frames: number][] = [
  ['mock/chat', 3],
  ['mock/claude', 5],
  ['mock/gemini', 2],
];

interface Chunk {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: { index: number; delta: Record<string, unknown>; finish_reason: string | null }[];
  usage?: { total_tokens: number; prompt_tokens: number; completion_tokens: number; cost: number } | null;
}

async function stream(model: string, more: object = {}) {
  const response = await gateway.chat({ model, messages, stream: true, ...more });
  expect(response.status).toBe(200);
  const { events, text } = await readStream(response);
  return { response, events, text, chunks: events.filter((event) => event !== '[DONE]') as unknown as Chunk[] };
}

describe.each(ROUTES)('a stream of %s', (model, frames) => {
  it('is server-sent events with the headers of every response', async () => {
    const { response, text } = await stream(model);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expectEveryResponse(response);
    for (const line of text.split('\n'))
      expect(line === '' || line.startsWith('data: ') || line.startsWith(':')).toBe(true);
  });

  it('begins with the role and empty content, then content, then an empty delta with a finish_reason', async () => {
    const { chunks, events } = await stream(model);
    for (const chunk of chunks) expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model });
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: '' });
    const content = chunks.slice(1, -1).map((chunk) => chunk.choices[0]);
    expect(content.length).toBeGreaterThan(0);
    for (const choice of content) {
      expect(typeof choice?.delta['content']).toBe('string');
      expect(choice?.finish_reason ?? null).toBeNull();
    }
    expect(chunks.at(-1)?.choices).toMatchObject([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    expect(chunks.at(-1)?.choices[0]?.delta).toEqual({});
    expect(events.at(-1)).toBe('[DONE]');
  });

  it('has a usage chunk with empty choices only when it was asked for', async () => {
    const plain = await stream(model);
    expect(plain.chunks.every((chunk) => (chunk.usage ?? null) === null)).toBe(true);
    expect(plain.chunks.every((chunk) => chunk.choices.length > 0)).toBe(true);
    const asked = await stream(model, { stream_options: { include_usage: true } });
    const last = asked.chunks.at(-1);
    expect(last?.choices).toEqual([]);
    expect(last?.usage?.total_tokens).toBe((last?.usage?.prompt_tokens ?? 0) + (last?.usage?.completion_tokens ?? 0));
    expect(last?.usage?.cost).toBeGreaterThan(0);
    expect(asked.chunks.slice(0, -1).every((chunk) => (chunk.usage ?? null) === null)).toBe(true);
    expect(asked.events.at(-1)).toBe('[DONE]');
    const declined = await stream(model, { stream_options: { include_usage: false } });
    expect(declined.chunks.every((chunk) => (chunk.usage ?? null) === null)).toBe(true);
  });

  it.each([
    ['an error event', () => faults.errorEvent(frames)],
    ['a broken connection', () => faults.cutAfter(frames)],
    ['an end without its marker', () => faults.endWithoutTerminal(frames)],
  ])('after %s: status 200, a bare error event, no [DONE], and what was delivered is charged', async (_name, fault) => {
    gateway.vendor.next(fault());
    const { response, events, text } = await stream(model);
    const last = events.at(-1) as unknown as { error: Record<string, string>; choices?: unknown };
    expect(Object.keys(last)).toEqual(['error']);
    expect(last.error).toMatchObject({ code: 'upstream_error', type: 'upstream_error' });
    expect(last.error['message']).toMatch(/[\u0600-\u06ff]/);
    expect(text).not.toContain('[DONE]');
    expect(text).not.toContain('fake vendor');
    const id = response.headers.get('x-svc-request-id');
    const receipt = (await (await gateway.fetch(`/api/v1/requests/${id}`)).json()) as Record<string, string>;
    expect(receipt).toMatchObject({ state: 'interrupted', error: { code: 'upstream_error' } });
    expect(Number(receipt['cost'])).toBeGreaterThan(0);
  });
});

describe('before the first event', () => {
  it.each([
    ['a refusal', () => faults.failWith(500)],
    ['an error event', () => faults.errorEvent(0)],
    ['an empty stream', () => faults.emptyStream()],
    ['an HTML page', () => faults.htmlPage(200)],
  ])('after %s another route answers and the client sees nothing of it', async (_name, fault) => {
    gateway.vendor.choose((request) => (request.body['model'] === 'up-a' ? fault() : undefined) ?? fallback);
    const { events, chunks } = await stream('mock/two');
    expect(chunks.map((chunk) => chunk.choices[0]?.delta['content'] ?? '').join('')).toBe('from the second route');
    expect(events.at(-1)).toBe('[DONE]');
  });

  const fallback = faults.stallAfter(
    0,
    { reached: Promise.resolve(), open: () => undefined, pass: async () => undefined },
    {
      text: 'from the second route',
    },
  );

  it('a failure of every route is an ordinary error with its status, in a stream too', async () => {
    gateway.vendor.always(faults.failWith(500));
    const response = await gateway.chat({ model: 'mock/gemini', messages, stream: true });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_error' } });
  });
});

describe('a client that disconnects', () => {
  it.each(['mock/chat', 'mock/claude'])('is charged for what was generated until then (%s)', async (model) => {
    const gate = createGate();
    gateway.vendor.next(faults.stallAfter(4, gate, { text: 'some words that were generated before the client left' }));
    const leaving = new AbortController();
    const response = await gateway.chat({ model, messages, stream: true }, { signal: leaving.signal });
    const id = response.headers.get('x-svc-request-id');
    await gate.reached;
    leaving.abort();
    const { ended } = await gateway.vendor.received(0);
    expect(await ended).toBe('aborted');
    const receipt = await eventually(async () => {
      const found = (await (await gateway.fetch(`/api/v1/requests/${id}`)).json()) as Record<string, unknown>;
      expect(found['state']).toBe('client_closed');
      return found;
    });
    expect(Number(receipt['cost'])).toBeGreaterThan(0);
    expect(receipt['usage_source']).toBe('estimated');
    gate.open();
  });

  it('before the first event is charged for the input, which the provider had', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallBeforeHeaders(gate));
    // Earlier requests may still be on their way into the books.
    const before = await eventually(async () => {
      const wallet = await walletOf();
      expect(wallet).toMatchObject({ held: '0' });
      return wallet;
    });
    const leaving = new AbortController();
    const response = gateway.chat({ model: 'mock/chat', messages, stream: true }, { signal: leaving.signal });
    await gate.reached;
    leaving.abort();
    await expect(response).rejects.toThrow();
    expect(await (await gateway.vendor.received(0)).ended).toBe('aborted');
    gate.open();
    await eventually(async () => expect(await walletOf()).toMatchObject({ held: '0' }));
    expect(Number(before.balance) - Number((await walletOf()).balance)).toBeCloseTo(0.135);
  });
});

async function walletOf(): Promise<{ balance: string; held: string }> {
  const key = (await (await gateway.fetch('/api/v1/key')).json()) as { wallet: { balance: string; held: string } };
  return key.wallet;
}

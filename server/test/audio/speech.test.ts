/** Speech through the running gateway, as the official SDK and as raw clients meet it. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Behaviour, createGate, faults, json, rawStream } from '../fake-vendor/index.ts';
import type { TestGateway } from '../harness/start-gateway.ts';
import { receiptOf, settledReceipt, startAudioGateway } from './audio-gateway.ts';

let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startAudioGateway();
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const post = (body: object, init: RequestInit & { key?: string } = {}) =>
  gateway.fetch('/api/v1/audio/speech', {
    ...init,
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
  });
const hello = { model: 'mock/tts', input: 'سلام دنیا', voice: 'alloy' };

const audio =
  (bytes: number, contentType = 'audio/mpeg'): Behaviour =>
  async (wire) => {
    wire.head(200, { 'content-type': contentType });
    await wire.write(Buffer.alloc(bytes, 7));
    wire.end();
  };
const event = (body: object) => `data: ${JSON.stringify(body)}\n\n`;
const delta = (text: string) => event({ type: 'speech.audio.delta', audio: Buffer.from(text).toString('base64') });
const done = event({
  type: 'speech.audio.done',
  usage: { input_tokens: 4, output_tokens: 50, total_tokens: 54 },
});

async function eventsOf(response: Response): Promise<Record<string, unknown>[]> {
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: '));
  return frames.map((frame) => JSON.parse(frame.slice(6)) as Record<string, unknown>);
}

describe('speech as bytes', () => {
  it('reaches the SDK, charged by the character', async () => {
    const response = await client.audio.speech.create({
      ...hello,
      voice: 'alloy',
      response_format: 'mp3',
      speed: 1.5,
      instructions: 'calm',
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 3).toString()).toBe('ID3');
    expect(bytes.length).toBe(3 + 3 * 256);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('x-svc-cost')).toBe('13.5');
    expect(gateway.vendor.requests[0]?.body).toEqual({
      model: 'up-tts-a',
      input: 'سلام دنیا',
      voice: 'alloy',
      response_format: 'mp3',
      speed: 1.5,
      instructions: 'calm',
    });
    expect(await receiptOf(gateway, response)).toMatchObject({
      state: 'completed',
      cost: '13.5',
      held: '13.5',
      usage: { buckets: { characters: 9 } },
      usage_source: 'upstream',
      formula: '9 × 1500000 = 13500000 µT',
    });
  });

  it('counts characters, not halves of them, and drops with a warning what may cost more', async () => {
    const response = await post({ ...hello, input: '👍🏽a', voice: { id: 'mine' }, x_vendor: { pitch: 2 } });
    await response.arrayBuffer();
    expect(response.headers.get('x-svc-cost')).toBe('4.5');
    const sent = gateway.vendor.requests[0]?.body;
    expect(sent).toMatchObject({ voice: { id: 'mine' } });
    expect(sent).not.toHaveProperty('x_vendor');
    expect(response.headers.get('x-svc-warnings')).toContain('x_vendor');
  });

  it.each([
    ['mp3', 'audio/mpeg'],
    ['opus', 'audio/ogg'],
    ['aac', 'audio/aac'],
    ['flac', 'audio/flac'],
    ['wav', 'audio/wav'],
    ['pcm', 'audio/pcm'],
  ])('names the type of %s when the provider does not', async (format, type) => {
    gateway.vendor.next(audio(10, 'application/octet-stream'));
    const response = await post({ ...hello, response_format: format });
    expect(response.headers.get('content-type')).toBe(type);
    expect((await response.arrayBuffer()).byteLength).toBe(10);
  });

  it.each([
    ['an error status', faults.failWith(500)],
    ['no audio at all', audio(0)],
    ['an error that came as 200', json(200, { error: { message: 'voice engine down' } })],
    ['JSON that is no audio', json(200, { ok: true })],
    ['a page', faults.htmlPage(200)],
    ['events nobody asked for', rawStream([delta('a'), done])],
  ])('goes on to the next route after %s', async (_name, fault) => {
    gateway.vendor.next(fault, audio(20));
    const response = await post(hello);
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBe(20);
    const receipt = await receiptOf(gateway, response);
    // Which comes first is the circuit breaker's business: these faults open it.
    expect(new Set(receipt.attempts.map((attempt) => attempt.provider)).size).toBe(2);
    expect(receipt.attempts.at(-1)?.outcome).toBe('ok');
    expect(receipt.cost).toBe('13.5');
  });

  it('costs nothing when no route speaks', async () => {
    gateway.vendor.always(faults.failWith(503));
    const response = await post(hello);
    expect(response.status).toBe(502);
    expect(await receiptOf(gateway, response)).toMatchObject({ state: 'failed', cost: '0' });
  });

  it('is cut, not ended, when the provider breaks off, and is charged', async () => {
    const gate = createGate();
    gateway.vendor.next(async (wire) => {
      wire.head(200, { 'content-type': 'audio/mpeg', 'content-length': '1000' });
      await wire.write(Buffer.alloc(100));
      await gate.pass();
      wire.cut();
    });
    const response = await post(hello);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).toBe(100);
    gate.open();
    await expect(reader?.read()).rejects.toThrow();
    expect(await receiptOf(gateway, response)).toMatchObject({ state: 'interrupted', cost: '13.5' });
  });

  it('is charged in full when the client leaves in the middle, and the provider is told', async () => {
    const gate = createGate();
    gateway.vendor.next(async (wire) => {
      wire.head(200, { 'content-type': 'audio/mpeg' });
      await wire.write(Buffer.alloc(100));
      await gate.pass();
      wire.end();
    });
    const abort = new AbortController();
    const response = await post(hello, { signal: abort.signal });
    await response.body?.getReader().read();
    abort.abort();
    const asked = await gateway.vendor.received(0);
    expect(await asked.ended).toBe('aborted');
    gate.open();
    const receipt = await settledReceipt(gateway, response.headers.get('x-svc-request-id') ?? '');
    expect(receipt).toMatchObject({ state: 'client_closed', cost: '13.5', usage_source: 'upstream' });
  });

  it('is read from the provider no faster than the client takes it', async () => {
    const total = 64 * 1024 * 1024;
    const piece = Buffer.alloc(256 * 1024, 5);
    gateway.vendor.next(async (wire) => {
      wire.head(200, { 'content-type': 'audio/pcm' });
      for (let sent = 0; sent < total; sent += piece.length) await wire.write(piece);
      wire.end();
    });
    const response = await post(hello);
    const reader = response.body?.getReader();
    let taken = (await reader?.read())?.value?.length ?? 0;
    const asked = await gateway.vendor.received(0);
    // Everything stands still once the sockets in between are full; asking for health lets real turns of the loop pass.
    for (let still = 0, last = -1; still < 20; still = asked.bytesSent === last ? still + 1 : 0) {
      last = asked.bytesSent;
      await (await gateway.fetch('/healthz')).arrayBuffer();
    }
    expect(asked.bytesSent).toBeLessThan(total / 2);
    for (let next = await reader?.read(); next?.value; next = await reader?.read()) taken += next.value.length;
    expect(taken).toBe(total);
  });

  it('is estimated for a model sold by the token', async () => {
    const response = await post({ ...hello, model: 'mock/tts-tokens' });
    await response.arrayBuffer();
    const receipt = await receiptOf(gateway, response);
    expect(receipt.usage_source).toBe('estimated');
    expect(receipt.cost).toBe(receipt.held);
    expect(Number(receipt.cost)).toBeGreaterThan(0);
  });
});

describe('speech as events', () => {
  const streamed = { ...hello, stream_format: 'sse' };

  it('passes them on and puts the cost into the last', async () => {
    gateway.vendor.next(rawStream([delta('abc'), event({ type: 'speech.viseme', at: 3 }), delta('def'), done]));
    const response = await post({ ...streamed, model: 'mock/tts-tokens' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = await eventsOf(response);
    expect(events.map(({ type }) => type)).toEqual([
      'speech.audio.delta',
      'speech.viseme',
      'speech.audio.delta',
      'speech.audio.done',
    ]);
    // 4 tokens in at 1 toman, 50 tokens of audio out at 4.
    expect(events.at(-1)?.['usage']).toEqual({
      input_tokens: 4,
      output_tokens: 50,
      total_tokens: 54,
      characters: 9,
      cost: 204,
    });
    expect(gateway.vendor.requests[0]?.body).toMatchObject({ stream_format: 'sse' });
    expect(await receiptOf(gateway, response)).toMatchObject({ state: 'completed', cost: '204', stream: true });
  });

  it('makes them from bytes where the provider knows no events', async () => {
    const events = await eventsOf(await post(streamed));
    const bytes = Buffer.concat(events.slice(0, -1).map(({ audio }) => Buffer.from(String(audio), 'base64')));
    expect(bytes.length).toBe(3 + 3 * 256);
    expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done', usage: { characters: 9, cost: 13.5 } });
  });

  it('ends with an error when the last event is missing', async () => {
    gateway.vendor.next(rawStream([delta('abc')]));
    const response = await post(streamed, { headers: { 'accept-language': 'en' } });
    const events = await eventsOf(response);
    expect(events).toHaveLength(2);
    expect(events[1]).toMatchObject({ error: { code: 'upstream_error' } });
    expect(await receiptOf(gateway, response)).toMatchObject({ state: 'interrupted', cost: '13.5' });
  });

  it('hides the words of a provider that fails in the middle', async () => {
    gateway.vendor.next(rawStream([delta('abc'), event({ type: 'error', error: { message: 'secret-cluster-7' } })]));
    const text = await (await post(streamed)).text();
    expect(text).toContain('upstream_error');
    expect(text).not.toContain('secret-cluster-7');
  });

  it.each([
    ['an end without audio', rawStream([done])],
    ['an error before audio', rawStream([event({ type: 'error', error: { message: 'no' } })])],
    ['nothing', rawStream([])],
    ['garbage', rawStream(['data: {]\n\n'])],
  ])('goes on to the next route after %s', async (_name, fault) => {
    gateway.vendor.next(fault, rawStream([delta('abc'), done]));
    const events = await eventsOf(await post(streamed));
    expect(events.map(({ type }) => type)).toEqual(['speech.audio.delta', 'speech.audio.done']);
  });
});

it('repeats a kept answer under the same Idempotency-Key and charges it once', async () => {
  const headers = { 'idempotency-key': 'say-it-once' };
  const first = await post(hello, { headers });
  const second = await post(hello, { headers });
  expect(Buffer.from(await second.arrayBuffer())).toEqual(Buffer.from(await first.arrayBuffer()));
  expect(second.headers.get('content-type')).toBe('audio/mpeg');
  expect(gateway.vendor.requests).toHaveLength(1);
});

it('speaks in the sandbox', async () => {
  const response = await client.audio.speech.create({ model: 'sandbox/speech', input: 'hello', voice: 'alloy' });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
  expect(response.headers.get('content-type')).toBe('audio/wav');
  expect(response.headers.get('x-svc-cost')).toBe('0.1');
});

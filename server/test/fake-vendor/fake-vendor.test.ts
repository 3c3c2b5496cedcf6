/** The fake vendor is what all other tests stand on, so it is tested itself, with plain sockets and no code of ours. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answer, CHAT_QUIRKS, createGate, type FakeVendor, faults, MESSAGES_QUIRKS, startFakeVendor } from './index.ts';

let vendor: FakeVendor;

beforeAll(async () => {
  vendor = await startFakeVendor();
});
afterEach(() => vendor.reset());
afterAll(() => vendor.close());

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${vendor.origin}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

const USER = { role: 'user', content: 'hello' };
const PROTOCOLS = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'm', messages: [USER], stream_options: { include_usage: true } },
  },
  messages: { path: '/v1/messages', body: { model: 'm', max_tokens: 10, messages: [USER] } },
  responses: { path: '/v1/responses', body: { model: 'm', input: [USER] } },
} as const;

function datas(text: string): Record<string, never>[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));
}

describe('default answers', () => {
  it.each(Object.entries(PROTOCOLS))('%s, whole and streamed, say the same', async (_name, { path, body }) => {
    const whole = await (await post(path, body)).text();
    expect(whole).toContain('You said: hello');
    const streamed = await (await post(path, { ...body, stream: true })).text();
    const said = datas(streamed).map((data) => JSON.stringify(data));
    expect(said.length).toBeGreaterThan(3);
    expect(vendor.requests.map(({ ending }) => ending)).toEqual(['finished', 'finished']);
  });

  it('Gemini, by path', async () => {
    const body = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] };
    const whole = await (await post('/v1beta/models/gem:generateContent', body)).json();
    expect(whole).toMatchObject({
      modelVersion: 'gem',
      candidates: [{ finishReason: 'STOP', content: { parts: [{ text: 'You said: hello' }] } }],
    });
    const streamed = datas(await (await post('/v1beta/models/gem:streamGenerateContent?alt=sse', body)).text());
    expect(streamed).toHaveLength(3);
  });

  it('counts usage in the manner of each protocol', async () => {
    const usage = { input: 100, cached: 30, output: 20, reasoning: 5 };
    vendor.always(answer({ text: 'x', usage }));
    const chat = await (await post(PROTOCOLS.chat.path, PROTOCOLS.chat.body)).json();
    expect(chat).toMatchObject({
      usage: { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 30 } },
    });
    const messages = await (await post(PROTOCOLS.messages.path, PROTOCOLS.messages.body)).json();
    expect(messages).toMatchObject({ usage: { input_tokens: 70, cache_read_input_tokens: 30, output_tokens: 20 } });
    const gemini = await (await post('/v1beta/models/g:generateContent', {})).json();
    expect(gemini).toMatchObject({
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 15, thoughtsTokenCount: 5 },
    });
  });

  it('embeddings and audio', async () => {
    const embeddings = await (await post('/v1/embeddings', { model: 'e', input: ['a', 'bb'] })).json();
    expect(embeddings).toMatchObject({ data: [{ index: 0 }, { index: 1 }], usage: { prompt_tokens: 2 } });
    expect((await post('/v1/audio/speech', { input: 'x' })).headers.get('content-type')).toBe('audio/mpeg');
    const form = new FormData();
    form.set('response_format', 'verbose_json');
    form.set('file', new Blob(['abc']), 'a.wav');
    const heard = await fetch(`${vendor.origin}/v1/audio/transcriptions`, { method: 'POST', body: form });
    expect(await heard.json()).toMatchObject({ duration: 3, usage: { type: 'duration', seconds: 3 } });
  });
});

describe('scripts', () => {
  it('are used in order, then the default again', async () => {
    vendor.next(faults.failWith(500), faults.rateLimited('7'));
    const { path, body } = PROTOCOLS.messages;
    expect(await (await post(path, body)).json()).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    const limited = await post(path, body);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await post(path, body)).status).toBe(200);
  });

  it('stall at a gate, see an abort, and count sockets', async () => {
    const gate = createGate();
    vendor.next(faults.stallAfter(2, gate));
    const abort = new AbortController();
    const { path, body } = PROTOCOLS.chat;
    const response = await post(path, { ...body, stream: true }, abort.signal);
    await gate.reached;
    expect(vendor.openSockets).toBeGreaterThan(0);
    abort.abort();
    await expect(response.text()).rejects.toThrow();
    expect(await (await vendor.received(0)).ended).toBe('aborted');
    gate.open();
  });

  it.each([
    ['an HTML page', faults.htmlPage(), false, 502, /^<!DOCTYPE html>/],
    ['null', faults.nullBody(), false, 200, /^null$/],
    ['an error in a 200', faults.errorIn200(), false, 200, /^\{"error":\{"message"/],
    ['an empty body', faults.emptyBody(), false, 200, /^$/],
    ['an empty stream', faults.emptyStream(), true, 200, /^$/],
    ['broken JSON', faults.brokenJson(), false, 200, /\[$/],
    ['an error before content', faults.errorEvent(0), true, 200, /^data: \{"error"/],
    ['an error inside the stream', faults.errorEvent(3), true, 200, /^(data: \{"id".*\n\n){3}data: \{"error".*\n\n$/],
    ['an end without terminal', faults.endWithoutTerminal(2), true, 200, /^(data: \{"id".*\n\n){2}$/],
  ])('fail as told: %s', async (_name, fault, stream, status, text) => {
    vendor.next(fault);
    const response = await post(PROTOCOLS.chat.path, { ...PROTOCOLS.chat.body, stream });
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(text);
  });

  it.each(['reset', 'close'] as const)('cut a stream by %s', async (how) => {
    vendor.next(faults.cutAfter(2, how));
    const { path, body } = PROTOCOLS.chat;
    await expect(post(path, { ...body, stream: true }).then((response) => response.text())).rejects.toThrow();
  });

  it.each(Object.keys(CHAT_QUIRKS))('quirk: %s', async (name) => {
    vendor.next(CHAT_QUIRKS[name]?.behaviour ?? faults.failWith(500));
    const text = await (await post(PROTOCOLS.chat.path, { ...PROTOCOLS.chat.body, stream: true })).text();
    expect(text).toMatch(/^(data|: )/);
    expect(text).toContain('chat.completion.chunk');
  });

  it.each(Object.keys(MESSAGES_QUIRKS))('messages quirk: %s', async (name) => {
    vendor.next(MESSAGES_QUIRKS[name]?.behaviour ?? faults.failWith(500));
    const text = await (await post(PROTOCOLS.messages.path, { ...PROTOCOLS.messages.body, stream: true })).text();
    expect(text).toContain('event: message_start');
    expect(text).toContain('event: message_stop');
  });
});

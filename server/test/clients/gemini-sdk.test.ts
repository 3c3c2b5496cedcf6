/** Google's own SDK for Gemini, unmodified, and what clients of its API do without it: keys in the address, streams as an array. */
import { type GenerateContentResponse, GoogleGenAI, ThinkingLevel, Type } from '@google/genai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { receiptOf } from '../money/receipts.ts';
import { eventually } from '../services/eventually.ts';

const UPSTREAMS = ['mock/chat', 'mock/claude', 'mock/responses', 'mock/gemini'];
const USAGE = { input: 100, cached: 30, output: 20, reasoning: 5 };

let gateway: TestGateway;
let client: GoogleGenAI;
beforeAll(async () => {
  gateway = await startGateway({ config: { sandbox: true } });
  client = new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: `${gateway.origin}/api` } });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

// biome-ignore lint/suspicious/noExplicitAny: bodies and answers of four wires, looked into without ceremony
type Loose = any;

const post = (path: string, body: object, headers: Record<string, string> = {}, key: string | null = gateway.key) =>
  gateway.fetch(path, {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json', 'accept-language': 'en', ...headers },
    body: JSON.stringify(body),
  });
const HELLO = { contents: [{ parts: [{ text: 'hello' }] }] };
const at = (model: string, method = 'generateContent') => `/api/v1beta/models/${model}:${method}`;

async function read(stream: AsyncIterable<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe.each(UPSTREAMS)('the SDK in front of %s', (model) => {
  it('keeps a chat: a streamed turn comes back with the next question', async () => {
    gateway.vendor.next(answer({ text: 'Hello there, friend.', pieces: 4 }), answer('Again.'));
    const chat = client.chats.create({ model, config: { systemInstruction: 'Be brief.' } });
    const chunks = await read(await chat.sendMessageStream({ message: 'Hi' }));
    expect(chunks.map(({ text }) => text).join('')).toBe('Hello there, friend.');
    expect((await chat.sendMessage({ message: 'And?' })).text).toBe('Again.');
    const sent = JSON.stringify((await gateway.vendor.received(1)).body);
    for (const words of ['Be brief.', 'Hello there, friend.', 'And?']) expect(sent).toContain(words);
  });

  it('shows thoughts to who asks for them, and brings them back signed', async () => {
    gateway.vendor.next(
      answer({ reasoning: 'Let me think.', text: 'Four.', usage: USAGE }),
      answer({ reasoning: 'Let me think.', text: 'Four.', usage: USAGE }),
      answer('Yes.'),
    );
    const thinking = { includeThoughts: true, thinkingLevel: ThinkingLevel.HIGH };
    const shown = await client.models.generateContent({
      model,
      contents: 'Two and two?',
      config: { thinkingConfig: thinking },
    });
    const parts = shown.candidates?.[0]?.content?.parts ?? [];
    expect(parts.find(({ thought }) => thought)?.text).toBe('Let me think.');
    expect(shown.text).toBe('Four.');
    expect(shown.usageMetadata).toMatchObject({
      promptTokenCount: 100,
      cachedContentTokenCount: 30,
      totalTokenCount: 120,
    });
    if (model !== 'mock/gemini') {
      const config = { thinkingConfig: { thinkingLevel: ThinkingLevel.HIGH } };
      const hidden = await client.models.generateContent({ model, contents: 'Two and two?', config });
      expect(JSON.stringify(hidden.candidates)).not.toContain('Let me think.');
    }
    const contents = [
      { role: 'user', parts: [{ text: 'Two and two?' }] },
      { role: 'model', parts },
      { role: 'user', parts: [{ text: 'Sure?' }] },
    ];
    const again = gateway.vendor.requests.length;
    await client.models.generateContent({ model, contents, config: { thinkingConfig: thinking } });
    const { body } = await gateway.vendor.received(again);
    if (model === 'mock/claude') expect(JSON.stringify(body)).toContain('"signature"');
  });

  it("follows a schema in Google's own dialect", async () => {
    gateway.vendor.next(answer('{"sum":4,"why":null}'));
    const responseSchema = {
      type: Type.OBJECT,
      properties: { why: { type: Type.STRING, nullable: true, maxLength: '9' }, sum: { type: Type.INTEGER } },
      required: ['sum'],
      propertyOrdering: ['sum', 'why'],
    };
    const config = { responseMimeType: 'application/json', responseSchema };
    const response = await client.models.generateContent({ model, contents: 'Two and two?', config });
    expect(JSON.parse(response.text ?? '')).toEqual({ sum: 4, why: null });
    const sent = JSON.stringify((await gateway.vendor.received(0)).body);
    expect(sent).toMatch(/"sum":\{"type":"integer"\}.*"why":\{"type":\["string","null"\],"maxLength":9\}/i);
  });
});

describe('the SDK', () => {
  it('sends sound and a picture', async () => {
    gateway.vendor.next(answer('Heard.'));
    const sound = { inlineData: { mimeType: 'audio/mp3', data: 'AAAA' } };
    await client.models.generateContent({
      model: 'mock/chat',
      contents: [{ role: 'user', parts: [{ text: 'What?' }, sound] }],
    });
    const { body } = await gateway.vendor.received(0);
    expect(JSON.stringify(body)).toContain('"input_audio":{"data":"AAAA","format":"mp3"}');
  });

  it('counts tokens, embeds, and lists models', async () => {
    const { totalTokens } = await client.models.countTokens({ model: 'mock/chat', contents: 'hello there' });
    expect(totalTokens).toBeGreaterThan(1);
    const { embeddings } = await client.models.embedContent({
      model: 'mock/embed',
      contents: ['a', 'bb'],
      config: { outputDimensionality: 2 },
    });
    expect(embeddings?.map(({ values }) => values?.length)).toHaveLength(2);
    expect((await gateway.vendor.received(0)).body).toMatchObject({ input: ['a', 'bb'], dimensions: 2 });
    const names: (string | undefined)[] = [];
    for await (const { name } of await client.models.list({ config: { pageSize: 3 } })) names.push(name);
    expect(names).toContain('models/mock/chat');
    expect(new Set(names).size).toBe(names.length);
    const one = await client.models.get({ model: 'mock/chat' });
    expect(one).toMatchObject({ name: 'models/mock/chat', inputTokenLimit: 128_000, outputTokenLimit: 16_384 });
  });

  it('asks the simulator, which has no key', async () => {
    const response = await client.models.generateContent({ model: 'sandbox/echo', contents: 'hello' });
    expect(response.text).toContain('hello');
  });
});

describe('what clients do without an SDK', () => {
  it('the key comes as a header, in the address or as a bearer token, under both versions', async () => {
    const ways: [string, Record<string, string>][] = [
      ['', { 'x-goog-api-key': gateway.key }],
      [`?key=${gateway.key}`, {}],
      ['', { authorization: `Bearer ${gateway.key}` }],
    ];
    for (const version of ['v1', 'v1beta']) {
      for (const [query, headers] of ways) {
        const response = await post(`/api/${version}/models/mock/chat:generateContent${query}`, HELLO, headers, null);
        expect(response.status).toBe(200);
        expect(await response.json()).toMatchObject({
          modelVersion: 'mock/chat',
          candidates: [{ finishReason: 'STOP' }],
        });
      }
    }
    // The word `models` is left out by the SDK before this one.
    expect((await post('/api/v1beta/mock/chat:generateContent', HELLO)).status).toBe(200);
    // Elsewhere a key in an address opens nothing.
    expect((await gateway.fetch(`/api/v1/key?key=${gateway.key}`, { key: null })).status).toBe(401);
  });

  it("the list under /api/v1 is Google's to who brings its header, and OpenAI's to all others", async () => {
    const headers = { 'x-goog-api-key': gateway.key };
    const google = await (await gateway.fetch('/api/v1/models?pageSize=2', { key: null, headers })).json();
    expect(google).toMatchObject({
      models: [{ name: expect.stringMatching(/^models\//) }, {}],
      nextPageToken: expect.any(String),
    });
    const one = await (await gateway.fetch('/api/v1/models/mock/chat', { key: null, headers })).json();
    expect(one).toMatchObject({ name: 'models/mock/chat' });
    expect(await (await gateway.fetch('/api/v1/models')).json()).toMatchObject({ object: 'list' });
    const wrong = await gateway.fetch('/api/v1/models', { key: null, headers: { 'x-goog-api-key': 'dg-wrong' } });
    expect(await wrong.json()).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
  });

  it('both spellings of a field are taken', async () => {
    await post(at('mock/chat'), {
      contents: [{ parts: [{ inline_data: { mime_type: 'image/png', data: 'iVBORw0KGgo=' } }, { text: 'x' }] }],
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      generation_config: { max_output_tokens: 7, stop_sequences: ['END'] },
    });
    expect((await gateway.vendor.received(0)).body).toMatchObject({
      stop: ['END'],
      messages: [{ content: 'Be brief.' }, {}],
    });
  });

  it('without alt=sse a stream is one array whose elements come as they are made', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallAfter(3, gate, { text: 'one two three', pieces: 3 }));
    const response = await post(at('mock/chat', 'streamGenerateContent'), HELLO);
    expect(response.headers.get('content-type')).toContain('application/json');
    const reader = response.body?.getReader();
    const first = Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(first).toMatch(/^\[\{"candidates"/);
    gate.open();
    let text = first;
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      text += Buffer.from(next.value).toString();
    const chunks: Loose[] = JSON.parse(text);
    expect(chunks.map((chunk) => chunk.candidates[0].content.parts[0].text).join('')).toBe('one two three');
    expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }], usageMetadata: {} });
  });

  it('a broken array ends with the error, and is JSON to its end', async () => {
    gateway.vendor.next(faults.errorEvent(3, { text: 'one two three', pieces: 3 }));
    const chunks: Loose[] = JSON.parse(await (await post(at('mock/chat', 'streamGenerateContent'), HELLO)).text());
    expect(chunks.at(-1)).toMatchObject({ error: { code: 502, status: 'UNAVAILABLE' } });
  });

  it('frames of events are one line of data each, and nothing else', async () => {
    const response = await post(`${at('mock/chat', 'streamGenerateContent')}?alt=sse`, HELLO);
    const frames = (await response.text()).split('\n\n');
    expect(frames.pop()).toBe('');
    for (const frame of frames) {
      expect(frame).toMatch(/^data: \{.*\}$/);
      const { candidates } = JSON.parse(frame.slice(6));
      expect(candidates[0].content).toMatchObject({ role: 'model', parts: [expect.any(Object)] });
    }
  });

  it('tells what is refused by its own name', async () => {
    const refusals: [object, string][] = [
      [{ ...HELLO, tools: [{ googleSearch: {} }] }, 'tools.0'],
      [{ ...HELLO, generationConfig: { temprature: 1 } }, 'generationConfig.temprature'],
      [{ ...HELLO, content: [] }, 'content'],
      [{ ...HELLO, cachedContent: 'cachedContents/x' }, 'cachedContent'],
      [{ ...HELLO, serviceTier: 'priority' }, 'serviceTier'],
      [{ ...HELLO, generationConfig: { responseModalities: ['IMAGE'] } }, 'generationConfig.responseModalities'],
      [{ contents: [{ parts: [{ text: 'a', functionCall: { name: 'f' } }] }] }, 'contents.0.parts.0'],
      [{ contents: [{ parts: [{ functionResponse: { name: 'f', response: {} } }] }] }, 'contents.0.parts.0'],
    ];
    for (const [body, field] of refusals) {
      for (const model of ['mock/chat', 'mock/gemini']) {
        const { error }: Loose = await (await post(at(model), body)).json();
        expect(error, JSON.stringify(body)).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
        expect(error.details[0]).toMatchObject({ reason: 'invalid_request', domain: 'dargah' });
        expect(error.details[0].metadata.param).toMatch(new RegExp(`^${field}`));
      }
    }
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('nothing is there for a method, a model or a version that does not exist', async () => {
    for (const path of ['/api/v1beta/models/mock/chat:predict', '/api/v1beta/interactions', at('mock/none')]) {
      const { error }: Loose = await (await post(path, HELLO)).json();
      expect(error, path).toMatchObject({ code: 404, status: 'NOT_FOUND' });
    }
  });

  it("an address of Google's that nobody serves says so in its form: caches, files, another version", async () => {
    const others = [
      '/api/v1/cachedContents',
      '/api/upload/v1beta/files',
      '/api/v1alpha/models/mock/chat:generateContent',
    ];
    for (const path of others) {
      const { error } = (await (await post(path, HELLO, { 'x-goog-api-key': gateway.key }, null)).json()) as Loose;
      expect(error, path).toMatchObject({ code: 404, status: 'NOT_FOUND', message: expect.any(String) });
      expect(error.details[0], path).toMatchObject({ reason: 'not_found' });
    }
    const { error } = (await (await post('/api/v1/cachedContents', HELLO)).json()) as Loose;
    expect(error).toMatchObject({ code: 'not_found', type: 'not_found_error' });
  });
});

describe('money', () => {
  it('several answers are paid for together, or refused where a model gives one', async () => {
    const several = { ...HELLO, generationConfig: { candidateCount: 2 } };
    expect((await post(at('mock/claude'), several)).status).toBe(400);
    expect((await post(at('mock/chat'), several)).status).toBe(200);
    expect((await gateway.vendor.received(0)).body).toMatchObject({ n: 2 });
  });

  it('a client that leaves pays for what it was sent', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallAfter(3, gate, { text: 'one two three', pieces: 3 }));
    const leaving = new AbortController();
    const response = await gateway.fetch(`${at('mock/gemini', 'streamGenerateContent')}?alt=sse`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(HELLO),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    const receipt = await receiptOf(gateway, response);
    gate.open();
    expect(receipt).toMatchObject({ state: 'client_closed', endpoint: 'gemini.generate' });
    expect(Number(receipt.cost)).toBeGreaterThan(0);
  });

  it('under one Idempotency-Key the same body asks another model only once it says so', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first: Loose = await (await post(at('mock/chat'), HELLO, headers)).json();
    const again: Loose = await (await post(at('mock/chat'), HELLO, headers)).json();
    expect(again).toEqual(first);
    expect(gateway.vendor.requests).toHaveLength(1);
    for (const path of [at('mock/claude'), at('mock/chat', 'streamGenerateContent')]) {
      const other = await post(path, HELLO, headers);
      expect(other.status, path).toBeGreaterThanOrEqual(400);
    }
    expect(gateway.vendor.requests).toHaveLength(1);
  });

  it('a stream is continued by its ids only for who asks for that', async () => {
    const asking = { ...HELLO, svc: { resume_seconds: 60 } };
    const events = await post(`${at('mock/chat', 'streamGenerateContent')}?alt=sse`, asking);
    const text = await events.text();
    expect(text).toMatch(/^id: 1\ndata: /);
    const id = events.headers.get('x-svc-request-id');
    await eventually(async () => {
      const rest = await gateway.fetch(`/api/v1/requests/${id}/stream`, { headers: { 'last-event-id': '1' } });
      expect(text.endsWith(await rest.text())).toBe(true);
    });
    const refused: Loose = await (await post(at('mock/chat', 'streamGenerateContent'), asking)).json();
    expect(refused.error.details[0].metadata.param).toBe('svc.resume_seconds');
  });
});

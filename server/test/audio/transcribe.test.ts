/** Transcriptions and translations through the running gateway, with the official SDK where it can send the case. */
import OpenAI, { toFile } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { faults, json } from '../fake-vendor/index.ts';
import type { TestGateway } from '../harness/start-gateway.ts';
import { formOf, receiptOf, startAudioGateway, uploadsLeft } from './audio-gateway.ts';
import { wav } from './sounds.ts';

let gateway: TestGateway;
let client: OpenAI;
const recording = wav(2.5);

beforeAll(async () => {
  gateway = await startAudioGateway();
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());
afterEach(async () => expect(await uploadsLeft(gateway)).toEqual([]));

const file = (name = 'speech.wav') => toFile(recording, name, { type: 'audio/wav' });

function post(fields: [string, string | File][], init: RequestInit & { key?: string; task?: string } = {}) {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const { task = 'transcriptions', ...rest } = init;
  return gateway.fetch(`/api/v1/audio/${task}`, { ...rest, method: 'POST', body: form });
}
const upload = () => new File([recording], 'speech.wav', { type: 'audio/wav' });
const tokens = {
  type: 'tokens',
  input_tokens: 30,
  output_tokens: 5,
  total_tokens: 35,
  input_token_details: { text_tokens: 10, audio_tokens: 20 },
};

describe('a transcription', () => {
  it('reaches the SDK as JSON with its cost', async () => {
    const { data, response } = await client.audio.transcriptions
      .create({ model: 'mock/stt', file: await file() })
      .withResponse();
    expect(data.text).toBe('This is a fake transcript.');
    expect(data.usage).toEqual({ type: 'duration', seconds: 3, cost: 30 });
    expect(response.headers.get('x-svc-cost')).toBe('30');
    expect(await receiptOf(gateway, response)).toMatchObject({
      state: 'completed',
      cost: '30',
      held: '30',
      usage: { buckets: { seconds: 3 } },
      usage_source: 'upstream',
      formula: '3 × 10000000 = 30000000 µT',
    });
  });

  it('carries every field that is known to cost nothing more, and the very bytes of the file', async () => {
    await client.audio.transcriptions.create({
      model: 'mock/stt',
      file: await file('جلسهٔ "اول".wav'),
      language: 'fa',
      prompt: 'سلام\r\nدنیا',
      response_format: 'verbose_json',
      temperature: 0.2,
      timestamp_granularities: ['word', 'segment'],
      include: ['logprobs'],
      chunking_strategy: 'auto',
      ...{ x_vendor: 'dropped' },
    });
    const sent = await formOf((await gateway.vendor.received(0)) as never);
    expect(sent.file.bytes.equals(recording)).toBe(true);
    expect(sent.file).toMatchObject({ name: 'جلسهٔ "اول".wav', type: 'audio/wav' });
    expect(sent.fields[0]).toEqual(['model', 'up-stt-a']);
    expect(new Set(sent.fields.slice(1).map((field) => field.join('=')))).toEqual(
      new Set([
        'language=fa',
        'prompt=سلام\r\nدنیا',
        'response_format=verbose_json',
        'temperature=0.2',
        'timestamp_granularities[]=word',
        'timestamp_granularities[]=segment',
        'include[]=logprobs',
        'chunking_strategy=auto',
      ]),
    );
    const { headers } = await gateway.vendor.received(0);
    expect(Number(headers['content-length'])).toBe((await gateway.vendor.received(0)).raw.length);
    expect(headers['authorization']).toBe('Bearer up-chat-a-secret');
  });

  it.each([
    ['text', 'This is a fake transcript.\n'],
    ['srt', '1\n00:00:00,000 --> 00:00:03,000\nThis is a fake transcript.\n'],
    ['vtt', '1\n00:00:00,000 --> 00:00:03,000\nThis is a fake transcript.\n'],
  ] as const)('comes as %s, measured by us', async (format, text) => {
    const { data, response } = await client.audio.transcriptions
      .create({ model: 'mock/stt', file: await file(), response_format: format })
      .withResponse();
    expect(data).toBe(text);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    // Our file lasts 2.5 s; captions until 3.0 s prove no less.
    expect(response.headers.get('x-svc-cost')).toBe('30');
    expect((await receiptOf(gateway, response)).usage_source).toBe('estimated');
  });

  it('is charged up to the end of its captions when our own measure is shorter', async () => {
    gateway.vendor.next((wire) => {
      wire.head(200, { 'content-type': 'text/plain' });
      wire.end('WEBVTT\n\n00:01.000 --> 00:02.000\na\n\n00:01:01.000 --> 00:01:09.500\nb\n');
    });
    const response = await post([
      ['model', 'mock/stt'],
      ['response_format', 'vtt'],
      ['file', upload()],
    ]);
    expect(response.headers.get('x-svc-cost')).toBe('700');
  });

  it('comes as verbose and as diarized JSON', async () => {
    const verbose = await client.audio.transcriptions.create({
      model: 'mock/stt',
      file: await file(),
      response_format: 'verbose_json',
    });
    expect(verbose).toMatchObject({ duration: 3, segments: [{ id: 0 }], usage: { seconds: 3, cost: 30 } });
    gateway.vendor.next(json(200, { task: 'transcribe', text: 'hi', duration: 7.2, segments: [{ speaker: 'A' }] }));
    const diarized = await client.audio.transcriptions.create({
      model: 'mock/stt',
      file: await file(),
      response_format: 'diarized_json',
    });
    expect(diarized).toMatchObject({ segments: [{ speaker: 'A' }], usage: { type: 'duration', seconds: 8, cost: 80 } });
  });

  it('sold by the second is charged by our measure when the provider counts tokens', async () => {
    gateway.vendor.next(json(200, { text: 'hi', usage: tokens }));
    const { data, response } = await client.audio.transcriptions
      .create({ model: 'mock/stt', file: await file() })
      .withResponse();
    expect(data.usage).toEqual({ ...tokens, cost: 30 });
    expect(await receiptOf(gateway, response)).toMatchObject({ cost: '30', usage_source: 'estimated' });
  });

  it('sold by the token is charged by the token', async () => {
    gateway.vendor.next(json(200, { text: 'hi', usage: tokens }));
    const data = await client.audio.transcriptions.create({ model: 'mock/stt-tokens', file: await file() });
    // 10 at 1 toman, 20 of audio at 2, 5 out at 3.
    expect(data.usage).toEqual({ ...tokens, cost: 65 });
  });

  it('of silence is an answer', async () => {
    gateway.vendor.next(json(200, { text: '', usage: { type: 'duration', seconds: 0.4 } }));
    const data = await client.audio.transcriptions.create({ model: 'mock/stt', file: await file() });
    expect(data).toMatchObject({ text: '', usage: { cost: 10 } });
  });

  it('drops what the provider is known to refuse, and says so', async () => {
    const response = await post([
      ['file', upload()],
      ['prompt', 'names'],
      ['model', 'mock/stt-picky'],
    ]);
    expect(response.headers.get('x-svc-warnings')).toContain('prompt dropped');
    const sent = await formOf((await gateway.vendor.received(0)) as never);
    expect(sent.fields).toEqual([['model', 'up-stt']]);
  });

  it('takes the default model of a key when it fits, and refuses one that does not', async () => {
    expect((await post([['file', upload()]], { key: 'dg-test-listener' })).status).toBe(200);
    const refused = await post([['file', upload()]]);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: 'model' } });
  });

  it('takes its fields in any order', async () => {
    const fields: [string, string | File][] = [
      ['file', upload()],
      ['model', 'mock/stt'],
      ['response_format', 'text'],
    ];
    for (const order of [
      [0, 1, 2],
      [1, 0, 2],
      [2, 1, 0],
    ]) {
      const response = await post(order.map((at) => fields[at] as [string, string]));
      expect(await response.text()).toBe('This is a fake transcript.\n');
    }
  });

  it('is sent again, whole, to the next route', async () => {
    for (const fault of [faults.failWith(500), faults.brokenJson(), json(200, { error: { message: 'busy' } })]) {
      gateway.vendor.reset();
      gateway.vendor.next(fault);
      const response = await post([
        ['model', 'mock/stt'],
        ['file', upload()],
      ]);
      expect(response.status).toBe(200);
      const sent = await Promise.all([0, 1].map(async (at) => formOf((await gateway.vendor.received(at)) as never)));
      expect(sent.map(({ file }) => file.bytes.equals(recording))).toEqual([true, true]);
      expect(new Set(sent.map(({ fields }) => fields[0]?.[1]))).toEqual(new Set(['up-stt-a', 'up-stt-b']));
      expect(await receiptOf(gateway, response)).toMatchObject({ cost: '30' });
    }
  });

  it("is the client's fault when the provider says so, and costs nothing", async () => {
    gateway.vendor.next(faults.failWith(400, 'Invalid file format'));
    const response = await post([
      ['model', 'mock/stt'],
      ['file', upload()],
    ]);
    expect(response.status).toBe(400);
    expect(gateway.vendor.requests).toHaveLength(1);
    expect(await receiptOf(gateway, response)).toMatchObject({ cost: '0' });
  });

  it('finds no route where no provider listens', async () => {
    const response = await post([
      ['model', 'mock/stt-gemini'],
      ['file', upload()],
    ]);
    expect(response.status).toBe(502);
  });

  it('obeys svc.routing, given as JSON text', async () => {
    const response = await post([
      ['model', 'mock/stt'],
      ['svc', JSON.stringify({ routing: { only: ['chat-b'] } })],
      ['file', upload()],
    ]);
    expect(response.status).toBe(200);
    const sent = await formOf((await gateway.vendor.received(0)) as never);
    expect(sent.fields).toEqual([['model', 'up-stt-b']]);
  });
});

describe('a translation', () => {
  it('goes to its own address', async () => {
    const data = await client.audio.translations.create({ model: 'mock/stt', file: await file() });
    expect(data.text).toBe('This is a fake transcript.');
    expect((await gateway.vendor.received(0)).path).toBe('/v1/audio/translations');
  });

  it.each([
    ['stream', 'true'],
    ['response_format', 'diarized_json'],
  ])('has no %s=%s', async (name, value) => {
    const fields: [string, string | File][] = [
      ['model', 'mock/stt'],
      [name, value],
      ['file', upload()],
    ];
    const response = await post(fields, { task: 'translations' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: name } });
  });
});

it('repeats a kept answer under the same Idempotency-Key, though every form has its own boundary', async () => {
  const send = (language: string) =>
    post(
      [
        ['model', 'mock/stt'],
        ['language', language],
        ['file', upload()],
      ],
      { headers: { 'idempotency-key': 'heard-once' } },
    );
  const first = await (await send('fa')).text();
  expect(await (await send('fa')).text()).toBe(first);
  expect(gateway.vendor.requests).toHaveLength(1);
  expect((await send('en')).status).toBe(400);
});

it.each(['json', 'text', 'srt', 'vtt', 'verbose_json'] as const)('listens in the sandbox as %s', async (format) => {
  const { data, response } = await client.audio.transcriptions
    .create({ model: 'sandbox/transcribe', file: await file(), response_format: format })
    .withResponse();
  expect(JSON.stringify(data)).toContain('2.5 seconds');
  expect(response.headers.get('x-svc-cost')).toBe('1.5');
});

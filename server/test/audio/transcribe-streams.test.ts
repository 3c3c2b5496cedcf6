/** Streamed transcriptions through the running gateway, with the official SDK where it can send the case. */
import OpenAI, { toFile } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGate, rawStream } from '../fake-vendor/index.ts';
import type { TestGateway } from '../harness/start-gateway.ts';
import { receiptOf, settledReceipt, startAudioGateway, uploadsLeft } from './audio-gateway.ts';
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
const event = (body: object) => `data: ${JSON.stringify(body)}\n\n`;
const words = (delta: string) => event({ type: 'transcript.text.delta', delta });
const tokens = {
  type: 'tokens',
  input_tokens: 30,
  output_tokens: 5,
  total_tokens: 35,
  input_token_details: { text_tokens: 10, audio_tokens: 20 },
};
const done = (usage?: object) => event({ type: 'transcript.text.done', text: 'hello there', ...(usage && { usage }) });

describe('a streamed transcription', () => {
  it('reaches the SDK event by event, with the cost in the last', async () => {
    gateway.vendor.next(rawStream([words('hello '), words('there'), done(tokens), 'data: [DONE]\n\n']));
    const stream = await client.audio.transcriptions.create({
      model: 'mock/stt-tokens',
      file: await file(),
      stream: true,
    });
    let text = '';
    let last: unknown;
    for await (const each of stream) {
      if (each.type === 'transcript.text.delta') text += each.delta;
      last = each;
    }
    expect(text).toBe('hello there');
    expect(last).toEqual({ type: 'transcript.text.done', text: 'hello there', usage: { ...tokens, cost: 65 } });
  });

  it('is made from a whole answer where the provider does not stream', async () => {
    const response = await post([
      ['stream', 'true'],
      ['model', 'mock/stt'],
      ['file', upload()],
    ]);
    const text = await response.text();
    expect(text).toContain('"delta":"This is a fake transcript."');
    expect(text).toContain('"usage":{"type":"duration","seconds":3,"cost":30}');
  });

  it('throws in the SDK when its last event is missing, and is charged by our measure', async () => {
    gateway.vendor.next(rawStream([words('hello ')]));
    const { data: stream, response } = await client.audio.transcriptions
      .create({ model: 'mock/stt', file: await file(), stream: true })
      .withResponse();
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow();
    expect(await receiptOf(gateway, response)).toMatchObject({
      state: 'interrupted',
      cost: '30',
      usage_source: 'estimated',
    });
  });

  it('fails over before its first word', async () => {
    gateway.vendor.next(rawStream([event({ error: { message: 'x' } })]), rawStream([words('ok'), done()]));
    const response = await post([
      ['stream', 'true'],
      ['model', 'mock/stt'],
      ['file', upload()],
    ]);
    expect(await response.text()).toContain('"delta":"ok"');
    expect(gateway.vendor.requests).toHaveLength(2);
  });

  it('is charged when the client leaves after some words', async () => {
    const gate = createGate();
    gateway.vendor.next(async (wire) => {
      wire.head(200, { 'content-type': 'text/event-stream' });
      await wire.write(words('hello '));
      await gate.pass();
      wire.end();
    });
    const abort = new AbortController();
    const response = await post(
      [
        ['stream', 'true'],
        ['model', 'mock/stt'],
        ['file', upload()],
      ],
      { signal: abort.signal },
    );
    await response.body?.getReader().read();
    abort.abort();
    expect(await (await gateway.vendor.received(0)).ended).toBe('aborted');
    gate.open();
    const receipt = await settledReceipt(gateway, response.headers.get('x-svc-request-id') ?? '');
    expect(receipt).toMatchObject({ state: 'client_closed', cost: '30' });
  });
});

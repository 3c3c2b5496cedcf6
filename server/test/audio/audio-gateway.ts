/** A gateway with audio models of every kind of price, and the questions all audio tests ask of it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

const one = (model: string) => [{ provider: 'chat-a', model }];
const two = (model: string) => [
  { provider: 'chat-a', model: `${model}-a`, priority: 1 },
  { provider: 'chat-b', model: `${model}-b`, priority: 2 },
];
const BY_TOKEN = { input: 1_000_000, audio_input: 2_000_000, output: 3_000_000, audio_output: 4_000_000 };

/** Prices are toman per million units: 1.5 toman a character, 10 toman a second. */
const MODELS = [
  { id: 'mock/chat', routes: one('up-chat'), price: { input: 1, output: 1 } },
  { id: 'mock/tts', kind: 'speech', routes: two('up-tts'), price: { characters: 1_500_000 } },
  { id: 'mock/tts-tokens', kind: 'speech', routes: one('up-tts'), price: BY_TOKEN },
  { id: 'mock/stt', kind: 'transcription', routes: two('up-stt'), price: { seconds: 10_000_000 } },
  { id: 'mock/stt-tokens', kind: 'transcription', routes: one('up-stt'), price: BY_TOKEN },
  {
    id: 'mock/stt-picky',
    kind: 'transcription',
    routes: [{ provider: 'chat-a', model: 'up-stt', quirks: { drop_fields: ['prompt'] } }],
    price: { seconds: 10_000_000 },
  },
  {
    id: 'mock/stt-gemini',
    kind: 'transcription',
    routes: [{ provider: 'gemini-a', model: 'g' }],
    price: { seconds: 1 },
  },
];

const KEYS = [
  { id: 'main', key: 'dg-test-main', rules: { default_model: 'mock/chat' } },
  { id: 'listener', key: 'dg-test-listener', rules: { default_model: 'mock/stt' } },
  { id: 'speaker', key: 'dg-test-speaker', rules: { endpoints: ['audio.speech'] } },
];

export function startAudioGateway(settings: Record<string, unknown> = {}): Promise<TestGateway> {
  return startGateway({
    config: {
      settings: { discovery: false, ...settings },
      models: MODELS,
      groups: [],
      accounts: [
        { id: 'acme', name: 'Acme', balance: 100_000, keys: KEYS },
        { id: 'poor', name: 'Poor', balance: 20, keys: [{ id: 'poor', key: 'dg-test-poor' }] },
      ],
    },
  });
}

export interface Receipt {
  state: string;
  status: number;
  cost: string;
  held: string;
  stream: boolean;
  formula: string;
  usage: { buckets: Record<string, number> } | null;
  usage_source: string | null;
  attempts: { provider: string; outcome: string }[];
  warnings: string[];
}

/** The row of the request as its customer sees it. It is written before the last byte of the answer goes out. */
export async function receiptOf(gateway: TestGateway, response: { headers: Headers }): Promise<Receipt> {
  const id = response.headers.get('x-svc-request-id');
  const found = await gateway.fetch(`/api/v1/requests/${id}`);
  expect(found.status).toBe(200);
  return (await found.json()) as Receipt;
}

/** For clients that left: their settlement is awaited by asking, since nobody tells them. */
export async function settledReceipt(gateway: TestGateway, id: string): Promise<Receipt> {
  for (;;) {
    const found = await gateway.fetch(`/api/v1/requests/${id}`);
    if (found.status === 200) {
      const receipt = (await found.json()) as Receipt;
      if (receipt.state !== 'running') return receipt;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export async function uploadsLeft(gateway: TestGateway): Promise<string[]> {
  return readdir(join(gateway.dataDir, 'uploads'));
}

export interface SentForm {
  fields: [string, string][];
  file: { name: string; type: string; bytes: Buffer };
}

/** What the provider received, read by a parser that is not ours. */
export async function formOf(request: { raw: Buffer; headers: Record<string, unknown> }): Promise<SentForm> {
  const response = new Response(new Uint8Array(request.raw), {
    headers: { 'content-type': String(request.headers['content-type']) },
  });
  const form = await response.formData();
  const fields: [string, string][] = [];
  let file: SentForm['file'] | undefined;
  for (const [name, value] of form.entries()) {
    if (typeof value === 'string') fields.push([name, value]);
    else file = { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) };
  }
  if (!file) throw new Error('the provider got no file');
  return { fields, file };
}

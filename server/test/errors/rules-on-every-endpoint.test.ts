/**
 * The rules of a key hold wherever its requests are charged: every rule that refuses a chat refuses embeddings, speech,
 * transcriptions and translations with the same code. A rule that is new in the list is tried here too.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wav } from '../audio/sounds.ts';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { expectError } from './expect-error.ts';
import { RULES } from './rules-in-order.ts';

type Fields = Record<string, unknown>;
type Body = { headers?: Record<string, string>; body: string | FormData };

const json = (fields: Fields): Body => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(fields),
});

function form(fields: Fields): Body {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields))
    body.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  body.append('file', new File([wav(2)], 'a.wav', { type: 'audio/wav' }));
  return { body };
}

const ENDPOINTS = [
  ['chat/completions', { model: 'mock/chat', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] }, json],
  ['embeddings', { model: 'mock/embed', input: 'hello there' }, json],
  ['rerank', { model: 'mock/rerank', query: 'hello there', documents: ['hello', 'there'] }, json],
  ['moderations', { model: 'mock/moderate', input: 'hello there' }, json],
  ['images/generations', { model: 'mock/image', prompt: 'hello there' }, json],
  ['audio/speech', { model: 'mock/tts', input: 'hello there', voice: 'alloy' }, json],
  ['audio/transcriptions', { model: 'mock/stt' }, form],
  ['audio/translations', { model: 'mock/stt' }, form],
] as const;

/** Sound is priced by tokens here: what is priced by characters or seconds takes nothing of the tokens per minute. */
const PRICE = { input: 1_000_000, audio_input: 2_000_000, output: 3_000_000, audio_output: 4_000_000 };
const routes = [{ provider: 'chat-a', model: 'up' }];
const MODELS = [
  { id: 'mock/chat', routes, price: PRICE },
  { id: 'mock/claude', routes, price: PRICE },
  { id: 'mock/embed', kind: 'embedding', routes, price: PRICE },
  { id: 'mock/rerank', kind: 'rerank', routes, price: PRICE },
  { id: 'mock/moderate', kind: 'moderation', routes, price: PRICE },
  { id: 'mock/image', kind: 'image', routes, price: PRICE },
  { id: 'mock/tts', kind: 'speech', routes, price: PRICE },
  { id: 'mock/stt', kind: 'transcription', routes, price: PRICE },
];

/** Of what a chat says and not of who says it. */
const OF_CHATS = new Set(['body', 'capability']);
const rules = RULES.filter(({ verdict }) => verdict !== undefined && !OF_CHATS.has(verdict));
const cases = ENDPOINTS.flatMap(([path, fields, write]) =>
  rules.map((rule, index) => ({ path, fields, write, rule, name: rule.name, keyText: `dg-every-${index}` })),
);

let gateway: TestGateway;
let vendor: FakeVendor;

beforeAll(async () => {
  vendor = await startFakeVendor();
  const accounts = ['rich', 'poor', 'stopped'].map((id) => ({
    id,
    balance: id === 'poor' ? 0 : 100_000,
    rules: { rpm: id === 'stopped' ? 0 : null },
    keys: rules.flatMap(({ account = 'rich', key = {} }, index) =>
      account === id ? [{ id: `every-${index}`, key: `dg-every-${index}`, rules: key }] : [],
    ),
  }));
  const main = { id: 'acme', balance: 100_000, keys: [{ id: 'main', key: 'dg-test-main' }] };
  gateway = await startGateway({ vendor, config: { models: MODELS, groups: [], accounts: [main, ...accounts] } });
});
afterAll(async () => {
  await gateway.stop();
  await vendor.close();
});

const send = (path: string, body: Body, key = gateway.key) =>
  gateway.fetch(`/api/v1/${path}`, { method: 'POST', key, ...body });

describe('a rule refuses on every endpoint as it does on chat', () => {
  it.each(cases)('$name: $path', async ({ path, fields, write, rule, keyText }) => {
    const error = await expectError(await send(path, write({ ...fields, ...rule.body }), keyText), rule.code);
    if (rule.limit !== undefined) expect(error['limit']).toBe(rule.limit);
    if (rule.param !== undefined) expect(error.param).toBe(rule.param);
  });
});

describe('what only chats can is refused elsewhere by name and never ignored', () => {
  const others = ENDPOINTS.slice(1).map(([path, fields, write]) => ({ path, fields, write }));

  it.each(others)('knowledge bases: $path', async ({ path, fields, write }) => {
    const response = await send(path, write({ ...fields, svc: { knowledge_base_ids: ['kb_any'] } }));
    expect((await expectError(response, 'invalid_request')).param).toBe('svc.knowledge_base_ids');
  });

  it.each(others)('a dry run, which would have been charged: $path', async ({ path, fields, write }) => {
    const response = await send(path, write({ ...fields, svc: { dry_run: true } }));
    expect((await expectError(response, 'invalid_request')).param).toBe('svc.dry_run');
  });

  it.each(others)('a stream that is continued: $path', async ({ path, fields, write }) => {
    const response = await send(path, write({ ...fields, svc: { resume_seconds: 60 } }));
    expect((await expectError(response, 'invalid_request')).param).toBe('svc.resume_seconds');
  });

  it.each(others)('an answer that goes on after a cut: $path', async ({ path, fields, write }) => {
    const response = await send(path, write({ ...fields, svc: { routing: { continue: true } } }));
    expect((await expectError(response, 'invalid_request')).param).toBe('svc.routing.continue');
  });

  it.each(others.filter(({ path }) => path !== 'embeddings'))('the response cache: $path', async (other) => {
    const response = await send(other.path, other.write({ ...other.fields, svc: { cache_seconds: 60 } }));
    expect((await expectError(response, 'invalid_request')).param).toBe('svc.cache_seconds');
  });

  it.each(others)(
    'while an extension that asks for neither changes nothing: $path',
    async ({ path, fields, write }) => {
      const response = await send(path, write({ ...fields, svc: { knowledge_base_ids: [], dry_run: false } }));
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    },
  );
});

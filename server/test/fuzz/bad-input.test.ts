/**
 * Bad input over HTTP: whatever is sent, the answer is a good one or a 4xx in the error shape that names the field; never a
 * 5xx, never a dead process, and never a charge that the database then cannot take.
 * @tier services
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { CHAT, chatFor, EMBEDDINGS, MESSAGES } from './templates.ts';

let gateway: TestGateway;

beforeAll(async () => {
  // Nearly every request here is refused, and a key with too many refusals in a minute would only be told to wait.
  gateway = await startGateway({ config: { settings: { refusals_per_minute: 1_000_000 } } });
});
afterAll(() => gateway.stop());

const CHAT_PATH = '/api/v1/chat/completions';
const MESSAGES_PATH = '/api/v1/messages';
const COUNT_PATH = '/api/v1/messages/count_tokens';
const EMBEDDINGS_PATH = '/api/v1/embeddings';
const PATHS = [CHAT_PATH, MESSAGES_PATH, COUNT_PATH, EMBEDDINGS_PATH];
const MODELS = ['mock/chat', 'mock/claude', 'mock/gemini'];

interface Seen {
  status: number;
  param: string | null | undefined;
  text: string;
}

async function post(path: string, payload: string | Buffer, headers: Record<string, string> = {}): Promise<Seen> {
  const { statusCode: status, body: text } = await gateway.service.app.inject({
    method: 'POST',
    url: path,
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...headers },
    payload,
  });
  if (status === 200) return { status, param: undefined, text };
  expect(`${status} ${text}`).toMatch(/^4/);
  const { error } = JSON.parse(text);
  expect(error.code).toMatch(/^(invalid_request|model_not_found|model_not_allowed)$/);
  expect(error.message).not.toBe('');
  return { status, param: error.param ?? null, text };
}

type Place = (string | number)[];

/** Every place in a value, inner ones too. */
function placesOf(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, item]) => placesOf(item, [...at, key]))].filter(
    (p) => p.length > 0,
  );
}

function replaced(value: Json, [step, ...rest]: Place, by: Json | undefined): Json {
  if (step === undefined) return by ?? null;
  const copy = structuredClone(value) as Record<string | number, Json>;
  if (rest.length > 0 && typeof copy[step] === 'object') copy[step] = replaced(copy[step] ?? null, rest, by);
  else if (by === undefined) delete copy[step];
  else copy[step] = by;
  return copy as Json;
}

/** Small things that programs trip over, beside anything at all. */
const awkward = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, 1e308, -1e308, Number.MAX_SAFE_INTEGER, 1e21, '', ' ', [], {}),
  fc.constantFrom<Json>(
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff',
    'ا\u200cب',
    'constructor',
    '../../etc/passwd',
    'x'.repeat(5_000),
  ),
  fc.constantFrom<Json>(
    [[]],
    [null],
    [{}],
    { type: 'x' },
    { type: null },
    { constructor: {} },
    { toString: 1, length: -1 },
  ),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
);

const mutation = (template: object) =>
  fc.tuple(fc.constantFrom(...placesOf(template)), fc.option(awkward, { nil: undefined }), fc.constantFrom(...MODELS));

const RUNS = { numRuns: 400, seed: 20_261_115 };

describe('one field of a complete request is replaced or missing', () => {
  it.each([
    ['chat', CHAT_PATH, CHAT],
    ['messages', MESSAGES_PATH, MESSAGES],
    ['count_tokens', COUNT_PATH, MESSAGES],
    ['embeddings', EMBEDDINGS_PATH, EMBEDDINGS],
  ] as const)(
    '%s',
    async (_name, path, template) => {
      await fc.assert(
        fc.asyncProperty(mutation(template), async ([place, by, model]) => {
          const whole = template === CHAT ? chatFor(model) : { model, ...template };
          const body = replaced(whole as Json, place, by);
          const seen = await post(path, JSON.stringify(body));
          // The field at fault is named, and it is the one that was changed or one that depends on it.
          if (seen.status === 400) expect(seen.param, `${place.join('.')} = ${JSON.stringify(by)}`).toBeTruthy();
        }),
        RUNS,
      );
    },
    120_000,
  );
});

describe('the template itself is good', () => {
  it.each(MODELS)('for %s', async (model) => {
    expect((await post(CHAT_PATH, JSON.stringify(chatFor(model)))).status).toBe(200);
    expect((await post(MESSAGES_PATH, JSON.stringify({ model, ...MESSAGES }))).status).toBe(200);
  });

  it('for embeddings', async () => {
    expect((await post(EMBEDDINGS_PATH, JSON.stringify(EMBEDDINGS))).status).toBe(200);
  });
});

describe('bodies that are no request at all', () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
  const halfJson = fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value).slice(0, -1)));
  const otherJson = fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)));

  it.each(PATHS)('%s', async (path) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(bytes, halfJson, otherJson), async (payload) => {
        expect((await post(path, payload)).status).toBe(400);
      }),
      { ...RUNS, numRuns: 150 },
    );
  });
});

const nested = (depth: number, open: string, close: string, inside = '1') =>
  open.repeat(depth) + inside + close.repeat(depth);

const HOSTILE: Record<string, string | Buffer> = {
  'a hundred thousand brackets': nested(100_000, '[', ']'),
  'a hundred thousand objects': nested(100_000, '{"a":', '}'),
  'a message nested too deep': `{"model":"mock/chat","messages":[{"role":"user","content":${nested(80, '[', ']')}}]}`,
  'a schema nested too deep': `{"model":"mock/chat","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":${nested(80, '{"properties":', '}', '{}')}}}]}`,
  '__proto__ at the top': '{"__proto__":{"model":"mock/chat"},"messages":[{"role":"user","content":"x"}]}',
  '__proto__ in a tool': `{"model":"mock/chat","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"__proto__":{"x":1}}}}]}`,
  'NUL bytes around JSON': Buffer.from('\u0000{"model":"mock/chat"}\u0000'),
  'invalid UTF-8 in a text': Buffer.concat([
    Buffer.from('{"model":"mock/chat","messages":[{"role":"user","content":"'),
    Buffer.from([0xc3, 0x28, 0xf0, 0x80]),
    Buffer.from('"}]}'),
  ]),
  'half a UTF-8 character': Buffer.concat([Buffer.from('{"a":"'), Buffer.from('ا').subarray(0, 1), Buffer.from('"}')]),
  'a number beyond all numbers': '{"model":"mock/chat","messages":[{"role":"user","content":"x"}],"max_tokens":1e999}',
  'a number with too many digits': `{"model":"mock/chat","messages":[{"role":"user","content":"x"}],"max_tokens":${'9'.repeat(400)}}`,
  NaN: '{"model":"mock/chat","messages":[{"role":"user","content":"x"}],"temperature":NaN}',
  'nothing but white space': '   \n ',
  'a text': '"hello"',
  null: 'null',
  'an unknown role': '{"model":"mock/chat","messages":[{"role":"wizard","content":"x"}]}',
  'no messages': '{"model":"mock/chat","messages":[]}',
  'ten thousand stop words': `{"model":"mock/chat","messages":[{"role":"user","content":"x"}],"stop":${JSON.stringify(Array(10_000).fill('a'))}}`,
};

describe('hostile bodies', () => {
  it.each(Object.entries(HOSTILE))('%s', async (_name, payload) => {
    for (const path of [CHAT_PATH, MESSAGES_PATH]) expect((await post(path, payload)).status).toBe(400);
  });

  it('does not let a body reach the prototype of anything', async () => {
    await post(CHAT_PATH, '{"constructor":{"prototype":{"polluted":true}},"messages":[]}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('odd addresses', () => {
  it.each([
    '/api/v1/models/%E0%A4%A',
    '/api/v1/models/%25E0%25A4%25A',
    '/api/v1/models/mock%2Fnone',
    '/api/v1/models/%00',
    '/api/v1/models/..%2f..%2fetc%2fpasswd',
    `/api/v1/models/${'a'.repeat(5_000)}`,
    '/api/v1/requests/%00',
    '/api/v1/requests/req_%F0%9F%98%80',
    "/api/v1/requests/req_'%20or%20''='",
    `/api/v1/requests/${'r'.repeat(400)}`,
    '/api/v1/responses/%00',
    '/api/v1/responses/%00/input_items',
    '/api/v1/conversations/%00',
    '/api/v1/conversations/%00/items/%00',
    '/api/v1/models?limit=%ZZ',
    '//api/v1/models',
    '/api/v1/%',
  ])('%s', async (url) => {
    const { statusCode, body } = await gateway.service.app.inject({
      url,
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    expect(`${statusCode} ${body}`).toMatch(/^(200|400|404) \{/);
    if (statusCode !== 200) expect(JSON.parse(body).error.code).toMatch(/^(invalid_request|(model_)?not_found)$/);
  });
});

describe('afterwards', () => {
  it('the process serves, and every charge has reached the database', async () => {
    // Strings that PostgreSQL refuses, in the one field of a body that is kept.
    for (const user of ['\u0000', 'a\u0000b', '\ud800', 'x'.repeat(60_000)])
      await post(CHAT_PATH, JSON.stringify({ model: 'mock/chat', user, messages: [{ role: 'user', content: 'x' }] }));
    const good = await gateway.chat({ model: 'mock/chat', messages: [{ role: 'user', content: 'hello' }] });
    expect(good.status).toBe(200);
    await eventually(async () => {
      const ready = await (await gateway.fetch('/readyz', { key: null })).json();
      expect(ready).toMatchObject({ status: 'ready', journal: { depth: 0, accepting: true } });
    });
    expect(gateway.log.lines.filter((line) => line.level === 'error')).toEqual([]);
  });
});

/** `svc.debug: "upstream"`: what a provider was sent, told to whom staff opened it for, without secrets, and kept nowhere. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Provider } from '../../src/catalog/index.ts';
import { providerCall, requestHeaders } from '../../src/gateway/attempt/provider-http.ts';
import type { Call } from '../../src/gateway/call.ts';
import { checkEcho, echoOf } from '../../src/gateway/chat/upstream-echo.ts';
import type { KeySnapshot } from '../../src/keys/index.ts';
import { VENDORS } from '../../src/vendors/index.ts';
import { answer, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

interface Echo {
  method: string;
  host: string;
  path: string;
  headers: Record<string, string>;
  body: { model?: string; messages?: unknown; contents?: unknown };
}

const SECRET = /up-[a-z]+-[ab]-secret/;
const OPEN = 'dg-echo-open';
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({
    config: {
      accounts: [
        { id: 'open', name: 'Open', balance: 1_000, rules: { upstream_echo: true }, keys: [{ id: 'open', key: OPEN }] },
        { id: 'shut', name: 'Shut', balance: 1_000, keys: [{ id: 'shut', key: 'dg-test-main' }] },
      ],
    },
  });
});
afterAll(() => gateway?.stop());
beforeEach(() => gateway.vendor.reset());

const TEXT = [{ role: 'user', content: 'hello' }];
const DEBUG = { svc: { debug: 'upstream' } };

function post(path: string, body: object, key = OPEN, headers: Record<string, string> = {}) {
  return gateway.fetch(`/api/v1${path}`, {
    key,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-language': 'en', ...headers },
    body: JSON.stringify(body),
  });
}

describe('the echo', () => {
  it.each([
    ['/chat/completions', 'mock/chat', { messages: TEXT }],
    ['/chat/completions', 'mock/claude', { messages: TEXT }],
    ['/chat/completions', 'mock/gemini', { messages: TEXT }],
    ['/messages', 'mock/claude', { messages: TEXT, max_tokens: 50 }],
    ['/messages', 'mock/chat', { messages: TEXT, max_tokens: 50 }],
    ['/responses', 'mock/responses', { input: 'hello', store: false }],
    ['/responses', 'mock/chat', { input: 'hello', store: false }],
  ])('%s on %s tells the request that went out, whole and streamed', async (path, model, fields) => {
    for (const stream of [false, true]) {
      const response = await post(path, { model, ...fields, stream, ...DEBUG });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).not.toMatch(SECRET);
      const echo = upstreamIn(text, stream);
      const sent = gateway.vendor.requests.at(-1);
      expect(echo).toMatchObject({ method: 'POST', path: sent?.path.split('?')[0], body: sent?.body });
      expect(Object.keys(echo.headers)).toEqual(expect.arrayContaining(['content-type']));
      expect(JSON.stringify(sent?.body)).not.toContain('debug');
    }
  });

  it('is that of the route that answered', async () => {
    gateway.vendor.next(faults.failWith(500));
    gateway.vendor.next(answer({ text: 'second' }));
    const text = await (await post('/chat/completions', { model: 'mock/two', messages: TEXT, ...DEBUG })).text();
    expect(upstreamIn(text, false).body.model).toBe(gateway.vendor.requests.at(-1)?.body['model']);
    expect(gateway.vendor.requests).toHaveLength(2);
  });

  it('is not there for who does not ask', async () => {
    const text = await (await post('/chat/completions', { model: 'mock/chat', messages: TEXT })).text();
    expect(text).not.toContain('upstream');
  });

  it.each([
    ['/chat/completions', { messages: TEXT }],
    ['/messages', { messages: TEXT, max_tokens: 50 }],
    ['/responses', { input: 'hello' }],
  ])('is refused on %s to an account that staff did not open it for, by the rule', async (path, fields) => {
    const response = await post(path, { model: 'mock/chat', ...fields, ...DEBUG }, 'dg-test-main');
    expect(response.status).toBe(403);
    const { error } = (await response.json()) as { error: { message: string; rule?: string } };
    expect(error.message).toContain('upstream_echo');
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('is refused where the answer would be kept', async () => {
    const chat = { model: 'mock/chat', messages: TEXT, ...DEBUG };
    const kept = { ...chat, stream: true, svc: { debug: 'upstream', resume_seconds: 60 } };
    const refused = [
      await post('/chat/completions', chat, OPEN, { 'idempotency-key': 'echo-1' }),
      await post('/chat/completions', kept),
      await post('/responses', { model: 'mock/chat', input: 'hello', ...DEBUG }),
      await post('/chat/completions', { ...chat, svc: { debug: 'all' } }),
      await post('/embeddings', { model: 'mock/embed', input: 'hello', ...DEBUG }),
    ];
    for (const response of refused) {
      expect(response.status).toBe(400);
      expect(((await response.json()) as { error: { param: string } }).error.param).toBe('svc.debug');
    }
    expect(gateway.vendor.requests).toHaveLength(0);
  });
});

describe('a key whose texts are kept', () => {
  it('gets no echo: it would be kept with the answer', () => {
    const key = { account: { id: 'a', rules: { upstreamEcho: true } }, keepTextsDays: 7 } as unknown as KeySnapshot;
    expect(() => checkEcho({} as Call, key, false)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(() => checkEcho({} as Call, { ...key, keepTextsDays: undefined } as never, false)).not.toThrow();
  });
});

describe('the credentials of every vendor', () => {
  it.each(VENDORS.map((vendor) => [vendor.id, vendor] as const))('%s: never appear', (_, vendor) => {
    const secret = `sk-"quoted"\\${vendor.id}-0123456789`;
    const spare = `spare-${vendor.id}-0123456789`;
    const provider = {
      id: vendor.id,
      baseUrl: `https://user-name:pass-word@host.example/v1/${spare}`,
      auth: vendor.auth,
      quirks: {},
      credentials: [
        { id: 'a', secret },
        { id: 'b', secret: spare },
      ],
      headers: { 'x-own': 'own-header-secret', 'user-agent': 'own-header-secret' },
      timeouts: { connectMs: 1, firstEventMs: 1, idleMs: 1, totalMs: 1, wholeAnswerMs: 1 },
    } as unknown as Provider;
    const headers = requestHeaders(provider, provider.credentials[0], { accept: `text/${secret}` }, 1, undefined);
    const body = JSON.stringify({ model: 'm', note: `${secret} ${spare} own-header-secret` });
    const call = providerCall(
      provider,
      provider.credentials[0],
      headers,
      { path: `/chat?key=${spare}-q`, body, whole: true },
      1,
      1,
    );
    const text = JSON.stringify(echoOf(call, provider));
    for (const hidden of [secret, JSON.stringify(secret).slice(1, -1), spare, 'own-header-secret', 'pass-word'])
      expect(text).not.toContain(hidden);
    expect(text).toContain('[removed]');
    expect(echoOf(call, provider)).toMatchObject({ method: 'POST', host: 'host.example', body: { model: 'm' } });
  });
});

/** Where each protocol tells what it adds to an answer. */
function upstreamIn(text: string, stream: boolean): Echo {
  const bodies = stream
    ? text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
    : [JSON.parse(text)];
  const found = bodies.map((body) => body.svc?.upstream ?? body.response?.svc?.upstream).filter(Boolean);
  expect(found).toHaveLength(1);
  return found[0];
}

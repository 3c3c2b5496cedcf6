/** Rule 1 stands before everything: whoever has no valid key learns that and nothing else, whatever was sent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { expectError, type WireProtocol } from './expect-error.ts';

let gateway: TestGateway;

const LIMIT = 65_536;
const FAILURES = 500;
/** The minute in which failures are counted does not end while a slow machine tries them. */
const clock = { now: () => Date.parse('2026-11-15T08:00:00Z'), monotonicMs: () => performance.now() };

beforeAll(async () => {
  gateway = await startGateway({
    clock,
    config: {
      settings: {
        discovery: false,
        max_body_bytes: LIMIT,
        auth_failures_per_minute: FAILURES,
        trusted_proxies: ['127.0.0.1'],
      },
      accounts: [
        {
          id: 'acme',
          balance: 100_000,
          keys: [
            { id: 'main', key: 'dg-test-main' },
            { id: 'paused', key: 'dg-test-paused', rules: { paused: true } },
          ],
        },
      ],
    },
  });
});
afterAll(() => gateway.stop());

const ENDPOINTS: [method: string, path: string, protocol: WireProtocol][] = [
  ['POST', '/api/v1/chat/completions', 'chat'],
  ['POST', '/api/v1/messages', 'messages'],
  ['POST', '/api/v1/messages/count_tokens', 'messages'],
  ['POST', '/api/v1/responses/input_tokens', 'chat'],
  ['POST', '/api/v1/responses/compact', 'chat'],
  ['POST', '/api/v1/embeddings', 'chat'],
];
const GEMINI = '/api/v1beta/models/mock/chat:generateContent';
const READABLE = ['/api/v1/models', '/api/v1/models/mock/chat', '/api/v1/key', '/api/v1/requests/req_none'];

const JSON_TYPE = { 'content-type': 'application/json' };
const SENT: Record<string, { headers?: Record<string, string>; body?: string | Uint8Array }> = {
  nothing: {},
  'an empty body': { headers: JSON_TYPE, body: '' },
  'no content type': { body: new Uint8Array([123, 125]) },
  'a content type that is not JSON': { headers: { 'content-type': 'text/plain' }, body: 'hello' },
  'a content type that is nonsense': { headers: { 'content-type': 'nonsense' }, body: 'hello' },
  'a form': { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' },
  'invalid JSON': { headers: JSON_TYPE, body: '{"model":' },
  'invalid UTF-8': { headers: JSON_TYPE, body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]) },
  'a body larger than allowed': { headers: JSON_TYPE, body: `"${'x'.repeat(LIMIT)}"` },
  'prototype keys': { headers: JSON_TYPE, body: '{"__proto__":{"a":1}}' },
  'a request that runs in circles': { headers: { ...JSON_TYPE, 'x-svc-hop': '99' }, body: '{}' },
  'an idempotency key that is too long': { headers: { ...JSON_TYPE, 'idempotency-key': 'k'.repeat(300) }, body: '{}' },
};

const WRONG_KEYS: Record<string, Record<string, string>> = {
  'no key at all': {},
  'a wrong bearer': { authorization: 'Bearer dg-wrong' },
  'a wrong x-api-key': { 'x-api-key': 'dg-wrong' },
  'an empty bearer': { authorization: 'Bearer ' },
  'another scheme': { authorization: 'Basic ZGctdGVzdC1tYWluOg==' },
  'a key of absurd length': { 'x-api-key': `dg-${'a'.repeat(9_000)}` },
  'a key with odd characters': { 'x-api-key': "dg-' or 1=1 --\u00e9" },
};

describe.each(ENDPOINTS)('%s %s', (method, path, protocol) => {
  it.each(Object.entries(SENT))('401 for %s', async (_what, { headers, body }) => {
    const init = { method, key: 'dg-wrong', ...(headers ? { headers } : {}), ...(body ? { body } : {}) };
    await expectError(await gateway.fetch(path, init), 'invalid_api_key', { protocol });
  });

  it('403 for a paused key, even with a body larger than allowed', async () => {
    const init = { method, key: 'dg-test-paused', headers: JSON_TYPE, body: 'x'.repeat(LIMIT + 1) };
    await expectError(await gateway.fetch(path, init), 'key_paused', { protocol });
  });
});

describe('Gemini', () => {
  it.each(Object.entries(SENT))('401 in its own form for %s', async (_what, { headers, body }) => {
    const init = { method: 'POST', key: 'dg-wrong', ...(headers ? { headers } : {}), ...(body ? { body } : {}) };
    for (const path of [GEMINI, '/api/v1/models/mock/chat:generateContent', `${GEMINI}?key=dg-wrong`]) {
      const response = await gateway.fetch(path, init);
      expect(response.status, path).toBe(401);
      expect(await response.json()).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
    }
  });

  it('a large body is read for a caller whose key stands in the address', async () => {
    const body = JSON.stringify({ contents: [{ parts: [{ text: 'x'.repeat(LIMIT) }] }] });
    const response = await gateway.fetch(`${GEMINI}?key=dg-test-paused`, {
      method: 'POST',
      key: null,
      headers: JSON_TYPE,
      body,
    });
    expect(await response.json()).toMatchObject({ error: { code: 403, details: [{ reason: 'key_paused' }] } });
  });
});

describe.each(READABLE)('GET %s', (path) => {
  it.each(Object.entries(WRONG_KEYS))('401 for %s', async (_what, headers) => {
    await expectError(await gateway.fetch(path, { key: null, headers }), 'invalid_api_key');
  });
});

describe('a known caller', () => {
  it.each(['authorization', 'x-api-key'])('is known by %s in either protocol', async (header) => {
    const headers = { ...JSON_TYPE, [header]: header === 'authorization' ? 'Bearer dg-test-main' : 'dg-test-main' };
    for (const path of ['/api/v1/chat/completions', '/api/v1/messages']) {
      const body = JSON.stringify({ model: 'mock/chat', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] });
      const response = await gateway.fetch(path, { method: 'POST', key: null, headers, body });
      expect(response.status).toBe(200);
      await response.text();
    }
  });

  it('writes the scheme in any case', async () => {
    const response = await gateway.fetch('/api/v1/key', { headers: { authorization: 'bearer dg-test-main' } });
    expect(response.status).toBe(200);
  });
});

describe('failed authentications', () => {
  it('are limited per address, and valid keys at that address are not affected', async () => {
    const from = (address: string, key: string) =>
      gateway.fetch('/api/v1/key', { key, headers: { 'x-forwarded-for': address } });
    let last = await from('203.0.113.9', 'dg-wrong');
    expect(last.headers.get('x-ratelimit-limit-requests')).toBe(String(FAILURES));
    expect(last.headers.get('x-ratelimit-remaining-requests')).toBe(String(FAILURES - 1));
    for (let i = 1; i < FAILURES; i++) {
      last = await from('203.0.113.9', 'dg-wrong');
      expect(last.status).toBe(401);
    }
    await expectError(await from('203.0.113.9', 'dg-wrong'), 'rate_limited');
    expect((await from('203.0.113.9', 'dg-test-main')).status).toBe(200);
    await expectError(await from('203.0.113.10', 'dg-wrong'), 'invalid_api_key');
  });
});

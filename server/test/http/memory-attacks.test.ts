/** Callers who make the server hold far more than they send. Everything is taken from one budget, which tells what it held. */
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answer, createGate, type Gate, json } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

const MIB = 1024 * 1024;
const BUDGET = 24 * MIB;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({
    config: {
      settings: { max_bodies_total_bytes: BUDGET },
      accounts: [
        { id: 'acme', balance: 10_000_000, keys: [{ id: 'main', key: 'dg-test-main' }] },
        { id: 'other', balance: 10_000_000, keys: [{ id: 'other', key: 'dg-test-other' }] },
        { id: 'poor', balance: 0, keys: [{ id: 'poor', key: 'dg-test-poor' }] },
      ],
    },
  });
}, 120_000);
afterAll(() => gateway?.stop());
afterEach(async () => {
  gateway.vendor.reset();
  // Whatever was taken is given back, however the requests ended.
  await eventually(async () => expect(await held()).toBe(0));
});

async function metric(name: string, kind?: string): Promise<number> {
  const response = await gateway.admin('GET', '/metrics');
  const label = kind === undefined ? '' : `{kind="${kind}"}`;
  const line = (await response.text()).split('\n').find((one) => one.startsWith(`${name}${label} `));
  return Number(line?.split(' ').at(-1));
}

/** Without the small bodies of whoever asks meanwhile. */
async function held(): Promise<number> {
  const kinds = ['bodies', 'media', 'stored', 'documents'];
  const values = await Promise.all(kinds.map((kind) => metric('dargah_memory_held_bytes', kind)));
  return values.reduce((sum, value) => sum + value, 0);
}

const post = (path: string, body: object | string, init: { key?: string; headers?: Record<string, string> } = {}) =>
  gateway.fetch(path, {
    method: 'POST',
    key: init.key ?? 'dg-test-main',
    headers: { 'content-type': 'application/json', ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Answers stay at the gate, so that whoever was let in holds what it took. */
function holdAnswers(): Gate {
  const gate = createGate();
  gateway.vendor.always(async (wire) => {
    await gate.pass();
    return answer('done')(wire);
  });
  return gate;
}

async function smallChat(): Promise<number> {
  const response = await gateway.chat(
    { model: 'sandbox/hello', messages: [{ role: 'user', content: 'hi' }] },
    { key: 'dg-test-other' },
  );
  await response.text();
  return response.status;
}

async function expectWithinBudget(responses: readonly Response[]): Promise<void> {
  for (const response of responses) {
    expect([200, 503]).toContain(response.status);
    if (response.status === 503) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await response.json()).toMatchObject({ error: { code: 'overloaded' } });
    } else await response.text();
  }
  expect(await metric('dargah_memory_peak_bytes')).toBeLessThanOrEqual(BUDGET);
}

describe('stored answers', () => {
  const ask = (body: object, key?: string) =>
    post('/api/v1/responses', { model: 'mock/responses', ...body }, key === undefined ? {} : { key });

  /** Each answer holds an item of the given id. */
  async function storeAnswers(count: number, bytes: number, chained: boolean, itemId?: string): Promise<string> {
    let last: string | undefined;
    for (let at = 0; at < count; at++) {
      gateway.vendor.next(answer('kept'));
      const item = { type: 'message', role: 'user', content: 'x'.repeat(bytes), ...(itemId && { id: itemId }) };
      const previous = chained && last !== undefined ? { previous_response_id: last } : {};
      const response = await ask({ input: [item], ...previous });
      expect(response.status).toBe(200);
      last = ((await response.json()) as { id: string }).id;
    }
    return last ?? '';
  }

  it('in a chain of ten are not loaded by 30 requests of 70 bytes at once', async () => {
    const last = await storeAnswers(10, 30_000, true);
    const gate = holdAnswers();
    const asking = Array.from({ length: 30 }, () => ask({ previous_response_id: last, input: 'hi' }));
    await gate.reached;
    await eventually(async () => expect(await metric('dargah_memory_waiting')).toBeGreaterThan(0));
    // One of them is 10 × 30,000 bytes × 6; all of them would be 54 MB.
    expect(await metric('dargah_memory_held_bytes', 'stored')).toBeGreaterThan(1_800_000);
    expect(await metric('dargah_memory_held_bytes', 'stored')).toBeLessThanOrEqual(BUDGET);
    expect(await smallChat()).toBe(200);
    gate.open();
    const responses = await Promise.all(asking);
    expect(responses.some(({ status }) => status === 200)).toBe(true);
    await expectWithinBudget(responses);
  });

  it('are taken from the budget too where reading them is free', async () => {
    const last = await storeAnswers(3, 30_000, true);
    const before = await metric('dargah_memory_peak_bytes');
    const response = await gateway.fetch(`/api/v1/responses/${last}/input_items?limit=10`);
    expect(((await response.json()) as { data: object[] }).data).toHaveLength(5);
    expect(await metric('dargah_memory_peak_bytes')).toBeGreaterThanOrEqual(before);
  });

  it('that hold the same item 40 times are not all loaded for a reference to it', async () => {
    await storeAnswers(40, 30_000, false, 'msg_shared');
    const gate = holdAnswers();
    const reference = { input: [{ type: 'item_reference', id: 'msg_shared' }], store: false };
    const asking = Array.from({ length: 3 }, () => ask(reference));
    await gate.reached;
    await eventually(async () => expect(gateway.vendor.requests.length).toBeGreaterThanOrEqual(43));
    // One answer each, and not forty.
    expect(await metric('dargah_memory_held_bytes', 'stored')).toBeLessThan(3 * 2 * 30_000 * 6);
    gate.open();
    const responses = await Promise.all(asking);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    await expectWithinBudget(responses);
  });
});

describe('count_tokens', () => {
  const messages = [{ role: 'user', content: 'x'.repeat(300_000) }];

  it('of an empty wallet is refused before it is parsed, ten at once', async () => {
    const broken = JSON.stringify({ model: 'mock/claude', messages }).slice(0, -1);
    const asking = Array.from({ length: 10 }, () =>
      post('/api/v1/messages/count_tokens', broken, { key: 'dg-test-poor' }),
    );
    for (const response of await Promise.all(asking)) expect(response.status).toBe(402);
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('of an empty wallet is counted here when it is small, and not by the operator’s account', async () => {
    const small = { model: 'mock/claude', messages: [{ role: 'user', content: 'hello' }] };
    const response = await post('/api/v1/messages/count_tokens', small, { key: 'dg-test-poor' });
    expect(response.status).toBe(200);
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('passes the betas and fields that a chat would pass, and no others', async () => {
    gateway.vendor.next(json(200, { input_tokens: 7 }));
    const body = { model: 'mock/claude', messages: [{ role: 'user', content: 'hello' }], inference_geo: 'us' };
    const headers = { 'anthropic-beta': 'context-1m-2025-08-07,token-counting-2024-11-01' };
    const response = await post('/api/v1/messages/count_tokens', body, { headers });
    expect(await response.json()).toEqual({ input_tokens: 7 });
    const asked = await gateway.vendor.received(0);
    expect(asked.headers['anthropic-beta']).toBe('token-counting-2024-11-01');
    expect(asked.body).not.toHaveProperty('inference_geo');
  });
});

/** Sends a head and a piece of its body, and gives what is answered although the body never comes. */
function answerToHead(path: string, headers: string[], body = ''): Promise<string> {
  const { port } = new URL(gateway.origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    socket.write(`${[`POST ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n${body}`);
  });
}

describe('large bodies of strangers', () => {
  const large = ['Content-Type: application/json', `Content-Length: ${32 * MIB}`];

  it('with a wrong operator token are refused by their head, 30 at once', async () => {
    const wrong = [...large, 'Authorization: Bearer dg-op-wrong'];
    const asking = Array.from({ length: 30 }, () => answerToHead('/api/admin/accounts', wrong, '{"na'));
    for (const text of await Promise.all(asking)) expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(await metric('dargah_memory_held_bytes', 'bodies')).toBe(0);
  });

  it.each([
    ['to an address of the operator that is not there', '/api/admin/nothing', 401],
    ['to the console', '/api/console/keys', 401],
    ['to sign in', '/api/console/sign-in/codes', 413],
    ['to an address that is not there', '/nothing', 404],
    ['to a page', '/pay/sandbox/return', 413],
  ])('%s are not read', async (_what, path, status) => {
    expect(await answerToHead(path, large, '{"na')).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('of unknown length end where small ones end', async () => {
    const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const piece = `${(70_000).toString(16)}\r\n${'x'.repeat(70_000)}\r\n`;
    expect(await answerToHead('/pay/sandbox/return', chunked, piece)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('that call themselves a form are counted where no form is taken', async () => {
    const form = ['Content-Type: multipart/form-data; boundary=x', `Content-Length: ${20 * MIB}`];
    const text = await answerToHead('/api/v1/chat/completions', [...form, 'Authorization: Bearer dg-test-main']);
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
  });
});

describe('large bodies of known callers', () => {
  it('of the operator are read once the token was', async () => {
    const body = { name: 'x'.repeat(100_000) };
    const response = await gateway.admin('POST', '/api/admin/accounts', body);
    expect(response.status).toBe(400);
  });

  it('of unknown length are paid for in steps', async () => {
    const { port } = new URL(gateway.origin);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request(
        {
          port,
          path: '/api/v1/chat/completions',
          method: 'POST',
          headers: { authorization: 'Bearer dg-test-main', 'content-type': 'application/json' },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      outgoing.on('error', reject);
      outgoing.write('{"model":"mock/chat","messages":[{"role":"user","content":"');
      outgoing.write('x'.repeat(200_000));
      outgoing.end('"}]}');
    });
    expect(status).toBe(200);
  });

  it('stay counted when the client leaves and its answer is still made', async () => {
    const gate = holdAnswers();
    const leaving = new AbortController();
    const body = { model: 'mock/chat', messages: [{ role: 'user', content: 'x'.repeat(200_000) }] };
    const asking = gateway.chat(body, { signal: leaving.signal });
    await gate.reached;
    leaving.abort();
    await expect(asking).rejects.toThrow();
    await eventually(async () => expect(await metric('dargah_requests_running')).toBe(1));
    expect(await metric('dargah_memory_held_bytes', 'bodies')).toBeGreaterThan(1_200_000);
    gate.open();
  });
});

describe('an answer in the background', () => {
  it('holds its body until it is made, and gives it back then', async () => {
    const gate = holdAnswers();
    const response = await post('/api/v1/responses', { model: 'mock/responses', input: 'hi', background: true });
    expect(response.status).toBe(200);
    await response.text();
    await gate.reached;
    expect(await metric('dargah_memory_held_bytes', 'bodies')).toBeGreaterThan(0);
    gate.open();
  });
});

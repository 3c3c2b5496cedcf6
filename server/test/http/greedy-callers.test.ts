/** One caller who wants more than its share must not stop the others. */
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryAdmission } from '../../src/admission/index.ts';
import { GatewayError } from '../../src/core/errors.ts';
import { tooMuchJson } from '../../src/core/json-size.ts';
import { RefusalCounts, recordRefusal } from '../../src/gateway/index.ts';
import { limitConnections } from '../../src/http/connection-limit.ts';
import { answer } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

const MAX_REFUSALS = 30;
const MIB = 1024 * 1024;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    config: {
      settings: {
        refusals_per_minute: MAX_REFUSALS,
        max_bodies_total_bytes: 16 * MIB,
        max_event_loop_lag_ms: 600_000,
      },
      accounts: [
        { id: 'rich', balance: 1_000_000, keys: [{ id: 'rich', key: 'dg-test-main' }] },
        { id: 'poor', balance: 0, keys: [{ id: 'poor', key: 'dg-test-poor' }] },
        {
          id: 'capped',
          balance: 1_000,
          keys: [{ id: 'capped', key: 'dg-test-capped', rules: { caps: { daily: 0 } } }],
        },
        {
          id: 'narrow',
          balance: 0,
          keys: [{ id: 'narrow', key: 'dg-test-narrow', rules: { models: ['mock/chat'] } }],
        },
        { id: 'busy', balance: 1_000, keys: [{ id: 'busy', key: 'dg-test-busy', rules: { rpm: 1 } }] },
        { id: 'looping', balance: 1_000, keys: [{ id: 'looping', key: 'dg-test-looping' }] },
      ],
    },
  });
}, 120_000);
afterAll(() => gateway?.stop());

/** Sends the head and a piece of the body, and gives what is answered before the body was sent. */
function answerToHead(headers: string[], body = ''): Promise<string> {
  const { port } = new URL(gateway.origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    const head = ['POST /api/v1/chat/completions HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}

const bodyOf = (text: string): object => ({ model: 'mock/chat', messages: [{ role: 'user', content: text }] });

describe('a large body', () => {
  it('of a wrong key is refused by its head, unread', async () => {
    const wrong = ['Authorization: Bearer dg-wrong-wrong', `Content-Length: ${32 * MIB}`];
    expect(await answerToHead(wrong, '{"mod')).toMatch(/^HTTP\/1\.1 401 /);
    const chunked = ['Authorization: Bearer dg-wrong-wrong', 'Transfer-Encoding: chunked'];
    expect(await answerToHead(chunked, '5\r\n{"mod\r\n')).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('that does not fit beside the others is told to come later', async () => {
    const known = ['Authorization: Bearer dg-test-main', `Content-Length: ${3 * MIB}`];
    expect(await answerToHead(known)).toMatch(/^HTTP\/1\.1 503 /);
  });

  it('is answered like any other', async () => {
    gateway.vendor.next(answer('read'));
    const response = await gateway.chat(bodyOf('x'.repeat(200_000)));
    expect(`${response.status} ${await response.text()}`).toMatch(/^200 .*read/);
  });

  it('of an empty wallet or a full minute is not parsed', async () => {
    const broken = `{"messages": "${'x'.repeat(100_000)}`;
    const ask = (key: string) =>
      gateway.fetch('/api/v1/chat/completions', {
        method: 'POST',
        key,
        headers: { 'content-type': 'application/json' },
        body: broken,
      });
    expect((await ask('dg-test-poor')).status).toBe(402);
    gateway.vendor.next(answer('the one of this minute'));
    await (await gateway.chat(bodyOf('hi'), { key: 'dg-test-busy' })).text();
    expect((await ask('dg-test-busy')).status).toBe(429);
    expect((await ask('dg-test-main')).status).toBe(400);
  });

  it('of a full cap is told which cap it is and when it ends', async () => {
    const response = await gateway.chat(bodyOf('x'.repeat(100_000)), { key: 'dg-test-capped' });
    expect(response.status).toBe(402);
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ code: 'spend_cap_reached', cap: 'key.daily', cap_toman: '0' });
    expect(error['resets_at']).toEqual(expect.any(String));
  });

  it('to a free model is answered without money, as a small one is', async () => {
    // Long, and few tokens: the model's context is small.
    const messages = [{ role: 'user', content: ' '.repeat(100_000) }];
    const ask = (key: string, body: string) =>
      gateway.fetch('/api/v1/chat/completions', {
        method: 'POST',
        key,
        headers: { 'content-type': 'application/json' },
        body,
      });
    const body = JSON.stringify({ model: 'sandbox/hello', messages });
    expect((await ask('dg-test-poor', body)).status).toBe(200);
    expect((await ask('dg-test-poor', body.replace('sandbox/hello', 'sandbox\\/hello'))).status).toBe(200);
    // Where the key may not use the free model, the wallet is what refuses.
    expect((await ask('dg-test-narrow', body)).status).toBe(402);
  });

  it('with too many fields is refused before it is parsed', async () => {
    const fields = Array.from({ length: 120_000 }, (_, at) => `"k${at}":1`).join(',');
    const response = await gateway.fetch('/api/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"model":"mock/chat","messages":[{"role":"user","content":"hi"}],"more":{${fields}}}`,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } });
  });
});

describe('the size of JSON', () => {
  const sizeOf = (text: string) => tooMuchJson(Buffer.from(text), 64);

  it('counts what stands outside of strings', () => {
    const text = JSON.stringify({ a: `${'{:,['.repeat(200_000)}\\"`, b: ['"', '\\'] });
    expect(sizeOf(text)).toBeUndefined();
    expect(sizeOf(`{${'"a":1,'.repeat(100_001)}"z":1}`)).toBe('size');
    expect(sizeOf(`[${'1,'.repeat(2_000_001)}1]`)).toBe('size');
    expect(sizeOf('['.repeat(65))).toBe('depth');
    expect(sizeOf(`${'[]'.repeat(100)}"unterminated`)).toBeUndefined();
  });
});

describe('refused requests', () => {
  it('count in a minute of their own, and write few rows', async () => {
    const statuses: number[] = [];
    for (let at = 0; at < MAX_REFUSALS + 5; at++) {
      const response = await gateway.chat({ ...bodyOf('hi'), model: 'mock/none' }, { key: 'dg-test-looping' });
      statuses.push(response.status);
      await response.text();
    }
    expect(statuses.filter((status) => status === 404)).toHaveLength(MAX_REFUSALS);
    expect(statuses.at(-1)).toBe(429);
    // Others are not affected.
    expect((await gateway.fetch('/api/v1/models')).status).toBe(200);
  });

  it('of replicas that share their windows count together', async () => {
    const clock = { now: () => 0, monotonicMs: () => 0 };
    const admission = createMemoryAdmission({ clock, loadPosted: async () => new Map() });
    const replica = () => {
      const refusals = new RefusalCounts(10, clock);
      const journal = { depth: () => 0, close: async () => undefined };
      return { refusals, admission, clock, journal, metrics: { refused: () => undefined } };
    };
    const [one, two] = [replica(), replica()];
    const key = { id: 'k', account: { id: 'acme' } };
    const refuse = (gw: ReturnType<typeof replica>, detail = {}) => {
      const call = { id: 'req_1', endpoint: 'responses', startedMs: 0, receivedAt: 0, metadata: { key, warnings: [] } };
      recordRefusal(call as never, new GatewayError('rate_limited', { detail }), gw as never);
    };
    for (let at = 0; at < 6; at++) refuse(one);
    for (let at = 0; at < 4; at++) refuse(two);
    await setImmediate();
    expect([one.refusals.waitOf('k'), two.refusals.waitOf('k')]).toEqual([undefined, undefined]);
    refuse(two, { limit: 'refusals' });
    await setImmediate();
    expect(two.refusals.waitOf('k')).toBeUndefined();
    refuse(two);
    await eventually(() => expect(two.refusals.waitOf('k')).toBe(60_000));
  });

  it('that are alike share one row beyond the first ten', () => {
    let nowMs = 0;
    const counts = new RefusalCounts(100, { now: () => nowMs, monotonicMs: () => nowMs });
    const caller = { id: 'k', account: { id: 'acme' } };
    const own = Array.from({ length: 15 }, () => counts.count(caller, '404 chat', false, () => undefined));
    expect(own.filter(Boolean)).toHaveLength(10);
    expect(counts.count(caller, '402 chat', false, () => undefined)).toBe(true);
    for (let at = 0; at < 100; at++) counts.count(caller, '404 chat', false, () => undefined);
    expect(counts.waitOf('k')).toBe(60_000);
    expect(counts.waitOf('other')).toBeUndefined();
    nowMs = 60_001;
    expect(counts.waitOf('k')).toBeUndefined();
  });
});

describe('bounds', () => {
  it('an address holds so many connections and no more, unless it speaks for many', async () => {
    const { createServer } = await import('node:http');
    for (const [speaksForMany, expected] of [
      [false, 2],
      [true, 4],
    ] as const) {
      const server = createServer((_request, response) => response.end());
      limitConnections(server, { perAddress: 2, speaksForMany: () => speaksForMany });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const sockets = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const socket = connect(port, '127.0.0.1');
          const answered = new Promise<boolean>((resolve) => {
            socket.once('data', () => resolve(true));
            socket.once('close', () => resolve(false));
            socket.once('error', () => resolve(false));
          });
          socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
          return { socket, answered: await answered };
        }),
      );
      expect(sockets.filter(({ answered }) => answered)).toHaveLength(expected);
      for (const { socket } of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

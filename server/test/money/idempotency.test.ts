/** `Idempotency-Key`: one charge however often a customer asks, whole and streamed, joined and replayed. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { ask, keyView } from './fixed-price.ts';
import { receiptOf } from './receipts.ts';

const BOUNDS = { idempotency_max_entries: 3, idempotency_max_answer_bytes: 4_096, idempotency_max_total_bytes: 8_192 };
const STREAM = { stream: true, stream_options: { include_usage: true } };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ config: { settings: { discovery: false, ...BOUNDS } } });
});
afterAll(() => gateway?.stop());
beforeEach(() => gateway.vendor.reset());

let serial = 0;
const newKey = () => `key-${++serial}`;
const send = (key: string, more: object = {}) => ask(gateway.origin, gateway.key, more, { 'idempotency-key': key });
const leave = (key: string, more: object, signal: AbortSignal) =>
  gateway.chat(
    { model: 'mock/chat', messages: [{ role: 'user', content: 'hello' }], max_tokens: 16, ...more },
    {
      signal,
      headers: { 'idempotency-key': key, 'accept-language': 'en' },
    },
  );

/** What the wallet lost while `work` ran, in toman. */
async function spentBy(work: () => Promise<void>): Promise<number> {
  const available = async () => Number((await keyView(gateway.origin, gateway.key)).wallet.available);
  const before = await available();
  await work();
  return Number((before - (await available())).toFixed(6));
}

describe.each([
  ['whole', {}],
  ['streamed', STREAM],
])('the same key and body, %s', (_name, more) => {
  it('gets the first answer again and is charged once', async () => {
    const key = newKey();
    let cost = Number.NaN;
    const spent = await spentBy(async () => {
      const first = await send(key, more);
      const text = await first.text();
      cost = Number(/"cost":([\d.]+)/.exec(text)?.[1]);
      const again = await send(key, more);
      expect(await again.text()).toBe(text);
      expect(again.headers.get('x-svc-idempotent-replay')).toBe('true');
      expect(again.headers.get('x-svc-original-request-id')).toBe(first.headers.get('x-svc-request-id'));
      expect(first.headers.get('x-svc-idempotent-replay')).toBeNull();
    });
    expect(gateway.vendor.requests).toHaveLength(1);
    expect(spent).toBe(cost);
  });

  it('joins the answer while it runs', async () => {
    const gate = createGate();
    gateway.vendor.always(faults.stallAfter(2, gate, { text: 'one two three' }));
    const key = newKey();
    const spent = await spentBy(async () => {
      const all = Array.from({ length: 5 }, async () => (await send(key, more)).text());
      await gateway.vendor.received(0);
      gate.open();
      const texts = new Set(await Promise.all(all));
      expect(texts.size).toBe(1);
    });
    expect(gateway.vendor.requests).toHaveLength(1);
    expect(spent).toBeLessThan(1);
  });

  it('gets the answer whose first reader has left', async () => {
    const gate = createGate();
    gateway.vendor.always(faults.stallAfter(2, gate, { text: 'one two three' }));
    const key = newKey();
    const body = { ...more };
    const leaving = new AbortController();
    const first = leave(key, body, leaving.signal);
    await gateway.vendor.received(0);
    leaving.abort();
    await first.then((response) => response.text()).catch(() => undefined);
    const back = send(key, body);
    gate.open();
    const response = await back;
    expect(response.status).toBe(200);
    expect((await response.text()).replace(/[^a-z]/g, '')).toContain('one');
    expect(gateway.vendor.requests).toHaveLength(1);
    expect(gateway.vendor.requests[0]?.ending).not.toBe('aborted');
  });

  it('may be tried again when the first attempt failed', async () => {
    gateway.vendor.next(faults.failWith(500));
    const key = newKey();
    expect((await send(key, more)).status).toBe(502);
    const second = await send(key, more);
    expect(second.status).toBe(200);
    await second.text();
    expect(second.headers.get('x-svc-idempotent-replay')).toBeNull();
  });
});

it('a different body under the same key is refused and free', async () => {
  const key = newKey();
  await (await send(key)).text();
  const other = await send(key, { temperature: 0.5 });
  expect(other.status).toBe(400);
  expect(((await other.json()) as { error: object }).error).toMatchObject({
    code: 'invalid_request',
    param: 'Idempotency-Key',
  });
  expect(gateway.vendor.requests).toHaveLength(1);
});

it('a stream that was cut is not kept: the retry gets a whole one', async () => {
  gateway.vendor.next(faults.cutAfter(3));
  const key = newKey();
  const cut = await send(key, STREAM);
  expect(await cut.text()).not.toContain('[DONE]');
  expect((await receiptOf(gateway, cut)).state).toBe('interrupted');
  expect(await (await send(key, STREAM)).text()).toContain('[DONE]');
});

it('an answer longer than the bound is not kept, and its key neither joins it nor runs again', async () => {
  const gate = createGate();
  const text = 'long '.repeat(2_000);
  gateway.vendor.always(faults.stallAfter(3, gate, { text }));
  const key = newKey();
  const first = await send(key, STREAM);
  const reader = first.body?.getReader();
  for (let bytes = 0; bytes <= BOUNDS.idempotency_max_answer_bytes; )
    bytes += (await reader?.read())?.value?.length ?? 0;
  // Joining it is not possible any more; a second charge is not possible either.
  expect((await send(key, STREAM)).status).toBe(409);
  expect(gateway.vendor.requests).toHaveLength(1);
  gate.open();
  while (!(await reader?.read())?.done);
  await eventually(async () => expect((await keyView(gateway.origin, gateway.key)).wallet.held).toBe('0'));
  const late = await send(key, STREAM);
  expect(late.status).toBe(409);
  expect(late.headers.get('x-should-retry')).toBe('false');
  expect(((await late.json()) as { error: object }).error).toMatchObject({
    code: 'conflict',
    original_request_id: first.headers.get('x-svc-request-id'),
  });
  expect(gateway.vendor.requests).toHaveLength(1);
});

it('a whole answer longer than the bound is given once, and its key does not run again', async () => {
  gateway.vendor.always(answer({ text: 'long '.repeat(2_000) }));
  const key = newKey();
  expect((await (await send(key)).text()).length).toBeGreaterThan(BOUNDS.idempotency_max_answer_bytes);
  expect((await send(key)).status).toBe(409);
  expect(gateway.vendor.requests).toHaveLength(1);
});

it('the oldest answers make room in memory and come from the database, running ones never do', async () => {
  const gate = createGate();
  gateway.vendor.next(faults.stallBeforeHeaders(gate));
  const running = newKey();
  const first = send(running);
  await gateway.vendor.received(0);
  const keys = Array.from({ length: 5 }, newKey);
  for (const key of keys) await (await send(key)).text();
  const joined = send(running);
  const replays = [];
  for (const key of keys) {
    const response = await send(key);
    await response.text();
    replays.push(response.headers.get('x-svc-idempotent-replay') === 'true');
  }
  gate.open();
  expect(replays).toEqual(keys.map(() => true));
  expect((await joined).headers.get('x-svc-original-request-id')).toBe((await first).headers.get('x-svc-request-id'));
});

it('a key of another account is another key', async () => {
  const key = newKey();
  await (await send(key)).text();
  expect((await ask(gateway.origin, 'dg-nobody', {}, { 'idempotency-key': key })).status).toBe(401);
});

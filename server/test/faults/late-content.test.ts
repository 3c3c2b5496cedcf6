/** A provider that is silent for long: the client's line is kept alive and the next route answers inside the same stream. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { answer, createGate, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { receiptOf, walletOf } from './receipts.ts';

let gateway: TestGateway;
/** Moves all deadlines at once; the rest of the gateway lives in real time. */
let aheadMs = 0;
const clock: Clock = { now: () => systemClock.now(), monotonicMs: () => systemClock.monotonicMs() + aheadMs };

beforeAll(async () => {
  const vendor = await startFakeVendor();
  gateway = await startGateway({
    vendor,
    clock,
    config: { settings: { keepalive_ms: 1_000, max_event_loop_lag_ms: 600_000 } },
  });
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await gateway?.vendor.close();
});
beforeEach(() => gateway.vendor.reset());

const STREAM = { model: 'mock/two', stream: true, messages: [{ role: 'user', content: 'hello' }] };

/** The text of the first bytes, and of all that follows. */
async function openedWith(response: Response): Promise<{ first: string; rest: () => Promise<string> }> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const first = decoder.decode((await reader.read()).value, { stream: true });
  return {
    first,
    rest: async () => {
      let text = '';
      for (let next = await reader.read(); !next.done; next = await reader.read()) text += decoder.decode(next.value);
      return text;
    },
  };
}

describe('silence before the first content', () => {
  it('the 200 goes out with a keep-alive, and a route that then fails is replaced unseen', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallThenFail(gate, 503), answer('From the second route.'));
    const response = await gateway.chat(STREAM);
    expect(response.status).toBe(200);
    const { first, rest } = await openedWith(response);
    expect(first).toMatch(/^:/);
    gate.open();
    const text = await rest();
    expect(text).toContain('"role":"assistant"');
    expect(text).toContain('From');
    expect(text).toContain('[DONE]');
    expect(text).not.toContain('"error"');
  });

  it('when all routes have failed an error event ends it, and nothing is charged', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallThenFail(gate, 503), faults.failWith(500));
    const response = await gateway.chat(STREAM);
    expect(response.status).toBe(200);
    const { rest } = await openedWith(response);
    gate.open();
    const text = await rest();
    expect(text).toContain('"code":"upstream_error"');
    expect(text).not.toContain('[DONE]');
    const receipt = await receiptOf(gateway, response.headers.get('x-svc-request-id') ?? '');
    expect(receipt).toMatchObject({ state: 'failed', cost: '0', attempts: [{ status: 503 }, { status: 500 }] });
  });

  it.each([
    ['/api/v1/messages', /^event: ping/, 'event: error'],
    ['/api/v1/responses', /^:/, 'response.failed'],
  ])('in the form of %s', async (path, opening, ending) => {
    const gate = createGate();
    gateway.vendor.next(faults.stallThenFail(gate, 503), faults.failWith(500));
    const body = { ...STREAM, max_tokens: 10, input: 'hello' };
    const headers = { 'content-type': 'application/json' };
    const response = await gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const { first, rest } = await openedWith(response);
    expect(first).toMatch(opening);
    gate.open();
    expect(await rest()).toContain(ending);
  });

  it('a client that leaves while it waits stops the provider and holds nothing', async () => {
    const gate = createGate();
    gateway.vendor.always(faults.stallBeforeHeaders(gate));
    const leaving = new AbortController();
    const response = await gateway.chat(STREAM, { signal: leaving.signal });
    await openedWith(response);
    leaving.abort();
    const request = await gateway.vendor.received(0);
    expect(await request.ended).toBe('aborted');
    await eventually(async () => expect((await walletOf(gateway)).held).toBe('0'));
    gate.open();
  });
});

describe('what a failed request is told', () => {
  it('an answer that broke off does not claim that alternatives were tried', async () => {
    gateway.vendor.next(faults.cutAfter(4, 'reset', { text: 'A long answer that is never finished.', pieces: 7 }));
    const response = await gateway.chat(STREAM, { headers: { 'accept-language': 'en' } });
    const text = await response.text();
    expect(text).toContain('broke off');
    expect(text).not.toContain('alternatives');
  });

  it('when every route is out of its allowance, the wait is the soonest of theirs', async () => {
    gateway.vendor.next(faults.rateLimited('40'), faults.rateLimited('7'));
    const response = await gateway.chat({ ...STREAM, stream: false });
    expect(response.status).toBe(502);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_error' } });
  });
});

describe('a whole answer', () => {
  it('may take longer than the first event of a stream', async () => {
    const whole = createGate();
    const streamed = createGate();
    gateway.vendor.next(faults.stallBeforeHeaders(whole, { text: 'At last.' }));
    const asked = gateway.chat({ ...STREAM, model: 'mock/chat', stream: false });
    await whole.reached;
    gateway.vendor.next(faults.stallBeforeHeaders(streamed));
    const stream = gateway.chat({ ...STREAM, model: 'mock/chat' });
    await streamed.reached;
    // Past the 20 s in which a stream must begin. That the stream is given up tells that deadlines were looked at.
    aheadMs += 25_000;
    expect((await stream).status === 504 || (await (await stream).text()).includes('upstream_timeout')).toBe(true);
    whole.open();
    const response = await asked;
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('At last.');
    streamed.open();
  });
});

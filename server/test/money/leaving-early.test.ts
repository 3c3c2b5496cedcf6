/** Whoever hangs up at the right moment must not get for nothing what the provider has already done. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGate, faults, type Gate, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { keyView } from './fixed-price.ts';
import { receiptOf } from './receipts.ts';

const PROMPT = 'the '.repeat(4_000);
const THOUGHT = 5_000;
const USAGE = { input: 4_000, output: THOUGHT + 3, reasoning: THOUGHT };

describe('a client that leaves early', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const vendor = await startFakeVendor();
    gateway = await startGateway({ vendor });
  });
  afterAll(async () => {
    await gateway?.stop();
    await gateway?.vendor.close();
  });
  beforeEach(() => gateway.vendor.reset());

  const ask = (signal: AbortSignal) =>
    gateway.chat({ model: 'mock/chat', messages: [{ role: 'user', content: PROMPT }], stream: true }, { signal });

  /** Everything but what comes after the visible text, which waits behind the gate. */
  const thinkingAnswer = (gate: Gate) => faults.stallAfter(2, gate, { text: 'one two three', usage: USAGE, pieces: 1 });

  it('before the first event pays for the prompt', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallBeforeHeaders(gate));
    const leaving = new AbortController();
    const spent = spending();
    const response = ask(leaving.signal);
    await gate.reached;
    leaving.abort();
    await expect(response).rejects.toThrow();
    gate.open();
    // 15,000 toman per million tokens.
    expect(await spent()).toBeGreaterThan(0.9 * 4_000 * 0.015);
  });

  it('pays nothing when it left because the provider was already lost', async () => {
    gateway.vendor.next(faults.cutAfter(0, 'reset'));
    const spent = spending();
    const response = await ask(new AbortController().signal);
    expect(response.status).toBe(502);
    await response.arrayBuffer();
    expect(await spent()).toBe(0);
  });

  it('at the end of the visible text pays for what was thought unseen, as the provider reports it', async () => {
    const gate = createGate();
    gateway.vendor.next(thinkingAnswer(gate));
    const leaving = new AbortController();
    const response = await ask(leaving.signal);
    await response.body?.getReader().read();
    leaving.abort();
    gate.open();
    const receipt = await receiptOf(gateway, response);
    // Whether its leaving was noticed before the end came or not.
    expect(['client_closed', 'completed']).toContain(receipt.state);
    expect(receipt.usage_source).toBe('upstream');
    expect(Number(receipt.cost)).toBeCloseTo(4_000 * 0.015 + USAGE.output * 0.06);
  });

  /** What has left the wallet once nothing is held any more. */
  function spending(): () => Promise<number> {
    const wallet = async () => (await keyView(gateway.origin, gateway.key)).wallet;
    const before = wallet();
    return async () =>
      eventually(async () => {
        for (const request of gateway.vendor.requests) await request.ended;
        const now = await wallet();
        expect(now.held).toBe('0');
        return Number((await before).balance) - Number(now.balance);
      });
  }
});

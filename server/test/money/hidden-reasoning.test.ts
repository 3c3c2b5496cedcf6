/**
 * A model thinks for twenty seconds and says a word, and the client leaves with it. What was thought by then is paid for: by the
 * provider's report where it comes in time, else by its time. On a process that has learned nothing, after a restart, and after
 * an attempt to teach the rate down; in each protocol of clients.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completeAnswer } from '../fake-vendor/answer.ts';
import { framesOf, openEventStream, writeFrames } from '../fake-vendor/behaviours.ts';
import { type Behaviour, createGate, type FakeVendor, type Gate, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { SteppedClock } from '../harness/stepped-clock.ts';
import { preparedDataDirectory } from '../services/embedded-database.ts';
import { eventually } from '../services/eventually.ts';
import { type Receipt, receiptOf } from './receipts.ts';

const INPUT = 20;
const SPOKEN = 3;
const TEXT = 'zebra two three';
/** Of the gateway as it is shipped. */
const SHIPPED_RATE = 60;
const REPORT_WAIT_MS = 3_000;
const OUTPUT_TOMAN = 0.06;
const INPUT_TOMAN = 0.015;

const messages = [{ role: 'user', content: 'Think hard about this, and then tell me in three words.' }];
const thinking = { type: 'enabled', budget_tokens: 8_192 };
const PROTOCOLS = [
  ['chat completions', '/api/v1/chat/completions', { model: 'mock/chat', messages }],
  ['messages', '/api/v1/messages', { model: 'mock/claude', messages, max_tokens: 16_000, thinking }],
  ['responses', '/api/v1/responses', { model: 'mock/responses', input: messages }],
] as const;

interface Course {
  /** Thought before the first word. */
  tokens: number;
  ms: number;
  text?: string;
  /** The tokens of the text. */
  spoken?: number;
}

const billed = (thought: number, spoken = SPOKEN) => INPUT * INPUT_TOMAN + (thought + spoken) * OUTPUT_TOMAN;

function expectFair({ cost, held }: Receipt, bill: number): void {
  expect(Number(cost) / bill).toBeGreaterThanOrEqual(0.8);
  expect(Number(cost) / bill).toBeLessThanOrEqual(1.2);
  expect(Number(cost)).toBeLessThanOrEqual(Number(held));
}

async function untilHeard({ body }: Response, word: string): Promise<void> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  for (let heard = ''; !heard.includes(word); ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the answer ended without the word: ${heard}`);
    heard += Buffer.from(value).toString();
  }
}

/** The gateway and its provider, by one clock. */
class Scene {
  clock = new SteppedClock();
  gateway!: TestGateway;
  dataDir!: string;
  vendor!: FakeVendor;
  readonly #seen = new Set<string>();

  async start(settings: object = {}): Promise<void> {
    this.vendor ??= await startFakeVendor();
    this.dataDir ??= await preparedDataDirectory();
    const account = (id: string) => ({ id, name: id, balance: 100_000, keys: [{ id, key: `dg-${id}-key` }] });
    const accounts = ['reported', 'fresh', 'talker', 'pupil', 'thief', 'other'].map(account);
    const defaults = defaultConfig(this.vendor);
    const timeouts = { first_event_ms: 900_000, idle_ms: 900_000, total_ms: 900_000 };
    this.gateway = await startGateway({
      vendor: this.vendor,
      dataDir: this.dataDir,
      clock: this.clock,
      config: {
        ...defaults,
        providers: (defaults['providers'] as object[]).map((provider) => ({ ...provider, timeouts })),
        settings: { report_wait_ms: REPORT_WAIT_MS, ...settings },
        accounts,
      },
    });
  }

  async restart(): Promise<void> {
    await this.gateway.stop({ keepData: true });
    this.clock = new SteppedClock();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.gateway?.stop();
    await this.vendor?.close();
  }

  /** Thinks in silence, speaks, and ends behind a second gate. */
  #thinks({ tokens, text = TEXT, spoken: words = SPOKEN }: Course): {
    behaviour: Behaviour;
    silence: Gate;
    rest: Gate;
  } {
    const [silence, rest] = [createGate(), createGate()];
    const behaviour: Behaviour = async (wire) => {
      const usage = { input: INPUT, output: tokens + words, reasoning: tokens };
      const full = completeAnswer({ text, usage, pieces: text === TEXT ? 1 : 2 }, wire.request);
      const frames = framesOf(full, wire.request);
      const spoken = frames.findIndex((frame) => frame.includes(text.slice(0, 5))) + 1;
      openEventStream(wire);
      await silence.pass();
      await writeFrames(wire, frames.slice(0, spoken));
      await rest.pass();
      await writeFrames(wire, frames.slice(spoken));
      wire.end();
    };
    return { behaviour, silence, rest };
  }

  async #asked(path: string, body: object, key: string, course: Course, signal?: AbortSignal) {
    const { behaviour, silence, rest } = this.#thinks(course);
    this.vendor.reset();
    this.vendor.next(behaviour);
    const answering = this.gateway.fetch(path, {
      key,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, stream: true }),
      ...(signal && { signal }),
    });
    // It fails where the client leaves before its answer has begun.
    answering.catch(() => undefined);
    const refused = answering.then(({ status }) => {
      throw new Error(`answered with ${status} before its provider had`);
    });
    await Promise.race([silence.reached, refused]);
    this.clock.move(course.ms);
    return { answering, silence, rest };
  }

  /** The whole answer. */
  async stays(path: string, body: object, key: string, course: Course): Promise<Receipt> {
    const { answering, silence, rest } = await this.#asked(path, body, key, course);
    silence.open();
    rest.open();
    const response = await answering;
    await response.text();
    return receiptOf(this.gateway, response, key);
  }

  /** Leaves with the first words; the rest of the answer comes so much later, or never. */
  async leaves(path: string, body: object, key: string, course: Course, restAfterMs: number): Promise<Receipt> {
    const leaving = new AbortController();
    const { answering, silence, rest } = await this.#asked(path, body, key, course, leaving.signal);
    silence.open();
    const response = await answering;
    await untilHeard(response, (course.text ?? TEXT).slice(0, 5));
    leaving.abort();
    await this.clock.whenAwaited();
    this.clock.move(restAfterMs);
    if (restAfterMs < REPORT_WAIT_MS) rest.open();
    const receipt = await receiptOf(this.gateway, response, key);
    rest.open();
    this.clock.forget();
    return receipt;
  }

  /** Leaves while nothing has been said. */
  async leavesInSilence(path: string, body: object, key: string, course: Course): Promise<Receipt> {
    const leaving = new AbortController();
    const { silence, rest } = await this.#asked(path, body, key, course, leaving.signal);
    leaving.abort();
    // A provider whose model cannot think is stopped at once.
    await Promise.race([this.clock.whenAwaited(), this.vendor.requests[0]?.ended]);
    this.clock.move(REPORT_WAIT_MS);
    const receipt = await this.#newest(key);
    silence.open();
    rest.open();
    this.clock.forget();
    return receipt;
  }

  /** The request whose answer never began, and whose id its client never saw. */
  #newest(key: string): Promise<Receipt> {
    const account = key.slice('dg-'.length, -'-key'.length);
    return eventually(async () => {
      const answered = await this.gateway.admin('GET', `/api/admin/requests?account_id=${account}&limit=100`);
      const { data } = (await answered.json()) as { data: (Receipt & { id: string })[] };
      const unseen = data.filter(({ id, state }) => state !== 'running' && !this.#seen.has(id));
      expect(unseen).toHaveLength(1);
      for (const { id } of unseen) this.#seen.add(id);
      return unseen[0] as Receipt;
    });
  }
}

describe.each(PROTOCOLS)('hidden reasoning in %s', (_name, path, body) => {
  const scene = new Scene();
  beforeAll(() => scene.start());
  afterAll(() => scene.stop());

  /** A tenth faster than the rate that the gateway begins with. */
  const likely: Course = { tokens: 1.1 * SHIPPED_RATE * 20, ms: 20_000 };

  it('is paid for as reported when the usage comes 1.5 s after the last word, on a fresh process', async () => {
    const expensive = { tokens: 9_000, ms: 20_000 };
    const receipt = await scene.leaves(path, body, 'dg-reported-key', expensive, 1_500);
    expect(receipt).toMatchObject({ state: 'client_closed', usage_source: 'upstream' });
    expect(Number(receipt.cost)).toBeCloseTo(billed(expensive.tokens));
  });

  it('is paid for by its time when no report comes, on a fresh process', async () => {
    const receipt = await scene.leaves(path, body, 'dg-fresh-key', likely, REPORT_WAIT_MS);
    expect(receipt).toMatchObject({ state: 'client_closed', usage_source: 'estimated' });
    expectFair(receipt, billed(likely.tokens));
  });

  it('is not paid for after leaving, and neither are the words that come then', async () => {
    // Half of the words come after leaving.
    const course = { tokens: 3_000, ms: 20_000, text: `zebra ${'and then more '.repeat(400)}`, spoken: 1_202 };
    const receipt = await scene.leaves(path, body, 'dg-talker-key', course, 1_500);
    expect(receipt.state).toBe('client_closed');
    expectFair(receipt, billed(course.tokens, course.spoken / 2));
    expect(Number(receipt.cost)).toBeLessThan(0.95 * billed(course.tokens, course.spoken));
  });

  it('is never charged above what was held', async () => {
    const receipt = await scene.leaves(path, body, 'dg-fresh-key', { tokens: 0, ms: 500_000 }, REPORT_WAIT_MS);
    expect(Number(receipt.cost)).toBeLessThanOrEqual(Number(receipt.held));
  });

  it('is remembered over a restart', async () => {
    const fast = { tokens: 200 * 20, ms: 20_000 };
    await scene.stays(path, body, 'dg-pupil-key', fast);
    await scene.restart();
    expectFair(await scene.leaves(path, body, 'dg-pupil-key', fast, REPORT_WAIT_MS), billed(fast.tokens));
    // Others have learned nothing from it.
    expectFair(await scene.leaves(path, body, 'dg-other-key', likely, REPORT_WAIT_MS), billed(likely.tokens));
  });

  it('is not made cheap by teaching the rate down', async () => {
    for (let i = 0; i < 12; i++) await scene.stays(path, body, 'dg-thief-key', { tokens: 300, ms: 60_000 });
    const true60 = { tokens: SHIPPED_RATE * 20, ms: 20_000 };
    expectFair(await scene.leaves(path, body, 'dg-thief-key', true60, REPORT_WAIT_MS), billed(true60.tokens));
    const others = await scene.leaves(path, body, 'dg-other-key', true60, REPORT_WAIT_MS);
    expect(Number(others.cost)).toBeCloseTo(billed(true60.tokens), 0);
    const reported = { tokens: 9_000, ms: 20_000 };
    const receipt = await scene.leaves(path, body, 'dg-thief-key', reported, 1_500);
    expect(Number(receipt.cost)).toBeCloseTo(billed(reported.tokens));
  });
});

describe('the rate of hidden reasoning', () => {
  const scene = new Scene();
  beforeAll(() => scene.start());
  afterAll(() => scene.stop());

  const [, path, body] = PROTOCOLS[0];
  const course: Course = { tokens: SHIPPED_RATE * 20, ms: 20_000 };
  const reasoningOf = async (asked: object) => {
    const receipt = await scene.leavesInSilence(path, { ...body, ...asked }, 'dg-other-key', course);
    expect(receipt).toMatchObject({ state: 'client_closed', usage_source: 'estimated' });
    return receipt.usage?.buckets['reasoning'] ?? 0;
  };

  it('is paid for by who leaves before the first word', async () => {
    expect(await reasoningOf({})).toBe(SHIPPED_RATE * 20);
  });

  it('is not asked of a model that cannot think, nor of one that was asked not to', async () => {
    expect(await reasoningOf({ model: 'mock/plain' })).toBe(0);
    expect(await reasoningOf({ reasoning_effort: 'none' })).toBe(0);
  });

  it('is asked of a request that says both', async () => {
    const both = { reasoning_effort: 'high', reasoning: { enabled: false } };
    expect(await reasoningOf(both)).toBe(SHIPPED_RATE * 20);
  });

  it("is the operator's setting, and the model's own where it has one", async () => {
    const changed = await scene.gateway.admin('PATCH', '/api/admin/settings', { hidden_tokens_per_second: 90 });
    expect(changed.status).toBe(200);
    expect(await changed.json()).toMatchObject({ hidden_tokens_per_second: 90 });
    expect(await reasoningOf({})).toBe(90 * 20);
    const made = await scene.gateway.admin('POST', '/api/admin/models', {
      id: 'mock/measured',
      capabilities: ['reasoning', 'streaming'],
      max_output: 16_384,
      hidden_tokens_per_second: 30,
      price: { input: '15000', output: '60000' },
      routes: [{ provider: 'chat-a', model: 'up-measured' }],
    });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({ hidden_tokens_per_second: 30 });
    await eventually(async () => {
      const { data } = (await (await scene.gateway.fetch('/api/v1/models', { key: 'dg-other-key' })).json()) as {
        data: { id: string }[];
      };
      expect(data.map(({ id }) => id)).toContain('mock/measured');
    });
    expect(await reasoningOf({ model: 'mock/measured' })).toBe(30 * 20);
    const cleared = await scene.gateway.admin('PATCH', '/api/admin/models/mock/measured', {
      hidden_tokens_per_second: null,
    });
    expect(await cleared.json()).toMatchObject({ hidden_tokens_per_second: null });
    // The catalog follows a change a moment later.
    await eventually(async () => expect(await reasoningOf({ model: 'mock/measured' })).toBe(90 * 20));
  });

  it('is refused outside of its bounds', async () => {
    for (const hidden_tokens_per_second of [0, 3_001, 1.5])
      expect((await scene.gateway.admin('PATCH', '/api/admin/settings', { hidden_tokens_per_second })).status).toBe(
        400,
      );
  });
});

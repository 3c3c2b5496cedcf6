/** What every client library must be able to do with every upstream protocol. */
import { expect } from 'vitest';
import { answer, type FakeVendor, faults } from '../fake-vendor/index.ts';
import type { Client, Question, Reply } from './client.ts';
import { seenByVendor } from './seen-by-vendor.ts';

export interface Stage {
  /** With money, without it, and without a request left in its minute. */
  clients: { main: Client; poor: Client; limited: Client };
  vendor: FakeVendor;
  model: string;
}

const TEXT = 'سلام! Hello from the other side 👋, with "quotes" and a\nnew line.';
const USAGE = { input: 100, cached: 30, output: 20, reasoning: 5 };
const COUNTED = { input: 100, cached: 30, output: 20 };
const CALLS = [
  { name: 'weather', arguments: { city: 'یزد', days: 2 } },
  { name: 'weather', arguments: { city: 'Tehran', days: 1 } },
];
const CALLS_ON_THE_WIRE = CALLS.map((call, i) => ({
  id: `call_w${i}`,
  name: call.name,
  arguments: JSON.stringify(call.arguments),
}));
const RESULTS = ['41 degrees in Yazd', '33 degrees in Tehran'];
const TOOLS = [
  {
    name: 'weather',
    description: 'Tells the weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  },
];
const SCHEMA = {
  type: 'object',
  properties: { sum: { type: 'integer' } },
  required: ['sum'],
  additionalProperties: false,
};
const PIXEL = {
  mediaType: 'image/png',
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};

type Way = 'ask' | 'stream';

function expectText(client: Client, way: Way, reply: Reply): void {
  expect(reply).toMatchObject({ text: TEXT, toolCalls: [], finish: 'stop' });
  expectUsage(client, way, reply);
}

function expectUsage({ misreadsStreamedUsage }: Client, way: Way, { usage }: Reply): void {
  if (way === 'stream' && misreadsStreamedUsage) expect(usage.output).toBeGreaterThanOrEqual(COUNTED.output);
  else expect(usage).toEqual(COUNTED);
}

const saysText =
  (way: Way) =>
  async ({ clients, vendor, model }: Stage) => {
    vendor.next(answer({ text: TEXT, usage: USAGE, pieces: 7 }));
    expectText(clients.main, way, await clients.main[way]({ model, text: 'hello' }));
  };

const callsInParallel =
  (way: Way) =>
  async ({ clients, vendor, model }: Stage): Promise<Reply> => {
    vendor.next(answer({ text: 'Let me look.', toolCalls: CALLS_ON_THE_WIRE, usage: USAGE }));
    const reply = await clients.main[way]({ model, text: 'Weather?', tools: TOOLS });
    expect(seenByVendor(await vendor.received(0)).tools).toEqual(['weather']);
    expect(reply.text).toBe('Let me look.');
    expect(reply.toolCalls.map(({ name, arguments: given }) => ({ name, arguments: given }))).toEqual(CALLS);
    expect(new Set(reply.toolCalls.map(({ id }) => id)).size).toBe(2);
    expect(reply.finish).toBe('tool-calls');
    expectUsage(clients.main, way, reply);
    return reply;
  };

const loops = (way: Way) => async (stage: Stage) => {
  const { clients, vendor, model } = stage;
  const reply = await callsInParallel(way)(stage);
  vendor.next(answer({ text: TEXT, usage: USAGE }));
  const question: Question = { model, text: 'Weather?', tools: TOOLS, after: { reply, results: RESULTS } };
  expectText(clients.main, way, await clients.main[way](question));
  const { calls, results } = seenByVendor(await vendor.received(1));
  expect(calls.map(({ name, arguments: given }) => ({ name, arguments: given }))).toEqual(CALLS);
  expect(results.map(({ callId }) => callId)).toEqual(calls.map(({ id }) => id));
  results.forEach(({ text }, i) => {
    expect(text).toContain(RESULTS[i]);
  });
  if (model.includes('gemini')) {
    // Without it the real vendor refuses the turn, and no client library knows what it is.
    const signatures = CALLS_ON_THE_WIRE.map(({ id }) => Buffer.from(`sig-${id}`).toString('base64'));
    expect(calls.map(({ signature }) => signature)).toEqual(signatures);
  }
};

async function expectRefusal(
  client: Client,
  question: Question,
  expected: { status: number; code: string },
): Promise<void> {
  for (const way of ['ask', 'stream'] as const) {
    const { status, told } = client.failureOf(await client[way](question).then(noError, (error: unknown) => error));
    expect(status, told).toBe(expected.status);
    expect(told).toContain(expected.code);
  }
}

function noError(reply: Reply): never {
  throw new Error(`no error, but ${JSON.stringify(reply)}`);
}

/** A broken answer must be an error to the program, never a shorter answer. */
const breaks = (way: Way, fault: Parameters<FakeVendor['next']>[0]) => async (stage: Stage) => {
  const { clients, vendor, model } = stage;
  vendor.next(fault);
  const failed = await clients.main[way]({ model, text: 'hello' }).then(noError, (error: unknown) => error);
  expect(clients.main.failureOf(failed).told).toMatch(BROKEN[way]);
};

/** Some libraries keep only our sentence. */
const BROKEN: Record<Way, RegExp> = {
  ask: /upstream_error|ارائه‌دهندهٔ مدل پاسخ نداد/,
  stream: /upstream_error|ارائه‌دهندهٔ مدل پاسخ را نیمه‌کاره رها کرد/,
};
/** In every protocol words have come by then, and more would. */
const CUT = 5;
const LONG = { text: TEXT, pieces: 7 };

export const SCENARIOS: Record<string, (stage: Stage) => Promise<unknown>> = {
  text: saysText('ask'),
  'text, streamed': saysText('stream'),
  'parallel tools and the loop': loops('ask'),
  'parallel tools and the loop, streamed': loops('stream'),
  image: async ({ clients, vendor, model }) => {
    vendor.next(answer('A pixel.'));
    expect((await clients.main.ask({ model, text: 'What is it?', image: PIXEL })).text).toBe('A pixel.');
    expect(seenByVendor(await vendor.received(0)).images).toEqual([PIXEL]);
  },
  'JSON schema': async ({ clients, vendor, model }) => {
    vendor.next(answer('{"sum":4}'));
    expect((await clients.main.ask({ model, text: 'Two and two?', schema: SCHEMA })).text).toBe('{"sum":4}');
    expect(seenByVendor(await vendor.received(0)).schema).toMatchObject({
      type: 'object',
      properties: { sum: { type: 'integer' } },
      required: ['sum'],
    });
  },
  'length is told': async ({ clients, vendor, model }) => {
    vendor.next(answer({ text: 'cut', finish: 'length' }), answer({ text: 'cut', finish: 'length' }));
    expect(await clients.main.ask({ model, text: 'hello' })).toMatchObject({ text: 'cut', finish: 'length' });
    expect(await clients.main.stream({ model, text: 'hello' })).toMatchObject({ text: 'cut', finish: 'length' });
  },
  'no money is 402': ({ clients, model }) =>
    expectRefusal(clients.poor, { model, text: 'hello' }, { status: 402, code: 'insufficient_balance' }),
  'too many requests is 429': ({ clients, model }) =>
    expectRefusal(clients.limited, { model, text: 'hello' }, { status: 429, code: 'rate_limited' }),
  'an impossible request is 400': ({ clients }) =>
    expectRefusal(
      clients.main,
      { model: 'mock/plain', text: 'hello', image: PIXEL },
      { status: 400, code: 'invalid_request' },
    ),
  'a cut answer': breaks('ask', faults.cutAfter(2, 'reset', LONG)),
  'a stream that is reset': breaks('stream', faults.cutAfter(CUT, 'reset', LONG)),
  'a stream that just ends': breaks('stream', faults.endWithoutTerminal(CUT, LONG)),
  'a stream with an error in it': breaks('stream', faults.errorEvent(CUT, LONG)),
};

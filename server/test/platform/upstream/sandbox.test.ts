import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import {
  Cancellation,
  createSandbox,
  TransportError,
  type UpstreamBody,
} from '../../../src/platform/upstream/index.ts';
import { sandboxVector } from '../../../src/platform/upstream/sandbox/embeddings.ts';
import { schemaInstance } from '../../../src/platform/upstream/sandbox/schema-instance.ts';
import { chatCall, ManualClock, readAll } from './call.ts';

const sandbox = createSandbox({ clock: new ManualClock() });
const ORIGIN = 'http://sandbox.invalid';

function send(path: string, body: JsonObject | UpstreamBody, cancellation?: Cancellation) {
  const isText = typeof body === 'string' || body instanceof Uint8Array || Symbol.asyncIterator in body;
  const encoded = isText ? (body as UpstreamBody) : JSON.stringify(body);
  return sandbox.send({
    ...chatCall(ORIGIN),
    url: `${ORIGIN}/v1${path}`,
    body: encoded,
    ...(cancellation ? { cancellation } : {}),
  });
}

async function chat(body: JsonObject) {
  const messages = [{ role: 'user', content: 'Hello there' }];
  const reply = await send('/chat/completions', { model: 'echo', messages, ...body });
  expect(reply.status).toBe(200);
  return JSON.parse(await reply.text(1_000_000));
}

async function chatStream(body: JsonObject) {
  const messages = [{ role: 'user', content: 'Hello there' }];
  const reply = await send('/chat/completions', { model: 'echo', messages, stream: true, ...body });
  const text = await readAll(reply);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: {'));
  return frames.map((frame) => JSON.parse(frame.slice(6)));
}

const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 3 }, unit: { enum: ['c', 'f'] } },
      required: ['city', 'days', 'unit'],
    },
  },
};

describe('the chat simulator', () => {
  it('echoes, says that it is a simulator, and says the same again', async () => {
    const first = await chat({});
    expect(first.choices[0].message.content).toBe('This is a simulator, not a model. You said: Hello there');
    expect(first.choices[0].finish_reason).toBe('stop');
    const second = await chat({});
    expect(second.choices).toEqual(first.choices);
    expect(second.usage).toEqual(first.usage);
    expect(first.usage.total_tokens).toBe(first.usage.prompt_tokens + first.usage.completion_tokens);
  });

  it('streams what it would have said whole, with the same usage', async () => {
    const body = {
      stream_options: { include_usage: true },
      reasoning_effort: 'high',
      messages: [{ role: 'user', content: 'سلام 👋 دنیا' }],
    };
    const frames = await chatStream(body);
    const whole = await chat({ ...body, stream: false });
    const join = (field: string) => frames.map((frame) => frame.choices[0]?.delta[field] ?? '').join('');
    expect(join('content')).toBe(whole.choices[0].message.content);
    expect(join('reasoning_content')).toBe(whole.choices[0].message.reasoning_content);
    expect(join('content')).toContain('شما گفتید');
    expect(frames.at(-1).usage).toEqual(whole.usage);
    expect(whole.usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    expect(frames.filter((frame) => frame.choices[0]?.finish_reason)).toHaveLength(1);
  });

  it('sends no usage when it was not asked to', async () => {
    expect((await chatStream({})).some((frame) => 'usage' in frame)).toBe(false);
  });

  it('stops at the token limit and at stop sequences', async () => {
    const short = await chat({ max_tokens: 3 });
    expect(short.choices[0].finish_reason).toBe('length');
    expect(short.usage.completion_tokens).toBe(3);
    const stopped = await chat({ stop: ['simulator'] });
    expect(stopped.choices[0].message.content).toBe('This is a ');
    expect(stopped.choices[0].finish_reason).toBe('stop');
  });

  it('calls tools with fitting arguments, then speaks about the result', async () => {
    const called = await chat({ tools: [WEATHER] });
    const [call] = called.choices[0].message.tool_calls;
    expect(called.choices[0].finish_reason).toBe('tool_calls');
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'sample', days: 3, unit: 'c' });
    const messages = [
      { role: 'user', content: 'weather?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: 'sunny' },
    ];
    const spoken = await chat({ tools: [WEATHER], messages });
    expect(spoken.choices[0].message.content).toContain('The tool answered: sunny');
    const frames = await chatStream({ tools: [WEATHER] });
    const deltas = frames.flatMap((frame) => frame.choices[0]?.delta.tool_calls ?? []);
    expect(deltas[0]).toMatchObject({ index: 0, type: 'function', function: { name: 'weather' } });
    expect(deltas.map((delta) => delta.function.arguments).join('')).toBe(call.function.arguments);
  });

  it('honours tool_choice', async () => {
    const other = { type: 'function', function: { name: 'other' } };
    const tools = [WEATHER, other];
    expect((await chat({ tools, tool_choice: 'none' })).choices[0].message.tool_calls).toBeUndefined();
    const forced = await chat({ tools, tool_choice: { type: 'function', function: { name: 'other' } } });
    expect(forced.choices[0].message.tool_calls[0].function).toEqual({ name: 'other', arguments: '{}' });
    const allowed = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [other] } };
    expect((await chat({ tools, tool_choice: allowed })).choices[0].message.tool_calls[0].function.name).toBe('other');
  });

  it('answers in JSON when asked to', async () => {
    const object = await chat({ response_format: { type: 'json_object' } });
    expect(JSON.parse(object.choices[0].message.content)).toEqual({ simulator: true, you_said: 'Hello there' });
    const schema = {
      type: 'object',
      properties: { ok: { type: 'boolean' }, tags: { type: 'array', items: { type: 'string' }, minItems: 2 } },
    };
    const shaped = await chat({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } });
    expect(JSON.parse(shaped.choices[0].message.content)).toEqual({ ok: true, tags: ['sample', 'sample'] });
  });

  it('acknowledges images and gives several answers', async () => {
    const content = [
      { type: 'text', text: 'what is this' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
    ];
    const answer = await chat({ messages: [{ role: 'user', content }], n: 2 });
    expect(answer.choices).toHaveLength(2);
    expect(answer.choices[1].message.content).toContain('1 image(s)');
  });

  it('quotes the passage that fits the question, with its number', async () => {
    const passages =
      '<passage n="1" title="A">Cats sleep most of the day.</passage>\n<passage n="2">The bazaar of Tabriz is very old.</passage>';
    const messages = [
      { role: 'system', content: passages },
      { role: 'user', content: 'How old is the bazaar?' },
    ];
    const { content } = (await chat({ model: 'quote', messages })).choices[0].message;
    expect(content).toContain('«The bazaar of Tabriz is very old.» [2]');
    expect(content).not.toContain('Cats');
    const none = await chat({ model: 'quote' });
    expect(none.choices[0].message.content).toContain('nothing to quote');
    const persian = await chat({ model: 'quote', messages: [{ role: 'user', content: 'مرخصی چند روز است؟' }] });
    expect(persian.choices[0].message.content).toBe('شبیه‌ساز آزمایشی: بندی داده نشده است تا از آن نقل شود.');
  });

  it('never throws on odd bodies', async () => {
    const noText = { toString: 0, valueOf: 0 };
    const odd = await send('/chat/completions', {
      model: noText,
      tools: [{ function: { name: noText } }],
      messages: [],
    });
    expect(odd.status).toBe(200);
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.constantFrom('messages', 'tools', 'tool_choice', 'response_format', 'n', 'stop', 'stream', 'model'),
          fc.jsonValue(),
        ),
        async (body) => {
          const reply = await send('/chat/completions', body as JsonObject);
          expect(reply.status).toBe(200);
        },
      ),
    );
  });
});

describe('other simulators', () => {
  it('embeds texts so that similar ones are near, in unit length and any dimension', async () => {
    const reply = await send('/embeddings', { model: 'embed', input: ['a', 'b'], dimensions: 16 });
    const { data, usage } = JSON.parse(await reply.text(1_000_000));
    expect(data.map((item: { embedding: number[] }) => item.embedding.length)).toEqual([16, 16]);
    expect(usage.total_tokens).toBeGreaterThan(0);
    const [query, near, far] = ['قیمت بلیت قطار', 'بلیت قطار تهران مشهد', 'weather in Paris'].map((text) =>
      sandboxVector(text, 384),
    ) as [Float32Array, Float32Array, Float32Array];
    const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * (y[i] as number), 0);
    expect(dot(query, query)).toBeCloseTo(1, 5);
    expect(dot(query, near)).toBeGreaterThan(dot(query, far) + 0.3);
    const packed = JSON.parse(
      await (await send('/embeddings', { input: 'a', encoding_format: 'base64' })).text(100_000),
    );
    expect(Buffer.from(packed.data[0].embedding, 'base64')).toHaveLength(384 * 4);
  });

  it('speaks a valid WAV and hears how long it was', async () => {
    const reply = await send('/audio/speech', { model: 'speech', input: 'x'.repeat(40) });
    expect(reply.header('content-type')).toBe('audio/wav');
    const chunks: Uint8Array[] = [];
    for (let chunk = await reply.read(); chunk; chunk = await reply.read()) chunks.push(chunk);
    const wav = Buffer.concat(chunks);
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    async function* form() {
      yield Buffer.from(
        '--x\r\nContent-Disposition: form-data; name="response_format"\r\n\r\nverbose_json\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n',
      );
      yield wav;
      yield Buffer.from('\r\n--x--\r\n');
    }
    const heard = JSON.parse(await (await send('/audio/transcriptions', form())).text(10_000));
    expect(heard.duration).toBeCloseTo(1, 1);
    expect(heard.text).toContain('1.0 seconds');
    expect(heard.usage).toEqual({ type: 'duration', seconds: 1 });
  });

  it('refuses what it does not know', async () => {
    expect((await send('/nothing', {})).status).toBe(404);
    expect((await send('/chat/completions', 'not json')).status).toBe(400);
  });

  it('can be aborted like a real vendor', async () => {
    const cancellation = new Cancellation();
    const body = JSON.stringify({
      model: 'echo',
      stream: true,
      messages: [{ role: 'user', content: 'a '.repeat(200) }],
    });
    const reply = await send('/chat/completions', body, cancellation);
    await reply.read();
    cancellation.cancel('client gone');
    await expect(reply.read()).rejects.toBeInstanceOf(TransportError);
    await expect(send('/chat/completions', body, cancellation)).rejects.toBeInstanceOf(TransportError);
  });
});

describe('instances of schemas', () => {
  it.each<[string, JsonObject, unknown]>([
    [
      'references',
      { $defs: { a: { type: 'string', format: 'email' } }, type: 'object', properties: { m: { $ref: '#/$defs/a' } } },
      { m: 'someone@example.com' },
    ],
    ['alternatives', { anyOf: [{ type: 'number', minimum: 5 }, { type: 'null' }] }, 5],
    ['nullable types', { type: ['null', 'integer'] }, 1],
    [
      'combinations',
      {
        allOf: [
          { type: 'object', properties: { a: { const: 1 } } },
          { type: 'object', properties: { b: { default: 'x' } } },
        ],
      },
      { a: 1, b: 'x' },
    ],
    ['lengths', { type: 'string', minLength: 8 }, 'sample..'],
    [
      'only what is required',
      { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'] },
      { a: 'sample' },
    ],
  ])('%s', (_name, schema, expected) => {
    expect(schemaInstance(schema)).toEqual(expected);
  });

  it('ends on schemas that contain themselves', () => {
    const tree: JsonObject = { type: 'object', properties: { child: { $ref: '#' } }, required: ['child'] };
    expect(JSON.stringify(schemaInstance(tree)).length).toBeLessThan(500);
  });
});

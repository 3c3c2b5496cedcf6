/**
 * Frames that are read by their shape come to the same as frames that are parsed: the same bytes for the client, the same events,
 * the same count and the same place where the money ends. Both ways are run over the same pieces.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MeteredEvent } from '../../src/core/events.ts';
import { type Money, money } from '../../src/core/money.ts';
import { Meter } from '../../src/gateway/chat/meter.ts';
import { OutputAllowance } from '../../src/gateway/chat/output-allowance.ts';
import { paidPart } from '../../src/gateway/chat/paid-part.ts';
import { RelayWriter } from '../../src/gateway/chat/relay-writer.ts';
import { UpstreamStream } from '../../src/gateway/chat/upstream-stream.ts';
import {
  anthropicMessagesRelay,
  anthropicMessagesUpstream,
  openaiChatRelay,
  openaiChatUpstream,
  openGuard,
  type RelayCodec,
  type StreamDecoder,
  type UpstreamCodec,
} from '../../src/protocols/index.ts';
import { amount } from '../harness/long.ts';
import { describeCorpus } from '../protocols/corpus.ts';
import { fixture, target, view } from '../protocols/openai-chat/fixtures.ts';
import { bytesOf, cutAt } from '../protocols/streams.ts';

interface Protocol {
  upstream: UpstreamCodec;
  relay: RelayCodec;
}

const CHAT: Protocol = { upstream: openaiChatUpstream, relay: openaiChatRelay };
const MESSAGES: Protocol = { upstream: anthropicMessagesUpstream, relay: anthropicMessagesRelay };
/** Tokens that are held and no more are granted: few streams reach the first, all of some length the second. */
const PLENTY = 1e9;
const SCANT = 40;
/** Where nothing is said about cuts: one piece, as from a provider that is faster than we read. */
const WHOLE: number[] = [];

interface Outcome {
  written: string;
  events: MeteredEvent[];
  counted: number;
  usage: unknown;
  cutShort: boolean;
}

function allowanceOf(held: number): OutputAllowance {
  const refuse = (): Promise<Money> => Promise.resolve(money(0n));
  return new OutputAllowance({ held, stepTokens: 64, price: money(1n), hold: refuse });
}

function streamOf({ upstream, relay }: Protocol, pieces: readonly Uint8Array[], byShape: boolean): UpstreamStream {
  const left = [...pieces];
  const source = {
    read: () => Promise.resolve(left.shift() ?? null),
    abort: () => undefined,
    // Known with the last piece, as from a connection whose end came with it; the parsing way hears of it by reading.
    get over() {
      return byShape && left.length === 0;
    },
  };
  const { push, end, repeat } = openGuard(upstream.openDecoder(target()));
  const decoder: StreamDecoder = byShape && repeat ? { push, end, repeat } : { push, end };
  return new UpstreamStream(source, decoder, relay.openUnread());
}

let shaped = 0;
let together = 0;
let all = 0;

/** A run says in one event what its frames say one by one. */
function apart(event: MeteredEvent): MeteredEvent[] {
  if (event.type !== 'part-delta' || !event.pieces) return [event];
  expect(event.pieces.join('')).toBe(event.text);
  return event.pieces.map((text) => ({ type: 'part-delta', part: event.part, text }));
}

async function pass(
  protocol: Protocol,
  pieces: readonly Uint8Array[],
  byShape: boolean,
  held: number,
): Promise<Outcome> {
  const stream = streamOf(protocol, pieces, byShape);
  const relay = protocol.relay.openRelay(view());
  const writer = byShape ? new RelayWriter(relay) : relay;
  const [meter, allowance] = [new Meter(), allowanceOf(held)];
  const outcome: Outcome = { written: '', events: [], counted: 0, usage: undefined, cutShort: false };
  for (let batch = await stream.next(); batch && !outcome.cutShort; batch = await stream.next()) {
    const part = await paidPart(batch, allowance);
    outcome.cutShort = part !== batch;
    for (const event of part.events) meter.see(event);
    outcome.events.push(...part.events.flatMap(apart));
    for (const frame of part.frames) {
      const frames = frame.run?.words.length ?? 1;
      all += frames;
      if (byShape && (frame.piece || frame.run)) shaped += frames;
      if (frame.run) together += frames;
      outcome.written += writer.forward(frame);
    }
  }
  if (byShape && !outcome.cutShort) expect(stream.ended).toBe(true);
  if (outcome.cutShort) outcome.written += relay.cutShort();
  outcome.written += relay.finish({ usage: { buckets: {}, source: 'estimated' }, cost: money(0n) });
  return { ...outcome, counted: meter.countOutput(), usage: meter.usage };
}

async function same(
  protocol: Protocol,
  text: string | Uint8Array,
  cuts: readonly number[],
  held = PLENTY,
): Promise<Outcome> {
  const bytes = typeof text === 'string' ? bytesOf(text) : text;
  const pieces = cutAt(bytes, cuts);
  const parsed = await pass(protocol, pieces, false, held);
  const read = await pass(protocol, pieces, true, held);
  expect(read).toEqual(parsed);
  return read;
}

const HEAD = '"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m"';
const frame = (delta: string, more = ''): string =>
  `data: {${HEAD},"choices":[{"index":0,"delta":${delta},"finish_reason":null}]${more}}\n\n`;
const say = (content: string): string => frame(`{"content":"${content}"}`);
const think = (text: string): string => frame(`{"reasoning_content":"${text}"}`);
const ROLE = frame('{"role":"assistant","content":""}');
const STOP = `data: {${HEAD},"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
/** Frames before and after, so that a shape stands when the frame in question comes. */
const WORDS = ['one', ' two', ' three', ' سلام'].map(say).join('');
const around = (...frames: string[]): string => ROLE + WORDS + frames.join('') + WORDS + STOP;

const FOOLS: Record<string, string> = {
  'escapes that are written otherwise': around(
    say('\\u0041\\/\\u06cc'),
    say('\\ud83d\\ude00'),
    say('\\u0022'),
    say('\\ud83d'),
  ),
  'escapes as we write them': around(say('a\\nb\\t\\"c\\" \\\\'), say('\\\\'), say('\\b\\f\\r')),
  'a quote at the seam': around(say('\\"'), say('end\\\\\\"'), say('"},"finish_reason":null}]}'), say('\\"}')),
  'a broken escape': around(say('\\x'), say('\\u12g4'), say('\\')),
  'a line break inside the string': around(say('a\nb'), say('a\r\nb'), say('a\u0001b')),
  'another order of keys': around(
    `data: {"choices":[{"delta":{"content":"x"},"index":0,"finish_reason":null}],${HEAD}}\n\n`.repeat(3),
  ),
  'a key twice': around(frame('{"content":"a","content":"b"}'), frame('{"content":"c","content":"b"}'), say('d')),
  'a key twice, the first differs': around(
    ...['a', 'b', 'c'].map((text) => frame(`{"content":"${text}","content":"z"}`)),
  ),
  'the text stands elsewhere too': around(...['m', 'index', 'content', 'x'].map(say)),
  'the name of the model is the text, and changes': around(
    ...['m', 'm', 'n', 'o'].map((model) => say('m').replace('"model":"m"', `"model":"${model}"`)),
  ),
  'the name of a field is the text': ROLE + ['content', 'content', 'content', 'delta', 'role'].map(say).join('') + STOP,
  'reasoning, which goes out twice': around(
    ...['hm', ' so', ' \\"quoted\\"', ' \\u0041\\/', ' فکر', 'reasoning.text', 'text', '', ' end'].map(think),
  ),
  'reasoning that its provider tells twice': around(
    ...['hm', ' so', 'x'].map((text) =>
      frame(`{"reasoning_content":"${text}","reasoning_details":[{"type":"reasoning.text","text":"${text}"}]}`),
    ),
  ),
  'a text that looks like the second telling': around(
    ...['a', ' b', '\\",\\"reasoning_details\\":[{\\"type\\":\\"reasoning.text\\",\\"text\\":\\"', ' c'].map(think),
  ),
  'the end of a frame, escaped, inside a text': around(
    say('x'),
    say(`\\"},\\"finish_reason\\":null}]}`),
    `${say('a').slice(0, -3)}\\n\\n${say('b')}`,
    say('\\\\'),
    say('y'),
  ),
  'a text that ends in half an escape': around(say('x\\'), say('y'), say('\\'), say('z\\\\'), say('\\\\\\'), say('w')),
  'frames with the same end and another beginning': around(
    say('a'),
    say('b').replace('chatcmpl-1', 'chatcmpl-2'),
    say('c'),
    say('d').replace('"index":0', '"index":1'),
    say('e'),
  ),
  'frames with the same beginning and another end': around(
    say('a'),
    say('b').replace('null', '"stop"'),
    say('c'),
    say('d').replace('}\n\n', ' }\n\n'),
    say('e').replace('}\n\n', '}\n'),
    say('f'),
  ),
  'more frames than are taken apart at once': around(...Array.from({ length: 400 }, (_, at) => say(`w${at} `))),
  'escapes among many frames': around(
    ...Array.from({ length: 250 }, (_, at) => say(at % 7 === 3 ? `\\n${at}` : at % 31 === 5 ? '' : ` ${at}`)),
  ),
  'an empty text': around(say(''), say(''), say('a'), say('')),
  'no content': around(frame('{"content":null}'), frame('{}'), say('a')),
  'reasoning, then content':
    ROLE + ['a', 'b', 'c', 'd'].map((t) => frame(`{"reasoning_content":"${t}"}`)).join('') + WORDS + STOP,
  'reasoning whose block is repeated with its signature': `${ROLE}${['a', 'b', 'c', 'd']
    .map((text) => frame(`{"reasoning_content":"${text}"}`))
    .join(
      '',
    )}${frame('{"reasoning_details":[{"type":"reasoning.text","text":"abcd","signature":"s"}]}')}${WORDS}${STOP}`,
  'several choices': around(
    ...[0, 1, 1, 1, 0, 1].map(
      (index) => `data: {${HEAD},"choices":[{"index":${index},"delta":{"content":"c${index}"}}]}\n\n`,
    ),
  ),
  'a tool call': around(
    frame('{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}'),
    ...['{', 'a', 'b', '}'].map((part) => frame(`{"tool_calls":[{"index":0,"function":{"arguments":"${part}"}}]}`)),
  ),
  'a finish beside the text': around(
    `data: {${HEAD},"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n`.repeat(4),
  ),
  'usage in every frame': around(
    ...[1, 2, 3].map((n) => frame('{"content":"x"}', `,"usage":{"completion_tokens":${n}}`)),
  ),
  'an unknown field with text': around(
    ...['hello', 'my', 'friend', 'x'].map((text) => frame('{"content":"a"}', `,"notes":"${text}"`)),
  ),
  'an unknown field that stays': around(
    ...['hello', 'my', 'friend'].map((text) => frame(`{"content":"${text}"}`, ',"notes":"the same"')),
  ),
  padding: around(
    ...['aBc', 'x', '', 'longer one', 'q\\/', 'r\\/', 's\\/'].map((padding) =>
      frame('{"content":"a"}', `,"obfuscation":"${padding}"`),
    ),
    ...['a', 'b', 'c', 'd'].map((text) => frame(`{"content":"${text}"}`, `,"obfuscation":"${text}${text}"`)),
  ),
  'padding before the text': around(
    ...['a', 'b', 'c'].map(
      (text) => `data: {"obfuscation":"${text}",${HEAD},"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`,
    ),
  ),
  'an error inside': `${ROLE}${WORDS}data: {"error":{"message":"overloaded"}}\n\n${WORDS}${STOP}`,
  'an error with choices': `${ROLE}${WORDS}data: {${HEAD},"choices":[{"index":0,"delta":{"content":"x"}}],"error":{"message":"no"}}\n\n`,
  'comments and blank lines': around(': ping\n\n', say('a'), ': ping\n', say('b'), '\n\n', say('c'), ': "\n', say('d')),
  'an event with a quote': around('event: "\n', say('a'), 'event: "\n', say(':'), 'event: "\n', say(':')),
  'several lines of data': around(
    ...['a', 'b', 'c'].map((t) => `data: {${HEAD},"choices":[{"index":0,\ndata: "delta":{"content":"${t}"}}]}\n\n`),
  ),
  'data without a blank': around(
    ...(WORDS.match(/data: .*\n\n/g)?.map((text) => text.replace('data: ', 'data:')) ?? []),
  ),
  'an end without a mark': ROLE + WORDS,
  'a cut frame at the end': `${ROLE}${WORDS}${say('last').slice(0, -9)}`,
  'log probabilities': around(
    ...['a', 'b', 'c'].map(
      (t) =>
        `data: {${HEAD},"choices":[{"index":0,"delta":{"content":"${t}"},"logprobs":{"content":[{"token":"x"}]}}]}\n\n`,
    ),
  ),
};

describe('frames that try to fool the shape', () => {
  for (const [name, text] of Object.entries(FOOLS)) {
    it(name, async () => {
      await same(CHAT, text, WHOLE);
      await same(CHAT, text, WHOLE, SCANT);
      await same(CHAT, text.replaceAll('\n', '\r\n'), WHOLE);
      await same(CHAT, `\ufeff${text}`, [1, 2, 40, 200, 333]);
    });
  }

  it('strings of megabytes', async () => {
    const long = 'word '.repeat(amount(60_000, 600_000));
    const { written } = await same(CHAT, around(say(long), say(long), say(long)), WHOLE);
    expect(written.length).toBeGreaterThan(3 * long.length);
  });

  it('bytes that are no characters', async () => {
    const broken = Buffer.from(around(say('a\u00ffb'), say('\u00c0'), say('c')), 'latin1');
    await same(CHAT, broken, WHOLE);
    await same(CHAT, broken, [700, 701, 702, 703, 800]);
  });

  it('blanks of any number before the last bracket', async () => {
    const block = (text: string, blanks: number) =>
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"}${' '.repeat(blanks)}}\n\n`;
    const started =
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":3,"output_tokens":1}}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n';
    const text = ['a', '\\u0041', 'ب\\n', '\\/', 'c', 'd', 'e'].map((word, at) => block(word, (at * 5) % 4)).join('');
    const ended =
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\nevent: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n';
    const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
    await same(MESSAGES, started + text + ping + text + ended, WHOLE);
    await same(MESSAGES, started + text + text + ended, WHOLE, 5);
  });

  it('in any order, cut anywhere', async () => {
    const pieces = Object.values(FOOLS).flatMap((text) => text.match(/[\s\S]*?\n\n/g) ?? []);
    const plain = ['one', ' دو', ' \\n', ' \\u06f3', ' four four four four'].map(say);
    const some = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...plain) }, fc.constantFrom(...pieces));
    const run = fc.tuple(some, fc.integer({ min: 1, max: 4 })).map(([text, times]) => text.repeat(times));
    await fc.assert(
      fc.asyncProperty(
        fc.array(run, { maxLength: 30 }),
        fc.array(fc.nat(20_000), { maxLength: 12 }),
        fc.constantFrom(PLENTY, SCANT),
        fc.constantFrom('\n', '\r\n'),
        async (runs, cuts, held, lineEnd) => {
          await same(CHAT, ROLE + runs.join('').replaceAll('\n', lineEnd), cuts, held);
        },
      ),
      { numRuns: amount(60, 4_000) },
    );
  });
});

describe('the streams of the fixtures', () => {
  it.each(['regular', 'crlf-and-multi-line', 'reasoning-details', 'two-choices', 'tools-interleaved'])(
    '%s',
    async (name) => {
      await same(CHAT, fixture(name), WHOLE);
    },
  );
});

const RECORDED = ['open', 'second'];

for (const [api, protocol] of [
  ['openai-chat', CHAT],
  ['anthropic-messages', MESSAGES],
] as const) {
  describeCorpus(
    `recorded streams of ${api}`,
    [api],
    (exchanges) => {
      const streams = exchanges.filter(
        ({ status, stream, resp }) => status === 200 && stream && typeof resp === 'string',
      );

      it('come to the same in one piece, and in pieces', async () => {
        for (const { resp } of streams) await same(protocol, resp, WHOLE);
        for (const { resp } of streams) await same(protocol, resp, [7, 99, 100, 1_000, 5_000], SCANT);
      });

      it('come to the same cut anywhere', async () => {
        const cuts = fc.array(fc.nat(100_000), { maxLength: 40 });
        await fc.assert(
          fc.asyncProperty(fc.constantFrom(...streams), cuts, ({ resp }, at) =>
            same(protocol, resp, at).then(() => true),
          ),
          { numRuns: amount(30, 2_000) },
        );
      });

      if (protocol === CHAT) {
        it('are mostly read by their shape', async () => {
          [shaped, together, all] = [0, 0, 0];
          for (const { resp } of streams) await pass(protocol, [bytesOf(resp)], true, PLENTY);
          expect(shaped / all).toBeGreaterThan(0.6);
          expect(together / all).toBeGreaterThan(0.4);
        });
      }
    },
    RECORDED,
  );
}

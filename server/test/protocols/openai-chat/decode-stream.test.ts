import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatResponse, Part } from '../../../src/core/chat.ts';
import type { UpstreamFailure } from '../../../src/core/failure.ts';
import { isFailure, openaiChatUpstream } from '../../../src/protocols/index.ts';
import { bytesOf, cutAt, decodeFrames, decodeText, foldEvents, framesOf } from '../streams.ts';
import { fixture, target } from './fixtures.ts';

const decode = (name: string): ChatResponse | UpstreamFailure =>
  foldEvents(decodeText(openaiChatUpstream.openDecoder(target()), fixture(name)));

function answer(name: string): ChatResponse {
  const folded = decode(name);
  if (isFailure(folded)) throw new Error(`${folded.kind}: ${folded.message}`);
  return folded;
}

const GREETING: Part[] = [{ kind: 'text', text: 'سلام 👋' }];
const THOUGHT: Part[] = [{ kind: 'reasoning', text: 'فکر کن' }, ...GREETING];
const BUCKETS = { inputFresh: 9, cacheRead: 0, output: 4, reasoning: 0 };

describe('plain answers, whatever the habits of the provider', () => {
  test.each([
    ['regular'],
    ['first-chunk-empty'],
    ['usage-in-finish-chunk'],
    ['usage-in-every-chunk'],
    ['usage-in-x-groq'],
    ['usage-in-choice'],
    ['duplicate-finish'],
    ['finish-with-content'],
    ['finish-reason-empty'],
    ['no-done'],
    ['no-role-chunk'],
    ['crlf-and-multi-line'],
    ['message-beside-delta'],
    ['message-alone'],
  ])('%s', (name) => {
    const { choices, usage, id } = answer(name);
    expect(choices).toMatchObject([{ index: 0, parts: GREETING, finish: { kind: 'stop' } }]);
    expect(usage?.buckets).toEqual(BUCKETS);
    expect(id).toBe('chatcmpl-1');
  });

  test('usage-never: unknown is not zero', () => {
    expect(answer('usage-never').usage).toBeUndefined();
  });

  test('an answer starts with the first chunk that says something', () => {
    const [first] = decodeText(openaiChatUpstream.openDecoder(target()), fixture('first-chunk-empty'));
    expect(first).toEqual({ type: 'response-start', id: 'chatcmpl-1', model: 'upstream-model', created: 1760000000 });
  });

  test('reasoning-content, reasoning and content-list are one thing', () => {
    for (const name of ['reasoning-content', 'reasoning', 'content-list']) {
      expect(answer(name).choices[0]?.parts, name).toEqual(THOUGHT);
    }
  });

  test('reasoning-details keep signature, encrypted text and who made them', () => {
    expect(answer('reasoning-details').choices[0]?.parts).toEqual([
      { kind: 'reasoning', text: 'فکر کن', signature: 'sig==', origin: 'anthropic-messages' },
      { kind: 'reasoning', text: '', encrypted: 'opaque', id: 'rs_1', origin: 'openai-responses' },
      ...GREETING,
    ]);
  });

  test('two-choices are told apart, each with its own finish', () => {
    expect(answer('two-choices').choices).toEqual([
      { index: 0, parts: [{ kind: 'text', text: 'یک 1' }], finish: { kind: 'length', raw: 'length' } },
      { index: 1, parts: [{ kind: 'text', text: 'دو 2' }], finish: { kind: 'stop', raw: 'stop' } },
    ]);
  });

  test('refusal, logprobs, annotations, audio and images', () => {
    expect(answer('refusal').choices[0]?.parts).toEqual([{ kind: 'refusal', text: 'نمی‌توانم' }]);
    expect(answer('logprobs').choices[0]?.logprobs?.['content']).toHaveLength(2);
    expect(answer('annotations').choices[0]?.parts).toEqual([
      { ...GREETING[0], citations: [{ url: 'https://example.com/a', title: 'A', start: 0, end: 4 }] },
    ]);
    expect(answer('audio').choices[0]?.parts).toEqual([
      { kind: 'audio', id: 'audio_1', format: 'pcm16', data: 'AAAABBBB', transcript: 'سلام' },
    ]);
    expect(answer('images').choices[0]?.parts).toEqual([
      { kind: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' } },
    ]);
  });
});

describe('tool calls, however they are cut', () => {
  const call = (id: string, name: string, text: string): Part => ({ kind: 'tool-call', id, name, arguments: text });
  const CITY = '{"city":"تهران"}';
  const regular = [call('call_a', 'weather', CITY), call('call_b', 'clock', '{}')];

  test.each([
    ['tools-regular'],
    ['tools-with-role'],
    ['tools-name-late'],
    ['tools-same-index'],
    ['tools-without-index'],
    ['tools-whole-objects'],
    ['tools-id-repeated'],
    ['tools-interleaved'],
    ['tools-finish-stop'],
    ['tools-in-finish-chunk'],
  ])('%s', (name) => {
    expect(answer(name).choices).toMatchObject([{ parts: regular, finish: { kind: 'tool-calls' } }]);
  });

  test.each([['tools-without-id'], ['tools-bare']])('%s: ids are made, and the same ones every time', (name) => {
    const [first, second] = answer(name).choices[0]?.parts ?? [];
    expect(first).toEqual(call('call_chatcmpl-1_0_0', 'weather', CITY));
    expect(second).toEqual(call('call_chatcmpl-1_0_1', 'clock', '{}'));
    expect(answer(name)).toEqual(answer(name));
  });

  test('tools-same-id: the second call gets an id of its own', () => {
    expect(answer('tools-same-id').choices[0]?.parts).toEqual([regular[0], call('call_chatcmpl-1_0_1', 'clock', '{}')]);
  });

  test('tools-no-arguments: empty stays empty', () => {
    expect(answer('tools-no-arguments').choices[0]?.parts).toEqual([call('call_a', 'clock', '')]);
  });

  test('tools-nameless: an answer that cannot be used is a failure', () => {
    expect(decode('tools-nameless')).toMatchObject({ kind: 'malformed' });
  });

  test('tools-signed: early and late signatures are kept', () => {
    expect(answer('tools-signed').choices[0]?.parts).toMatchObject([{ signature: 'c2ln' }, { signature: 'bGF0ZQ==' }]);
  });

  test('function-call-legacy becomes a tool call', () => {
    expect(answer('function-call-legacy').choices).toMatchObject([
      { parts: [{ kind: 'tool-call', name: 'weather', arguments: CITY }], finish: { kind: 'tool-calls' } },
    ]);
  });
});

describe('failures inside a 200', () => {
  test.each([
    ['error-object', { kind: 'server', status: 503 }],
    ['error-event', { kind: 'rate-limited', retryAfterMs: 7_500, code: 'rate_limit_exceeded' }],
    ['error-event-text', { kind: 'server', message: 'the engine died' }],
    ['error-in-choice', { kind: 'server', status: 502 }],
    ['error-first', { kind: 'context-too-long', tooLong: { tokens: 9_000, maximum: 8_192 } }],
    ['not-json', { kind: 'malformed' }],
    ['cut', { kind: 'truncated' }],
    ['cut-inside-frame', { kind: 'malformed' }],
  ])('%s', (name, failure) => {
    expect(decode(name)).toMatchObject(failure);
  });

  test('nothing at all, and a terminator with nothing before it', () => {
    const events = (text: string) => decodeText(openaiChatUpstream.openDecoder(target()), text);
    expect(events('')).toMatchObject([{ failure: { kind: 'empty' } }]);
    expect(events(': comment\n\ndata: [DONE]\n\n')).toMatchObject([{ failure: { kind: 'empty' } }]);
  });

  test('an absurd choice index does not make us allocate', () => {
    const text = 'data: {"choices":[{"index":4000000000,"delta":{"content":"x"}}]}\n\n';
    expect(decodeText(openaiChatUpstream.openDecoder(target()), text).at(-1)).toMatchObject({
      failure: { kind: 'malformed' },
    });
  });
});

describe('cut by the network', () => {
  test.each([['regular'], ['crlf-and-multi-line'], ['tools-interleaved'], ['reasoning-details']])(
    '%s: split at every byte, the events are the same',
    (name) => {
      const bytes = bytesOf(fixture(name));
      const whole = decodeFrames(openaiChatUpstream.openDecoder(target()), framesOf([bytes]));
      for (let at = 1; at < bytes.length; at++) {
        const events = decodeFrames(openaiChatUpstream.openDecoder(target()), framesOf(cutAt(bytes, [at])));
        expect(events, `split at ${at}`).toEqual(whole);
      }
    },
  );

  test('cut off at any byte, an answer is whole or a failure, never a shorter answer', () => {
    const bytes = bytesOf(fixture('regular'));
    const complete = answer('regular').choices;
    fc.assert(
      fc.property(fc.nat({ max: bytes.length }), (length) => {
        const folded = foldEvents(
          decodeFrames(openaiChatUpstream.openDecoder(target()), framesOf([bytes.subarray(0, length)])),
        );
        if (!isFailure(folded)) expect(folded.choices).toEqual(complete);
      }),
    );
  });

  test('frames of any JSON end in an answer or a failure, never in an exception', () => {
    const frame = fc.json({ maxDepth: 4 }).map((json) => `data: ${json}\n\n`);
    const near = fc
      .record({
        choices: fc.array(fc.record({ index: fc.jsonValue(), delta: fc.jsonValue(), finish_reason: fc.jsonValue() })),
        usage: fc.jsonValue(),
      })
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
    fc.assert(
      fc.property(fc.array(fc.oneof(frame, near), { maxLength: 5 }), (frames) => {
        const events = decodeText(openaiChatUpstream.openDecoder(target()), `${frames.join('')}data: [DONE]\n\n`);
        expect(['response-end', 'failure', 'usage-update']).toContain(events.at(-1)?.type);
      }),
    );
  });
});

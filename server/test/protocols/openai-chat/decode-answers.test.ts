/** Whole answers of providers, and the many readings of `usage`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { completionTokens, promptTokens } from '../../../src/core/usage.ts';
import { isFailure, openaiChatUpstream } from '../../../src/protocols/index.ts';
import { target } from './fixtures.ts';

const decode = (body: unknown) => openaiChatUpstream.decodeResponse(body as JsonObject, target());
const answer = (message: object, more: object = {}) => ({
  id: 'x',
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  ...more,
});

function partsOf(message: object) {
  const decoded = decode(answer(message));
  if (isFailure(decoded)) throw new Error(decoded.message);
  return decoded.choices[0];
}

function bucketsOf(usage: object) {
  const decoded = decode(answer({ content: 'x' }, { usage }));
  if (isFailure(decoded)) throw new Error(decoded.message);
  return decoded.usage?.buckets;
}

describe('a 200 that is no answer', () => {
  test.each<[string, unknown, string]>([
    ['null', null, 'malformed'],
    ['a string', 'ok', 'malformed'],
    ['an error object', { error: { message: 'overloaded', code: 503 } }, 'server'],
    ['an error as text', { error: 'boom' }, 'server'],
    ['an error with a number for its code', { error: { message: 'slow down', code: 429 } }, 'rate-limited'],
    ['vLLM’s error object', { object: 'error', message: 'bad', type: 'BadRequestError', code: 400 }, 'client-fault'],
    ['FastAPI’s detail', { detail: 'Internal Server Error' }, 'server'],
    ['no choices', { id: 'x' }, 'malformed'],
    ['an empty list of choices', { id: 'x', choices: [] }, 'empty'],
    ['a choice without a message', { choices: [{}] }, 'malformed'],
    [
      'a choice that failed',
      { choices: [{ error: { code: 502, message: 'gone' }, finish_reason: 'error' }] },
      'server',
    ],
  ])('%s', (_name, body, kind) => {
    expect(decode(body)).toMatchObject({ kind });
  });

  test('any JSON at all is an answer or a failure', () => {
    const near = fc.record({
      choices: fc.array(fc.record({ message: fc.jsonValue(), finish_reason: fc.jsonValue() })),
      usage: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), near), (body) => {
        expect(decode(body)).toBeDefined();
      }),
    );
  });
});

describe('answers', () => {
  test.each<[string, object, object[]]>([
    ['plain', { content: 'hi', refusal: null, tool_calls: null }, [{ kind: 'text', text: 'hi' }]],
    ['nothing said', { content: null }, []],
    [
      'reasoning',
      { content: 'hi', reasoning: 'hm' },
      [
        { kind: 'reasoning', text: 'hm' },
        { kind: 'text', text: 'hi' },
      ],
    ],
    [
      'reasoning_content',
      { content: 'hi', reasoning_content: 'hm' },
      [
        { kind: 'reasoning', text: 'hm' },
        { kind: 'text', text: 'hi' },
      ],
    ],
    [
      'a list with thinking',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'hi' },
        ],
      },
      [
        { kind: 'reasoning', text: 'hm' },
        { kind: 'text', text: 'hi' },
      ],
    ],
    ['a refusal', { content: null, refusal: 'no' }, [{ kind: 'refusal', text: 'no' }]],
    [
      'audio',
      { content: null, audio: { id: 'a', data: 'AAAA', transcript: 'hi', expires_at: 1 } },
      [{ kind: 'audio', format: 'wav', data: 'AAAA', transcript: 'hi', id: 'a' }],
    ],
    [
      'arguments as an object, without an id',
      { content: '', tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] },
      [{ kind: 'tool-call', id: 'call_x_0_0', name: 'f', arguments: '{"a":1}' }],
    ],
    [
      'two calls with one id',
      {
        tool_calls: [
          { id: 'c', function: { name: 'f', arguments: '' } },
          { id: 'c', function: { name: 'g', arguments: '' } },
        ],
      },
      [
        { kind: 'tool-call', id: 'c', name: 'f', arguments: '' },
        { kind: 'tool-call', id: 'call_x_0_1', name: 'g', arguments: '' },
      ],
    ],
    [
      'a legacy call',
      { function_call: { name: 'f', arguments: '{}' } },
      [{ kind: 'tool-call', id: 'call_x_0_0', name: 'f', arguments: '{}' }],
    ],
  ])('%s', (_name, message, parts) => {
    const choice = partsOf(message);
    expect(choice?.parts).toEqual(parts);
    expect(choice?.finish.kind).toBe(JSON.stringify(parts).includes('tool-call') ? 'tool-calls' : 'stop');
  });

  test.each([
    ['max_tokens', 'length'],
    ['model_length', 'length'],
    ['MAX_TOKENS', 'length'],
    ['safety', 'content-filter'],
    ['eos', 'stop'],
    ['something new', 'stop'],
    ['', 'stop'],
  ])('finish_reason %s means %s', (finish_reason, kind) => {
    expect(decode({ choices: [{ message: { content: 'x' }, finish_reason }] })).toMatchObject({
      choices: [{ finish: { kind } }],
    });
  });
});

describe('usage', () => {
  test.each<[string, object, object | undefined]>([
    [
      'cached tokens inside the prompt',
      { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14, prompt_tokens_details: { cached_tokens: 6 } },
      { inputFresh: 4, cacheRead: 6, output: 4 },
    ],
    [
      'cached tokens outside the prompt',
      { prompt_tokens: 10, completion_tokens: 4, total_tokens: 20, prompt_tokens_details: { cached_tokens: 6 } },
      { inputFresh: 10, cacheRead: 6, output: 4 },
    ],
    [
      'more cached than prompt, and a total that knows nothing of it',
      { prompt_tokens: 250, completion_tokens: 4, total_tokens: 254, prompt_tokens_details: { cached_tokens: 376 } },
      { inputFresh: 0, cacheRead: 250, output: 4 },
    ],
    [
      'sound beside the prompt',
      { prompt_tokens: 10, completion_tokens: 4, total_tokens: 44, prompt_tokens_details: { audio_tokens: 30 } },
      { inputFresh: 10, audioInput: 30, output: 4 },
    ],
    [
      'more cached than prompt',
      { prompt_tokens: 2, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 6 } },
      { inputFresh: 2, cacheRead: 6, output: 4 },
    ],
    [
      'DeepSeek’s names',
      {
        prompt_tokens: 10,
        completion_tokens: 4,
        total_tokens: 14,
        prompt_cache_hit_tokens: 7,
        prompt_cache_miss_tokens: 3,
      },
      { inputFresh: 3, cacheRead: 7, output: 4 },
    ],
    [
      'written to the cache',
      {
        prompt_tokens: 10,
        completion_tokens: 4,
        total_tokens: 14,
        prompt_tokens_details: { cached_tokens: 1, cache_write_tokens: 5 },
      },
      { inputFresh: 4, cacheRead: 1, cacheWrite5m: 5, output: 4 },
    ],
    [
      'reasoning inside the completion',
      { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10, completion_tokens_details: { reasoning_tokens: 7 } },
      { inputFresh: 1, output: 2, reasoning: 7 },
    ],
    [
      'reasoning outside the completion',
      { prompt_tokens: 1, completion_tokens: 2, total_tokens: 10, completion_tokens_details: { reasoning_tokens: 7 } },
      { inputFresh: 1, output: 2, reasoning: 7 },
    ],
    [
      'reasoning only in the total',
      { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 },
      { inputFresh: 35, output: 12, reasoning: 62 },
    ],
    [
      'audio on both sides',
      {
        prompt_tokens: 10,
        completion_tokens: 8,
        total_tokens: 18,
        prompt_tokens_details: { audio_tokens: 4 },
        completion_tokens_details: { audio_tokens: 5 },
      },
      { inputFresh: 6, audioInput: 4, output: 3, audioOutput: 5 },
    ],
    [
      'images',
      {
        prompt_tokens: 10,
        completion_tokens: 1,
        total_tokens: 11,
        prompt_tokens_details: { image_tokens: 9, text_tokens: 1 },
      },
      { inputFresh: 1, imageInput: 9, output: 1 },
    ],
    ['no completion, but a total', { prompt_tokens: 10, total_tokens: 12 }, { inputFresh: 10, output: 2 }],
    ['nothing countable', { prompt_tokens: 'many', note: 'x' }, undefined],
  ])('%s', (_name, usage, buckets) => {
    expect(bucketsOf(usage)).toEqual(buckets);
  });

  test('whatever the details claim, the buckets add up to the totals and are never negative', () => {
    const count = fc.nat({ max: 1000 });
    const wire = fc.record({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: fc.record(
        { cached_tokens: count, audio_tokens: count, image_tokens: count },
        { requiredKeys: [] },
      ),
      completion_tokens_details: fc.record({ reasoning_tokens: count, audio_tokens: count }, { requiredKeys: [] }),
    });
    fc.assert(
      fc.property(wire, (usage) => {
        const total_tokens = usage.prompt_tokens + usage.completion_tokens;
        const buckets = bucketsOf({ ...usage, total_tokens }) ?? {};
        for (const units of Object.values(buckets)) expect(units).toBeGreaterThanOrEqual(0);
        expect(promptTokens({ buckets, source: 'upstream' })).toBe(usage.prompt_tokens);
        expect(completionTokens({ buckets, source: 'upstream' })).toBe(usage.completion_tokens);
      }),
    );
  });
});

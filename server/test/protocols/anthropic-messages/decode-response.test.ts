import { describe, expect, it } from 'vitest';
import { anthropicMessagesUpstream } from '../../../src/protocols/index.ts';
import { target } from './surroundings.ts';

const decode = (body: Parameters<typeof anthropicMessagesUpstream.decodeResponse>[0]) =>
  anthropicMessagesUpstream.decodeResponse(body, target());
const failure = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  anthropicMessagesUpstream.decodeFailure(status, headers, typeof body === 'string' ? body : JSON.stringify(body));

describe('a whole answer', () => {
  it('gives disjoint buckets: input_tokens excludes the cache', () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 1000,
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
      output_tokens: 50,
      service_tier: 'standard',
    };
    const answer = decode({ id: 'm', model: 'c', content: [], stop_reason: 'end_turn', usage });
    expect(answer).toEqual({
      id: 'm',
      model: 'c',
      serviceTier: 'default',
      choices: [{ index: 0, parts: [], finish: { kind: 'stop', raw: 'end_turn' } }],
      usage: {
        buckets: { inputFresh: 10, cacheRead: 1000, cacheWrite5m: 60, cacheWrite1h: 40, output: 50 },
        source: 'upstream',
        raw: usage,
      },
    });
  });

  it('counts the passes that shortened the conversation, which the counters beside them leave out', () => {
    const usage = {
      input_tokens: 23_000,
      output_tokens: 1_000,
      iterations: [
        { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500, cache_read_input_tokens: 40 },
        { type: 'message', input_tokens: 23_000, output_tokens: 1_000 },
      ],
    };
    const answer = decode({ content: [{ type: 'text', text: 'short' }], stop_reason: 'end_turn', usage });
    expect(answer).toMatchObject({
      usage: { buckets: { inputFresh: 203_000, cacheRead: 40, output: 4_500 }, raw: usage },
    });
  });

  it('takes a list of passes that says less than the counters for no report', () => {
    const usage = { input_tokens: 10, output_tokens: 5, iterations: [{ type: 'message', output_tokens: 1 }, null] };
    const answer = decode({ content: [], stop_reason: 'end_turn', usage });
    expect(answer).toMatchObject({ usage: { buckets: { inputFresh: 10, output: 5 } } });
  });

  it('keeps server tool blocks for their own protocol and the text for all', () => {
    const result = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
    expect(decode({ content: [result, { type: 'text', text: 'found' }], stop_reason: 'pause_turn' })).toMatchObject({
      choices: [
        {
          parts: [
            { kind: 'text', text: '', extras: { 'anthropic-messages': { block: result } } },
            { kind: 'text', text: 'found' },
          ],
          finish: { kind: 'stop', raw: 'pause_turn' },
        },
      ],
    });
  });

  it('is a failure when it is an error in disguise or no message', () => {
    expect(decode({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } })).toEqual({
      kind: 'server',
      message: 'busy',
      code: 'overloaded_error',
    });
    for (const body of [null, 'text', [], {}, { content: 'x' }])
      expect(decode(body)).toMatchObject({ kind: 'malformed' });
  });
});

describe('a failed call', () => {
  const error = (type: string, message = 'm') => ({ type: 'error', error: { type, message }, request_id: 'r' });

  it.each([
    [400, 'invalid_request_error', 'client-fault'],
    [401, 'authentication_error', 'credential'],
    [402, 'billing_error', 'credential'],
    [403, 'permission_error', 'credential'],
    [404, 'not_found_error', 'model-gone'],
    [413, 'request_too_large', 'client-fault'],
    [429, 'rate_limit_error', 'rate-limited'],
    [500, 'api_error', 'server'],
    [504, 'timeout_error', 'timeout'],
    [529, 'overloaded_error', 'server'],
  ])('%i %s is %s, with and without a readable body', (status, type, kind) => {
    expect(failure(status, error(type))).toMatchObject({ kind, status, code: type });
    expect(failure(status, '<html>gateway</html>')).toMatchObject({ kind, status });
  });

  it('keeps the numbers coding agents act on', () => {
    const text = 'prompt is too long: 210000 tokens > 200000 maximum';
    expect(failure(400, error('invalid_request_error', text))).toMatchObject({
      kind: 'context-too-long',
      tooLong: { tokens: 210_000, maximum: 200_000 },
    });
    const other = 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000';
    expect(failure(400, error('invalid_request_error', other)).kind).toBe('context-too-long');
  });

  it('blames an empty provider account on the provider, not on the client', () => {
    const text = 'Your credit balance is too low to access the API.';
    expect(failure(400, error('invalid_request_error', text)).kind).toBe('credential');
  });

  it('names the field the provider complained about', () => {
    const text = 'messages.3.content.0.text: field required';
    expect(failure(400, error('invalid_request_error', text)).param).toBe('messages');
  });

  it('reads how long to wait, and never believes more than an hour', () => {
    const wait = (headers: Record<string, string>) => failure(429, error('rate_limit_error'), headers).retryAfterMs;
    expect(wait({ 'retry-after': '7' })).toBe(7000);
    expect(wait({ 'retry-after-ms': '250', 'retry-after': '7' })).toBe(250);
    expect(wait({ 'retry-after': '999999' })).toBe(3_600_000);
    const until = { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' };
    expect(wait(until)).toBeUndefined();
    expect(wait({ ...until, date: 'Wed, 21 Oct 2026 07:27:51 GMT' })).toBe(9000);
    expect(wait({})).toBeUndefined();
  });

  it('bounds what it keeps of a huge body', () => {
    expect(failure(500, 'x'.repeat(100_000)).message.length).toBeLessThan(3000);
  });
});

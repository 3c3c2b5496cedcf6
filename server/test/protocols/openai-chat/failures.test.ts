import { describe, expect, test } from 'vitest';
import type { UpstreamFailure } from '../../../src/core/failure.ts';
import { openaiChatUpstream } from '../../../src/protocols/index.ts';

const decode = (status: number, body: unknown, headers: Record<string, string> = {}): UpstreamFailure =>
  openaiChatUpstream.decodeFailure(status, headers, typeof body === 'string' ? body : JSON.stringify(body));
const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

describe('what a failed request means', () => {
  test.each<[string, number, unknown, Partial<UpstreamFailure>]>([
    [
      'a bad field',
      400,
      error('bad', { type: 'invalid_request_error', param: 'messages[2].content[0].image_url' }),
      { kind: 'client-fault', param: 'messages.2.content.0.image_url' },
    ],
    ['a field that is not ours', 400, error('bad', { param: 'internal.secret' }), { kind: 'client-fault' }],
    [
      'unprocessable',
      422,
      { detail: [{ loc: ['body'], msg: 'field required' }, { msg: 'too short' }] },
      { kind: 'client-fault', message: 'field required; too short' },
    ],
    ['our key', 401, error('Incorrect API key', { code: 'invalid_api_key' }), { kind: 'credential' }],
    ['our key, in FastAPI’s shape', 401, { detail: 'Unauthorized' }, { kind: 'credential', message: 'Unauthorized' }],
    ['our key, as 400', 400, error('API key not valid. Please pass a valid API key.'), { kind: 'credential' }],
    ['no money there', 402, error('Insufficient credits', { code: 402 }), { kind: 'credential' }],
    [
      'no quota left, as 429',
      429,
      error('You exceeded your current quota', { type: 'insufficient_quota', code: 'insufficient_quota' }),
      { kind: 'credential' },
    ],
    ['flagged input', 403, error('Your input was flagged by moderation', { code: 403 }), { kind: 'client-fault' }],
    [
      'an unknown model',
      404,
      error('The model `x` does not exist', { code: 'model_not_found' }),
      { kind: 'model-gone' },
    ],
    ['an unknown model, as 400', 400, error('vendor/x is not a valid model ID', { code: 400 }), { kind: 'model-gone' }],
    ['a rate limit', 429, error('Rate limit reached'), { kind: 'rate-limited' }],
    ['tokens per minute are no prompt', 429, error('too many tokens per minute'), { kind: 'rate-limited' }],
    ['overload', 529, error('overloaded'), { kind: 'server' }],
    ['a gateway timeout', 504, '', { kind: 'timeout', message: 'HTTP 504' }],
    [
      'the model slipped',
      400,
      error('Tool call validation failed', { code: 'tool_use_failed', type: 'invalid_request_error' }),
      { kind: 'malformed' },
    ],
    ['text', 500, 'upstream connect error', { kind: 'server', message: 'upstream connect error' }],
    [
      'an HTML page of a proxy',
      502,
      '<html><head><title>502 Bad Gateway</title></head></html>',
      { kind: 'server', message: '502 Bad Gateway' },
    ],
    ['an HTML page in place of an API', 404, '\n<!DOCTYPE html><title>Not here</title>', { kind: 'malformed' }],
    [
      'a plain string as error',
      400,
      { error: 'model is required' },
      { kind: 'client-fault', message: 'model is required' },
    ],
    [
      'words kept aside',
      429,
      error('Provider returned error', { code: 429, metadata: { raw: 'slow down' } }),
      { kind: 'rate-limited', message: 'Provider returned error: slow down' },
    ],
    ['too large a body', 413, 'Payload Too Large', { kind: 'client-fault' }],
  ])('%s', (_name, status, body, expected) => {
    const failure = decode(status, body);
    expect(failure).toMatchObject({ status, ...expected });
    if (expected.param === undefined) expect(failure).not.toHaveProperty('param');
  });

  test.each<[string, object, object]>([
    ['by code', { code: 'context_length_exceeded' }, {}],
    [
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      {},
      { tokens: 9000, maximum: 8192 },
    ],
    [
      "This endpoint's maximum context length is 200000 tokens. However, you requested about 2500021 tokens (2500021 of text input).",
      { code: 400 },
      { tokens: 2500021, maximum: 200000 },
    ],
    ['prompt is too long: 210,000 tokens > 200,000 maximum', {}, { tokens: 210000, maximum: 200000 }],
    ['prompt too long; exceeded max context length by 11 tokens', {}, {}],
    ['Input length 5000 exceeds the maximum length of 4096 tokens', {}, { maximum: 4096 }],
  ])('too long: %s', (message, more, tooLong) => {
    expect(decode(400, error(message, more))).toMatchObject({ kind: 'context-too-long', tooLong });
  });

  test.each<[string, Record<string, string>, string, number | undefined]>([
    ['seconds', { 'retry-after': '7' }, '', 7_000],
    ['fractions', { 'retry-after': '0.5' }, '', 500],
    ['milliseconds win', { 'retry-after': '7', 'retry-after-ms': '1200' }, '', 1_200],
    [
      'a date, against the date of the answer',
      { 'retry-after': 'Sun, 15 Nov 2026 07:00:30 GMT', date: 'Sun, 15 Nov 2026 07:00:00 GMT' },
      '',
      30_000,
    ],
    [
      'a date that has passed',
      { 'retry-after': 'Sun, 15 Nov 2026 06:00:00 GMT', date: 'Sun, 15 Nov 2026 07:00:00 GMT' },
      '',
      0,
    ],
    ['a date without another to measure by', { 'retry-after': 'Sun, 15 Nov 2026 07:00:30 GMT' }, '', undefined],
    ['nonsense', { 'retry-after': 'soon' }, '', undefined],
    ['words in seconds', {}, 'Please try again in 11.054s.', 11_054],
    ['words in milliseconds', {}, 'Please try again in 120ms.', 120],
    ['words in minutes', {}, 'Please try again in 1m30s.', 90_000],
    ['an absurd wait is bounded', { 'retry-after': '999999' }, '', 3_600_000],
  ])('retry-after: %s', (_name, headers, message, expected) => {
    expect(decode(429, error(message), headers).retryAfterMs).toBe(expected);
  });

  test('a provider’s page of megabytes does not fill our log', () => {
    expect(decode(500, 'x'.repeat(100_000)).message).toHaveLength(1_000);
  });
});

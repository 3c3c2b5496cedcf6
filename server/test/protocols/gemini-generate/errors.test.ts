import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { geminiUpstream } from '../../../src/protocols/index.ts';

function failure(status: number, error: JsonObject, headers: Record<string, string> = {}) {
  return geminiUpstream.decodeFailure(status, headers, JSON.stringify({ error }));
}

describe('failures of the provider', () => {
  it('a bad key is HTTP 400 and still our fault, not the client’s', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
    expect(failure(400, { code: 400, message: 'Not valid.', status: 'INVALID_ARGUMENT', details })).toMatchObject({
      kind: 'credential',
      status: 400,
    });
    expect(failure(400, { message: 'API key expired. Please renew the API key.' })).toMatchObject({
      kind: 'credential',
    });
  });

  it('an exhausted quota says when to come back', () => {
    const error = { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED' };
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '48.5s' }];
    expect(failure(429, { ...error, details })).toMatchObject({ kind: 'rate-limited', retryAfterMs: 48_500 });
    expect(failure(429, { ...error, message: 'Please retry in 1.2s.' })).toMatchObject({ retryAfterMs: 1200 });
    expect(failure(429, error, { 'retry-after': '3' })).toMatchObject({ retryAfterMs: 3000 });
    expect(failure(429, error)).not.toHaveProperty('retryAfterMs');
  });

  it.each([
    [
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      { tokens: 1_200_000, maximum: 1_048_576 },
    ],
    ['The input token count exceeds the maximum number of tokens allowed 1048576.', { maximum: 1_048_576 }],
    [
      'Unable to submit request because the input token count is 2000000 but model only supports up to 1048576. Reduce it.',
      { tokens: 2_000_000, maximum: 1_048_576 },
    ],
  ])('too much input keeps its numbers: %s', (message, tooLong) => {
    expect(failure(400, { code: 400, message, status: 'INVALID_ARGUMENT' })).toMatchObject({
      kind: 'context-too-long',
      tooLong,
    });
  });

  it.each([
    [400, 'INVALID_ARGUMENT', 'client-fault'],
    [400, 'FAILED_PRECONDITION', 'credential'],
    [401, 'UNAUTHENTICATED', 'credential'],
    [403, 'PERMISSION_DENIED', 'credential'],
    [404, 'NOT_FOUND', 'model-gone'],
    [500, 'INTERNAL', 'server'],
    [503, 'UNAVAILABLE', 'server'],
    [504, 'DEADLINE_EXCEEDED', 'timeout'],
  ])('%d %s is %s', (status, word, kind) => {
    expect(failure(status, { code: status, message: 'm', status: word })).toEqual({
      kind,
      status,
      message: 'm',
      code: word,
    });
  });

  it('reads an error in an array, and a page that is no JSON', () => {
    const wrapped = JSON.stringify([{ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }]);
    expect(geminiUpstream.decodeFailure(503, {}, wrapped)).toMatchObject({ kind: 'server', code: 'UNAVAILABLE' });
    expect(geminiUpstream.decodeFailure(502, {}, '<html>Bad Gateway</html>')).toMatchObject({
      kind: 'server',
      status: 502,
    });
    expect(geminiUpstream.decodeFailure(404, {}, '')).toMatchObject({ kind: 'model-gone' });
    expect(geminiUpstream.decodeFailure(302, {}, '')).toMatchObject({ kind: 'malformed' });
  });
});

import { describe, expect, it } from 'vitest';
import { NO_LIMIT } from '../../src/admission/admission.ts';
import {
  chatRateHeaders,
  goDuration,
  messagesRateHeaders,
  retryHeaders,
  rfc3339,
  UNLIMITED_WINDOW,
} from '../../src/admission/rate-headers.ts';

describe('rate headers', () => {
  it.each([
    [0, '0s'],
    [-5, '0s'],
    [0.2, '1ms'],
    [850, '850ms'],
    [1_000, '1s'],
    [17_400, '17.4s'],
    [59_999, '59.999s'],
    [60_000, '1m0s'],
    [61_500, '1m1.5s'],
    [3_600_000, '1h0m0s'],
    [3_661_001, '1h1m1.001s'],
  ])('prints %d ms as %s', (durationMs, text) => {
    expect(goDuration(durationMs)).toBe(text);
  });

  it('rounds times up, never to a moment too early', () => {
    expect(rfc3339(Date.parse('2026-11-15T07:00:00.001Z'))).toBe('2026-11-15T07:00:01Z');
    expect(rfc3339(Date.parse('2026-11-15T07:00:00.000Z'))).toBe('2026-11-15T07:00:00Z');
  });

  it('builds the chat protocol', () => {
    const headers = chatRateHeaders({
      requests: { limit: 50, remaining: 49, resetMs: 60_000 },
      tokens: UNLIMITED_WINDOW,
    });
    expect(headers).toEqual({
      'x-ratelimit-limit-requests': '50',
      'x-ratelimit-remaining-requests': '49',
      'x-ratelimit-reset-requests': '1m0s',
      'x-ratelimit-limit-tokens': '1000000',
      'x-ratelimit-remaining-tokens': '1000000',
      'x-ratelimit-reset-tokens': '0s',
    });
  });

  it('builds the messages protocol', () => {
    const now = Date.parse('2026-11-15T07:00:00Z');
    const headers = messagesRateHeaders(
      { requests: { limit: 50, remaining: 0, resetMs: 30_000 }, tokens: { limit: 10, remaining: 10, resetMs: 0 } },
      now,
    );
    expect(headers).toEqual({
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-11-15T07:00:30Z',
      'anthropic-ratelimit-tokens-limit': '10',
      'anthropic-ratelimit-tokens-remaining': '10',
      'anthropic-ratelimit-tokens-reset': '2026-11-15T07:00:00Z',
    });
  });

  it('keeps Retry-After between 1 and 60 whole seconds', () => {
    expect(retryHeaders(0)).toEqual({ 'retry-after': '1', 'retry-after-ms': '1' });
    expect(retryHeaders(1_001)).toEqual({ 'retry-after': '2', 'retry-after-ms': '1001' });
    expect(retryHeaders(90_000)).toEqual({ 'retry-after': '90', 'retry-after-ms': '90000' });
  });
});

describe('a window without a limit', () => {
  it('is shown as the service ceiling less what was used, and never as an enormous number', () => {
    const state = { limit: NO_LIMIT, remaining: NO_LIMIT - 250, resetMs: 1_000 };
    const headers = chatRateHeaders({ requests: state, tokens: { ...state, remaining: NO_LIMIT - 5_000_000 } });
    expect(headers['x-ratelimit-limit-requests']).toBe('1000000');
    expect(headers['x-ratelimit-remaining-requests']).toBe('999750');
    expect(headers['x-ratelimit-remaining-tokens']).toBe('0');
  });
});

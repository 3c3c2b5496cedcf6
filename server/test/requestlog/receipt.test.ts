import { describe, expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import { customerReceipt, operatorReceipt } from '../../src/requestlog/index.ts';
import { formulaText } from '../../src/requestlog/receipt.ts';
import { record } from '../ledger/request-fixture.ts';

const failing = {
  provider: 'azure',
  route: 'azure/gpt',
  credential: 'cred_9',
  outcome: 'server',
  status: 500,
  startedAt: Date.parse('2026-11-15T08:00:00Z'),
  firstEventMs: null,
  durationMs: 5,
  cause: 'the provider said: secret words',
};

describe('receipts', () => {
  it('writes the charge out, in exact money', () => {
    const receipt = customerReceipt(record('req_1', { held: money(1_500_000n), cost: money(500n) }));
    expect(receipt).toMatchObject({
      object: 'request',
      id: 'req_1',
      created_at: '2026-11-15T08:00:00.000Z',
      state: 'completed',
      error: null,
      cost: '0.0005',
      held: '1.5',
      usage_source: 'upstream',
      formula: '100 × 3 + 20 × 10 = 500 µT',
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        buckets: { input_fresh: 100, output: 20 },
      },
      price: {
        version: 'p1',
        lines: [
          { bucket: 'input_fresh', units: 100, toman_per_million: '3', amount: '0.0003' },
          { bucket: 'output', units: 20, toman_per_million: '10', amount: '0.0002' },
        ],
      },
      attempts: [{ provider: 'route-1', outcome: 'ok', status: 200, first_event_ms: 12, duration_ms: 34 }],
    });
  });

  it('shows the operator causes and cost, and the customer neither', () => {
    const whole = record('req_1', {
      attempts: [failing],
      providerCost: money(400n),
      plan: ['1. azure:gpt#cred_9: cheaper'],
    });
    const customer = JSON.stringify(customerReceipt(whole));
    for (const hidden of ['secret words', 'cred_9', 'azure', 'provider_cost']) expect(customer).not.toContain(hidden);
    expect(customerReceipt(whole, true)).toMatchObject({
      plan: ['1. azure:gpt: cheaper'],
      attempts: [{ provider: 'azure' }],
    });
    expect(operatorReceipt(whole)).toMatchObject({
      account_id: 'acme',
      provider_cost: '0.0004',
      plan: ['1. azure:gpt#cred_9: cheaper'],
      attempts: [{ cause: 'the provider said: secret words', credential: 'cred_9', outcome: 'server' }],
    });
  });

  it('names the error and charges nothing for a refusal', () => {
    const refused = record('req_1', {
      state: 'refused',
      errorCode: 'rate_limited',
      status: 429,
      usage: null,
      cost: money(0n),
      formula: [],
      attempts: [],
    });
    expect(customerReceipt(refused)).toMatchObject({
      error: { code: 'rate_limited' },
      usage: null,
      usage_source: null,
      cost: '0',
      formula: '0 µT',
    });
    expect(formulaText([])).toBe('0 µT');
  });

  it('bucket names are readable', () => {
    const cached = record('req_1', { usage: { buckets: { cacheWrite5m: 1, cacheWrite1h: 2 }, source: 'estimated' } });
    expect(customerReceipt(cached)).toMatchObject({ usage: { buckets: { cache_write_5m: 1, cache_write_1h: 2 } } });
  });
});

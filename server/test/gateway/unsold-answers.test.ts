/** An answer that is not charged costs the operator all the same, and its attempt says what. */
import { expect, it } from 'vitest';
import { ZERO } from '../../src/core/money.ts';
import type { Usage } from '../../src/core/usage.ts';
import { endedRecord } from '../../src/gateway/settle/record.ts';
import { chargeOf, type Outcome } from '../../src/ledger/index.ts';
import { record, startRecord } from '../ledger/request-fixture.ts';

const cost = { version: 'cost', perUnit: { inputFresh: 2n, output: 3n }, perRequest: 0n };
const usage: Usage = { buckets: { inputFresh: 100, output: 20 }, source: 'upstream' };

function ended(outcome: Outcome, routeCost: typeof cost | undefined) {
  const attempts = record('req_1').attempts.flatMap((attempt) => [
    { ...attempt, outcome: 'hedge-lost', providerCost: '0.5' },
    { ...attempt, outcome: 'skipped' },
    { ...attempt, outcome: 'ok' },
  ]);
  const model = { id: 'openai/gpt', price: { version: 'p1', perUnit: { output: 9n }, perRequest: 0n } };
  const target = { route: { id: 'openai/gpt', provider: { id: 'openai' }, cost: routeCost } };
  const run = {
    call: { metadata: { warnings: [] } },
    startRecord: startRecord('req_1'),
    key: { rules: {} },
    model,
    target,
    attempts,
    money: { budgets: [] },
    inputUsage: { buckets: { inputFresh: 40 }, source: 'estimated' },
  } as unknown as Parameters<typeof endedRecord>[0];
  const charge = chargeOf(outcome, model.price);
  const made = endedRecord(run, { outcome, charge, error: undefined, durationMs: 1, saved: ZERO });
  return { provider: made.providerCost, attempts: made.attempts.map(({ providerCost }) => providerCost) };
}

it.each<[string, Outcome, typeof cost | undefined, ReturnType<typeof ended>]>([
  [
    'what was reported',
    { state: 'interrupted', charge: false, usage },
    cost,
    { provider: null, attempts: ['0.5', undefined, '0.00026'] },
  ],
  [
    'at least the input',
    { state: 'failed', charge: false, usage: null },
    cost,
    { provider: null, attempts: ['0.5', undefined, '0.00008'] },
  ],
  [
    'nothing where nobody knows the price',
    { state: 'failed', charge: false, usage },
    undefined,
    { provider: null, attempts: ['0.5', undefined, undefined] },
  ],
  [
    'not twice when it is charged',
    { state: 'completed', charge: true, usage },
    cost,
    { provider: 260n as never, attempts: ['0.5', undefined, undefined] },
  ],
])('%s', (_what, outcome, price, expected) => {
  expect(ended(outcome, price)).toEqual(expected);
});

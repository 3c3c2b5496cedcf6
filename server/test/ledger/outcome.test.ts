import { describe, expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import type { Price } from '../../src/core/price.ts';
import type { Usage } from '../../src/core/usage.ts';
import { chargeOf, decideOutcome, type Ending, type OutcomeFacts } from '../../src/ledger/outcome.ts';

const price: Price = { version: 'p1', perUnit: { inputFresh: 3n, output: 10n }, perRequest: 100n };
const reported: Usage = { buckets: { inputFresh: 50, output: 20 }, source: 'upstream', raw: { prompt_tokens: 50 } };
const counted: Usage = { buckets: { inputFresh: 48, output: 7 }, source: 'estimated' };

const ZEROS: Usage = { buckets: { inputFresh: 0, output: 0 }, source: 'upstream' };
const NO_OUTPUT: Usage = { buckets: { inputFresh: 50, output: 0 }, source: 'upstream' };

function facts(over: Partial<OutcomeFacts> & { ended: Ending }): OutcomeFacts {
  return {
    finishSeen: false,
    handedOver: false,
    generated: false,
    delivered: false,
    reported: undefined,
    counted: () => counted,
    chargeInterrupted: true,
    ...over,
  };
}

const some = { generated: true, delivered: true };
const cut: Ending = { by: 'upstream' };

/** [case, facts, state, what is charged: reported, counted or nothing] */
const TABLE: [string, OutcomeFacts, string, 'reported' | 'counted' | null][] = [
  [
    'complete, usage known',
    facts({ ended: { by: 'finish' }, finishSeen: true, ...some, reported }),
    'completed',
    'reported',
  ],
  [
    'complete, zeros beside an answer',
    facts({ ended: { by: 'finish' }, finishSeen: true, ...some, reported: ZEROS }),
    'completed',
    'counted',
  ],
  ['complete, but empty', facts({ ended: { by: 'finish' }, finishSeen: true, reported: NO_OUTPUT }), 'completed', null],
  [
    'complete, nothing seen but tokens reported',
    facts({ ended: { by: 'finish' }, finishSeen: true, reported }),
    'completed',
    'reported',
  ],
  ['complete, no usage sent', facts({ ended: { by: 'finish' }, finishSeen: true, ...some }), 'completed', 'counted'],
  ['client left mid-stream', facts({ ended: { by: 'client' }, ...some }), 'client_closed', 'counted'],
  [
    'client left, nothing delivered but generated',
    facts({ ended: { by: 'client' }, generated: true }),
    'client_closed',
    'counted',
  ],
  [
    'client left after the finish',
    facts({ ended: { by: 'client' }, finishSeen: true, ...some, reported }),
    'client_closed',
    'reported',
  ],
  ['client left before any provider had it', facts({ ended: { by: 'client' } }), 'client_closed', null],
  [
    'client left while a provider had it',
    facts({ ended: { by: 'client' }, handedOver: true }),
    'client_closed',
    'counted',
  ],
  ['failed while a provider had it', facts({ ended: cut, handedOver: true }), 'failed', null],
  [
    'client left before any provider had it, input reported',
    facts({ ended: { by: 'client' }, reported: { buckets: { inputFresh: 9 }, source: 'upstream' } }),
    'client_closed',
    null,
  ],
  ['cut by upstream after output', facts({ ended: cut, ...some }), 'interrupted', 'counted'],
  ['cut by upstream after output, usage known', facts({ ended: cut, ...some, reported }), 'interrupted', 'reported'],
  ['cut by upstream, setting off', facts({ ended: cut, ...some, chargeInterrupted: false }), 'interrupted', null],
  [
    'cut by upstream after its finish, setting off',
    facts({ ended: cut, finishSeen: true, ...some, reported, chargeInterrupted: false }),
    'interrupted',
    'reported',
  ],
  ['cut by upstream, output never delivered', facts({ ended: cut, generated: true, reported }), 'failed', null],
  ['empty answer', facts({ ended: cut, finishSeen: true, reported }), 'failed', null],
  ['every route failed or timed out', facts({ ended: cut }), 'failed', null],
  [
    'our fault before delivery',
    facts({ ended: { by: 'us' }, finishSeen: true, generated: true, reported }),
    'failed',
    null,
  ],
  ['our fault after delivery', facts({ ended: { by: 'us' }, ...some }), 'interrupted', 'counted'],
];

describe('the table of outcomes', () => {
  it.each(TABLE)('%s', (_name, given, state, charged) => {
    const outcome = decideOutcome(given);
    expect(outcome.state).toBe(state);
    expect(outcome.charge).toBe(charged !== null);
    const { cost, formula } = chargeOf(outcome, price);
    if (charged === null) {
      expect(cost).toBe(0n);
      expect(formula).toEqual([]);
    } else {
      expect(outcome.usage).toEqual(charged === 'reported' ? reported : counted);
      expect(outcome.usage?.source).toBe(charged === 'reported' ? 'upstream' : 'estimated');
      expect(formula.reduce((sum, line) => sum + line.amount, 0n)).toBe(cost);
    }
  });

  it('an answer that finished without any output is free', () => {
    const outcome = decideOutcome(facts({ ended: { by: 'finish' }, finishSeen: true, reported: NO_OUTPUT }));
    expect(outcome).toEqual({ state: 'completed', charge: false, usage: NO_OUTPUT });
    expect(chargeOf(outcome, price).cost).toBe(money(0n));
  });

  it('never charges less output than we saw when the provider reported only at the start of a cut stream', () => {
    const atStart: Usage = { buckets: { inputFresh: 40, cacheRead: 10, output: 1 }, source: 'upstream', raw: 'start' };
    const outcome = decideOutcome(facts({ ended: { by: 'client' }, ...some, reported: atStart }));
    expect(outcome.usage).toEqual({
      buckets: { inputFresh: 40, cacheRead: 10, output: 7 },
      source: 'estimated',
      raw: 'start',
    });
  });

  it('counts the input itself when the provider reported output only', () => {
    const outputOnly: Usage = { buckets: { output: 3 }, source: 'upstream' };
    const outcome = decideOutcome(facts({ ended: { by: 'client' }, ...some, reported: outputOnly }));
    expect(outcome.usage).toEqual({ buckets: { inputFresh: 48, output: 7 }, source: 'estimated' });
  });

  it('counts the side that a report calls empty beside an answer, and keeps the other', () => {
    const finished = { ended: { by: 'finish' } as const, finishSeen: true, ...some };
    expect(decideOutcome(facts({ ...finished, reported: NO_OUTPUT })).usage).toEqual({
      buckets: { inputFresh: 50, output: 7 },
      source: 'estimated',
    });
    const noInput: Usage = { buckets: { inputFresh: 0, cacheRead: 0, output: 20 }, source: 'upstream' };
    expect(decideOutcome(facts({ ...finished, reported: noInput })).usage).toEqual({
      buckets: { inputFresh: 48, output: 20 },
      source: 'estimated',
    });
  });

  it('takes a prompt that was read from the cache alone as reported', () => {
    const cached: Usage = { buckets: { inputFresh: 0, cacheRead: 50, output: 20 }, source: 'upstream' };
    const outcome = decideOutcome(facts({ ended: { by: 'finish' }, finishSeen: true, ...some, reported: cached }));
    expect(outcome.usage).toBe(cached);
  });

  it("keeps the provider's count on endpoints that have no output to count", () => {
    const embedding: Usage = { buckets: { inputFresh: 12 }, source: 'upstream' };
    const ours = () => ({ buckets: { inputFresh: 11 }, source: 'estimated' as const });
    const outcome = decideOutcome(
      facts({ ended: { by: 'finish' }, finishSeen: true, reported: embedding, counted: ours }),
    );
    expect(outcome.usage).toBe(embedding);
  });

  it('does not count when the provider has counted', () => {
    const counting = () => {
      throw new Error('counted without need');
    };
    expect(() =>
      decideOutcome(facts({ ended: { by: 'finish' }, finishSeen: true, ...some, reported, counted: counting })),
    ).not.toThrow();
  });
});

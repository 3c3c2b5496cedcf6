/** What an endpoint produced, and what a request came to: the two ends of a settlement. */
import type { Money } from '../../core/money.ts';
import type { Usage } from '../../core/usage.ts';

/** What was produced and delivered, as the meter of the endpoint knows it. */
export interface Production {
  finishSeen: boolean;
  generated: boolean;
  delivered: boolean;
  reported: Usage | undefined;
  counted: () => Usage;
}

export interface Settlement {
  usage: Usage;
  cost: Money;
}

export const NOTHING_PRODUCED: Production = {
  finishSeen: false,
  generated: false,
  delivered: false,
  reported: undefined,
  counted: () => ({ buckets: {}, source: 'estimated' }),
};

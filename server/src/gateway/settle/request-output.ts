/** What an endpoint produced, and what a request cost: the input and the result of a settlement. */
import type { Money } from '../../core/money.ts';
import type { Usage } from '../../core/usage.ts';

/** What was produced and delivered, as counted by the endpoint's meter. */
export interface RequestOutput {
  /** The provider gave a finish reason, so nothing more was to come. */
  finishSeen: boolean;
  /** Some output arrived from the provider. */
  generated: boolean;
  /** Some output was sent on to the client. */
  delivered: boolean;
  /** The provider's own usage, as far as it was reported. */
  reported: Usage | undefined;
  /** Our own count. Called only when it is needed, because counting is expensive. */
  counted: () => Usage;
  /** The service tier that the provider says it served at. */
  servedTier?: string | undefined;
  /** Streams of models that reason unseen: how many tokens were reasoned in how long, given the provider's report. */
  thought?: (reported: Usage) => { tokens: number; ms: number };
}

export interface Settlement {
  usage: Usage;
  cost: Money;
}

export const NO_OUTPUT: RequestOutput = {
  finishSeen: false,
  generated: false,
  delivered: false,
  reported: undefined,
  counted: () => ({ buckets: {}, source: 'estimated' }),
};

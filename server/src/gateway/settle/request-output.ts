/** What an endpoint produced, and what a request came to: the two ends of a settlement. */
import type { Money } from '../../core/money.ts';
import type { Usage } from '../../core/usage.ts';

/** What was produced and delivered, as the meter of the endpoint knows it. */
export interface RequestOutput {
  /** The provider said why it stopped, so nothing more was to come. */
  finishSeen: boolean;
  /** Some output arrived from the provider. */
  generated: boolean;
  /** Some output was sent on to the client. */
  delivered: boolean;
  /** The provider's own count, as far as it came. */
  reported: Usage | undefined;
  /** Our own count. It is called only when it is needed, because counting is not free. */
  counted: () => Usage;
  /** The service tier that the provider says it served at. */
  servedTier?: string | undefined;
  /** Streams of models that think unseen: how much was thought in how long, given what the provider reported. */
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

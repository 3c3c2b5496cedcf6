/** What is known of a request when it is admitted. */
import type { BudgetCheck, Hold } from '../../admission/index.ts';
import type { Model } from '../../catalog/index.ts';
import type { RoutingTold } from '../../core/routing-told.ts';
import type { Usage } from '../../core/usage.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Call } from '../call.ts';

export interface RunOptions {
  call: Call;
  key: KeySnapshot;
  model: Model;
  hold: Hold;
  counters: string[];
  /** Budgets from which the request can hold more while it runs; the wallet is the last. */
  budgets: BudgetCheck[];
  stream: boolean;
  user: string | undefined;
  /** The tags it is counted under. */
  tags: string[] | undefined;
  /** The input tokens that were held for. */
  inputTokens: number;
  /** The input tokens that are charged when no provider reports any. */
  likelyInput: number;
  /** What the provider charges for the request alone; by default its input tokens. */
  inputUsage: Usage | undefined;
  /** The model may reason without showing it. */
  thinksUnseen: boolean;
  /** The model was asked not to reason at all. */
  asksNoThinking: boolean;
  /** The explanation of the order of routes. */
  plan: string[];
  /** What the receipt tells about the routing; undefined for nearly every request. */
  told: RoutingTold | undefined;
}

/** What is known of a request when it was let in. */
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
  /** The request can take more from these while it runs; the wallet is the last. */
  budgets: BudgetCheck[];
  stream: boolean;
  user: string | undefined;
  /** What it is counted for. */
  tags: string[] | undefined;
  /** The count that was held for. */
  inputTokens: number;
  /** The count that is charged when no provider reports one. */
  likelyInput: number;
  /** What the provider charges for the request alone; by default its input tokens. */
  inputUsage: Usage | undefined;
  /** The model may think without showing it. */
  thinksUnseen: boolean;
  /** And was asked not to think at all. */
  asksNoThinking: boolean;
  /** Why its routes stand in their order. */
  plan: string[];
  /** What of its way the receipt tells; undefined for nearly every request. */
  told: RoutingTold | undefined;
}

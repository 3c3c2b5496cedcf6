/** One request as it is journaled, posted and shown on its receipt. */
import type { Money } from '../core/money.ts';
import type { CostLine } from '../core/price.ts';
import type { Usage } from '../core/usage.ts';

export type RequestState = 'running' | 'completed' | 'interrupted' | 'client_closed' | 'failed' | 'refused';

export interface AttemptRecord {
  provider: string;
  route: string;
  credential: string;
  /** `ok`, `aborted`, `hedge-lost`, `skipped`, or a FailureKind. */
  outcome: string;
  status: number | null;
  startedAt: number;
  firstEventMs: number | null;
  durationMs: number;
  /** Why it failed, for the operator only. */
  cause: string | null;
  /** A lost hedge: the least it will have cost us, in toman. For the operator only. */
  providerCost?: string;
  /** Its span, where the request is traced. Not stored. */
  spanId?: string;
}

/** Known when the request is admitted. */
export interface RequestOpening {
  id: string;
  createdAt: number;
  accountId: string;
  keyId: string;
  endpoint: string;
  model: string;
  stream: boolean;
  held: Money;
  priceVersion: string;
  user: string | null;
  /** Day in the account's own calendar (`2026-11-15`), for the daily roll-up; when absent, the day of the account's daily counter, else the UTC day. */
  day?: string;
  /**
   * Budgets that admission really holds for this request (`Hold.budgets`), released when it is posted.
   * Absent: the wallet and every counter.
   */
  budgets?: string[];
}

/** Known at the end. Self-contained: posting needs nothing else. */
export interface RequestRecord extends RequestOpening {
  state: RequestState;
  errorCode: string | null;
  status: number;
  usage: Usage | null;
  cost: Money;
  /** The charge written out; adds up to cost. */
  formula: CostLine[];
  attempts: AttemptRecord[];
  /** Why each route stood where it did. */
  plan: string[];
  /** Provider's charge to us, when known. */
  providerCost: Money | null;
  provider: string | null;
  firstEventMs: number | null;
  durationMs: number;
  /** Spend counters this charge belongs to (budget ids of the caps, tracked even where no cap is set). */
  counters: string[];
  retrievedTokens: number;
  warnings: string[];
}

/** What the end of a request adds to its opening. */
export type RequestClosing = Omit<RequestRecord, keyof RequestOpening>;

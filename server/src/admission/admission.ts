/**
 * May this request run? One atomic, all-or-nothing reservation over every window and budget of a request.
 *
 * Windows refill (requests and tokens in a rolling 60 s); budgets do not (wallet, spend caps):
 *     window:  used in the last 60 s + amount ≤ limit
 *     budget:  limit − posted − outstanding ≥ amount
 * `posted` mirrors the ledger. `outstanding` is what running and not yet posted requests hold.
 * The wallet is the budget with posted = −balance and limit = −required minimum.
 */

import type { MaybePromise } from '../core/maybe-promise.ts';
import { type Money, ZERO } from '../core/money.ts';

/** The limit of a window that has none: counted, for the headers, and never reached. Exact in Redis's doubles too. */
export const NO_LIMIT = 2 ** 50;

/** Windows that protect the service itself; customers are sold nothing by them. */
type GuardName = 'free-requests' | 'ip-failures' | 'key-refusals';

/** Windows that keys and accounts have by their rules. What is taken of `key-tokens` is an estimate, which settling corrects. */
export type RateName = `${'key' | 'account'}-${string}`;

/**
 * Whose counter it is: the account's, or the caller's where no account is known. Counters of one home are kept together, and only
 * counters of one home can be taken in one reservation.
 */
export type Home = string;

export interface WindowCheck {
  kind: 'window';
  name: RateName | GuardName;
  /** Identity of the counter, e.g. `rpm:key:<id>`. */
  id: string;
  home: Home;
  limit: number;
  amount: number;
}

export interface BudgetCheck {
  kind: 'budget';
  name: 'cap' | 'wallet';
  /** Identity, period included, e.g. `cap:key:<id>:daily:2026-11-15`, `wallet:<account>`. */
  id: string;
  home: Home;
  limit: Money;
}

export type LimitCheck = WindowCheck | BudgetCheck;

export interface ReservedMoney {
  want: Money;
  /** The same as `want` when absent. */
  usual?: Money;
  least: Money;
}

/** For a reservation over windows alone. */
export const NO_MONEY: ReservedMoney = { want: ZERO, least: ZERO };

/** Beyond `usual` a request may take at most 1/FREE_SHARE of what the tightest budget has. */
export const FREE_SHARE = 4n;

export interface ReserveRequest {
  requestId: string;
  /** Checked in this order; the first that fails is the answer. */
  checks: LimitCheck[];
  /**
   * Taken from every budget alike. Between `least` and `usual`, as much as the tightest budget has; between `usual` and
   * `want` only while that is a part of what the budget has (`FREE_SHARE`), so that one request does not take all of it.
   */
  money: ReservedMoney;
}

export interface WindowState {
  limit: number;
  remaining: number;
  /** Milliseconds until the window is empty again. */
  resetMs: number;
}

/** States of windows by the counter's id; a Map fits. */
export interface WindowStates extends Iterable<readonly [string, WindowState]> {
  readonly size: number;
  get(id: string): WindowState | undefined;
}

export interface BudgetState {
  limit: Money;
  posted: Money;
  held: Money;
}

export interface Hold {
  requestId: string;
  /** What each budget holds for this request. */
  amount: Money;
  budgets: string[];
}

export type ReserveResult =
  | {
      ok: true;
      hold: Hold;
      windows: WindowStates;
    }
  | {
      ok: false;
      failed: LimitCheck;
      /** Windows only: when enough room will be there. */
      retryAfterMs: number | undefined;
      /** Budgets only: what it could have given. */
      available: Money | undefined;
      windows: WindowStates;
    };

/** A posted change of one budget, as the ledger reports it after its transaction. */
export interface PostedUpdate {
  budget: string;
  posted: Money;
  /** Grows with every change of that row; an older report never overwrites a newer one. */
  version: bigint;
  /** How much of what this process had outstanding is now part of `posted`. */
  release: Money;
}

export interface AdmissionHealth {
  mode: 'memory' | 'redis' | 'degraded';
  /** When the degraded mode began. */
  since?: number;
  replicas: number;
}

export interface Admission {
  /** At once where no other process has to be asked. */
  reserve(request: ReserveRequest): MaybePromise<ReserveResult>;
  /**
   * The hold becomes what was really used, which stays outstanding until it is posted. `spent` 0 releases all of it. Never
   * throws.
   */
  settle(hold: Hold, actual: { spent: Money; tokens: number | undefined }): void;
  posted(updates: PostedUpdate[]): void;
  /** State without taking. */
  windows(checks: WindowCheck[]): Promise<WindowStates>;
  budgets(checks: BudgetCheck[]): Promise<Map<string, BudgetState>>;
  health(): AdmissionHealth;
  /**
   * Call this when the charges of earlier incarnations of this replica have been posted: from then on they count in the
   * ledger only.
   */
  recovered(): Promise<void>;
  /** All replicas that count together, and what the dead ones left behind. Reads every budget when there are dead ones. */
  replicas(): Promise<ReplicaState[]>;
  /** Replicas that are dead, as far as this one knows, without a question to anybody. */
  missingReplicas(): MissingReplica[];
  /** Writes off what a dead replica had outstanding and never posted. False for one that lives or is not known. */
  forgetReplica(id: string): Promise<boolean>;
  close(): Promise<void>;
}

export interface MissingReplica {
  id: string;
  /** When its heartbeat ended, in milliseconds since 1970. */
  since: number;
}

/** What a dead replica had outstanding stays counted until it is back and has posted it, or is forgotten. */
export type ReplicaState =
  | { id: string; living: true }
  | (MissingReplica & {
      living: false;
      /** Held, charged or leased in wallets when it died. */
      outstanding: Money;
      wallets: number;
    });

/** Where an implementation reads `posted` of a budget it has not seen yet (the ledger). */
export type LoadPosted = (budgets: string[]) => Promise<Map<string, { posted: Money; version: bigint }>>;

/**
 * Windows and budgets in the memory of one process. Everything here is synchronous, which is what makes a take atomic:
 * first every claim is checked, then every claim is taken, and nothing runs in between.
 */
import { type Money, money } from '../core/money.ts';
import type { Claim, Hold, TakeRequest, TakeResult, WindowClaim, WindowState, WindowStates } from './admission.ts';
import { RollingWindow } from './arithmetic.ts';
import { BoundedTable } from './bounded-table.ts';
import { FewWindowStates } from './few-window-states.ts';
import { Outstanding } from './outstanding.ts';
import { AdmissionUnavailable } from './unavailable.ts';

/** `spare` where a request has no budget at all. */
export const UNBOUNDED = money(2n ** 62n);
const MOST_COUNTERS = 200_000;
/** Reloading a budget costs a query, keeping it a few hundred bytes. */
const BUDGET_IDLE_MS = 600_000;

export class Budget {
  readonly id: string;
  posted: bigint;
  version: bigint;
  usedAt = 0;
  /** When the ledger was last asked about it. */
  refreshedAt = 0;
  readonly outstanding = new Outstanding();

  constructor(id: string, posted: bigint, version: bigint) {
    this.id = id;
    this.posted = posted;
    this.version = version;
  }

  available(limit: bigint): bigint {
    return limit - this.posted - this.outstanding.total;
  }

  /** The ledger's word, unless a newer one is known. */
  learn(posted: bigint, version: bigint): void {
    if (version <= this.version) return;
    this.posted = posted;
    this.version = version;
  }
}

/** Remembers the counters it was taken from, so that settling needs no look-up and cannot happen twice. */
class LocalHold implements Hold {
  readonly requestId: string;
  readonly amount: Money;
  readonly takenFrom: readonly Budget[];
  /** What was taken of tokens is only a guess, corrected in the bucket where it was counted. */
  tokens: RollingWindow | undefined;
  tokensBucket = 0;
  tokensTaken = 0;
  settled = false;

  constructor(requestId: string, amount: Money, takenFrom: readonly Budget[]) {
    this.requestId = requestId;
    this.amount = amount;
    this.takenFrom = takenFrom;
  }

  get budgets(): string[] {
    return this.takenFrom.map(({ id }) => id);
  }
}

export class LocalCounters {
  readonly #windows: BoundedTable<RollingWindow>;
  readonly #failures: BoundedTable<RollingWindow>;
  readonly #budgets: BoundedTable<Budget>;

  constructor(most = MOST_COUNTERS) {
    const idle = (window: RollingWindow, nowMs: number): boolean => window.used(nowMs) === 0;
    this.#windows = new BoundedTable({ most, idle, whenFull: 'refuse' });
    // Addresses are free for an attacker: a flood of them may make us forget some, not refuse everybody.
    this.#failures = new BoundedTable({ most, idle, whenFull: 'forget-oldest' });
    this.#budgets = new BoundedTable<Budget>({
      most,
      idle: (budget, nowMs) => budget.outstanding.idle && budget.usedAt + BUDGET_IDLE_MS < nowMs,
      whenFull: 'refuse',
    });
  }

  /** The result, or the ids of budgets whose `posted` must be loaded first. Then nothing was taken. */
  take(request: TakeRequest, nowMs: number): TakeResult | string[] {
    const { claims } = request;
    const budgets: Budget[] = [];
    let grant = request.money.want as bigint;
    let tightest: bigint | undefined;
    let missing: string[] | undefined;
    for (const claim of claims) {
      if (claim.kind === 'window') {
        if (missing === undefined && !this.#windowFits(claim, nowMs))
          return this.#refuse(request, claim, undefined, nowMs);
        continue;
      }
      const budget = this.#budgets.get(claim.id);
      if (budget === undefined) {
        missing ??= [];
        missing.push(claim.id);
      } else if (missing === undefined) {
        const available = budget.available(claim.limit);
        if (available < request.money.least) return this.#refuse(request, claim, money(available), nowMs);
        if (available < grant) grant = available;
        if (tightest === undefined || available < tightest) tightest = available;
        budgets.push(budget);
      }
    }
    if (missing !== undefined) return missing;
    const hold = new LocalHold(request.requestId, money(grant), budgets);
    // Windows first: only they can fail to be created, and then no budget may have been touched.
    const windows = this.#takeWindows(claims, hold, nowMs);
    for (const budget of budgets) {
      budget.outstanding.hold(hold.amount);
      budget.usedAt = nowMs;
    }
    return { ok: true, hold, spare: tightest === undefined ? UNBOUNDED : money(tightest - grant), windows };
  }

  settle(hold: Hold, spent: Money, tokens: number | undefined): void {
    if (!(hold instanceof LocalHold) || hold.settled) return;
    hold.settled = true;
    for (const budget of hold.takenFrom) budget.outstanding.settle(hold.amount, spent);
    if (tokens !== undefined) hold.tokens?.correct(hold.tokensBucket, tokens - hold.tokensTaken);
  }

  budget(id: string): Budget | undefined {
    return this.#budgets.get(id);
  }

  /** Makes a budget known. */
  open(id: string, posted: bigint, version: bigint, nowMs: number): Budget {
    const known = this.#budgets.get(id);
    if (known !== undefined) {
      known.learn(posted, version);
      return known;
    }
    const budget = new Budget(id, posted, version);
    budget.usedAt = nowMs;
    budget.refreshedAt = nowMs;
    if (!this.#budgets.insert(id, budget, nowMs)) throw tooMany('budgets');
    return budget;
  }

  hasWindow(claim: WindowClaim): boolean {
    return this.#tableOf(claim).get(claim.id) !== undefined;
  }

  windowState(claim: WindowClaim, nowMs: number): WindowState {
    const window = this.#tableOf(claim).get(claim.id);
    return window === undefined
      ? { limit: claim.limit, remaining: Math.max(0, claim.limit), resetMs: 0 }
      : window.state(claim.limit, nowMs);
  }

  windowStates(claims: readonly Claim[], nowMs: number): WindowStates {
    const windows = claims.filter((claim) => claim.kind === 'window');
    return new FewWindowStates(windows.map((claim) => [claim.id, this.windowState(claim, nowMs)] as const));
  }

  /** The counter behind a claim, created when new. */
  window(claim: WindowClaim, nowMs: number): RollingWindow {
    const table = this.#tableOf(claim);
    let window = table.get(claim.id);
    if (window === undefined) {
      window = new RollingWindow();
      if (!table.insert(claim.id, window, nowMs)) throw tooMany('windows');
    }
    return window;
  }

  /** All or none. */
  #takeWindows(claims: readonly Claim[], hold: LocalHold, nowMs: number): WindowStates {
    const states: (readonly [string, WindowState])[] = [];
    for (let at = 0; at < claims.length; at++) {
      const claim = claims[at] as Claim;
      if (claim.kind !== 'window') continue;
      const window = this.#windowOrUndo(claims, at, claim, nowMs);
      // At once: an empty window may be swept away by the next insertion, and then two of them would count.
      const bucket = window.add(claim.amount, nowMs);
      if (claim.name === 'key-tokens') {
        hold.tokens = window;
        hold.tokensBucket = bucket;
        hold.tokensTaken = claim.amount;
      }
      states.push([claim.id, window.state(claim.limit, nowMs)]);
    }
    return new FewWindowStates(states);
  }

  #windowOrUndo(claims: readonly Claim[], at: number, claim: WindowClaim, nowMs: number): RollingWindow {
    try {
      return this.window(claim, nowMs);
    } catch (error) {
      for (const taken of claims.slice(0, at)) {
        if (taken.kind !== 'window') continue;
        const window = this.#tableOf(taken).get(taken.id);
        // Adding nothing tells the bucket it was counted in: no time has passed since.
        window?.correct(window.add(0, nowMs), -taken.amount);
      }
      throw error;
    }
  }

  #windowFits(claim: WindowClaim, nowMs: number): boolean {
    const window = this.#tableOf(claim).get(claim.id);
    return window === undefined ? claim.amount <= claim.limit : window.fits(claim.limit, claim.amount, nowMs);
  }

  #refuse(request: TakeRequest, failed: Claim, available: Money | undefined, nowMs: number): TakeResult {
    const windows = this.windowStates(request.claims, nowMs);
    const window = failed.kind === 'window' ? this.#tableOf(failed).get(failed.id) : undefined;
    const retryAfterMs =
      failed.kind === 'window'
        ? (window ?? new RollingWindow()).roomInMs(failed.limit, failed.amount, nowMs)
        : undefined;
    return { ok: false, failed, retryAfterMs, available, windows };
  }

  #tableOf(claim: WindowClaim): BoundedTable<RollingWindow> {
    return claim.name === 'ip-failures' ? this.#failures : this.#windows;
  }
}

function tooMany(what: string): AdmissionUnavailable {
  return new AdmissionUnavailable('too-many-counters', `too many ${what} are in use at once`);
}

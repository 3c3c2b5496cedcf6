/**
 * Windows and budgets in the memory of one process. Everything here is synchronous, which is what makes a reservation atomic:
 * first every check is made, then every amount is reserved, and nothing runs in between.
 */
import { type Money, max, min, money } from '../core/money.ts';
import {
  FREE_SHARE,
  type Hold,
  type LimitCheck,
  type ReservedMoney,
  type ReserveRequest,
  type ReserveResult,
  type WindowCheck,
  type WindowState,
  type WindowStates,
} from './admission.ts';
import { RollingWindow } from './arithmetic.ts';
import { BoundedTable } from './bounded-table.ts';
import { FewWindowStates } from './few-window-states.ts';
import { Outstanding } from './outstanding.ts';
import { AdmissionUnavailable } from './unavailable.ts';

const MAX_COUNTERS = 200_000;
/** A budget that was dropped costs one query to load again; one that is kept costs a few hundred bytes. */
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

  /** Takes the ledger's value unless a newer one is known. */
  learn(posted: bigint, version: bigint): void {
    if (version <= this.version) return;
    this.posted = posted;
    this.version = version;
  }
}

/** A hold remembers the counters it was reserved from, so that settling needs no look-up and cannot happen twice. */
class LocalHold implements Hold {
  readonly requestId: string;
  readonly amount: Money;
  readonly reservedFrom: readonly Budget[];
  /**
   * The tokens reserved at admission are only an estimate; settling corrects them in the second in which they were
   * counted.
   */
  tokens: RollingWindow | undefined;
  tokensSecond = 0;
  tokensReserved = 0;
  settled = false;

  constructor(requestId: string, amount: Money, reservedFrom: readonly Budget[]) {
    this.requestId = requestId;
    this.amount = amount;
    this.reservedFrom = reservedFrom;
  }

  get budgets(): string[] {
    return this.reservedFrom.map(({ id }) => id);
  }
}

export class LocalCounters {
  readonly #windows: BoundedTable<RollingWindow>;
  readonly #failures: BoundedTable<RollingWindow>;
  readonly #budgets: BoundedTable<Budget>;

  constructor(max = MAX_COUNTERS) {
    const idle = (window: RollingWindow, nowMs: number): boolean => window.used(nowMs) === 0;
    this.#windows = new BoundedTable({ max, idle, whenFull: 'refuse' });
    // Addresses are free for an attacker: a flood of them may make us forget some, not refuse everybody.
    this.#failures = new BoundedTable({ max, idle, whenFull: 'forget-oldest' });
    this.#budgets = new BoundedTable<Budget>({
      max,
      idle: (budget, nowMs) => budget.outstanding.idle && budget.usedAt + BUDGET_IDLE_MS < nowMs,
      whenFull: 'refuse',
    });
  }

  /** Returns the result, or the ids of budgets whose `posted` must be loaded first; then nothing was reserved. */
  reserve(request: ReserveRequest, nowMs: number): ReserveResult | string[] {
    const { checks } = request;
    const budgets: Budget[] = [];
    let tightest: bigint | undefined;
    let missing: string[] | undefined;
    for (const check of checks) {
      if (check.kind === 'window') {
        if (missing === undefined && !this.#windowFits(check, nowMs))
          return this.#refuse(request, check, undefined, nowMs);
        continue;
      }
      const budget = this.#budgets.get(check.id);
      if (budget === undefined) {
        missing ??= [];
        missing.push(check.id);
      } else if (missing === undefined) {
        const available = budget.available(check.limit);
        if (available < request.money.least) return this.#refuse(request, check, money(available), nowMs);
        if (tightest === undefined || available < tightest) tightest = available;
        budgets.push(budget);
      }
    }
    if (missing !== undefined) return missing;
    const hold = new LocalHold(request.requestId, grantOf(request.money, tightest), budgets);
    // Windows first: only they can fail to be created, and then no budget may have been touched.
    const windows = this.#reserveWindows(checks, hold, nowMs);
    for (const budget of budgets) {
      budget.outstanding.hold(hold.amount);
      budget.usedAt = nowMs;
    }
    return { ok: true, hold, windows };
  }

  settle(hold: Hold, spent: Money, tokens: number | undefined): void {
    if (!(hold instanceof LocalHold) || hold.settled) return;
    hold.settled = true;
    for (const budget of hold.reservedFrom) budget.outstanding.settle(hold.amount, spent);
    if (tokens !== undefined) hold.tokens?.correct(hold.tokensSecond, tokens - hold.tokensReserved);
  }

  budget(id: string): Budget | undefined {
    return this.#budgets.get(id);
  }

  /** Adds a budget, or teaches a known one a newer posted value. */
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

  hasWindow(check: WindowCheck): boolean {
    return this.#tableOf(check).get(check.id) !== undefined;
  }

  windowState(check: WindowCheck, nowMs: number): WindowState {
    const window = this.#tableOf(check).get(check.id);
    return window === undefined
      ? { limit: check.limit, remaining: Math.max(0, check.limit), resetMs: 0 }
      : window.state(check.limit, nowMs);
  }

  windowStates(checks: readonly LimitCheck[], nowMs: number): WindowStates {
    const windows = checks.filter((check) => check.kind === 'window');
    return new FewWindowStates(windows.map((check) => [check.id, this.windowState(check, nowMs)] as const));
  }

  /** The counter behind a check, created when new. */
  window(check: WindowCheck, nowMs: number): RollingWindow {
    const table = this.#tableOf(check);
    let window = table.get(check.id);
    if (window === undefined) {
      window = new RollingWindow();
      if (!table.insert(check.id, window, nowMs)) throw tooMany('windows');
    }
    return window;
  }

  /** Reserves from every window, or from none when one of them cannot be created. */
  #reserveWindows(checks: readonly LimitCheck[], hold: LocalHold, nowMs: number): WindowStates {
    const states: (readonly [string, WindowState])[] = [];
    for (let at = 0; at < checks.length; at++) {
      const check = checks[at] as LimitCheck;
      if (check.kind !== 'window') continue;
      const window = this.#windowOrUndo(checks, at, check, nowMs);
      // Added right after the window was created: an empty window may be dropped by the next insertion, and then two windows of
      // one name would count.
      const second = window.add(check.amount, nowMs);
      if (check.name === 'key-tokens') {
        hold.tokens = window;
        hold.tokensSecond = second;
        hold.tokensReserved = check.amount;
      }
      states.push([check.id, window.state(check.limit, nowMs)]);
    }
    return new FewWindowStates(states);
  }

  #windowOrUndo(checks: readonly LimitCheck[], at: number, check: WindowCheck, nowMs: number): RollingWindow {
    try {
      return this.window(check, nowMs);
    } catch (error) {
      for (const reserved of checks.slice(0, at)) {
        if (reserved.kind !== 'window') continue;
        const window = this.#tableOf(reserved).get(reserved.id);
        // `add(0)` changes nothing and returns the second in which the reservation was counted.
        window?.correct(window.add(0, nowMs), -reserved.amount);
      }
      throw error;
    }
  }

  #windowFits(check: WindowCheck, nowMs: number): boolean {
    const window = this.#tableOf(check).get(check.id);
    return window === undefined ? check.amount <= check.limit : window.fits(check.limit, check.amount, nowMs);
  }

  #refuse(request: ReserveRequest, failed: LimitCheck, available: Money | undefined, nowMs: number): ReserveResult {
    const windows = this.windowStates(request.checks, nowMs);
    const window = failed.kind === 'window' ? this.#tableOf(failed).get(failed.id) : undefined;
    const retryAfterMs =
      failed.kind === 'window'
        ? (window ?? new RollingWindow()).roomInMs(failed.limit, failed.amount, nowMs)
        : undefined;
    return { ok: false, failed, retryAfterMs, available, windows };
  }

  #tableOf(check: WindowCheck): BoundedTable<RollingWindow> {
    return check.name === 'ip-failures' ? this.#failures : this.#windows;
  }
}

function grantOf({ want, usual = want }: ReservedMoney, tightest: bigint | undefined): Money {
  if (tightest === undefined) return want;
  return min(want, max(min(usual, money(tightest)), money(tightest / FREE_SHARE)));
}

function tooMany(what: string): AdmissionUnavailable {
  return new AdmissionUnavailable('too-many-counters', `too many ${what} are in use at once`);
}

/**
 * Windows and budgets in the memory of one process. Everything here is synchronous, which is what makes a take atomic:
 * first every demand is checked, then every demand is taken, and nothing runs in between.
 */
import { type Money, max, min, money } from '../core/money.ts';
import {
  type Demand,
  FREE_SHARE,
  type Hold,
  type TakenMoney,
  type TakeRequest,
  type TakeResult,
  type WindowDemand,
  type WindowState,
  type WindowStates,
} from './admission.ts';
import { RollingWindow } from './arithmetic.ts';
import { BoundedTable } from './bounded-table.ts';
import { FewWindowStates } from './few-window-states.ts';
import { Outstanding } from './outstanding.ts';
import { AdmissionUnavailable } from './unavailable.ts';

const MOST_COUNTERS = 200_000;
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

/** A hold remembers the counters it was taken from, so that settling needs no look-up and cannot happen twice. */
class LocalHold implements Hold {
  readonly requestId: string;
  readonly amount: Money;
  readonly takenFrom: readonly Budget[];
  /** The tokens taken at admission are only an estimate; settling corrects them in the second in which they were counted. */
  tokens: RollingWindow | undefined;
  tokensSecond = 0;
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
    const { demands } = request;
    const budgets: Budget[] = [];
    let tightest: bigint | undefined;
    let missing: string[] | undefined;
    for (const demand of demands) {
      if (demand.kind === 'window') {
        if (missing === undefined && !this.#windowFits(demand, nowMs))
          return this.#refuse(request, demand, undefined, nowMs);
        continue;
      }
      const budget = this.#budgets.get(demand.id);
      if (budget === undefined) {
        missing ??= [];
        missing.push(demand.id);
      } else if (missing === undefined) {
        const available = budget.available(demand.limit);
        if (available < request.money.least) return this.#refuse(request, demand, money(available), nowMs);
        if (tightest === undefined || available < tightest) tightest = available;
        budgets.push(budget);
      }
    }
    if (missing !== undefined) return missing;
    const hold = new LocalHold(request.requestId, grantOf(request.money, tightest), budgets);
    // Windows first: only they can fail to be created, and then no budget may have been touched.
    const windows = this.#takeWindows(demands, hold, nowMs);
    for (const budget of budgets) {
      budget.outstanding.hold(hold.amount);
      budget.usedAt = nowMs;
    }
    return { ok: true, hold, windows };
  }

  settle(hold: Hold, spent: Money, tokens: number | undefined): void {
    if (!(hold instanceof LocalHold) || hold.settled) return;
    hold.settled = true;
    for (const budget of hold.takenFrom) budget.outstanding.settle(hold.amount, spent);
    if (tokens !== undefined) hold.tokens?.correct(hold.tokensSecond, tokens - hold.tokensTaken);
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

  hasWindow(demand: WindowDemand): boolean {
    return this.#tableOf(demand).get(demand.id) !== undefined;
  }

  windowState(demand: WindowDemand, nowMs: number): WindowState {
    const window = this.#tableOf(demand).get(demand.id);
    return window === undefined
      ? { limit: demand.limit, remaining: Math.max(0, demand.limit), resetMs: 0 }
      : window.state(demand.limit, nowMs);
  }

  windowStates(demands: readonly Demand[], nowMs: number): WindowStates {
    const windows = demands.filter((demand) => demand.kind === 'window');
    return new FewWindowStates(windows.map((demand) => [demand.id, this.windowState(demand, nowMs)] as const));
  }

  /** The counter behind a demand, created when new. */
  window(demand: WindowDemand, nowMs: number): RollingWindow {
    const table = this.#tableOf(demand);
    let window = table.get(demand.id);
    if (window === undefined) {
      window = new RollingWindow();
      if (!table.insert(demand.id, window, nowMs)) throw tooMany('windows');
    }
    return window;
  }

  /** All or none. */
  #takeWindows(demands: readonly Demand[], hold: LocalHold, nowMs: number): WindowStates {
    const states: (readonly [string, WindowState])[] = [];
    for (let at = 0; at < demands.length; at++) {
      const demand = demands[at] as Demand;
      if (demand.kind !== 'window') continue;
      const window = this.#windowOrUndo(demands, at, demand, nowMs);
      // Added right after the window was created: an empty window may be dropped by the next insertion, and then two windows of
      // one name would count.
      const second = window.add(demand.amount, nowMs);
      if (demand.name === 'key-tokens') {
        hold.tokens = window;
        hold.tokensSecond = second;
        hold.tokensTaken = demand.amount;
      }
      states.push([demand.id, window.state(demand.limit, nowMs)]);
    }
    return new FewWindowStates(states);
  }

  #windowOrUndo(demands: readonly Demand[], at: number, demand: WindowDemand, nowMs: number): RollingWindow {
    try {
      return this.window(demand, nowMs);
    } catch (error) {
      for (const taken of demands.slice(0, at)) {
        if (taken.kind !== 'window') continue;
        const window = this.#tableOf(taken).get(taken.id);
        // `add(0)` changes nothing and returns the second in which the take was counted.
        window?.correct(window.add(0, nowMs), -taken.amount);
      }
      throw error;
    }
  }

  #windowFits(demand: WindowDemand, nowMs: number): boolean {
    const window = this.#tableOf(demand).get(demand.id);
    return window === undefined ? demand.amount <= demand.limit : window.fits(demand.limit, demand.amount, nowMs);
  }

  #refuse(request: TakeRequest, failed: Demand, available: Money | undefined, nowMs: number): TakeResult {
    const windows = this.windowStates(request.demands, nowMs);
    const window = failed.kind === 'window' ? this.#tableOf(failed).get(failed.id) : undefined;
    const retryAfterMs =
      failed.kind === 'window'
        ? (window ?? new RollingWindow()).roomInMs(failed.limit, failed.amount, nowMs)
        : undefined;
    return { ok: false, failed, retryAfterMs, available, windows };
  }

  #tableOf(demand: WindowDemand): BoundedTable<RollingWindow> {
    return demand.name === 'ip-failures' ? this.#failures : this.#windows;
  }
}

function grantOf({ want, usual = want }: TakenMoney, tightest: bigint | undefined): Money {
  if (tightest === undefined) return want;
  return min(want, max(min(usual, money(tightest)), money(tightest / FREE_SHARE)));
}

function tooMany(what: string): AdmissionUnavailable {
  return new AdmissionUnavailable('too-many-counters', `too many ${what} are in use at once`);
}

/**
 * What this replica may take while it is cut off from Redis: a small part of what is left of every budget and window it uses,
 * renewed with the heartbeat. Redis counts a lease as gone, so that whoever is cut off, all together stay within the limit.
 *
 * A lease grows in Redis first and shrinks here first: an answer that gets lost then leaves Redis counting too much, never
 * too little. A request that needs what is leased makes Redis recall it; within a heartbeat everybody has given it back.
 */
import { type LimitCheck, NO_LIMIT, type WindowCheck } from '../admission.ts';
import { WINDOW_MS } from '../arithmetic.ts';
import type { ChangeOutbox } from './outbox.ts';
import type { OwnBudget, OwnCounts, OwnWindow } from './own-counts.ts';
import type { Leasable, LeaseAnswer } from './packing.ts';
import type { ScriptCalls } from './script-calls.ts';

/** Redis runs nothing else while a script runs, so the size of one call limits how long all others wait. */
const MAX_PER_CALL = 250;
/** With more counters than this, they are renewed in turns. */
const MAX_PER_HEARTBEAT = 2_000;

export interface LeaseParts {
  calls: Pick<ScriptCalls, 'lease'>;
  own: OwnCounts;
  outbox: Pick<ChangeOutbox, 'returnLease'>;
  /** Called when a counter is used that is not leased yet: its first lease should not wait for the next heartbeat. */
  onNew(): void;
}

export class Leases {
  readonly #parts: LeaseParts;
  /** In the order of renewal: the first has waited longest. */
  readonly #windows = new Set<OwnWindow>();
  readonly #budgets = new Set<OwnBudget>();

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Called when a request has reserved from a window through Redis; from then on the window is leased. */
  usedWindow(window: OwnWindow, check: WindowCheck): void {
    if (!isLeased(check)) return;
    window.limit = check.limit;
    window.amount = check.amount;
    if (window.leasing) return;
    window.leasing = true;
    this.#windows.add(window);
    this.#parts.onNew();
  }

  usedBudget(budget: OwnBudget, limit: bigint, amount: bigint): void {
    budget.limit = limit;
    budget.amount = amount;
    if (budget.leasing) return;
    budget.leasing = true;
    this.#budgets.add(budget);
    this.#parts.onNew();
  }

  /**
   * Renews leases, with every heartbeat: this replica may have one in `parts` of what is left. `stillIn` tells whether it still
   * counts under the name it asks with. False when Redis does not know that name.
   */
  async renew(incarnation: string, parts: number, nowMs: number, stillIn: () => boolean): Promise<boolean> {
    this.#forgetIdle(nowMs);
    const due = [...first(this.#budgets, MAX_PER_HEARTBEAT), ...first(this.#windows, MAX_PER_HEARTBEAT)];
    for (let at = 0; at < due.length; at += MAX_PER_CALL) {
      const some = due.slice(at, at + MAX_PER_CALL);
      const answers = await this.#parts.calls.lease(incarnation, parts, some.map(asLeasable));
      if (!stillIn()) return true;
      if (answers === undefined) return false;
      for (const [i, counter] of some.entries()) this.#apply(counter, answers[i] as LeaseAnswer);
    }
    return true;
  }

  /**
   * Returns the leases of these counters, because a request needs them. True when this replica had something to return.
   */
  giveBack(checks: readonly LimitCheck[]): boolean {
    let hasReturned = false;
    for (const { kind, id } of checks) {
      const counter = kind === 'window' ? this.#parts.own.knownWindow(id) : this.#parts.own.knownBudget(id);
      if (counter === undefined || Number(counter.lease) === 0) continue;
      this.#shrink(counter, 0);
      hasReturned = true;
    }
    return hasReturned;
  }

  /**
   * Called when this replica has joined under a new name: what it spent is registered, and its leases ended with the old name.
   */
  reset(): void {
    for (const budget of this.#budgets) budget.lease = 0n;
    for (const window of this.#windows) window.lease = 0;
  }

  #apply(counter: OwnBudget | OwnWindow, { grown, wanted }: LeaseAnswer): void {
    grow(counter, grown);
    if (Number(counter.lease) > wanted) this.#shrink(counter, wanted);
  }

  #shrink(counter: OwnBudget | OwnWindow, to: number): void {
    const returned = Number(counter.lease) - to;
    grow(counter, -returned);
    this.#parts.outbox.returnLease(kindOf(counter), counter.id, returned);
  }

  #forgetIdle(nowMs: number): void {
    for (const budget of this.#budgets) if (budget.usedAt + WINDOW_MS <= nowMs) this.#forget(budget, this.#budgets);
    for (const window of this.#windows) if (window.seenAt + WINDOW_MS <= nowMs) this.#forget(window, this.#windows);
  }

  #forget<T extends OwnBudget | OwnWindow>(counter: T, from: Set<T>): void {
    if (Number(counter.lease) > 0) this.#shrink(counter, 0);
    counter.leasing = false;
    from.delete(counter);
  }
}

/** Windows that only guard and those without a limit need no lease. */
export function isLeased(check: WindowCheck): boolean {
  return check.limit < NO_LIMIT && !isGuard(check);
}

/** True for the windows of free calls, of failed keys and of refusals. */
export function isGuard({ name }: WindowCheck): boolean {
  return name === 'free-requests' || name === 'ip-failures' || name === 'key-refusals';
}

function kindOf(counter: OwnBudget | OwnWindow): 'window' | 'budget' {
  return 'outstanding' in counter ? 'budget' : 'window';
}

function grow(counter: OwnBudget | OwnWindow, by: number): void {
  if ('outstanding' in counter) counter.lease += BigInt(by);
  else counter.lease += by;
}

function asLeasable(counter: OwnBudget | OwnWindow): Leasable {
  if ('outstanding' in counter) {
    return { kind: 'budget', id: counter.id, limit: counter.limit, amount: counter.amount };
  }
  return { kind: 'window', id: counter.id, limit: counter.limit, amount: counter.amount };
}

/** The first `count` of a set; they move to its end. */
function first<T>(set: Set<T>, count: number): T[] {
  const some: T[] = [];
  for (const one of set) {
    if (some.length === count) break;
    some.push(one);
  }
  for (const one of some) {
    set.delete(one);
    set.add(one);
  }
  return some;
}

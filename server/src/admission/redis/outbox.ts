/**
 * Changes that wait to be told to Redis: settled holds, posted balances, corrected windows, returned leases. Nobody waits for them.
 * Changes of one budget add up while they wait, so a busy wallet costs one change per round trip, not one per request.
 */
import type { PostedUpdate } from '../admission.ts';
import type { Posted } from '../posted-loader.ts';
import type { Change, KeyOf } from './packing.ts';

const MAX_OF_A_KIND = 1_000;
/**
 * Above this the oldest changes are dropped: a correction matters for at most a minute, and a posted balance is read again
 * anyway.
 */
const MAX_WAITING = 200_000;

export interface Correction {
  window: string;
  second: number;
  delta: number;
}

type LeaseChange = Extract<Change, { kind: 'lease-budget' | 'lease-window' }>;

/** Everything that goes with the next call. */
export interface ChangeBatch {
  changes: Change[];
  /** Put back when the call fails. (Holds need not be: the registration that follows carries them.) */
  posted: [string, Posted][];
}

export class ChangeOutbox {
  readonly #keyOf: KeyOf;
  readonly #onChange: () => void;
  #holds = new Map<string, bigint>();
  #posted = new Map<string, Posted>();
  #corrections: Correction[] = [];
  #leases = new Map<string, LeaseChange>();

  constructor(keyOf: KeyOf, onChange: () => void) {
    this.#keyOf = keyOf;
    this.#onChange = onChange;
  }

  get empty(): boolean {
    const counters = this.#holds.size + this.#posted.size + this.#leases.size;
    return counters === 0 && this.#corrections.length === 0;
  }

  /** Changes what this replica has outstanding. */
  hold(budget: string, delta: bigint): void {
    if (delta === 0n) return;
    this.#holds.set(budget, (this.#holds.get(budget) ?? 0n) + delta);
    this.#onChange();
  }

  posted(update: Pick<PostedUpdate, 'budget' | 'posted' | 'version'>): void {
    const waiting = this.#posted.get(update.budget);
    if (waiting !== undefined && waiting.version >= update.version) return;
    if (waiting === undefined && this.#posted.size >= MAX_WAITING) forgetOldest(this.#posted);
    this.#posted.set(update.budget, { posted: update.posted, version: update.version });
    this.#onChange();
  }

  /** Corrections of one window and second that follow each other add up. */
  correct({ window, second, delta }: Correction): void {
    if (delta === 0) return;
    const newest = this.#corrections.at(-1);
    if (newest?.window === window && newest.second === second) newest.delta += delta;
    else {
      if (this.#corrections.length >= MAX_WAITING) this.#corrections.shift();
      this.#corrections.push({ window, second, delta });
    }
    this.#onChange();
  }

  /** Redis may count the amount as free now, because this replica no longer takes it when it is cut off. */
  returnLease(kind: 'window' | 'budget', id: string, amount: number): void {
    const key = this.#keyOf(kind, id);
    const delta = (this.#leases.get(key)?.delta ?? 0) - amount;
    this.#leases.set(key, { kind: kind === 'window' ? 'lease-window' : 'lease-budget', key, delta });
    this.#onChange();
  }

  /** Called when a registration carries the absolute amounts: the differences that wait here are part of them. */
  forgetHolds(): void {
    this.#holds.clear();
    this.#leases.clear();
  }

  /** Called when a registration tells all admissions anew, with the amounts they were corrected to: once more would be too much. */
  forgetCorrections(): void {
    this.#corrections = [];
  }

  /** Takes out the posted balances that must reach Redis before it decides again; the caller sends them or puts them back. */
  takePosted(): [string, Posted][] {
    const waiting = [...this.#posted];
    this.#posted.clear();
    return waiting;
  }

  /** Keeps balances of a failed call for the next one. The call may fail long after this replica has joined again. */
  putBack(posted: [string, Posted][]): void {
    for (const [budget, row] of posted) {
      const newer = this.#posted.get(budget);
      if (newer === undefined || newer.version < row.version) this.#posted.set(budget, row);
    }
    if (posted.length > 0) this.#onChange();
  }

  /** A hold is released only together with the posting that replaces it: released earlier, the money could be spent twice. */
  collect(): ChangeBatch {
    const posted = takeSome(this.#posted, () => true);
    const changes: Change[] = posted.map(([id, row]) => ({ kind: 'posted', key: this.#keyOf('budget', id), ...row }));
    for (const [id, delta] of takeSome(this.#holds, (id) => !this.#posted.has(id))) {
      changes.push({ kind: 'hold', key: this.#keyOf('budget', id), delta });
    }
    for (const [, lease] of takeSome(this.#leases, () => true)) changes.push(lease);
    for (const { window, second, delta } of this.#corrections.splice(0, MAX_OF_A_KIND)) {
      changes.push({ kind: 'correct', key: this.#keyOf('window', window), second, delta });
    }
    return { changes, posted };
  }
}

function takeSome<T>(waiting: Map<string, T>, ready: (id: string) => boolean): [string, T][] {
  const some: [string, T][] = [];
  for (const entry of waiting) {
    if (some.length >= MAX_OF_A_KIND) break;
    if (!ready(entry[0])) continue;
    some.push(entry);
    waiting.delete(entry[0]);
  }
  return some;
}

function forgetOldest(map: Map<string, unknown>): void {
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}

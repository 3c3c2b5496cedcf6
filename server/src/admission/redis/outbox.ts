/**
 * Changes on their way to Redis: settled holds, posted balances, corrected windows. Nobody waits for them. Changes of
 * one budget add up while a batch is under way, so a busy wallet costs one change per round trip, not one per request.
 */
import type { PostedUpdate } from '../admission.ts';
import type { Posted } from '../posted-loader.ts';
import type { Change } from './script-calls.ts';

const MOST_CHANGES_PER_BATCH = 1_000;
/** Above this the oldest are dropped: a correction is worth at most a minute, a posted balance is read again anyway. */
const MOST_WAITING = 200_000;

export interface Correction {
  window: string;
  bucket: number;
  delta: number;
}

export interface OutboxWays {
  /** False while Redis is away: then changes wait, or are covered by the next registration. */
  open(): boolean;
  /** A failure is dealt with by the sender; here it only ends the flush. */
  send(changes: Change[]): Promise<void>;
  keyOf(kind: 'window' | 'budget', id: string): string;
}

export class Outbox {
  readonly #ways: OutboxWays;
  #holds = new Map<string, bigint>();
  #posted = new Map<string, Posted>();
  #corrections: Correction[] = [];
  #scheduled = false;

  constructor(ways: OutboxWays) {
    this.#ways = ways;
  }

  /** Changes what this replica has outstanding. */
  hold(budget: string, delta: bigint): void {
    if (delta === 0n) return;
    this.#holds.set(budget, (this.#holds.get(budget) ?? 0n) + delta);
    this.flushSoon();
  }

  posted(update: Pick<PostedUpdate, 'budget' | 'posted' | 'version'>): void {
    const waiting = this.#posted.get(update.budget);
    if (waiting !== undefined && waiting.version >= update.version) return;
    if (waiting === undefined && this.#posted.size >= MOST_WAITING) forgetOldest(this.#posted);
    this.#posted.set(update.budget, { posted: update.posted, version: update.version });
    this.flushSoon();
  }

  correct(correction: Correction): void {
    if (correction.delta === 0) return;
    if (this.#corrections.length >= MOST_WAITING) this.#corrections.shift();
    this.#corrections.push(correction);
    this.flushSoon();
  }

  /** A registration carries the absolute amounts: waiting differences are part of them already. */
  forgetHolds(): void {
    this.#holds.clear();
  }

  /** Posted balances that must reach Redis before it decides again; the caller sends them, or puts them back. */
  takePosted(): [string, Posted][] {
    const waiting = [...this.#posted];
    this.#posted.clear();
    return waiting;
  }

  putBack(posted: [string, Posted][]): void {
    for (const [budget, row] of posted) {
      const newer = this.#posted.get(budget);
      if (newer === undefined || newer.version < row.version) this.#posted.set(budget, row);
    }
  }

  flushSoon(): void {
    if (this.#scheduled || !this.#ways.open()) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.flush().catch(() => undefined);
    });
  }

  /** Sends what waits, batch after batch. */
  async flush(): Promise<void> {
    this.#scheduled = true;
    try {
      while (this.#ways.open()) {
        const holds = takeSome(this.#holds);
        const posted = takeSome(this.#posted);
        const corrections = this.#corrections.splice(0, MOST_CHANGES_PER_BATCH);
        const changes = [...this.#postedChanges(posted), ...this.#holdChanges(holds), ...this.#correct(corrections)];
        if (changes.length === 0) return;
        await this.#ways.send(changes).catch((error: unknown) => {
          // Holds are covered by the registration that follows; a posted balance would be lost for good.
          this.putBack(posted);
          throw error;
        });
      }
    } finally {
      this.#scheduled = false;
    }
  }

  #holdChanges(holds: [string, bigint][]): Change[] {
    return holds.map(([id, delta]) => {
      return { key: this.#ways.keyOf('budget', id), kind: 'h', first: String(delta), second: '' };
    });
  }

  #postedChanges(posted: [string, Posted][]): Change[] {
    return posted.map(([id, row]) => postedChange(this.#ways.keyOf('budget', id), row));
  }

  #correct(corrections: Correction[]): Change[] {
    return corrections.map(({ window, bucket, delta }) => {
      return { key: this.#ways.keyOf('window', window), kind: 'c', first: String(bucket), second: String(delta) };
    });
  }
}

export function postedChange(key: string, row: Posted): Change {
  return { key, kind: 'p', first: String(row.posted), second: String(row.version) };
}

function takeSome<T>(waiting: Map<string, T>): [string, T][] {
  const some: [string, T][] = [];
  for (const entry of waiting) {
    if (some.length >= MOST_CHANGES_PER_BATCH) break;
    some.push(entry);
    waiting.delete(entry[0]);
  }
  return some;
}

function forgetOldest(map: Map<string, unknown>): void {
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}

/**
 * Takes closed requests from the journal to the database, in batches, in the background. A batch is one idempotent statement:
 * when its answer is lost (the connection died after the commit) it is simply posted again. While the database is away,
 * requests go on and records wait; nothing is given up.
 */
import type { PostedUpdate } from '../admission/index.ts';
import { type Money, money } from '../core/money.ts';
import type { Database } from '../platform/db/database.ts';
import { sqlState } from '../platform/db/failures.ts';
import type { Log } from '../platform/log.ts';
import { withoutDetail } from '../requestlog/index.ts';
import type { JournalReader } from './journal.ts';
import type { ClosedEntry } from './record-queue.ts';
import { ANNOUNCE_RUNNING, LOAD_POSTED, POST_AGAIN, POST_NEW } from './sql.ts';

export interface PosterOptions {
  db: Database;
  journal: JournalReader;
  /** Told what is now posted, so that it stops holding it. */
  admission: { posted(updates: PostedUpdate[]): void };
  log: Log;
  batchSize?: number;
  /** Under a backlog batches grow up to this: fewer, larger ones cost less per request. */
  largestBatch?: number;
  intervalMs?: number;
  /** Requests running longer than this are shown to other replicas. */
  announceAfterMs?: number;
  firstRetryMs?: number;
  longestRetryMs?: number;
}

export interface PosterHealth {
  /** Consecutive failures; 0 when the last batch went through. */
  failures: number;
  posted: number;
  /** Records that the database can never take; kept aside in the journal's folder. */
  rejected: number;
}

const DEFAULTS = {
  batchSize: 500,
  largestBatch: 2_000,
  intervalMs: 150,
  announceAfterMs: 5_000,
  firstRetryMs: 100,
  longestRetryMs: 5_000,
};
const MOST_ANNOUNCED = 200;

interface BudgetRow {
  budget: string;
  posted: string;
  version: bigint;
}

export class Poster {
  readonly #options: Required<PosterOptions>;
  readonly #health: PosterHealth = { failures: 0, posted: 0, rejected: 0 };
  #stopping = false;
  #lastBatch: Promise<void> = Promise.resolve();
  #loop: Promise<void> | undefined;
  #wake: () => void = () => {};

  constructor(options: PosterOptions) {
    this.#options = { ...DEFAULTS, ...options };
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  health(): PosterHealth {
    return { ...this.#health };
  }

  /**
   * Posts what a former process left, before the first request is admitted: admission loads balances from the database, and
   * charges that are not there yet could be spent a second time. Waits for the database as long as it takes.
   */
  async catchUp(): Promise<void> {
    for (let left = this.#options.journal.depth(); left > 0; ) {
      const before = this.#health.posted;
      if (!(await this.#attempt())) await this.#pause(this.#retryMs());
      left -= this.#health.posted - before;
    }
  }

  /** Ends the background loop and posts what is left. False when the database did not take all of it in time. */
  async drain(deadlineMs: number): Promise<boolean> {
    this.#stopping = true;
    this.#wake();
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        late.abort();
        this.#wake();
        resolve();
      }, deadlineMs);
    });
    // A statement that hangs must not hold up the end of the process.
    await Promise.race([this.#loop, deadline]);
    while (this.#options.journal.depth() > 0 && !late.signal.aborted) {
      // A turn of the event loop, so that the journal has written what was closed just now.
      await new Promise((resolve) => setImmediate(resolve));
      const succeeded = await Promise.race([this.#attempt(), deadline]);
      if (succeeded === false && !late.signal.aborted) await this.#pause(this.#retryMs());
    }
    clearTimeout(timer);
    return this.#options.journal.depth() === 0;
  }

  /** Posts one batch; returns how many records it held. */
  postBatch(): Promise<number> {
    // One at a time: two would take the same records, and the second would make the journal forget others.
    const turn = this.#lastBatch.then(() => this.#postOldest());
    this.#lastBatch = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  async #postOldest(): Promise<number> {
    const { journal, batchSize, largestBatch } = this.#options;
    const limit = journal.depth() > 4 * batchSize ? largestBatch : batchSize;
    const entries = journal.peek(limit);
    if (entries.length === 0) return 0;
    const changed = await this.#post(entries);
    const updates = await this.#updates(entries, changed);
    journal.posted(entries.length);
    this.#health.posted += entries.length;
    if (updates.length > 0) this.#options.admission.posted(updates);
    return entries.length;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const succeeded = await this.#attempt();
      if (this.#stopping) return;
      // A backlog goes on at once; the interval only lets small batches gather.
      const behind = this.#options.journal.depth() >= this.#options.batchSize;
      if (!succeeded) await this.#pause(this.#retryMs());
      else if (!behind) await this.#pause(this.#options.intervalMs);
    }
  }

  async #attempt(): Promise<boolean> {
    try {
      await this.postBatch();
      await this.#announce();
      this.#health.failures = 0;
      return true;
    } catch (error) {
      if (this.#health.failures++ === 0)
        this.#options.log.warn({ err: error }, 'posting failed; records wait in the journal');
      return false;
    }
  }

  #retryMs(): number {
    const { firstRetryMs, longestRetryMs } = this.#options;
    return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(this.#health.failures - 1, 16));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** A fault that the quick statement meets (one was there already, or cannot be stored) is the careful one's to sort out. */
  async #post(entries: readonly ClosedEntry[]): Promise<BudgetRow[]> {
    if (entries.some((entry) => entry.known)) return this.#postCarefully(entries);
    try {
      return await this.#send(POST_NEW, entries);
    } catch (error) {
      // What failed for any other reason may have been committed all the same: next time it may be there.
      for (const entry of entries) entry.known = true;
      if (!isFaultOfTheData(error)) throw error;
      return this.#postCarefully(entries);
    }
  }

  /**
   * One record that the database refuses for what is in it must not hold up all others: the batch is halved until it stands
   * alone, tried once more without its free-form part, and set aside only when even its numbers are refused.
   */
  async #postCarefully(entries: readonly ClosedEntry[]): Promise<BudgetRow[]> {
    try {
      return await this.#send(POST_AGAIN, entries);
    } catch (error) {
      if (!isFaultOfTheData(error)) throw error;
      const [only, ...others] = entries;
      if (only && others.length === 0) return this.#postAlone(only, error);
      const middle = entries.length >> 1;
      const first = await this.#postCarefully(entries.slice(0, middle));
      return [...first, ...(await this.#postCarefully(entries.slice(middle)))];
    }
  }

  async #postAlone(entry: ClosedEntry, refusal: unknown): Promise<BudgetRow[]> {
    try {
      const rows = await this.#send(POST_AGAIN, [{ ...entry, text: withoutDetail(entry.text) }]);
      this.#options.log.error({ requestId: entry.id, err: refusal }, 'a request was posted without its details');
      return rows;
    } catch (error) {
      if (!isFaultOfTheData(error)) throw error;
      this.#options.journal.setAside(entry);
      this.#health.rejected++;
      this.#options.log.error({ requestId: entry.id, err: error }, 'a request cannot be posted and was set aside');
      return [];
    }
  }

  #send(statement: string, entries: readonly { text: string }[]): Promise<BudgetRow[]> {
    const lines = entries.map((entry) => entry.text).join('\n');
    const name = statement === POST_NEW ? 'post-new' : 'post-again';
    return this.#options.db.query<BudgetRow>(statement, [lines], { name });
  }

  /** What admission must know: new values of every budget of the batch, and how much of its holds they now contain. */
  async #updates(entries: readonly ClosedEntry[], changed: BudgetRow[]): Promise<PostedUpdate[]> {
    const release = new Map<string, bigint>();
    for (const { cost, budgets } of entries) {
      for (const budget of budgets) release.set(budget, (release.get(budget) ?? 0n) + cost);
    }
    // Halved batches may report a budget twice; the later row is the newer one.
    const rows = new Map(changed.map((row) => [row.budget, row]));
    // Posted before, by an attempt whose answer was lost: not changed now, but still held.
    const unreported = [...release.keys()].filter((budget) => !rows.has(budget));
    if (unreported.length > 0) {
      for (const row of await this.#options.db.query<BudgetRow>(LOAD_POSTED, [unreported])) rows.set(row.budget, row);
    }
    const updates: PostedUpdate[] = [];
    for (const [budget, { posted, version }] of rows) {
      updates.push({ budget, posted: money(BigInt(posted)), version, release: (release.get(budget) ?? 0n) as Money });
    }
    return updates;
  }

  async #announce(): Promise<void> {
    const { journal, db, announceAfterMs } = this.#options;
    const long = journal.longRunning(announceAfterMs, MOST_ANNOUNCED);
    if (long.length === 0) return;
    await db.query(ANNOUNCE_RUNNING, [long.map((opened) => opened.text).join('\n')], { name: 'announce-running' });
  }
}

/** Data exceptions, violated constraints, the same row twice: repeating would fail for ever. */
function isFaultOfTheData(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && /^2[123]/.test(state);
}

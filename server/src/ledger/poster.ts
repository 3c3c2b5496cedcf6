/**
 * Posts closed requests from the journal to the database, in batches, in the background. A batch is one idempotent
 * statement: when its answer is lost (the connection died after the commit) it is simply posted again. While the
 * database is unreachable, requests continue and records wait; nothing is lost.
 */
import type { PostedUpdate } from '../admission/index.ts';
import { type Money, money } from '../core/money.ts';
import type { Database } from '../platform/db/database.ts';
import { sqlState } from '../platform/db/failures.ts';
import type { Log } from '../platform/log.ts';
import { idOf, withoutDetail } from '../requestlog/index.ts';
import { bodyOf, halves, linesOf, seal, unsealed, writeLine } from './journal-lines.ts';
import type { JournalReader } from './journal-views.ts';
import { ANNOUNCE_RUNNING, type BudgetRow, LOAD_POSTED, POST_AGAIN, POST_NEW } from './ledger-sql.ts';
import type { WaitingBatch } from './waiting-batches.ts';

export interface PosterOptions {
  db: Database;
  journal: JournalReader;
  /** Is told what was posted, so that it releases the holds. */
  admission: { posted(updates: PostedUpdate[]): void };
  log: Log;
  /** Gets the posted requests that webhooks must be told of. What it throws is only logged. */
  settled?: { put(lines: readonly string[]): Promise<void> };
  /** Records the credits owed for answers that broke the guarantee. A batch is dropped only after that. */
  owed?: { put(lines: readonly string[]): Promise<void> };
  intervalMs?: number;
  /** Requests that run longer than this are announced to other replicas. */
  announceAfterMs?: number;
  firstRetryMs?: number;
  longestRetryMs?: number;
}

export interface PosterHealth {
  /** Consecutive failures; 0 when the last batch went through. */
  failures: number;
  posted: number;
}

const DEFAULTS = {
  intervalMs: 300,
  announceAfterMs: 5_000,
  firstRetryMs: 100,
  longestRetryMs: 5_000,
};
const MAX_ANNOUNCED = 200;
/**
 * Appears in the line of a request that webhooks must be told of (`notify` of the record). Quotes within texts are
 * escaped, so no text contains it.
 */
const TOLD = '"notify":1';
/** Appears in the line of an answer that broke the guarantee (`guarantee` of the record). */
const OWED = '"guarantee":"broken"';

export class Poster {
  readonly #options: Required<Omit<PosterOptions, 'settled' | 'owed'>> & Pick<PosterOptions, 'settled' | 'owed'>;
  readonly #health: PosterHealth = { failures: 0, posted: 0 };
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

  /**
   * Ends the background loop and posts what is left. Returns false when the database did not take all of it in time.
   */
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
    // A statement that hangs must not delay the end of the process.
    await Promise.race([this.#loop, deadline]);
    while (this.#options.journal.depth() > 0 && !late.signal.aborted) {
      // Waits one turn of the event loop, so that the journal writes what was closed just now.
      await new Promise((resolve) => setImmediate(resolve));
      const succeeded = await Promise.race([this.#attempt(), deadline]);
      if (succeeded === false && !late.signal.aborted) await this.#pause(this.#retryMs());
    }
    clearTimeout(timer);
    return this.#options.journal.depth() === 0;
  }

  /** Posts one batch; returns how many records it held. */
  postBatch(): Promise<number> {
    // One batch at a time: two runs would post the same records, and the second would make the journal drop others.
    const turn = this.#lastBatch.then(() => this.#postOldest());
    this.#lastBatch = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  async #postOldest(): Promise<number> {
    const { journal, admission } = this.#options;
    const batch = journal.oldest();
    if (!batch) return 0;
    const { count, releases } = batch;
    const changed = await this.#post(batch);
    const owing = this.#owe(batch.lines);
    if (owing) await owing;
    const telling = this.#tell(batch.lines);
    if (telling) await telling;
    const updates = await this.#updates(releases, changed);
    journal.posted(batch);
    this.#health.posted += count;
    if (updates.length > 0) admission.posted(updates);
    return count;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const succeeded = await this.#attempt();
      if (this.#stopping) return;
      // A backlog continues at once; the interval only lets small batches grow.
      if (!succeeded) await this.#pause(this.#retryMs());
      else if (!this.#options.journal.behind()) await this.#pause(this.#options.intervalMs);
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
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#wake = wake;
    });
  }

  /**
   * Posts by the quick statement. When it fails because of the data (a request is there already, or cannot be stored), the
   * careful statement takes over.
   */
  async #post(batch: WaitingBatch): Promise<BudgetRow[]> {
    if (batch.known) return this.#postCarefully(batch.lines);
    try {
      return await this.#send(POST_NEW, batch.lines);
    } catch (error) {
      // After any other failure the batch may have been committed all the same, so the next try must expect to find it.
      batch.known = true;
      if (!isFaultOfTheData(error)) throw error;
      return this.#postCarefully(batch.lines);
    }
  }

  /**
   * One record whose content the database refuses must not block all others: the batch is halved until the record is
   * alone, tried once more without its free-form part, and becomes a dead letter only when even its numbers are
   * refused.
   */
  async #postCarefully(lines: Buffer): Promise<BudgetRow[]> {
    try {
      return await this.#send(POST_AGAIN, lines);
    } catch (error) {
      if (!isFaultOfTheData(error)) throw error;
      const parts = halves(lines);
      if (!parts) return this.#postAlone(lines, error);
      const first = await this.#postCarefully(parts[0]);
      return [...first, ...(await this.#postCarefully(parts[1]))];
    }
  }

  async #postAlone(line: Buffer, refusal: unknown): Promise<BudgetRow[]> {
    const text = bodyOf(line);
    const requestId = idOf(text);
    try {
      const rows = await this.#send(POST_AGAIN, writeLine('C', withoutDetail(text)));
      this.#options.log.error({ requestId, err: refusal }, 'a request was posted without its details');
      return rows;
    } catch (error) {
      if (!isFaultOfTheData(error)) throw error;
      this.#options.journal.addDeadLetter(line, error instanceof Error ? error.message : String(error));
      this.#options.log.error({ requestId, err: error }, 'a request cannot be posted and was set aside');
      return [];
    }
  }

  #send(post: typeof POST_NEW, lines: Buffer): Promise<BudgetRow[]> {
    return post.rows(this.#options.db, [asParameter(lines)]);
  }

  /**
   * Called before the batch is dropped, so after a crash it is posted and told again. A failure here must not delay the
   * books.
   */
  #tell(lines: Buffer): Promise<void> | undefined {
    const { settled, log } = this.#options;
    if (!settled || !lines.includes(TOLD)) return undefined;
    return settled
      .put(marked(lines, TOLD))
      .catch((error: unknown) => log.warn({ err: error }, 'events of settled requests were not put into the outbox'));
  }

  /**
   * Records money that is owed: when that fails, the batch is posted again. Only what the database can never take is
   * dropped.
   */
  #owe(lines: Buffer): Promise<void> | undefined {
    const { owed, log } = this.#options;
    if (!owed || !lines.includes(OWED)) return undefined;
    return owed.put(marked(lines, OWED)).catch((error: unknown) => {
      if (!isFaultOfTheData(error)) throw error;
      log.error({ err: error }, 'credits of the guarantee cannot be written down');
    });
  }

  /**
   * What admission must know: the new value of every budget of the batch, and how much of its holds that value now
   * contains.
   */
  async #updates(releases: ReadonlyMap<string, bigint>, changed: BudgetRow[]): Promise<PostedUpdate[]> {
    // Halved batches may report a budget twice; the later row is the newer one.
    const rows = new Map(changed.map((row) => [row.budget, row]));
    // Budgets of requests that were posted before, by an attempt whose answer was lost: unchanged now, but still held.
    const unreported = [...releases.keys()].filter((budget) => !rows.has(budget));
    if (unreported.length > 0) {
      for (const row of await LOAD_POSTED.rows(this.#options.db, [unreported])) rows.set(row.budget, row);
    }
    const updates: PostedUpdate[] = [];
    for (const [budget, { posted, version }] of rows) {
      updates.push({ budget, posted: money(BigInt(posted)), version, release: (releases.get(budget) ?? 0n) as Money });
    }
    return updates;
  }

  async #announce(): Promise<void> {
    const { journal, db, announceAfterMs } = this.#options;
    const long = journal.longRunning(announceAfterMs, MAX_ANNOUNCED);
    if (long.length === 0) return;
    const lines = seal(long.map((opened) => unsealed('O', opened.text)));
    await ANNOUNCE_RUNNING.run(db, [asParameter(lines)]);
  }
}

function marked(lines: Buffer, mark: string): string[] {
  return linesOf(lines)
    .filter((line) => line.includes(mark))
    .map(bodyOf);
}

/**
 * The lines without the last line end, which would make another, empty line. Bytes are sent as they are; a text would be encoded
 * first.
 */
function asParameter(lines: Buffer): Buffer {
  return lines.subarray(0, lines.length - 1);
}

/** True for data exceptions, violated constraints, and the same row twice: repeating would always fail. */
function isFaultOfTheData(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && /^2[123]/.test(state);
}

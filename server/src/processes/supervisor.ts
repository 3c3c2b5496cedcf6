/**
 * Several whole processes behind one port. Each has its own data directory, journal and connections, so one that dies
 * does not affect the others; they share only PostgreSQL and Redis. The supervisor holds the port, hands out
 * connections in turn, replaces a process that died, and replaces all of them one by one on SIGHUP.
 */
import cluster, { type Worker } from 'node:cluster';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lastCountsOf, mergeMetrics } from '../platform/telemetry/merge-metrics.ts';
import type { ExportedMetric } from '../platform/telemetry/series.ts';
import { closeWhatWasNotTaken } from './handed-over.ts';
import { type FromProcess, isOurs, type ToProcess } from './messages.ts';

export interface SupervisorOptions {
  processes: number;
  /** The common directory: each process uses a subdirectory of it. */
  dataDir: string;
  say(line: string): void;
  /** Ends the supervisor's own process. */
  exit(code: number): void;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A process that ran for this long counts as started. */
const STEADY_MS = 60_000;
/** The same signal may arrive twice within this time (main.ts). */
const ONE_ORDER_MS = 2_000;
/** A process that does not answer within this time is left out. */
const REPORT_MS = 1_000;

interface Child {
  worker: Worker;
  directory: string;
  ready: boolean;
  readyAtMs: number;
  /** True when another process replaced it, or all of them are to end. */
  leaving: boolean;
  /** The process whose place it takes once it answers. */
  succeeds: Child | undefined;
  metrics: readonly ExportedMetric[];
  reported: (() => void) | undefined;
  /** Several scrapes at once share one report. */
  reporting: Promise<void> | undefined;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #children = new Set<Child>();
  #counts: ExportedMetric[] = [];
  #delayMs = FIRST_DELAY_MS;
  #stoppingSince: number | undefined;
  #rolling: Promise<void> | undefined;
  #everReady = false;
  /** Processes that start when their delay is over. */
  #due = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Starts the first process alone: it makes what a first start makes, and reports a fault once instead of N times. */
  async start(): Promise<void> {
    await this.#isReady(this.#fork());
    for (let others = this.#options.processes - 1; others > 0 && this.#everReady; others--) this.#forkUnlessStopping();
  }

  /** Replaces every process by a new one, each when its successor answers, so that no connection is refused. */
  roll(): Promise<void> {
    return this.#roll([...this.#children].filter(({ leaving }) => !leaving));
  }

  #roll(olds: readonly Child[]): Promise<void> {
    this.#rolling ??= this.#replace(olds).then((replaced) => {
      this.#rolling = undefined;
      if (replaced) this.#takeUpJournals();
    });
    return this.#rolling;
  }

  stop(signal: NodeJS.Signals): void {
    const now = performance.now();
    if (this.#stoppingSince !== undefined) {
      if (now - this.#stoppingSince <= ONE_ORDER_MS) return;
      for (const { worker } of this.#children) worker.process.kill('SIGKILL');
      return;
    }
    this.#stoppingSince = now;
    for (const child of this.#children) this.#dismiss(child, signal);
    if (this.#children.size === 0) this.#options.exit(0);
  }

  /** Returns false when a new process did not start. */
  async #replace(olds: readonly Child[]): Promise<boolean> {
    const { say } = this.#options;
    for (const old of olds) {
      if (this.#stoppingSince !== undefined || !this.#children.has(old)) continue;
      const next = this.#fork(old);
      if (!(await this.#isReady(next))) {
        say('a new process did not start; the old ones go on');
        return false;
      }
      next.succeeds = undefined;
      if (this.#children.has(old)) this.#dismiss(old, 'SIGTERM');
    }
    say(`${olds.length} processes were replaced`);
    return true;
  }

  #dismiss(child: Child, signal: NodeJS.Signals): void {
    child.leaving = true;
    child.worker.process.kill(signal);
  }

  /** Returns false when it ended before it was ready. */
  #isReady(child: Child): Promise<boolean> {
    return new Promise((resolve) => {
      child.worker.on('message', () => child.ready && resolve(true));
      child.worker.once('exit', () => resolve(false));
    });
  }

  #forkUnlessStopping(): void {
    if (this.#stoppingSince === undefined) this.#fork();
  }

  #fork(succeeds?: Child): Child {
    const directory = this.#freeDirectory();
    const worker = cluster.fork({ DARGAH_DATA_DIR: directory });
    closeWhatWasNotTaken(worker);
    const child: Child = {
      worker,
      directory,
      ready: false,
      readyAtMs: 0,
      leaving: false,
      succeeds,
      metrics: [],
      reported: undefined,
      reporting: undefined,
    };
    this.#children.add(child);
    worker.on('message', (message: unknown) => this.#hear(child, message));
    worker.once('exit', (code, signal) => this.#ended(child, code, signal));
    return child;
  }

  /** A process that leaves has no place any more, and a successor none while its predecessor is there. */
  #places(): number {
    const stays = (child: Child): boolean => this.#children.has(child) && !child.leaving;
    const placed = [...this.#children].filter(({ succeeds }) => succeeds === undefined || !stays(succeeds));
    return placed.filter(({ leaving }) => !leaving).length;
  }

  /** Directories whose journals may hold charges come first, then the lowest free number. */
  #freeDirectory(): string {
    const taken = this.#taken();
    const left = leftBehind(this.#options.dataDir).find((directory) => !taken.has(directory));
    if (left !== undefined) return left;
    for (let number = 1; ; number++) {
      const directory = join(this.#options.dataDir, String(number));
      if (!taken.has(directory)) return directory;
    }
  }

  #taken(): Set<string> {
    return new Set([...this.#children].map(({ directory }) => directory));
  }

  #hear(child: Child, message: unknown): void {
    if (!isOurs<FromProcess>(message)) return;
    if (message.dargah === 'ready') {
      child.ready = true;
      child.readyAtMs = performance.now();
      this.#everReady = true;
      this.#whenAllAnswer();
    } else if (message.dargah === 'metrics') {
      child.metrics = message.metrics;
      child.reported?.();
    } else void this.#answerScrape(child, message.id);
  }

  #whenAllAnswer(): void {
    const { processes, say } = this.#options;
    const answering = this.#answering();
    if (this.#rolling || answering.length < processes) return;
    say(`${processes} processes answer`);
    this.#takeUpJournals();
  }

  /** More processes ended badly than there are now: successors use their directories until every journal was read. */
  #takeUpJournals(): void {
    const answering = this.#answering();
    if (this.#rolling || answering.length < this.#options.processes) return;
    const taken = this.#taken();
    const left = leftBehind(this.#options.dataDir).filter((directory) => !taken.has(directory));
    if (left.length > 0) void this.#roll(answering.slice(0, left.length));
  }

  #answering(): Child[] {
    return [...this.#children].filter(({ ready, leaving }) => ready && !leaving);
  }

  async #answerScrape(asking: Child, id: number): Promise<void> {
    await Promise.all([...this.#children].filter(({ ready }) => ready).map((child) => this.#report(child)));
    const all = [this.#counts, ...[...this.#children].map(({ metrics }) => metrics)];
    this.#tell(asking, { dargah: 'scraped', id, metrics: mergeMetrics(all) });
  }

  #report(child: Child): Promise<void> {
    child.reporting ??= new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        child.reported = undefined;
        child.reporting = undefined;
        resolve();
      };
      const timer = setTimeout(done, REPORT_MS);
      child.reported = done;
      this.#tell(child, { dargah: 'report' });
    });
    return child.reporting;
  }

  #tell({ worker }: Child, message: ToProcess): void {
    if (worker.isConnected()) worker.send(message);
  }

  #ended(child: Child, code: number | null, signal: string | null): void {
    const { say, exit } = this.#options;
    this.#children.delete(child);
    child.reported?.();
    this.#counts = mergeMetrics([this.#counts, lastCountsOf(child.metrics)]);
    if (this.#stoppingSince !== undefined) {
      if (this.#children.size === 0) exit(0);
      return;
    }
    if (child.leaving) {
      // Killed before it had posted its charges. One that fails to end by itself would fail again.
      if (signal !== null) this.#takeUpJournals();
      return;
    }
    // The first process reports a fault with which no process can start.
    if (!this.#everReady) {
      exit(code ?? 1);
      return;
    }
    // Its predecessor stays, or its successor is starting already.
    if (this.#places() + this.#due >= this.#options.processes) return;
    if (child.ready && performance.now() - child.readyAtMs > STEADY_MS) this.#delayMs = FIRST_DELAY_MS;
    say(`a process ended (${signal ?? `code ${code}`}); the next one starts in ${this.#delayMs / 1000} s`);
    this.#due++;
    setTimeout(() => {
      this.#due--;
      this.#forkUnlessStopping();
    }, this.#delayMs);
    this.#delayMs = Math.min(MAX_DELAY_MS, this.#delayMs * 2);
  }
}

/**
 * Directories whose lock is still there, because their process was killed; also that of an earlier process without a
 * supervisor.
 */
function leftBehind(dataDir: string): string[] {
  if (!existsSync(dataDir)) return [];
  const numbers = readdirSync(dataDir).filter((name) => /^\d{1,4}$/.test(name));
  const directories = [dataDir, ...numbers.map((number) => join(dataDir, number))];
  return directories.filter((directory) => existsSync(join(directory, 'journal', 'lock')));
}

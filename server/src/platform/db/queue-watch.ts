/**
 * Looks into the queues of the database for work that waits. Nearly always there is none, so one statement a second asks for all of
 * them: a statement for each was half of what an idle process cost.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Background } from '../background.ts';
import type { Database } from './database.ts';
import type { Statement } from './statement.ts';

const LOOK_MS = 1_000;
/** Where a queue's condition needs the time: `$1`. */
const NOW = '$1';

export interface Queue {
  name: string;
  /** Answers a row while the queue may have work. It is asked all the time, so it must neither lock nor write. */
  waiting: Statement<object>;
  work(): Promise<unknown>;
  /** How many calls of `work` may run beside each other; one by default. */
  atOnce?: number;
}

export interface QueueWatchOptions {
  db: Database;
  clock: Clock;
  background: Background;
}

export class QueueWatch {
  readonly #options: QueueWatchOptions;
  readonly #queues: Queue[] = [];
  readonly #working = new Map<Queue, number>();
  #text = '';

  constructor(options: QueueWatchOptions) {
    this.#options = options;
    options.background.every(LOOK_MS, 'queues', () => this.#look());
  }

  add(queue: Queue): void {
    this.#queues.push(queue);
    const looks = this.#queues.map(({ waiting }, at) => `exists (${waiting.text}) as "${at}"`);
    this.#text = `select ${looks.join(', ')}`;
  }

  async #look(): Promise<void> {
    if (this.#queues.length === 0) return;
    const { db, clock } = this.#options;
    const values = this.#text.includes(NOW) ? [new Date(clock.now())] : [];
    const [waiting] = await db.query<Record<string, boolean>>(this.#text, values, { name: nameOf(this.#text) });
    for (const [at, queue] of this.#queues.entries()) if (waiting?.[at]) this.#begin(queue);
  }

  #begin(queue: Queue): void {
    const working = this.#working.get(queue) ?? 0;
    if (working >= (queue.atOnce ?? 1)) return;
    this.#working.set(queue, working + 1);
    const work = queue.work().finally(() => this.#working.set(queue, (this.#working.get(queue) ?? 1) - 1));
    this.#options.background.detach(work, queue.name);
  }
}

/** A connection keeps what it has prepared by this name, so each text needs its own. */
function nameOf(text: string): string {
  return `queues-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

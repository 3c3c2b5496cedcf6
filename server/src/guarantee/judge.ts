/**
 * Judges answers off the event loop: one worker, started by the first answer that needs it, one job at a time, each
 * bounded in size and time. A job that exceeds its time terminates the worker, and the next job starts another.
 */
import { Worker } from 'node:worker_threads';
import type { Log } from '../platform/log.ts';
import { workerUrl } from '../platform/worker-url.ts';
import type { JudgedText, TextVerdict } from './judge-texts.ts';

/** Why an answer was not judged. */
export type Unjudged = 'size' | 'time' | 'busy';

export interface AnswerJudge {
  judge(texts: readonly JudgedText[]): Promise<TextVerdict[] | Unjudged>;
  close(): Promise<void>;
}

const MAX_CHARACTERS = 2_000_000;
const MAX_WAITING = 64;
const MAX_MS = 1_000;
const MAX_HEAP_MB = 128;
/** Of them for objects that die at once, which would otherwise take 48 MB. */
const YOUNG_MB = 12;

interface Order {
  texts: readonly JudgedText[];
  resolve(verdict: TextVerdict[] | Unjudged): void;
}

export function createAnswerJudge(options: { log: Log; maxMs?: number; maxCharacters?: number }): AnswerJudge {
  return new WorkerJudge(options.log, options.maxMs ?? MAX_MS, options.maxCharacters ?? MAX_CHARACTERS);
}

class WorkerJudge implements AnswerJudge {
  readonly #log: Log;
  readonly #maxMs: number;
  readonly #maxCharacters: number;
  readonly #waiting: Order[] = [];
  #worker: Worker | undefined;
  #running = false;

  constructor(log: Log, maxMs: number, maxCharacters: number) {
    this.#log = log;
    this.#maxMs = maxMs;
    this.#maxCharacters = maxCharacters;
  }

  judge(texts: readonly JudgedText[]): Promise<TextVerdict[] | Unjudged> {
    const size = texts.reduce((sum, { text }) => sum + text.length, 0);
    if (size > this.#maxCharacters) return Promise.resolve('size');
    if (this.#waiting.length >= MAX_WAITING) return Promise.resolve('busy');
    return new Promise((resolve) => {
      this.#waiting.push({ texts, resolve });
      if (!this.#running) void this.#run();
    });
  }

  async close(): Promise<void> {
    await this.#end();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let order = this.#waiting.shift(); order; order = this.#waiting.shift()) {
      try {
        this.#worker ??= await this.#start();
        order.resolve(await this.#ask(this.#worker, order.texts));
      } catch (error) {
        this.#log.warn({ err: error }, 'an answer could not be judged');
        await this.#end();
        order.resolve('busy');
      }
    }
    this.#running = false;
  }

  /** The time limit begins when the worker is ready: starting it must not count against the answer. */
  async #start(): Promise<Worker> {
    const url = await workerUrl('guarantee/judge.worker.ts');
    const worker = new Worker(url, {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.unref();
    await nextMessage(worker);
    return worker;
  }

  async #ask(worker: Worker, texts: readonly JudgedText[]): Promise<TextVerdict[] | Unjudged> {
    const answered = nextMessage(worker) as Promise<TextVerdict[]>;
    worker.postMessage(texts);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'time'>((resolve) => {
      timer = setTimeout(() => resolve('time'), this.#maxMs);
    });
    const verdict = await Promise.race([answered, late]);
    clearTimeout(timer);
    if (verdict !== 'time') return verdict;
    answered.catch(() => undefined);
    await this.#end();
    return verdict;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

/** Rejects when the worker fails or ends instead. */
function nextMessage(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      then();
    };
    const onMessage = (message: unknown) => settle(() => resolve(message));
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error('the thread that judges answers ended')));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}

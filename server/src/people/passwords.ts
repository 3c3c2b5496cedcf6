/**
 * Passwords: scrypt on one worker thread, one at a time, with a bounded queue. A flood of sign-ins waits there or is
 * told to come back; it never uses the threads with which the journal writes, nor more than one core.
 */
import { timingSafeEqual } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { GatewayError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import { workerUrl } from '../platform/worker-url.ts';
import type { HashOrder } from './password.worker.ts';

/** What one hash costs an attacker. */
export interface PasswordWork {
  cost: number;
  blockSize: number;
  parallelization: number;
}

const PASSWORD_WORK: PasswordWork = { cost: 32_768, blockSize: 8, parallelization: 3 };
const SALT_BYTES = 16;
/** Young generation of the thread, which does nothing but hash; by default it would be 48 MB. */
const YOUNG_MB = 3;
const MAX_WAITING = 32;
const RETRY_MS = 5_000;

/** How many wrong passwords are allowed within an hour. */
export interface PasswordLimits {
  /** From each network at one person's password. */
  perContactHourly: number;
  /**
   * From all strangers together at one person's password, not counting networks from which the person has signed in.
   */
  strangersHourly: number;
  perAddressHourly: number;
  perNetworkHourly: number;
}

export const WRONG_PASSWORDS: PasswordLimits = {
  perContactHourly: 10,
  strangersHourly: 100,
  perAddressHourly: 60,
  perNetworkHourly: 200,
};

interface Waiting {
  resolve(hash: Uint8Array): void;
  reject(error: unknown): void;
}

export class Passwords {
  readonly #randomBytes: RandomBytes;
  readonly #work: PasswordWork;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Promise<Worker> | undefined;
  #count = 0;
  #admitted = 0;

  constructor(randomBytes: RandomBytes, work: PasswordWork = PASSWORD_WORK) {
    this.#randomBytes = randomBytes;
    this.#work = work;
  }

  /** Admits as many sign-ins as may wait for their hash; others are told to come back before any work is done for them. */
  async admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#admitted >= MAX_WAITING) throw new GatewayError('overloaded', { retryAfterMs: RETRY_MS });
    this.#admitted++;
    try {
      return await work();
    } finally {
      this.#admitted--;
    }
  }

  /** Returns `scrypt$32768$8$3$salt$hash`. */
  async hash(password: string): Promise<string> {
    const salt = this.#randomBytes(SALT_BYTES);
    const hash = await this.#order({ password, salt, ...this.#work });
    const { cost, blockSize, parallelization } = this.#work;
    return ['scrypt', cost, blockSize, parallelization, base64(salt), base64(hash)].join('$');
  }

  /** Without a stored hash it takes as long and answers false, so that the time does not tell whether a person is known. */
  async verify(password: string, stored: string | null): Promise<boolean> {
    const parsed = parse(stored) ?? { ...this.#work, salt: new Uint8Array(SALT_BYTES), hash: undefined };
    const { hash: expected, ...order } = parsed;
    const hash = await this.#order({ password, ...order });
    // A hash that was made with less work must not be recognisable by its time either.
    const missing = this.#work.parallelization - order.parallelization;
    if (missing > 0) await this.#order({ password, ...order, parallelization: missing });
    return expected !== undefined && expected.length === hash.length && timingSafeEqual(expected, hash);
  }

  /** True for a hash that was made with other work than today's. */
  isOutdated(stored: string): boolean {
    const { cost, blockSize, parallelization } = this.#work;
    return !stored.startsWith(`scrypt$${cost}$${blockSize}$${parallelization}$`);
  }

  async close(): Promise<void> {
    const worker = await this.#worker?.catch(() => undefined);
    await worker?.terminate();
  }

  async #order(order: Omit<HashOrder, 'id'>): Promise<Uint8Array> {
    if (this.#waiting.size >= MAX_WAITING) throw new GatewayError('overloaded', { retryAfterMs: RETRY_MS });
    const id = this.#count++;
    this.#worker ??= this.#start();
    const starting = this.#worker;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      starting.then(
        (worker) => worker.postMessage({ id, ...order }),
        (error: unknown) => this.#failed(starting, error),
      );
    });
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(await workerUrl('people/password.worker.ts'), {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    const started = this.#worker;
    worker.unref();
    worker.on('message', ({ id, hash }: { id: number; hash: Uint8Array }) => {
      this.#waiting.get(id)?.resolve(hash);
      this.#waiting.delete(id);
    });
    worker.on('error', (error) => this.#failed(started, error));
    worker.on('exit', () => this.#failed(started, new GatewayError('overloaded', { retryAfterMs: RETRY_MS })));
    return worker;
  }

  /**
   * Rejects everybody who waits; the next order starts another worker. Nobody waits for a worker that was replaced
   * already.
   */
  #failed(worker: Promise<Worker> | undefined, error: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

function parse(stored: string | null) {
  const [name, cost, blockSize, parallelization, salt, hash] = (stored ?? '').split('$');
  if (name !== 'scrypt' || salt === undefined || hash === undefined) return undefined;
  return {
    cost: Number(cost),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

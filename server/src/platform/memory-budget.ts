/**
 * One budget of memory for everything that a request can make this process hold: bodies, fetched media, stored answers that are
 * loaded, documents that are read. Bytes are taken before they are read. What does not fit waits for a moment and is then refused
 * with 503. Small bodies are only added to a counter, and a part of the budget is theirs alone, so that large requests cannot
 * stop small ones.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { GatewayError } from '../core/errors.ts';

export const MEMORY_KINDS = ['bodies', 'media', 'stored', 'documents'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/**
 * Memory for one byte of a JSON body or of a stored answer, from the raw bytes to what goes to the provider. Measured on Node 20
 * with 16 MB (raw bytes, decoded text, parsed values, text for the provider, its bytes; after garbage collection): 4.0 for
 * pictures in base64 and for Persian, 4.2 for many short messages, 4.9 for 100,000 fields, 6.0 where one Persian letter stands in
 * a Latin text.
 */
export const JSON_MEMORY_FACTOR = 6;
/** For one byte of a fetched picture: the bytes, base64 of them, the body for the provider and its bytes. Measured: 5.0. */
export const MEDIA_MEMORY_FACTOR = 5;
/** For one byte of a document on its way: the pieces that came, the whole, and the copy for the database or the reading process. */
export const FILE_MEMORY_FACTOR = 3;

/** This part of the budget is for small bodies. */
const SMALL_PART = 1 / 8;
/** One owner beside its first request, and all documents together, may hold this part. */
const MAX_PART = 1 / 2;
const WAIT_MS = 2_000;
const RETRY_MS = 2_000;
const MAX_WAITING = 200;
const MAX_WAITING_OF_OWNER = 16;

/** Runs something later; the result cancels it. */
export type After = (ms: number, run: () => void) => () => void;

export interface MemoryBudgetOptions {
  maxBytes: number;
  /** How long a reservation waits for room. */
  waitMs?: number;
  after?: After;
}

export interface MemoryState {
  maxBytes: number;
  heldBytes: number;
  /** The peak since the start. */
  peakBytes: number;
  /** The amounts held by kind; small bodies are not in it. */
  byKind: Readonly<Record<MemoryKind, number>>;
  waiting: number;
  refused: number;
}

/** What one request holds. It is released as a whole when the request has ended. */
export interface MemoryShare {
  /** Waits for room. Throws `overloaded` when there is none in time; `waitMs` may be Infinity for work that nobody waits for. */
  reserve(kind: MemoryKind, bytes: number, waitMs?: number): Promise<void>;
  /** False when there is no room now. */
  tryReserve(kind: MemoryKind, bytes: number): boolean;
  /** Gives everything back and ends a reservation that still waits. Harmless when called twice. */
  release(): void;
}

interface Waiter {
  share: Share;
  kind: MemoryKind;
  bytes: number;
  end(error?: GatewayError): void;
}

export class MemoryBudget {
  readonly maxBytes: number;
  /** For everything but small bodies. */
  readonly maxLarge: number;
  readonly #waitMs: number;
  readonly #after: After;
  readonly #byKind: Record<MemoryKind, number> = { bodies: 0, media: 0, stored: 0, documents: 0 };
  readonly #byOwner = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #held = 0;
  #peak = 0;
  #refused = 0;

  constructor({ maxBytes, waitMs = WAIT_MS, after = afterwards }: MemoryBudgetOptions) {
    this.maxBytes = maxBytes;
    this.maxLarge = Math.floor(maxBytes * (1 - SMALL_PART));
    this.#waitMs = waitMs;
    this.#after = after;
  }

  /** Counts a body that is small and has been read. False: there is no room even for that. */
  addSmall(bytes: number): boolean {
    if (this.#held + bytes > this.maxBytes) {
      this.#refused++;
      return false;
    }
    this.#add(bytes);
    return true;
  }

  removeSmall(bytes: number): void {
    this.#held -= bytes;
    if (this.#waiting.size > 0) this.#letIn();
  }

  /** `owner`: who answers for it, usually an account. One owner cannot hold all of the budget with many requests. */
  open(owner?: string): MemoryShare {
    return new Share(this, owner);
  }

  /** The most that documents may hold together. */
  get maxForDocuments(): number {
    return Math.floor(this.maxBytes * MAX_PART);
  }

  get state(): MemoryState {
    return {
      maxBytes: this.maxBytes,
      heldBytes: this.#held,
      peakBytes: this.#peak,
      byKind: { ...this.#byKind },
      waiting: this.#waiting.size,
      refused: this.#refused,
    };
  }

  /** For shares only. */
  tryReserve(share: Share, kind: MemoryKind, bytes: number): boolean {
    if (!this.#fits(share, kind, bytes)) return false;
    this.#add(bytes);
    this.#byKind[kind] += bytes;
    if (share.owner !== undefined) this.#byOwner.set(share.owner, (this.#byOwner.get(share.owner) ?? 0) + bytes);
    share.own[kind] += bytes;
    return true;
  }

  /** For shares only. */
  async reserve(share: Share, kind: MemoryKind, bytes: number, waitMs: number = this.#waitMs): Promise<void> {
    if (this.tryReserve(share, kind, bytes)) return;
    if (bytes > this.#maxOf(kind) || this.#tooManyWait(share)) throw this.#refusal();
    await new Promise<void>((resolve, reject) => {
      let cancelTimer: () => void = () => undefined;
      const waiter: Waiter = {
        share,
        kind,
        bytes,
        end: (error) => {
          this.#waiting.delete(waiter);
          cancelTimer();
          if (error) reject(error);
          else resolve();
        },
      };
      this.#waiting.add(waiter);
      if (Number.isFinite(waitMs)) cancelTimer = this.#after(waitMs, () => waiter.end(this.#refusal()));
    });
  }

  /** For shares only. */
  release(share: Share): void {
    for (const waiter of this.#waiting) if (waiter.share === share) waiter.end(this.#refusal());
    let bytes = 0;
    for (const kind of MEMORY_KINDS) {
      bytes += share.own[kind];
      this.#byKind[kind] -= share.own[kind];
      share.own[kind] = 0;
    }
    if (bytes === 0) return;
    this.#held -= bytes;
    this.#forgetOwner(share.owner, bytes);
    this.#letIn();
  }

  #forgetOwner(owner: string | undefined, bytes: number): void {
    if (owner === undefined) return;
    const left = (this.#byOwner.get(owner) ?? 0) - bytes;
    if (left > 0) this.#byOwner.set(owner, left);
    else this.#byOwner.delete(owner);
  }

  #add(bytes: number): void {
    this.#held += bytes;
    if (this.#held > this.#peak) this.#peak = this.#held;
  }

  #maxOf(kind: MemoryKind): number {
    return kind === 'documents' ? Math.min(this.maxForDocuments, this.maxLarge) : this.maxLarge;
  }

  #fits({ owner }: Share, kind: MemoryKind, bytes: number): boolean {
    if (this.#held + bytes > this.maxLarge) return false;
    if (kind === 'documents' && this.#byKind.documents + bytes > this.maxForDocuments) return false;
    const ofOwner = owner === undefined ? 0 : (this.#byOwner.get(owner) ?? 0);
    // The first request of an owner may be as large as the budget.
    return ofOwner === 0 || ofOwner + bytes <= this.maxBytes * MAX_PART;
  }

  #tooManyWait({ owner }: Share): boolean {
    if (this.#waiting.size >= MAX_WAITING) return true;
    if (owner === undefined) return false;
    let ofOwner = 0;
    for (const { share } of this.#waiting) if (share.owner === owner) ofOwner++;
    return ofOwner >= MAX_WAITING_OF_OWNER;
  }

  /** In the order they came, but what is too large still does not hold up what is smaller. */
  #letIn(): void {
    for (const waiter of this.#waiting) if (this.tryReserve(waiter.share, waiter.kind, waiter.bytes)) waiter.end();
  }

  #refusal(): GatewayError {
    this.#refused++;
    return noMemory();
  }
}

class Share implements MemoryShare {
  readonly #budget: MemoryBudget;
  readonly owner: string | undefined;
  readonly own: Record<MemoryKind, number> = { bodies: 0, media: 0, stored: 0, documents: 0 };

  constructor(budget: MemoryBudget, owner: string | undefined) {
    this.#budget = budget;
    this.owner = owner;
  }

  reserve(kind: MemoryKind, bytes: number, waitMs?: number): Promise<void> {
    return this.#budget.reserve(this, kind, bytes, waitMs);
  }

  tryReserve(kind: MemoryKind, bytes: number): boolean {
    return this.#budget.tryReserve(this, kind, bytes);
  }

  release(): void {
    this.#budget.release(this);
  }
}

export function noMemory(): GatewayError {
  return new GatewayError('overloaded', { retryAfterMs: RETRY_MS, cause: 'the memory budget is used up' });
}

export interface SystemMemory {
  /** The container's limit: 0 where it is unknown, and far more than there is where none is set. */
  constrained: number;
  total: number;
  /** The limit of the JavaScript heap, which holds parsed bodies. */
  heap: number;
}

/**
 * A quarter of what the container or the machine has, and no more than half of the heap's own limit: on a large machine that
 * is the smaller, and beyond it the process would end itself.
 */
export function defaultMemoryBudget({ constrained, total, heap }: SystemMemory = systemMemory()): number {
  const limit = constrained > 0 ? Math.min(constrained, total) : total;
  return Math.floor(Math.min(limit / 4, heap / 2));
}

function systemMemory(): SystemMemory {
  return {
    constrained: process.constrainedMemory(),
    total: totalmem(),
    heap: getHeapStatistics().heap_size_limit,
  };
}

function afterwards(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

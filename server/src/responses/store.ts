/**
 * Stored answers. Memory answers first; the database, which all replicas share, is written behind the request and asked
 * only for what memory no longer has. Losing the queue in a crash loses answers of the last moments, never a charge.
 */

import type { Clock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import { HOUR_MS } from '../core/time-spans.ts';
import type { Background } from '../platform/background.ts';
import type { Database } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import { purge } from './purge.ts';
import { RecentResponses } from './recent-responses.ts';
import {
  deleteResponse,
  endResponse,
  insertResponse,
  markStillRunning,
  prolong,
  selectChain,
  selectHolding,
} from './rows.ts';
import { isStorableId, itemsById, type PackedResponse, pack, type StoredResponse, unpack } from './stored-response.ts';
import { WaitingResponses } from './waiting-responses.ts';

export interface ResponseStoreBounds {
  /** Of the newest answers in memory. */
  bytes: number;
  /** One answer with its input; larger ones are not stored. */
  bytesPerResponse: number;
  perAccount: number;
  /** 0 stores nothing. */
  keepMs: number;
}

export interface ResponseStore {
  readonly bounds: ResponseStoreBounds;
  keep(stored: StoredResponse): void;
  find(accountId: string, id: string): Promise<StoredResponse | undefined>;
  /** The answer and all before it, oldest first; undefined when a link is missing. */
  chain(accountId: string, id: string): Promise<StoredResponse[] | undefined>;
  /** Items by their ids; an unknown id is not in the map. */
  items(accountId: string, ids: readonly string[]): Promise<Map<string, JsonObject>>;
  remove(accountId: string, id: string): Promise<boolean>;
  /** Writes an answer that is still to be made. */
  begin(stored: StoredResponse): Promise<void>;
  /** Writes the end of an answer that this process has begun, unless it was cancelled or deleted. */
  end(stored: StoredResponse): void;
  /** Was begun by this process, and has not ended. */
  isRunning(id: string): boolean;
  /** Ends an answer that is still being made, wherever it is; false when it had ended before. */
  cancel(stored: StoredResponse): Promise<boolean>;
  /** Called with the id of an answer that is no longer wanted. */
  onCancel(listener: (id: string) => void): void;
  /** Writes what waits for the database. */
  flush(): Promise<void>;
}

/** A conversation of more turns than this begins anew at the client. */
const MAX_LINKS = 1_000;
const MAX_WAITING = 5_000;
const MAX_WAITING_BYTES = 64 << 20;
const FLUSH_MS = 200;
const PURGE_MS = HOUR_MS;
const TOPIC = 'response';
const CANCELLED = 'response-cancelled';
/** How often a process says that it is still making an answer, and how long that is believed. */
const BEAT_MS = 5_000;
const BELIEVED_MS = 30_000;

export interface ResponseStoreOptions {
  db: Database;
  clock: Clock;
  background: Background;
  log: Log;
  bounds: ResponseStoreBounds;
}

export function createResponseStore(options: ResponseStoreOptions): ResponseStore {
  const store = new SharedResponseStore(options);
  const { db, clock, background, bounds } = options;
  background.every(FLUSH_MS, 'stored responses', () => store.flushWhenPossible());
  background.every(BEAT_MS, 'running responses', () => store.beat());
  background.every(PURGE_MS, 'expired responses', () => purge(db, 'response_store', clock.now(), bounds.perAccount));
  return store;
}

class SharedResponseStore implements ResponseStore {
  readonly bounds: ResponseStoreBounds;
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #recent: RecentResponses;
  readonly #waiting = new WaitingResponses({ entries: MAX_WAITING, bytes: MAX_WAITING_BYTES });
  /** Links of conversations that went on, to be kept longer. */
  readonly #prolonged = new Set<string>();
  /** Being made by this process. */
  readonly #running = new Set<string>();
  #cancelListener: (id: string) => void = () => undefined;
  #failing = false;

  constructor({ db, clock, log, bounds }: ResponseStoreOptions) {
    this.bounds = bounds;
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
    this.#recent = new RecentResponses(bounds.bytes);
    db.subscribe(
      TOPIC,
      (id) => this.#forget(id),
      () => this.#recent.clear(),
    );
  }

  keep(stored: StoredResponse): void {
    this.#keep(pack(stored));
  }

  #keep(packed: PackedResponse): void {
    this.#recent.add(packed);
    for (const oldest of this.#waiting.add(packed)) {
      this.#log.warn({ responseId: oldest }, 'a stored response was given up: the database does not take it');
    }
  }

  async begin(stored: StoredResponse): Promise<void> {
    await insertResponse(this.#db, pack({ ...stored, runsUntil: this.#clock.now() + BELIEVED_MS }));
    this.#running.add(stored.id);
  }

  end(stored: StoredResponse): void {
    if (this.#running.delete(stored.id)) this.#keep({ ...pack(stored), begun: true });
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  async cancel(stored: StoredResponse): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const ended = await endResponse(tx, pack(stored));
      if (ended) await this.#db.publish(tx, CANCELLED, stored.id);
      return ended;
    });
  }

  onCancel(listener: (id: string) => void): void {
    this.#cancelListener = listener;
    // What is missed while the database is away is found by the next beat.
    this.#db.subscribe(
      CANCELLED,
      (id) => this.#cancelled(id),
      () => undefined,
    );
  }

  #cancelled(id: string): void {
    this.#forget(id);
    if (this.#running.delete(id)) this.#cancelListener(id);
  }

  /** Sends heartbeats. An answer that is no longer running in the database was cancelled or deleted. */
  async beat(): Promise<void> {
    if (this.#running.size === 0) return;
    const ids = [...this.#running];
    const wanted = await markStillRunning(this.#db, ids, this.#clock.now() + BELIEVED_MS);
    for (const id of ids) if (!wanted.has(id)) this.#cancelled(id);
  }

  #forget(id: string): void {
    this.#recent.remove(id);
    this.#waiting.delete(id);
  }

  async find(accountId: string, id: string): Promise<StoredResponse | undefined> {
    return this.#inMemory(accountId, id) ?? (await this.#select(accountId, id, 1))[0];
  }

  async chain(accountId: string, id: string): Promise<StoredResponse[] | undefined> {
    const links: StoredResponse[] = [];
    for (let next: string | null = id; next !== null && links.length < MAX_LINKS; ) {
      const known = this.#inMemory(accountId, next);
      const found: StoredResponse[] = known ? [known] : await this.#select(accountId, next, MAX_LINKS - links.length);
      if (found.length === 0) return undefined;
      links.push(...found);
      next = found.at(-1)?.previousId ?? null;
    }
    if (this.#prolonged.size < MAX_WAITING) for (const link of links) this.#prolonged.add(link.id);
    return links.reverse();
  }

  async items(accountId: string, ids: readonly string[]): Promise<Map<string, JsonObject>> {
    const now = this.#clock.now();
    const recent = new Set(ids.flatMap((id) => this.#recent.holding(accountId, id, now) ?? []));
    const holders = [...recent].map(unpack);
    const found = pick(ids, holders);
    const missing = ids.filter((id) => !found.has(id) && isStorableId(id));
    if (missing.length === 0) return found;
    const waiting = this.#waiting.holding(accountId, missing).map(unpack);
    const stored = await selectHolding(this.#db, accountId, missing, now);
    return pick(ids, [...holders, ...waiting, ...stored]);
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const inMemory = this.#inMemory(accountId, id) !== undefined;
    if (inMemory) this.#forget(id);
    if (!isStorableId(id)) return false;
    const inDatabase = await this.#db.transaction(async (tx) => {
      const deleted = await deleteResponse(tx, accountId, id);
      if (deleted) await this.#db.publish(tx, TOPIC, id);
      return deleted;
    });
    return inMemory || inDatabase;
  }

  /** An outage of the database is told once; what waits is tried again until it is taken or given up. */
  async flushWhenPossible(): Promise<void> {
    try {
      await this.flush();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#log.warn({ err: error, waiting: this.#waiting.size }, 'stored responses wait');
      this.#failing = true;
    }
  }

  async flush(): Promise<void> {
    for (const packed of this.#waiting.all()) {
      // Deleted by its owner while it waited.
      if (!this.#waiting.get(packed.id)) continue;
      if (packed.begun) await endResponse(this.#db, packed);
      else await insertResponse(this.#db, packed);
      this.#waiting.delete(packed.id);
    }
    if (this.#prolonged.size === 0) return;
    const ids = [...this.#prolonged];
    this.#prolonged.clear();
    await prolong(this.#db, ids, this.#clock.now() + this.bounds.keepMs);
  }

  #inMemory(accountId: string, id: string): StoredResponse | undefined {
    const recent = this.#recent.find(accountId, id, this.#clock.now());
    if (recent) return unpack(recent);
    const waiting = this.#waiting.get(id);
    return waiting?.accountId === accountId ? unpack(waiting) : undefined;
  }

  async #select(accountId: string, id: string, maxLinks: number): Promise<StoredResponse[]> {
    if (!isStorableId(id)) return [];
    return selectChain(this.#db, accountId, id, this.#clock.now(), maxLinks);
  }
}

function pick(ids: readonly string[], holders: readonly StoredResponse[]): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const holder of holders) {
    const items = itemsById(holder);
    for (const id of ids) {
      const item = items.get(id);
      if (item) found.set(id, item);
    }
  }
  return found;
}

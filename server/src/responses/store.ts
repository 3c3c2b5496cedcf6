/**
 * Stored answers. They are read from memory first. The database, which all replicas share, is written after the request
 * and read only for what memory no longer has. A crash can lose the answers of the last moments, never a charge.
 */

import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { invalidRequest } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Background } from '../platform/background.ts';
import type { Database } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import { JSON_MEMORY_FACTOR, type MemoryShare } from '../platform/memory-budget.ts';
import { purge } from './purge.ts';
import { responseReasons } from './reasons.ts';
import { RecentResponses } from './recent-responses.ts';
import {
  deleteResponse,
  endResponse,
  insertResponse,
  markStillRunning,
  prolong,
  type StoredLink,
  selectHolders,
  selectLinks,
  selectTexts,
} from './response-rows.ts';
import { isStorableId, itemsById, type PackedResponse, pack, type StoredResponse, unpack } from './stored-response.ts';
import { WaitingResponses } from './waiting-responses.ts';

export interface ResponseStoreBounds {
  /** The limit for the newest answers in memory. */
  bytes: number;
  /** The limit for one answer with its input; larger ones are not stored. */
  bytesPerResponse: number;
  perAccount: number;
  /** 0 stores nothing. */
  keepMs: number;
}

export interface ResponseStore {
  readonly bounds: ResponseStoreBounds;
  keep(stored: StoredResponse): void;
  /**
   * Memory for what is loaded is reserved from `memory` first; these functions throw `overloaded` when it has no room.
   */
  find(accountId: string, id: string, memory: MemoryShare): Promise<StoredResponse | undefined>;
  /**
   * The answer and all before it, oldest first; undefined when a link is missing. Throws when they are too large
   * together.
   */
  chain(accountId: string, id: string, memory: MemoryShare): Promise<StoredResponse[] | undefined>;
  /** Items by their ids; unknown ids are missing in the map. */
  items(accountId: string, ids: readonly string[], memory: MemoryShare): Promise<Map<string, JsonObject>>;
  remove(accountId: string, id: string): Promise<boolean>;
  /** Writes an answer that is still being made. */
  begin(stored: StoredResponse): Promise<void>;
  /** Writes the end of an answer that this process has begun, unless it was cancelled or deleted. */
  end(stored: StoredResponse): void;
  /** True while this process is making the answer. */
  isRunning(id: string): boolean;
  /** Ends an answer that is still being made, by whichever replica; returns false when it had ended before. */
  cancel(stored: StoredResponse): Promise<boolean>;
  /** Called with the id of an answer that is no longer wanted. */
  onCancel(listener: (id: string) => void): void;
  /** Writes what waits for the database. */
  flush(): Promise<void>;
}

/** A client begins a new conversation after this many turns. */
export const MAX_LINKS = 500;
/**
 * The limit for all answers that one request loads, as text: twice the largest body, since nobody could send as much.
 */
const MAX_LOADED_BYTES = 64 << 20;
const MAX_REFERENCES = 1_000;
const MAX_WAITING = 5_000;
const MAX_WAITING_BYTES = 64 << 20;
const FLUSH_MS = 200;
const PURGE_MS = HOUR_MS;
const TOPIC = 'response';
const CANCELLED = 'response-cancelled';
/** How often a process reports that it is still making an answer, and how long a report is valid. */
const HEARTBEAT_MS = 5_000;
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
  background.every(HEARTBEAT_MS, 'running responses', () => store.heartbeat());
  background.every(PURGE_MS, 'expired responses', () => purge(db, 'response_store', clock.now(), bounds.perAccount));
  return store;
}

class SharedResponseStore implements ResponseStore {
  readonly bounds: ResponseStoreBounds;
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #background: Background;
  readonly #log: Log;
  readonly #recent: RecentResponses;
  readonly #waiting = new WaitingResponses({ entries: MAX_WAITING, bytes: MAX_WAITING_BYTES });
  /** Links of conversations that went on, whose expiry must be extended. */
  readonly #prolonged = new Set<string>();
  /** Answers that this process is making. */
  readonly #running = new Set<string>();
  #cancelListener: (id: string) => void = () => undefined;
  #failing = false;
  /** A flush is due or running. */
  #flushes = false;

  constructor({ db, clock, background, log, bounds }: ResponseStoreOptions) {
    this.bounds = bounds;
    this.#db = db;
    this.#clock = clock;
    this.#background = background;
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
    this.#flushSoon();
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
    // Messages that are missed while the database is unreachable are noticed at the next heartbeat.
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

  /** Sends heartbeats. An answer that the database no longer lists as running was cancelled or deleted. */
  async heartbeat(): Promise<void> {
    if (this.#running.size === 0) return;
    const ids = [...this.#running];
    const wanted = await markStillRunning(this.#db, ids, this.#clock.now() + BELIEVED_MS);
    for (const id of ids) if (!wanted.has(id)) this.#cancelled(id);
  }

  #forget(id: string): void {
    this.#recent.remove(id);
    this.#waiting.delete(id);
  }

  async find(accountId: string, id: string, memory: MemoryShare): Promise<StoredResponse | undefined> {
    const [link] = await this.#linksFrom(accountId, id, 1);
    return link && (await this.#load(accountId, [link], memory))?.[0];
  }

  async chain(accountId: string, id: string, memory: MemoryShare): Promise<StoredResponse[] | undefined> {
    const links: Link[] = [];
    for (let next: string | null = id; next !== null; ) {
      const found: Link[] = await this.#linksFrom(accountId, next, MAX_LINKS + 1 - links.length);
      if (found.length === 0) return undefined;
      links.push(...found);
      if (links.length > MAX_LINKS)
        throw invalidRequest('previous_response_id', responseReasons.chainTooLong(MAX_LINKS));
      next = found.at(-1)?.previousId ?? null;
    }
    const loaded = await this.#load(accountId, links.reverse(), memory);
    if (loaded && this.#prolonged.size < MAX_WAITING) for (const link of loaded) this.#prolonged.add(link.id);
    if (this.#prolonged.size > 0) this.#flushSoon();
    return loaded;
  }

  async items(accountId: string, ids: readonly string[], memory: MemoryShare): Promise<Map<string, JsonObject>> {
    if (ids.length > MAX_REFERENCES) throw invalidRequest('input', responseReasons.tooManyReferences(MAX_REFERENCES));
    const wanted = new Set(ids.filter(isStorableId));
    if (wanted.size === 0) return new Map();
    const holders = new Map<string, Link>();
    const missing = new Set<string>();
    for (const id of wanted) {
      const packed = this.#recent.holding(accountId, id, this.#clock.now());
      if (packed) holders.set(packed.id, linkOf(packed));
      else missing.add(id);
    }
    for (const packed of missing.size === 0 ? [] : this.#waiting.holding(accountId, missing)) {
      holders.set(packed.id, linkOf(packed));
      for (const id of packed.itemIds) missing.delete(id);
    }
    if (missing.size > 0)
      for (const link of await selectHolders(this.#db, accountId, [...missing], this.#clock.now()))
        holders.set(link.id, link);
    return pick(wanted, await this.#loadFound(accountId, [...holders.values()], memory));
  }

  /** The answer and, where they are in the database, those before it; newest first. */
  async #linksFrom(accountId: string, id: string, maxLinks: number): Promise<Link[]> {
    const packed = this.#inMemory(accountId, id);
    if (packed) return [linkOf(packed)];
    return isStorableId(id) ? selectLinks(this.#db, accountId, id, this.#clock.now(), maxLinks) : [];
  }

  /** Returns the answers in the order of the links; undefined when one was deleted meanwhile. */
  async #load(accountId: string, links: readonly Link[], memory: MemoryShare): Promise<StoredResponse[] | undefined> {
    const loaded = await this.#loadFound(accountId, links, memory);
    return loaded.length === links.length ? loaded : undefined;
  }

  /** Loads all of them with one statement, once there is memory for all of them. */
  async #loadFound(accountId: string, links: readonly Link[], memory: MemoryShare): Promise<StoredResponse[]> {
    const bytes = links.reduce((sum, link) => sum + link.bytes, 0);
    if (bytes > MAX_LOADED_BYTES)
      throw invalidRequest('previous_response_id', responseReasons.chainTooLarge(MAX_LOADED_BYTES), { status: 413 });
    await memory.reserve('stored', bytes * JSON_MEMORY_FACTOR);
    const elsewhere = links.filter(({ packed }) => packed === undefined).map(({ id }) => id);
    const texts = elsewhere.length === 0 ? undefined : await selectTexts(this.#db, accountId, elsewhere);
    return links.flatMap(({ id, packed }) => (packed ? unpack(packed) : (texts?.get(id) ?? [])));
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

  /** The timer runs only while something waits, so that an idle process sleeps. */
  #flushSoon(): void {
    if (this.#flushes) return;
    this.#flushes = true;
    this.#background.after(FLUSH_MS, 'stored responses', async () => {
      await this.#flushWhenPossible();
      this.#flushes = false;
      if (this.#waiting.size > 0 || this.#prolonged.size > 0) this.#flushSoon();
    });
  }

  /** Logs an outage of the database once; what waits is tried again until it is written or dropped. */
  async #flushWhenPossible(): Promise<void> {
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
      // Its owner deleted it while it waited.
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

  #inMemory(accountId: string, id: string): PackedResponse | undefined {
    const recent = this.#recent.find(accountId, id, this.#clock.now());
    if (recent) return recent;
    const waiting = this.#waiting.get(id);
    return waiting?.accountId === accountId ? waiting : undefined;
  }
}

/** An answer that is to be loaded; its texts are there when it is in memory. */
interface Link extends StoredLink {
  packed?: PackedResponse;
}

function linkOf(packed: PackedResponse): Link {
  const { id, previousId, inputText, responseText } = packed;
  return { id, previousId, bytes: Buffer.byteLength(inputText) + Buffer.byteLength(responseText), packed };
}

function pick(ids: ReadonlySet<string>, holders: readonly StoredResponse[]): Map<string, JsonObject> {
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

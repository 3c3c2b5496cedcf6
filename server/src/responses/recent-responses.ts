/** The newest answers in memory, bounded in entries and bytes; the oldest go first and are then read from the database. */
import { itemsById, type StoredResponse } from './stored-response.ts';

export interface RecentBounds {
  entries: number;
  bytes: number;
}

interface Entry {
  stored: StoredResponse;
  bytes: number;
  itemIds: string[];
}

export class RecentResponses {
  readonly #bounds: RecentBounds;
  /** In the order of insertion. */
  readonly #entries = new Map<string, Entry>();
  /** `account item` → id of the answer that holds it. */
  readonly #byItem = new Map<string, string>();
  #bytes = 0;

  constructor(bounds: RecentBounds) {
    this.#bounds = bounds;
  }

  add(stored: StoredResponse, bytes: number): void {
    this.remove(stored.id);
    if (bytes > this.#bounds.bytes) return;
    const itemIds = [...itemsById(stored).keys()];
    this.#entries.set(stored.id, { stored, bytes, itemIds });
    for (const itemId of itemIds) this.#byItem.set(`${stored.accountId} ${itemId}`, stored.id);
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bounds.bytes && this.#entries.size <= this.#bounds.entries) break;
      this.remove(oldest);
    }
  }

  find(accountId: string, id: string, nowMs: number): StoredResponse | undefined {
    const entry = this.#entries.get(id);
    if (!entry || entry.stored.accountId !== accountId) return undefined;
    if (entry.stored.expiresAt > nowMs) return entry.stored;
    this.remove(id);
    return undefined;
  }

  /** The answer that holds an item. */
  holding(accountId: string, itemId: string, nowMs: number): StoredResponse | undefined {
    const id = this.#byItem.get(`${accountId} ${itemId}`);
    return id === undefined ? undefined : this.find(accountId, id, nowMs);
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    this.#bytes -= entry.bytes;
    for (const itemId of entry.itemIds) {
      const key = `${entry.stored.accountId} ${itemId}`;
      if (this.#byItem.get(key) === id) this.#byItem.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#byItem.clear();
    this.#bytes = 0;
  }
}

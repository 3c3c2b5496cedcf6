/**
 * The newest answers in memory, bounded in bytes. The least recently read ones are dropped first and are then read from
 * the database.
 */
import { LRUCache } from 'lru-cache';
import { memoryBytes, type PackedResponse } from './stored-response.ts';

export class RecentResponses {
  readonly #entries: LRUCache<string, PackedResponse>;
  /** `account item` → the id of the answer that contains it. */
  readonly #byItem = new Map<string, string>();

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: memoryBytes,
      dispose: (packed) => this.#forgetItems(packed),
    });
  }

  /** An estimate; the limit is kept with the same one. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  add(packed: PackedResponse): void {
    const { id, accountId } = packed;
    this.#entries.set(id, packed);
    if (!this.#entries.has(id)) return;
    for (const itemId of packed.itemIds) this.#byItem.set(`${accountId} ${itemId}`, id);
  }

  find(accountId: string, id: string, nowMs: number): PackedResponse | undefined {
    const packed = this.#entries.get(id);
    if (!packed || packed.accountId !== accountId) return undefined;
    if (packed.expiresAt > nowMs) return packed;
    this.remove(id);
    return undefined;
  }

  /** The answer that contains an item. */
  holding(accountId: string, itemId: string, nowMs: number): PackedResponse | undefined {
    const id = this.#byItem.get(`${accountId} ${itemId}`);
    return id === undefined ? undefined : this.find(accountId, id, nowMs);
  }

  remove(id: string): void {
    this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
  }

  #forgetItems({ id, accountId, itemIds }: PackedResponse): void {
    for (const itemId of itemIds) {
      const key = `${accountId} ${itemId}`;
      if (this.#byItem.get(key) === id) this.#byItem.delete(key);
    }
  }
}

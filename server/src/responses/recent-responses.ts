/** The newest answers in memory, bounded in bytes; the oldest go first and are then read from the database. */
import { memoryBytes, type PackedResponse } from './stored-response.ts';

export class RecentResponses {
  readonly #maxBytes: number;
  /** In the order of insertion. */
  readonly #entries = new Map<string, PackedResponse>();
  /** `account item` → id of the answer that holds it. */
  readonly #byItem = new Map<string, string>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** By the estimate that the bound is kept with. */
  get bytes(): number {
    return this.#bytes;
  }

  add(packed: PackedResponse): void {
    const { id, accountId } = packed;
    this.remove(id);
    const bytes = memoryBytes(packed);
    if (bytes > this.#maxBytes) return;
    this.#entries.set(id, packed);
    for (const itemId of packed.itemIds) this.#byItem.set(`${accountId} ${itemId}`, id);
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.remove(oldest);
    }
  }

  find(accountId: string, id: string, nowMs: number): PackedResponse | undefined {
    const packed = this.#entries.get(id);
    if (!packed || packed.accountId !== accountId) return undefined;
    if (packed.expiresAt > nowMs) return packed;
    this.remove(id);
    return undefined;
  }

  /** The answer that holds an item. */
  holding(accountId: string, itemId: string, nowMs: number): PackedResponse | undefined {
    const id = this.#byItem.get(`${accountId} ${itemId}`);
    return id === undefined ? undefined : this.find(accountId, id, nowMs);
  }

  remove(id: string): void {
    const packed = this.#entries.get(id);
    if (!packed) return;
    this.#entries.delete(id);
    this.#bytes -= memoryBytes(packed);
    for (const itemId of packed.itemIds) {
      const key = `${packed.accountId} ${itemId}`;
      if (this.#byItem.get(key) === id) this.#byItem.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#byItem.clear();
    this.#bytes = 0;
  }
}

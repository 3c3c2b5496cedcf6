/**
 * Answers that wait for the database, bounded in number and bytes. When it is unreachable for long, the oldest are
 * dropped.
 */
import { memoryBytes, type PackedResponse } from './stored-response.ts';

export interface WaitingBounds {
  entries: number;
  bytes: number;
}

export class WaitingResponses {
  readonly #bounds: WaitingBounds;
  /** In the order of insertion. */
  readonly #entries = new Map<string, PackedResponse>();
  #bytes = 0;

  constructor(bounds: WaitingBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the ids of those that were dropped. */
  add(packed: PackedResponse): string[] {
    this.delete(packed.id);
    this.#entries.set(packed.id, packed);
    this.#bytes += memoryBytes(packed);
    const givenUp: string[] = [];
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#bounds.entries && this.#bytes <= this.#bounds.bytes) break;
      this.delete(oldest);
      givenUp.push(oldest);
    }
    return givenUp;
  }

  get(id: string): PackedResponse | undefined {
    return this.#entries.get(id);
  }

  all(): PackedResponse[] {
    return [...this.#entries.values()];
  }

  /** The answers of an account that contain one of the items. */
  holding(accountId: string, itemIds: ReadonlySet<string>): PackedResponse[] {
    return this.all().filter(
      (packed) => packed.accountId === accountId && packed.itemIds.some((id) => itemIds.has(id)),
    );
  }

  delete(id: string): void {
    const packed = this.#entries.get(id);
    if (!packed) return;
    this.#entries.delete(id);
    this.#bytes -= memoryBytes(packed);
  }
}

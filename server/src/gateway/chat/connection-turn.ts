/**
 * The last answer of one socket. Clients that store nothing (`store: false`) send only what is new and name the
 * previous answer, which nobody else has. Only the last answer is kept: a client that names another one is told that it
 * is unknown, and sends everything.
 */
import type { JsonObject } from '../../core/json.ts';
import type { MemoryBudget, MemoryShare } from '../../platform/memory-budget.ts';
import { outputOf } from '../../responses/index.ts';
import type { Turn } from './turn.ts';

/** Bytes of memory for one byte of parsed items. */
const ITEM_MEMORY_FACTOR = 3;

export class ConnectionTurn {
  readonly #memory: MemoryBudget;
  readonly #owner: string;
  #last: { id: string; items: JsonObject[]; share: MemoryShare } | undefined;

  constructor(memory: MemoryBudget, accountId: string) {
    this.#memory = memory;
    this.#owner = accountId;
  }

  /** The whole conversation up to this answer; undefined where it was not the last one on this socket. */
  itemsUntil(id: string | null): JsonObject[] | undefined {
    return id !== null && this.#last?.id === id ? this.#last.items : undefined;
  }

  /** A failed answer changes nothing: its question may be asked again. */
  said({ earlier, input }: Pick<Turn, 'earlier' | 'input'>, response: JsonObject): void {
    if (response['status'] === 'failed') return;
    const items = [...earlier, ...input, ...outputOf({ response })];
    this.forget();
    const share = this.#memory.open(this.#owner);
    // Without room nothing is kept, and the client sends everything again.
    if (!share.tryReserve('stored', JSON.stringify(items).length * ITEM_MEMORY_FACTOR)) return;
    this.#last = { id: String(response['id']), items, share };
  }

  forget(): void {
    this.#last?.share.release();
    this.#last = undefined;
  }
}

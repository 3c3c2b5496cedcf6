/**
 * Writes content blocks, one open at a time, numbered from zero without gaps. Canonical parts may run side by side (tool
 * calls do); a part that begins while a tool call is still open waits until that call ends, with everything said meanwhile.
 * A block opens with its first content, so that no empty text block is made: replayed, the provider would refuse it.
 */
import type { JsonObject } from '../../../core/json.ts';
import { writeFrame } from '../../sse.ts';

export interface BlockPlan {
  /** The `content_block` it starts with. */
  start: JsonObject;
  /** A tool call or an unmodelled block is written even without a delta; text and thinking are not. */
  standsEmpty: boolean;
  /** A tool call cannot be closed and continued later. */
  isToolCall: boolean;
}

interface Block extends BlockPlan {
  deltas: JsonObject[];
  ended: boolean;
  /** The index on the wire, once it is open. */
  index?: number;
}

export class BlockWriter {
  readonly #blocks = new Map<number, Block>();
  #current: Block | undefined;
  #waiting: Block[] = [];
  #nextIndex = 0;
  #out = '';

  begin(part: number, plan: BlockPlan): void {
    const block: Block = { ...plan, deltas: [], ended: false };
    this.#blocks.set(part, block);
    this.#makeCurrent(block);
  }

  /** Has no effect once the block is open. */
  replaceStart(part: number, start: JsonObject): void {
    const block = this.#blocks.get(part);
    if (block && block.index === undefined) block.start = start;
  }

  delta(part: number, delta: JsonObject): void {
    const block = this.#blocks.get(part);
    if (!block) return;
    if (block.ended) {
      // A delta after the end of its block continues in a new block of the same kind. A tool call cannot be continued; the guard
      // has already refused such a stream.
      if (block.isToolCall) return;
      const { start, standsEmpty, isToolCall } = block;
      this.begin(part, { start, standsEmpty, isToolCall });
      this.delta(part, delta);
      return;
    }
    block.deltas.push(delta);
    if (block === this.#current) this.#flush(block);
  }

  end(part: number): void {
    const block = this.#blocks.get(part);
    if (!block || block.ended) return;
    block.ended = true;
    if (block === this.#current) this.#advance();
  }

  /** Ends whatever is still open or waiting. */
  endAll(): void {
    for (const block of this.#waiting) block.ended = true;
    if (this.#current) this.#current.ended = true;
    this.#advance();
  }

  /** The frames written since the last call. */
  take(): string {
    const out = this.#out;
    this.#out = '';
    return out;
  }

  #makeCurrent(block: Block): void {
    const current = this.#current;
    if (current?.isToolCall) {
      this.#waiting.push(block);
      return;
    }
    if (current) this.#close(current);
    this.#current = block;
    this.#flush(block);
  }

  #advance(): void {
    while (this.#current?.ended) {
      this.#close(this.#current);
      this.#current = this.#waiting.shift();
      if (this.#current) this.#flush(this.#current);
    }
  }

  #flush(block: Block): void {
    if (block.index === undefined) {
      if (block.deltas.length === 0 && !block.standsEmpty) return;
      block.index = this.#nextIndex++;
      this.#write({ type: 'content_block_start', index: block.index, content_block: block.start });
    }
    for (const delta of block.deltas) this.#write({ type: 'content_block_delta', index: block.index, delta });
    block.deltas = [];
  }

  #close(block: Block): void {
    block.ended = true;
    this.#flush(block);
    if (block.index !== undefined) this.#write({ type: 'content_block_stop', index: block.index });
  }

  #write(event: JsonObject & { type: string }): void {
    this.#out += writeEvent(event);
  }
}

/** Every frame has an `event:` line equal to its type; SDKs dispatch on it. */
export function writeEvent(event: JsonObject & { type: string }): string {
  return writeFrame(JSON.stringify(event), event.type);
}

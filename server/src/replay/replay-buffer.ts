/**
 * The frames of one running answer, kept so that readers get them from any position and then follow. All readers are
 * alike, the first one too: the answer is written here and goes on when nobody reads. When memory runs out the oldest
 * frames are dropped; a reader that still needs them makes the answer wait.
 */
import type { Sink } from '../core/answer.ts';

export type Piece = string | Uint8Array;

/** `complete`: ended properly, perhaps with an error event. `cut`: it broke off and must not look complete. */
export type ReplayEnd = 'complete' | 'cut';

export interface BufferTerms {
  maxBytes: number;
  /**
   * Called with every change of size. False means that the account or the process has no room, and the oldest frames
   * are dropped.
   */
  onSize?(change: number): boolean;
  /** Called once. */
  onEnd?(end: ReplayEnd): void;
}

interface Reader {
  /** How many frames this reader has, counted from the answer's first. */
  at: number;
  readonly sink: Sink;
}

/** How many available frames are written together. */
const PIECES_PER_WRITE = 256;

export class ReplayBuffer {
  readonly #pieces: Piece[] = [];
  readonly #maxBytes: number;
  readonly #onSize: BufferTerms['onSize'];
  readonly #readers = new Set<Reader>();
  /** How many frames were dropped from the beginning. */
  #dropped = 0;
  #bytes = 0;
  #fits = true;
  #end: ReplayEnd | undefined;
  #onEnd: BufferTerms['onEnd'];
  #wake: (() => void)[] = [];
  #moved: (() => void)[] = [];

  constructor({ maxBytes, onSize, onEnd }: BufferTerms) {
    this.#maxBytes = maxBytes;
    this.#onSize = onSize;
    this.#onEnd = onEnd;
  }

  /** The replay buffer of an answer that has ended, perhaps on another replica. */
  static of(pieces: readonly Piece[]): ReplayBuffer {
    const buffer = new ReplayBuffer({ maxBytes: Number.POSITIVE_INFINITY });
    void buffer.append(pieces);
    buffer.finish('complete');
    return buffer;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** How many pieces there have been. */
  get length(): number {
    return this.#dropped + this.#pieces.length;
  }

  get end(): ReplayEnd | undefined {
    return this.#end;
  }

  get byteLength(): number {
    return this.#bytes;
  }

  /** True when a reader could still get the whole answer. */
  get isRead(): boolean {
    for (const { sink } of this.#readers) if (!sink.gone) return true;
    return false;
  }

  /** Everything that is kept, in one piece. */
  bytes(): Uint8Array {
    return Buffer.concat(this.#pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
  }

  /** A promise when a slow reader must be waited for. */
  append(pieces: readonly Piece[]): Promise<void> | undefined {
    if (this.#end) return undefined;
    let grown = 0;
    for (const piece of pieces) {
      grown += sizeOf(piece);
      this.#pieces.push(piece);
    }
    this.#resize(grown);
    call(this.#wake.splice(0));
    return this.#makeRoom();
  }

  finish(end: ReplayEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#onEnd?.(end);
    // Removed, because the listener keeps the whole request alive and the replay buffer outlives it.
    this.#onEnd = undefined;
    call(this.#wake.splice(0));
  }

  /** Drops all frames and cuts off all readers. */
  forget(): void {
    this.finish('cut');
    this.#dropped = this.length;
    this.#pieces.length = 0;
    this.#resize(-this.#bytes);
    call(this.#wake.splice(0));
  }

  /** Everything after the first `after` pieces, until the answer ends or the reader leaves. */
  async play(sink: Sink, after = 0): Promise<void> {
    const reader: Reader = { at: after, sink };
    this.#readers.add(reader);
    try {
      while (!sink.gone && reader.at >= this.#dropped) {
        const from = reader.at - this.#dropped;
        const pieces = this.#pieces.slice(from, from + PIECES_PER_WRITE);
        if (pieces.length > 0) {
          reader.at += pieces.length;
          call(this.#moved.splice(0));
          await writeAll(sink, pieces);
        } else if (this.#end) break;
        else await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    } finally {
      this.#readers.delete(reader);
      call(this.#moved.splice(0));
    }
    if (this.#end === 'complete' && reader.at >= this.length) sink.end();
    else sink.cut();
  }

  #makeRoom(): Promise<void> | undefined {
    while (this.#pieces.length > 0 && (this.#bytes > this.#maxBytes || !this.#fits)) {
      if (this.#isNeeded(this.#dropped)) {
        return new Promise<void>((resolve) => this.#moved.push(resolve)).then(() => this.#makeRoom());
      }
      const [oldest = ''] = this.#pieces.splice(0, 1);
      this.#dropped++;
      this.#resize(-sizeOf(oldest));
    }
    return undefined;
  }

  #isNeeded(at: number): boolean {
    for (const reader of this.#readers) if (reader.at <= at && !reader.sink.gone) return true;
    return false;
  }

  #resize(change: number): void {
    this.#bytes += change;
    this.#fits = this.#onSize?.(change) ?? true;
  }
}

/** A sink that writes into the buffer. It reports `gone` once no reader can get the whole answer any more. */
export function sinkOf(buffer: ReplayBuffer): Sink {
  return {
    write: (data) => buffer.append([data]),
    end: () => buffer.finish('complete'),
    cut: () => buffer.finish('cut'),
    get gone() {
      return buffer.dropped > 0 && !buffer.isRead;
    },
  };
}

function sizeOf(piece: Piece): number {
  return typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength;
}

async function writeAll(sink: Sink, pieces: readonly Piece[]): Promise<void> {
  if (pieces.every((piece) => typeof piece === 'string')) await sink.write(pieces.join(''));
  else for (const piece of pieces) await sink.write(piece);
}

function call(listeners: readonly (() => void)[]): void {
  for (const listener of listeners) listener();
}

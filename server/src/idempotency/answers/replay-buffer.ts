/** Frames of a running stream, kept so that a second reader gets them from the start and then follows. */
import type { Sink } from '../../core/answer.ts';

export class ReplayBuffer {
  readonly #frames: (string | Uint8Array)[] = [];
  readonly #limit: number;
  /** `complete` tells an answer that ended from one that was cut; it may still have been too long. */
  #onEnd: (complete: boolean) => void;
  #bytes = 0;
  #ended = false;
  #overflowed = false;
  #wake: (() => void)[] = [];

  constructor(limit: number, onEnd: (complete: boolean) => void) {
    this.#limit = limit;
    this.#onEnd = onEnd;
  }

  /** The replay buffer of a stream that has ended, perhaps on another replica. */
  static of(bytes: Uint8Array): ReplayBuffer {
    const replayBuffer = new ReplayBuffer(bytes.byteLength, () => undefined);
    replayBuffer.#add(bytes);
    replayBuffer.#ended = true;
    return replayBuffer;
  }

  /** True when it was too long to keep, so that nobody can join it. */
  get tooLong(): boolean {
    return this.#overflowed;
  }

  get byteLength(): number {
    return this.#bytes;
  }

  /** Everything so far, in one piece. */
  bytes(): Uint8Array {
    return Buffer.concat(this.#frames.map((frame) => (typeof frame === 'string' ? Buffer.from(frame) : frame)));
  }

  /** The first reader's sink. When that reader leaves, the answer goes on: a client on a bad line comes back and joins it. */
  recordWhileWriting(sink: Sink): Sink {
    const replayBuffer = this;
    return {
      write(data) {
        replayBuffer.#add(data);
        // Written even when the reader is gone, because storing the answer listens on the same sink.
        return sink.write(data);
      },
      end() {
        replayBuffer.#finish(true);
        sink.end();
      },
      cut() {
        replayBuffer.#overflow();
        replayBuffer.#finish(false);
        sink.cut();
      },
      get gone() {
        return replayBuffer.#overflowed && sink.gone;
      },
    };
  }

  async play(sink: Sink): Promise<void> {
    for (let at = 0; !sink.gone; ) {
      const frame = this.#frames[at];
      if (frame !== undefined) {
        at++;
        await sink.write(frame);
      } else if (this.#ended || this.#overflowed) break;
      else await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    if (this.#overflowed) sink.cut();
    else sink.end();
  }

  #add(data: string | Uint8Array): void {
    if (this.#overflowed) return;
    this.#bytes += typeof data === 'string' ? Buffer.byteLength(data) : data.byteLength;
    this.#frames.push(data);
    if (this.#bytes > this.#limit) this.#overflow();
    else this.#wakeAll();
  }

  /** The frames are dropped. The entry stays, so that a retry cannot run beside it. */
  #overflow(): void {
    this.#overflowed = true;
    this.#frames.length = 0;
    this.#wakeAll();
  }

  #finish(complete: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(complete);
    // Dropped because the listener keeps the whole request alive, and the replay buffer lives for a day.
    this.#onEnd = () => undefined;
    this.#wakeAll();
  }

  #wakeAll(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}

/**
 * A relay's frames on their way out. Frames of one shape (protocols/frame-shape.ts) are written alike but for their words: once the
 * relay has written two of them, the next are put together from what it wrote.
 */
import {
  type FramePiece,
  type FrameSchema,
  type RunOfFrames,
  type SseFrame,
  type StreamRelay,
  WrittenSchema,
} from '../../protocols/index.ts';

/** A relay that writes frames of one shape ever differently is asked for each of them. */
const MAX_TRIES = 8;

export class RelayWriter {
  readonly #relay: StreamRelay;
  #shape: FrameSchema | undefined;
  /** The schema of the last frame that the relay wrote, and whether the frame before was written alike. */
  #written: WrittenSchema | undefined;
  #confirmed = false;
  #tries = 0;

  constructor(relay: StreamRelay) {
    this.#relay = relay;
  }

  /** '' for a frame that is held back or hidden. */
  forward(frame: SseFrame): string {
    const { piece, run } = frame;
    if (run) return this.#forwardRun(run);
    if (!piece) {
      this.#shape = undefined;
      return this.#relay.forward(frame);
    }
    if (this.#confirmed && piece.shape === this.#shape) {
      const text = this.#written?.write(piece);
      if (text !== undefined) return text;
    }
    const text = this.#relay.forward(frame);
    this.#learn(piece, text);
    return text;
  }

  #forwardRun(run: RunOfFrames): string {
    let text = '';
    // One by one until it is known how the relay writes them.
    for (let at = 0; at < run.words.length; at++) {
      const written = this.#confirmed && run.shape === this.#shape ? this.#written : undefined;
      if (written?.writesRuns) return text + written.writeRun(at === 0 ? run.words : run.words.slice(at));
      text += this.forward(run.frame(at));
    }
    return text;
  }

  #learn(piece: FramePiece, text: string): void {
    if (piece.shape !== this.#shape) {
      this.#shape = piece.shape;
      this.#written = undefined;
      this.#confirmed = false;
      this.#tries = 0;
    }
    if (++this.#tries > MAX_TRIES) return;
    const seen = WrittenSchema.of(text, piece);
    const both = seen && this.#written?.and(seen);
    this.#confirmed = both !== undefined;
    this.#written = both ?? seen;
  }
}

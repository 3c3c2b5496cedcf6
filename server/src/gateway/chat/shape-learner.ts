/**
 * Finds the shape of a stream's frames (protocols/frame-shape.ts). A shape counts when two frames in a row had it and came to the
 * same: one event, words of the same part. Any other frame ends it, so that no frame of a shape ever follows a change of state.
 */
import type { MeteredEvent } from '../../core/events.ts';
import { FrameSchema, type SseFrame } from '../../protocols/index.ts';

/** After so many frames without a shape only some are tried: most streams have one, and the others need not pay for it. */
const WAIT_LIMITS = 16;
const TRIED_IN = 32;

/** The position of a frame in the bytes as they were sent. */
export interface RawFrames {
  readonly raw: string | undefined;
}

export class ShapeLearner {
  /** Seen once. */
  #candidate: FrameSchema | undefined;
  /** The part that holds words and began last. */
  #prose = -1;
  #failures = 0;
  /** How many frames have passed since the last try. */
  #passed = 0;

  /** The shape that the next frames may have. `events`: those of this frame begin at `from`. */
  learn(frame: SseFrame, events: readonly MeteredEvent[], from: number, parser: RawFrames): FrameSchema | undefined {
    const candidate = this.#candidate;
    this.#candidate = undefined;
    this.#watchParts(events, from);
    const event = events[from];
    if (events.length !== from + 1 || event?.type !== 'part-delta' || event.part !== this.#prose) return undefined;
    if (event.text === '' || event.logprobs || event.citation || event.transcript !== undefined) return undefined;
    if (!candidate && this.#failures > WAIT_LIMITS && ++this.#passed % TRIED_IN !== 0) return undefined;
    const { raw } = parser;
    if (raw === undefined) return undefined;
    if (candidate && candidate.part === event.part && candidate.match(raw, 0) === raw.length) {
      const piece = candidate.piece(raw);
      if (piece.text === event.text && candidate.event === frame.event) {
        frame.piece = piece;
        this.#failures = 0;
        this.#candidate = candidate;
        return candidate;
      }
    }
    this.#begin(frame, raw, event.part, event.text);
    return undefined;
  }

  #begin(frame: SseFrame, raw: string, part: number, text: string): void {
    this.#failures++;
    const shape = FrameSchema.of(raw, text, { event: frame.event, part });
    if (!shape || shape.match(raw, 0) !== raw.length) return;
    frame.piece = shape.piece(raw);
    this.#candidate = shape;
  }

  #watchParts(events: readonly MeteredEvent[], from: number): void {
    for (let at = from; at < events.length; at++) {
      const event = events[at];
      if (event?.type !== 'part-start') continue;
      this.#prose = event.kind === 'text' || event.kind === 'reasoning' ? event.part : -1;
    }
  }
}

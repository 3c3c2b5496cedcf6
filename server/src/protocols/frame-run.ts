/** Frames of one shape that came together and differ in plain words alone: read, counted and written as one. */
import type { FrameSchema } from './frame-shape.ts';
import type { RunOfFrames } from './protocol.ts';
import { ShapedFrame } from './shaped-frame.ts';

/** What a JSON string cannot hold, or holds otherwise than it was sent. */
const NOT_PLAIN = /[^ !#-[\]-\uffff]/;

export function isPlain(words: string): boolean {
  return !NOT_PLAIN.test(words);
}

export class FrameRun implements RunOfFrames {
  readonly event: string | undefined;
  readonly shape: FrameSchema;
  readonly words: readonly string[];
  readonly text: string;

  constructor(shape: FrameSchema, words: readonly string[], text: string) {
    this.event = shape.event;
    this.shape = shape;
    this.words = words;
    this.text = text;
  }

  get run(): FrameRun {
    return this;
  }

  get data(): string {
    return this.words.map((_, at) => this.frame(at).data).join('');
  }

  /** Several frames have no JSON value in common. */
  get json(): undefined {
    return undefined;
  }

  frame(at: number): ShapedFrame {
    const text = this.words[at] as string;
    return new ShapedFrame({ shape: this.shape, raw: text, text, loose: false, padding: '' });
  }
}

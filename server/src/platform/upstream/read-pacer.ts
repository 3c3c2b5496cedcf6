/**
 * Lets streams rest after each read, so that words which come within a few milliseconds are read, charged and written together.
 * Providers send a token at a time; reading and writing each of them alone costs several times what the tokens do. All resting
 * streams share one timer and go on in the same turn of the event loop.
 */

export interface Resting {
  /** The reader gets what was read, in the turn in which the rest began: TLS reads each record, thus each token, by itself. */
  handOver(): void;
  readOn(): void;
}

/** A read this large shows that the provider is ahead of us: nothing is gained by waiting for more. */
const MUCH_BYTES = 16 * 1024;
/**
 * Where more streams rest, the rest is followed by a second one, and where twice as many do, by a third: a read costs the same
 * however little it brings, and many streams would spend more on reads than on words.
 */
const FEW_STREAMS = 50;
const LONGEST_RESTS = 3;

export class ReadPacer {
  readonly #restMs: number;
  #resting: Resting[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** In a row, until the resting streams go on. */
  #rests = 0;
  #begun: Resting[] = [];
  readonly #handOver = (): void => {
    const begun = this.#begun;
    this.#begun = [];
    for (const each of begun) each.handOver();
  };
  readonly #wake = (): void => {
    this.#rests++;
    if (this.#rests < LONGEST_RESTS && this.#resting.length > this.#rests * FEW_STREAMS) {
      this.#timer = setTimeout(this.#wake, this.#restMs);
      return;
    }
    const rested = this.#resting;
    this.#resting = [];
    this.#rests = 0;
    this.#timer = undefined;
    for (const each of rested) each.readOn();
  };

  /** With 0 nothing rests. */
  constructor(restMs: number) {
    this.#restMs = restMs;
  }

  /** True when the stream is to pause until `readOn`, which comes within the time of three rests. */
  rest(stream: Resting, readBytes: number): boolean {
    if (this.#restMs === 0 || readBytes >= MUCH_BYTES) return false;
    if (this.#begun.push(stream) === 1) setImmediate(this.#handOver);
    this.#resting.push(stream);
    this.#timer ??= setTimeout(this.#wake, this.#restMs);
    return true;
  }
}

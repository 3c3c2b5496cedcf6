/** Hears whether somebody speaks, by loudness alone, and when they have fallen silent. */

/** Louder than a quiet room, on a scale up to 32,767. */
const LOUD = 500;

export type Heard = 'nothing' | 'speech' | 'silence';

export class SpokenTurn {
  readonly #bytesPerSecond: number;
  #bytes = 0;
  #quietBytes = 0;
  #speaking = false;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  get seconds(): number {
    return this.#bytes / this.#bytesPerSecond;
  }

  /** `speech`: it begins with these samples; `silence`: it ended long enough ago. */
  hear(samples: Buffer, silenceMs: number): Heard {
    this.#bytes += samples.length;
    if (isLoud(samples)) {
      this.#quietBytes = 0;
      if (this.#speaking) return 'nothing';
      this.#speaking = true;
      return 'speech';
    }
    this.#quietBytes += samples.length;
    const isOver = this.#speaking && (this.#quietBytes / this.#bytesPerSecond) * 1_000 >= silenceMs;
    if (isOver) this.#speaking = false;
    return isOver ? 'silence' : 'nothing';
  }

  clear(): void {
    this.#bytes = 0;
    this.#quietBytes = 0;
  }
}

function isLoud(samples: Buffer): boolean {
  for (let at = 0; at + 1 < samples.length; at += 2) if (Math.abs(samples.readInt16LE(at)) > LOUD) return true;
  return false;
}

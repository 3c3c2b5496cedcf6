/**
 * Counts a long text by reading a part of it. The windows that are read begin at every character with equal chance,
 * also at the seams between them and at the end of the text. A caller who knows this code still finds no place that is
 * read less often, so nothing can be hidden between the windows.
 */
import type { RandomBytes } from './ids.ts';
import { countStretch, type TokenCount } from './token-estimate.ts';

const WINDOW = 128;
/** An eighth of the text is read, within these bounds on the number of windows. */
const SHARE = 1 / 8;
const MIN_WINDOWS = 1_024;
const MAX_WINDOWS = 2_048;
/**
 * The windows may by chance have fewer tokens than the rest, so this many standard errors are added. Of texts made to
 * vary as much as they can, fewer than one in a hundred thousand is then held for less than 0.9 of its tokens.
 */
const CAUTION = 5;
/** No text has fewer tokens per character than this in practice, not even blanks. */
const MIN_PER_CHARACTER = 0.05;

export interface SampledCount extends TokenCount {
  /** A lower bound on `likely` that holds beyond reasonable doubt. */
  least: number;
}

/** How many characters are read to sample a text. */
export function charactersSampled({ length }: string): number {
  return Math.min(length, windowsOf(length) * WINDOW);
}

export function sampleTokens(text: string, randomBytes: RandomBytes): SampledCount {
  const { length } = text;
  const windows = windowsOf(length);
  const stride = length / windows;
  const likely = new Sample();
  const max = new Sample();
  // One random number per window places it inside its stride; the first one shifts all strides.
  const bytes = randomBytes(2 * (windows + 2));
  const chance = (at: number): number => (((bytes[2 * at] as number) << 8) | (bytes[2 * at + 1] as number)) / 65_536;
  const phase = Math.floor((chance(0) + chance(1) / 65_536) * length);
  for (let i = 0; i < windows; i++) {
    const from = (phase + Math.floor((i + chance(i + 2)) * stride)) % length;
    const counted = countRound(text, from);
    likely.add(counted.likely);
    max.add(counted.max);
  }
  const scale = length / WINDOW;
  const floor = length * MIN_PER_CHARACTER;
  const upper = ({ mean, error }: Sample): number => Math.ceil(Math.max(floor, (mean + CAUTION * error) * scale));
  const least = Math.max(0, Math.floor((likely.mean - CAUTION * likely.error) * scale));
  return { likely: upper(likely), max: upper(max), least };
}

function windowsOf(length: number): number {
  return Math.ceil(Math.min(MAX_WINDOWS, Math.max(MIN_WINDOWS, (length * SHARE) / WINDOW)));
}

/** A window that reaches the end of the text goes on at its beginning. */
function countRound(text: string, from: number): TokenCount {
  const over = from + WINDOW - text.length;
  if (over <= 0) return countStretch(text, from, from + WINDOW);
  const end = countStretch(text, from, text.length);
  const start = countStretch(text, 0, over);
  return { likely: end.likely + start.likely, max: end.max + start.max };
}

class Sample {
  #count = 0;
  #sum = 0;
  #squares = 0;

  add(value: number): void {
    this.#count++;
    this.#sum += value;
    this.#squares += value * value;
  }

  get mean(): number {
    return this.#sum / this.#count;
  }

  /** The standard error of the mean. */
  get error(): number {
    const { mean } = this;
    return Math.sqrt(Math.max(0, this.#squares / this.#count - mean * mean) / this.#count);
  }
}

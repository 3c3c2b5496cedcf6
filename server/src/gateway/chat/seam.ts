/**
 * The seam of a continued answer: what the reader has, and the first words of the provider that goes on. No word is lost and none
 * is said twice. Pure.
 *
 * - A begun turn never ends in white space (some providers refuse it, and models go on better without), so what was cut off there
 *   comes again and is said once.
 * - Some providers say the last words of the begun turn once more. They are dropped only where that is certain: whole words, many of
 *   them, which the answer has said nowhere before. Who repeats a word may mean it.
 * - A stop sequence may begin before the cut and end after it. No provider sees it, so it is looked for here.
 */

/** A letter, a mark upon one, a digit, or what joins letters to one word: Persian writes many words with U+200C. */
const IN_WORD = /[\p{L}\p{M}\p{N}\p{Join_C}_'’]/u;
const WORDS = /[\p{L}\p{M}\p{N}\p{Join_C}_'’]+/gu;
/** Fewer repeated words than these may be meant. */
const MIN_WORDS = 6;
const MIN_CHARACTERS = 32;
/** How far back a repetition may begin, unless it begins with the text. */
const FARTHEST = 1_000;

export class Seam {
  /** A stop sequence that ended in the first text after the cut: the answer ends there. */
  stoppedBy: string | undefined;
  /** Repeated text that was not delivered. */
  dropped = '';
  /** True once everything is delivered as it comes. */
  isOver = false;
  readonly #delivered: string;
  /** White space at the end of what was delivered, which the begun turn did not have. */
  readonly #gap: string;
  readonly #repetitions: string[];
  readonly #stops: readonly string[];
  #waiting = '';

  /** `delivered`: all the text that the reader has. */
  constructor(delivered: string, stops: readonly string[]) {
    const begun = delivered.trimEnd();
    this.#delivered = delivered;
    this.#gap = delivered.slice(begun.length);
    this.#repetitions = repetitionsOf(begun);
    this.#stops = stops;
  }

  /** Returns the part of it, and of what waited, that goes out now. */
  push(text: string): string {
    if (this.isOver) return text;
    this.#waiting += text;
    return this.#decide(false);
  }

  /** The text has ended: what waited goes out. */
  end(): string {
    return this.isOver ? '' : this.#decide(true);
  }

  #decide(isAll: boolean): string {
    const text = this.#waiting;
    if (text === '') return '';
    const repeated = this.#repeated(text, isAll);
    if (repeated === undefined) return '';
    const fresh = this.#withoutGap(text.slice(repeated), isAll);
    if (fresh === undefined) return '';
    const stop = this.#stopIn(fresh, isAll);
    if (stop === undefined) return '';
    this.isOver = true;
    this.#waiting = '';
    this.dropped = text.slice(0, text.length - fresh.length);
    if (stop === '') return fresh;
    this.stoppedBy = stop;
    return '';
  }

  /** How much of it repeats what was delivered before the cut; undefined: more text is needed to know. */
  #repeated(text: string, isAll: boolean): number | undefined {
    const words = text.trimStart();
    const before = text.length - words.length;
    for (const said of this.#repetitions) {
      if (words.length <= said.length && !isAll && said.startsWith(words)) return undefined;
      if (words.startsWith(said) && !isWord(words.codePointAt(said.length))) return before + said.length;
    }
    return 0;
  }

  #withoutGap(text: string, isAll: boolean): string | undefined {
    const gap = this.#gap;
    if (gap === '') return text;
    const space = text.length - text.trimStart().length;
    if (space === text.length && !isAll) return undefined;
    let same = 0;
    while (same < space && same < gap.length && text[same] === gap[same]) same++;
    return text.slice(same);
  }

  /** The stop sequence that ends in it, '' for none; undefined: more text is needed to know. */
  #stopIn(text: string, isAll: boolean): string | undefined {
    for (const stop of this.#stops) {
      for (let length = stop.length - 1; length > 0; length--) {
        if (!this.#delivered.endsWith(stop.slice(0, length))) continue;
        const rest = stop.slice(length);
        if (text.startsWith(rest)) return stop;
        if (!isAll && rest.startsWith(text)) return undefined;
      }
    }
    return '';
  }
}

/** Endings of a text that are too long to be repeated by chance, the longest first. */
function repetitionsOf(text: string): string[] {
  const ends: string[] = [];
  const from = Math.max(0, text.length - FARTHEST);
  const starts = [...text.slice(from).matchAll(WORDS)].map(({ index }) => from + index);
  // A word that begins before the window does not count.
  if (from > 0 && isWord(text.codePointAt(from - 1))) starts.shift();
  const first = text.length - text.trimStart().length;
  if (from > first) starts.unshift(first);
  for (const [at, start] of starts.entries()) {
    const words = starts.length - at;
    if (words < MIN_WORDS || text.length - start < MIN_CHARACTERS) break;
    const end = text.slice(start);
    if (text.indexOf(end) === start) ends.push(end);
  }
  return ends;
}

function isWord(codePoint: number | undefined): boolean {
  return codePoint !== undefined && IN_WORD.test(String.fromCodePoint(codePoint));
}

/** The first of a pair of surrogates, or what a provider makes of bytes that are no character yet. */
const HALF_CHARACTER = /[\ud800-\udbff\ufffd]{1,3}$/;

/** The text without the half of a character at its end, whose other half is still to come. */
export function wholeCharacters(text: string): string {
  const at = text.search(HALF_CHARACTER);
  return at < 0 ? text : text.slice(0, at);
}

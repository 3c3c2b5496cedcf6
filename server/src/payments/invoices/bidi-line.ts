/**
 * Splits one line of mixed text into runs from left to right, as the Unicode bidirectional algorithm orders them. The
 * font library shapes the letters within a run but does not order runs, or digits inside Persian.
 */
import bidiModule, { type Bidi } from 'bidi-js';

export type Direction = 'rtl' | 'ltr';

export interface VisualRun {
  /** In reading order. */
  text: string;
  /** The same text as it appears: brackets in right-to-left text are mirrored. */
  seen: string;
  direction: Direction;
}

/** Node loads a CommonJS module whose export is the factory; its types describe the other build. */
const bidi = (bidiModule as unknown as () => Bidi)();

/**
 * Keeps a value in its own order beside a label; otherwise a number with a dash would be reordered after Persian
 * letters.
 */
export function isolate(value: string): string {
  return `\u2068${value}\u2069`;
}

const isDrawn = (character: string) => !/[\u2066-\u2069]/.test(character);

export function visualRuns(text: string, base: Direction): VisualRun[] {
  const embedding = bidi.getEmbeddingLevels(text, base);
  const mirrored = text.split('');
  for (const [at, character] of bidi.getMirroredCharactersMap(text, embedding.levels)) mirrored[at] = character;
  const runs: { level: number; at: number[] }[] = [];
  for (const at of bidi.getReorderedIndices(text, embedding)) {
    if (!isDrawn(text.charAt(at))) continue;
    const level = embedding.levels[at] ?? 0;
    const last = runs.at(-1);
    if (last && last.level === level) last.at.push(at);
    else runs.push({ level, at: [at] });
  }
  return runs.map(({ level, at }) => {
    const order = at.toSorted((a, b) => a - b);
    return {
      text: order.map((index) => text.charAt(index)).join(''),
      seen: order.map((index) => mirrored[index] ?? '').join(''),
      direction: level % 2 === 1 ? 'rtl' : 'ltr',
    };
  });
}

/**
 * One line of mixed text as runs from left to right, as the Unicode bidirectional algorithm orders them. The PDF library shapes
 * Persian letters within a run but knows nothing of the order of runs, of digits inside Persian, or of mirrored brackets.
 */
import bidiModule, { type Bidi } from 'bidi-js';

export interface VisualRun {
  text: string;
  /** Persian letters: the font turns them round itself while it joins them. */
  joined: boolean;
}

/** Node sees a CommonJS module whose export is the factory; its types describe the other build. */
const bidi = (bidiModule as unknown as () => Bidi)();
/** Letters, digits and signs that the font library would turn round. */
const TURNED = /\p{Script=Arabic}|[٪٫٬،؛؟]/u;

/** Keeps a value in its own order beside a label: a number with a dash would be turned round after Persian letters. */
export function isolate(value: string): string {
  return `\u2068${value}\u2069`;
}

const isDrawn = (character: string) => !/[\u2066-\u2069]/.test(character);

export function visualRuns(text: string, base: 'rtl' | 'ltr'): VisualRun[] {
  const embedding = bidi.getEmbeddingLevels(text, base);
  const characters = text.split('');
  for (const [at, character] of bidi.getMirroredCharactersMap(text, embedding.levels)) characters[at] = character;
  const runs: { level: number; at: number[] }[] = [];
  for (const at of bidi.getReorderedIndices(text, embedding)) {
    const level = embedding.levels[at] ?? 0;
    const last = runs.at(-1);
    if (last && last.level === level) last.at.push(at);
    else runs.push({ level, at: [at] });
  }
  return runs.flatMap(({ level, at }): VisualRun[] => {
    const visual = at.map((index) => characters[index] ?? '').filter(isDrawn);
    const logical = at
      .toSorted((a, b) => a - b)
      .map((index) => characters[index] ?? '')
      .filter(isDrawn);
    if (visual.length === 0) return [];
    // Letters go in reading order, everything else as it shall appear; Persian digits one by one, lest they are turned round.
    if (level % 2 === 1 && TURNED.test(logical.join(''))) return [{ text: logical.join(''), joined: true }];
    if (!TURNED.test(visual.join(''))) return [{ text: visual.join(''), joined: false }];
    return visual.map((character) => ({ text: character, joined: false }));
  });
}

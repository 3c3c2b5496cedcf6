/** Looks for the text that a token estimate counts lowest beside the exact count: hill climbing from many kinds of text. */

import { seeded } from '../simulation/seeded.ts';

export interface Found {
  text: string;
  /** Estimate ÷ exact count. */
  ratio: number;
}

type Random = () => number;

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i));

/** Alphabets to begin with and to mix in. */
export const ALPHABETS: Record<string, readonly string[]> = {
  small: range(97, 122),
  capitals: range(65, 90),
  mixedCase: [...range(65, 90), ...range(97, 122)],
  words: [
    'the',
    ' of',
    ' and',
    'ing',
    ' administrative',
    'tion',
    ' I',
    "'s",
    'un',
    'Über',
    ' naïve',
    'getElementById',
    ' HTTP',
  ],
  digits: [...range(48, 57), ' ', '.', ','],
  blanks: [' ', '\t', '\n', '\r', '\u000b', '\u00a0', '\u2003', '\u3000', '  ', '\r\n'],
  punctuation: [...range(33, 47), ...range(58, 64), ...range(91, 96), ...range(123, 126), ' '],
  controls: range(0, 31),
  code: ['\n', '    ', '{', '}', '();', '=>', '::', '->', '!==', '"', "'", '\\', '//', '#', 'x', '0', '_'],
  base64: [...range(65, 90), ...range(97, 122), ...range(48, 57), '+', '/', '='],
  latinAccents: range(0x00c0, 0x024f),
  combining: [...range(0x0300, 0x036f), 'a', 'e'],
  greekCyrillic: range(0x0370, 0x052f),
  hebrew: range(0x0590, 0x05f4),
  arabic: range(0x0600, 0x06ff),
  persian: [...'ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی', ' ', '\u200c', ' می', ' است', 'های'],
  arabicForms: [...range(0x0750, 0x077f), ...range(0xfb50, 0xfbb0), ...range(0xfe70, 0xfefc)],
  indic: range(0x0900, 0x0dff),
  southEast: range(0x0e00, 0x0fff),
  georgianEthiopic: range(0x10a0, 0x139f),
  rareScripts: range(0x1400, 0x1cff),
  symbols: range(0x2000, 0x2bff),
  cjk: [...range(0x4e00, 0x4eff), ...range(0x9f00, 0x9fa5), ...range(0x3400, 0x34ff)],
  kana: range(0x3040, 0x30ff),
  hangul: range(0xac00, 0xaeff),
  emoji: [...range(0x1f300, 0x1f6ff), '\u200d', '\ufe0f', ...range(0x1f3fb, 0x1f3ff), ...range(0x1f1e6, 0x1f1ff)],
  farPlanes: [
    ...range(0x10000, 0x100ff),
    ...range(0x12000, 0x120ff),
    ...range(0x1d400, 0x1d4ff),
    ...range(0x20000, 0x200ff),
  ],
};

export function searchLowest(
  alphabet: readonly string[],
  seed: number,
  score: (text: string) => number,
  steps: number,
): Found {
  const chance = seeded(seed);
  const random = (): number => chance.below(2 ** 30) / 2 ** 30;
  const everything = Object.values(ALPHABETS);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const letter = (): string => (random() < 0.85 ? pick(alphabet) : pick(pick(everything)));
  let best = Array.from({ length: 24 }, () => pick(alphabet));
  let ratio = score(best.join(''));
  for (let step = 0; step < steps; step++) {
    const next = changed(best, letter, random);
    const text = next.join('');
    if (text === '') continue;
    const now = score(text);
    if (now > ratio) continue;
    best = next;
    ratio = now;
  }
  return { text: best.join(''), ratio };
}

/** One letter or a stretch exchanged, inserted, removed, repeated or moved. */
function changed(letters: readonly string[], letter: () => string, random: Random): string[] {
  const next = [...letters];
  const at = Math.floor(random() * next.length);
  const length = 1 + Math.floor(random() * 3);
  const kind = random();
  if (kind < 0.45) next.splice(at, length, ...Array.from({ length }, letter));
  else if (kind < 0.6) next.splice(at, 0, letter());
  else if (kind < 0.75) next.splice(at, length);
  else if (kind < 0.9) next.splice(at, 0, ...next.slice(at, at + length));
  else next.splice(Math.floor(random() * next.length), 0, ...next.splice(at, length));
  return next.slice(0, 96);
}

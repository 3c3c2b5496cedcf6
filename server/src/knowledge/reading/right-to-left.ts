/**
 * Puts a line of a PDF in reading order. PDFs place glyphs, not letters: Persian is stored from right to left, letter
 * by letter, in joined shapes and with mirrored brackets, and without the zero-width non-joiner. Taken as it is, the
 * text reads backwards and no search would ever match.
 */

export interface Glyphs {
  text: string;
  x: number;
  width: number;
  size: number;
}

const ARABIC = /[\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufefc]/g;
const LATIN = /[A-Za-z]/g;
const READ_FROM_RIGHT = /[\u0600-\u065f\u066e-\u06ef\u06fa-\u06ff\ufb50-\ufdff\ufe70-\ufefc]/;
const READ_FROM_LEFT = /[0-9A-Za-z\u0660-\u0669\u06f0-\u06f9]/;
const MIRRORED: Record<string, string> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '«': '»',
  '»': '«',
  '<': '>',
  '>': '<',
  '{': '}',
  '}': '{',
};
/** A gap wider than this part of the letter size is a space that the file did not write. */
const SPACE_GAP = 0.2;

function isRightToLeft(text: string): boolean {
  return (text.match(ARABIC)?.length ?? 0) > (text.match(LATIN)?.length ?? 0);
}

export function readLine(glyphs: readonly Glyphs[]): string {
  const drawn = glyphs.filter(({ text }) => text !== '' && !isLoneMark(text));
  const rightToLeft = isRightToLeft(drawn.map(({ text }) => text).join(''));
  if (!rightToLeft)
    return joinGlyphs(
      [...drawn].sort((a, b) => a.x - b.x),
      (left, right) => right.x - (left.x + left.width),
    ).normalize('NFKC');
  const fromRight = [...drawn].sort((a, b) => b.x - a.x);
  const ordered = turnForeignRuns(fromRight);
  const text = joinGlyphs(ordered, (first, second) => gapBetween(first, second));
  return restoreNonJoiners(text).normalize('NFKC');
}

function gapBetween(a: Glyphs, b: Glyphs): number {
  return Math.max(a.x - (b.x + b.width), b.x - (a.x + a.width));
}

function joinGlyphs(glyphs: readonly Glyphs[], gap: (a: Glyphs, b: Glyphs) => number): string {
  let line = '';
  let previous: Glyphs | undefined;
  for (const each of glyphs) {
    const apart = previous !== undefined && gap(previous, each) > each.size * SPACE_GAP;
    if (apart && !line.endsWith(' ') && !each.text.startsWith(' ')) line += ' ';
    line += each.text;
    previous = each;
  }
  return line.replace(/ {2,}/g, ' ').trim();
}

/** Inside a line that runs to the left, words and numbers of other scripts still run to the right; brackets face the other way. */
function turnForeignRuns(fromRight: readonly Glyphs[]): Glyphs[] {
  const ordered: Glyphs[] = [];
  for (let at = 0; at < fromRight.length; ) {
    const end = foreignRunEnd(fromRight, at);
    if (end > at) {
      ordered.push(...fromRight.slice(at, end).reverse());
      at = end;
      continue;
    }
    const glyph = fromRight[at++] as Glyphs;
    const mirrored = MIRRORED[glyph.text.trim()];
    ordered.push(mirrored === undefined ? glyph : { ...glyph, text: glyph.text.replace(glyph.text.trim(), mirrored) });
  }
  return ordered;
}

function foreignRunEnd(glyphs: readonly Glyphs[], from: number): number {
  let end = from;
  for (let at = from; at < glyphs.length; at++) {
    const { text } = glyphs[at] as Glyphs;
    if (isLeftToRight(text)) end = at + 1;
    // A space or a mark belongs to the run only when the run goes on after it.
    else if (end === from || /[\p{L}\p{N}()[\]«»]/u.test(text)) break;
  }
  return end;
}

const INITIAL_OR_ISOLATED = initialAndIsolatedForms();
/** Letters that would join the next one. A following initial shape proves that something kept them apart. */
const JOINS_NEXT = /[بپتثجچحخسشصضطظعغفقکكگلمنهیيئ]$/;

/** `می‌روم` is drawn without its non-joiner, but the letter after it keeps the shape of a word's beginning. */
function restoreNonJoiners(text: string): string {
  let restored = '';
  for (const letter of text) {
    if (INITIAL_OR_ISOLATED.has(letter) && JOINS_NEXT.test(restored.slice(-1).normalize('NFKC'))) restored += '\u200c';
    restored += letter;
  }
  return restored;
}

/** Computed, not listed: a shape is initial when the letter's other shapes lie around it in the order of Unicode's block. */
function initialAndIsolatedForms(): Set<string> {
  const forms = new Set<string>();
  const shapes = new Map<string, string[]>();
  for (let code = 0xfb50; code <= 0xfefc; code++) {
    const shape = String.fromCharCode(code);
    const letter = shape.normalize('NFKC');
    if (letter !== shape && letter.length === 1) shapes.set(letter, [...(shapes.get(letter) ?? []), shape]);
  }
  // Order in Unicode: isolated, final, initial, medial; letters that never join onwards have the first two only.
  for (const list of shapes.values()) {
    if (list.length < 4) continue;
    forms.add(list[0] as string);
    forms.add(list[2] as string);
  }
  return forms;
}

/** Vowel signs stand above or below the line as glyphs of their own; without their letter they only break words. */
function isLoneMark(text: string): boolean {
  return /^\s*[\u064b-\u065f\u0670]+\s*$/.test(text);
}

/** Latin letters and numbers of either script, and no letter that is read from the right. */
function isLeftToRight(text: string): boolean {
  return READ_FROM_LEFT.test(text) && !READ_FROM_RIGHT.test(text);
}

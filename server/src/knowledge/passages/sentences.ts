/** Where a text may be cut: after a sentence, of Persian or English. */

/** A full stop inside a number or an abbreviation is followed by no space; the Persian marks always end something. */
const SENTENCE_END = /(?<=[.!?؟؛…]["»”)\]]{0,3})\s+|(?<=[۔])\s*|\n+/u;

export function sentencesOf(text: string): string[] {
  return text
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/**
 * Splits a sentence that is itself too long: at spaces, otherwise anywhere except between the halves of a surrogate
 * pair.
 */
export function piecesOf(sentence: string, characters: number): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > characters) {
    const space = rest.lastIndexOf(' ', characters);
    let at = space > characters / 2 ? space : characters;
    const code = rest.charCodeAt(at - 1);
    if (code >= 0xd800 && code <= 0xdbff) at--;
    pieces.push(rest.slice(0, at).trim());
    rest = rest.slice(at).trim();
  }
  if (rest !== '') pieces.push(rest);
  return pieces;
}

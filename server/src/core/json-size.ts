/**
 * Counts how much there is to parse in a large JSON text before it is parsed: two million small fields take far longer
 * than a picture of the same size, and every other request waits meanwhile.
 */

/** The most names, objects and lists: a chat of some thousand messages with parts and tools has tens of thousands. */
export const MAX_JSON_KEYS = 100_000;
/** The most plain values: numbers of embeddings are cheap to parse, but need a bound too. */
const MAX_JSON_ITEMS = 2_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Returns undefined when the text may be parsed. Strings are skipped, so long ones cost nothing. */
export function tooMuchJson(bytes: Buffer, maxDepth: number): 'depth' | 'size' | undefined {
  let keys = 0;
  let items = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
      if (at < 0) return undefined;
    } else if (byte === COLON) {
      if (++keys > MAX_JSON_KEYS) return 'size';
    } else if (byte === COMMA) {
      if (++items > MAX_JSON_ITEMS) return 'size';
    } else if (OPENING.has(byte)) {
      // An empty list is two bytes here and thirty in memory, so each counts like a field.
      if (++keys > MAX_JSON_KEYS) return 'size';
      if (++depth > maxDepth) return 'depth';
    } else if (CLOSING.has(byte)) depth--;
  }
  return undefined;
}

/**
 * Returns where the string that begins at `start` ends; negative when it never ends, which the parser reports with a
 * better message.
 */
function endOfString(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}

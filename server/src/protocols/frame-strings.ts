/** The strings in the JSON of a frame, found without parsing it. */
import { parseTrustedJson } from '../core/json.ts';

/** A string of the frame's JSON: from the character after its quote to its closing quote. */
export interface Token {
  from: number;
  to: number;
  escaped: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;
/** What every frame of a shape ends with. */
export const END = '}\n\n';
const PADDING_NAME = 'obfuscation';
/** Frames of more than this many strings are no pieces of a text. */
const MAX_TOKENS = 128;
/** What a string cannot hold as it is, and what may stand between two strings. */
const NOT_ALONE = /[^ !#-+\--9;-[\]-\uffff]/;

/** Whether the string that `stringEnd` read last has escapes, and some that JSON.stringify would write otherwise. */
export const lastString = { escaped: false, loose: false };

/** Returns where the string ends that begins at `at`, or -1 when it has no end or is no string. Sets `lastString`. */
export function stringEnd(text: string, at: number): number {
  lastString.escaped = false;
  lastString.loose = false;
  // The length is read once, because even that is a look-up in texts of many kinds.
  const { length } = text;
  for (let end = at; end < length; end++) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end;
    if (code < BLANK) return -1;
    if (code !== BACKSLASH) continue;
    lastString.escaped = true;
    end = escapeEnd(text, end + 1);
    if (end < 0) return -1;
  }
  return -1;
}

/** Returns the last character of the escape whose letter stands at `at`, or -1. */
function escapeEnd(text: string, at: number): number {
  switch (text[at]) {
    case '"':
    case '\\':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      return at;
    case '/':
      lastString.loose = true;
      return at;
    case 'u':
      lastString.loose = true;
      for (let digit = at + 1; digit <= at + 4; digit++) if (!isHexadecimal(text.charCodeAt(digit))) return -1;
      return at + 4;
    default:
      return -1;
  }
}

function isHexadecimal(code: number): boolean {
  const letter = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

export function blanksEnd(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) === BLANK) end++;
  return end;
}

export function blanksBefore(text: string, to: number): number {
  let from = to;
  while (text.charCodeAt(from - 1) === BLANK) from--;
  return from;
}

/** All strings of the JSON that begins at `at`, names included; undefined when there are too many or one has no end. */
export function stringsIn(text: string, at: number): Token[] | undefined {
  const tokens: Token[] = [];
  for (let quote = text.indexOf('"', at); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    const to = stringEnd(text, quote + 1);
    if (to < 0 || tokens.length === MAX_TOKENS) return undefined;
    tokens.push({ from: quote + 1, to, escaped: lastString.escaped });
    quote = to;
  }
  return tokens;
}

/** The string that says `text`, when there is exactly one. */
export function onlyOne(raw: string, tokens: readonly Token[], text: string): Token | undefined {
  let found: Token | undefined;
  for (const token of tokens) {
    const length = token.to - token.from;
    if (token.escaped ? length < text.length : length !== text.length) continue;
    const string = raw.slice(token.from, token.to);
    if ((token.escaped ? parseTrustedJson(`"${string}"`) : string) !== text) continue;
    if (found) return undefined;
    found = token;
  }
  return found;
}

/**
 * The string that says `text`, found without reading all of them; undefined where only `stringsIn` and `onlyOne` can tell. `json` is
 * valid from `begin` on. Without escapes every quote begins or ends a string, and a text without colon and comma cannot be what
 * stands between two of them.
 */
export function plainPlace(json: string, begin: number, text: string): Token | undefined {
  if (text === '' || NOT_ALONE.test(text) || json.includes('\\', begin)) return undefined;
  const quoted = `"${text}"`;
  const at = json.indexOf(quoted, begin);
  if (at < 0 || json.includes(quoted, at + 1) || json.includes(PADDING_NAME, begin)) return undefined;
  return { from: at + 1, to: at + 1 + text.length, escaped: false };
}

/** The string that is padding and stands after `place`; null when there is one elsewhere, or several. */
export function paddingAfter(raw: string, tokens: readonly Token[], place: Token): Token | undefined | null {
  let padding: Token | undefined;
  for (const [at, { from, to }] of tokens.entries()) {
    if (to - from !== PADDING_NAME.length || !raw.startsWith(PADDING_NAME, from)) continue;
    const value = tokens[at + 1];
    if (padding || !value || value.from !== to + 3 || raw[to + 1] !== ':' || value.from <= place.to) return null;
    padding = value;
  }
  return padding;
}

export function plainStringEnd(text: string, at: number): number {
  const end = stringEnd(text, at);
  return lastString.escaped ? -1 : end;
}

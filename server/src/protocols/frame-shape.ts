/**
 * Within a stream nearly all frames differ in one string. A shape is the text before and after that string; a frame that has the
 * same text around it is read without parsing it. Beside the string one more place may differ: the padding against listeners
 * that some providers send (`obfuscation`, or blanks before the last bracket).
 */
import { type Json, parseTrustedJson } from '../core/json.ts';
import type { SseFrame } from './protocol.ts';

/** What one frame has in the places where frames of a shape differ. */
export interface FramePiece {
  readonly shape: FrameShape;
  /** The string as it was sent, without its quotes. */
  readonly raw: string;
  readonly text: string;
  /** The string has escapes that JSON.stringify would write otherwise. */
  readonly loose: boolean;
  readonly padding: string;
}

interface FrameOrigin {
  event: string | undefined;
  part: number;
}

/** A string of the frame's JSON: from the character after its quote to its closing quote. */
interface Token {
  from: number;
  to: number;
  escaped: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;
const END = '}\n\n';
const PADDING_NAME = 'obfuscation';
/** A longer part of another text is a view of it and would keep all of it in memory. */
const LONGEST_COPY = 12;
/** Frames of more than this many strings are no pieces of a text. */
const MAX_TOKENS = 128;

/** Of the string that `stringEnd` read last. */
let escaped = false;
let loose = false;

export class FrameShape {
  readonly event: string | undefined;
  /** The part of the answer that frames of this shape belong to. */
  readonly part: number;
  /** What the padding of its frames is, if they have any. */
  readonly padding: 'string' | 'blanks';
  readonly #head: string;
  readonly #middle: string;
  readonly #tail: string;
  /** Where the data begins in the head. */
  readonly #dataFrom: number;
  // Of the last match.
  #from = 0;
  #to = 0;
  #paddingTo = 0;
  #escaped = false;
  #loose = false;

  private constructor(
    raw: string,
    begin: number,
    { event, part }: FrameOrigin,
    text: Token,
    padding: Token | undefined,
  ) {
    this.event = event;
    this.part = part;
    this.#dataFrom = begin;
    this.padding = padding ? 'string' : 'blanks';
    this.#head = ownCopy(raw.slice(0, text.from));
    this.#middle = ownCopy(raw.slice(text.to, padding?.from ?? blanksBefore(raw, raw.length - END.length)));
    this.#tail = padding ? ownCopy(raw.slice(padding.to)) : END;
  }

  /** The shape of a frame in which `text` came; undefined when it cannot be told where. `raw` ends with the frame's blank line. */
  static of(raw: string, text: string, origin: FrameOrigin): FrameShape | undefined {
    const begin = raw.indexOf('{');
    if (!raw.endsWith(END) || !isOneLine(raw, begin)) return undefined;
    const tokens = stringsIn(raw, begin);
    const place = tokens && onlyOne(raw, tokens, text);
    if (!tokens || !place) return undefined;
    const padding = paddingAfter(raw, tokens, place);
    return padding === null ? undefined : new FrameShape(raw, begin, origin, place, padding);
  }

  /** Where the frame ends that begins at `at` when it has this shape; otherwise -1. */
  match(text: string, at: number): number {
    if (!stands(this.#head, text, at)) return -1;
    const from = at + this.#head.length;
    const to = stringEnd(text, from);
    // An empty string is no event.
    if (to <= from || !stands(this.#middle, text, to)) return -1;
    this.#escaped = escaped;
    this.#loose = loose;
    const paddingFrom = to + this.#middle.length;
    const paddingTo = this.padding === 'blanks' ? blanksEnd(text, paddingFrom) : plainStringEnd(text, paddingFrom);
    if (paddingTo < 0 || !stands(this.#tail, text, paddingTo)) return -1;
    this.#from = from;
    this.#to = to;
    this.#paddingTo = paddingTo;
    return paddingTo + this.#tail.length;
  }

  /** What the frame of the last match has; `text` is the one it was found in. */
  piece(text: string): FramePiece {
    const raw = text.slice(this.#from, this.#to);
    const own = this.#escaped || raw.length > LONGEST_COPY ? (parseTrustedJson(`"${raw}"`) as string) : raw;
    const padding = text.slice(this.#to + this.#middle.length, this.#paddingTo);
    return { shape: this, raw, text: own, loose: this.#loose, padding };
  }

  dataOf({ raw, padding }: FramePiece): string {
    return `${this.#head.slice(this.#dataFrom)}${raw}${this.#middle}${padding}${this.#tail.slice(0, -2)}`;
  }
}

/** A frame of which only the piece was read. Whoever wants more gets it as if it had been parsed. */
export class ShapedFrame implements SseFrame {
  readonly event: string | undefined;
  readonly piece: FramePiece;

  constructor(piece: FramePiece) {
    this.event = piece.shape.event;
    this.piece = piece;
  }

  get data(): string {
    return this.piece.shape.dataOf(this.piece);
  }

  get json(): Json | undefined {
    return parseTrustedJson(this.data);
  }
}

/** How a relay writes the frames of a shape, as seen in one that it wrote. */
export class WrittenShape {
  readonly #head: string;
  readonly #middle: string;
  readonly #tail: string;
  /** Whether padding and unusual escapes go out as they came; undefined while none was seen. */
  readonly #padded: boolean | undefined;
  readonly #keepsEscapes: boolean | undefined;

  private constructor(
    parts: { head: string; middle: string; tail: string },
    habits: { padded: boolean | undefined; keepsEscapes: boolean | undefined },
  ) {
    this.#head = parts.head;
    this.#middle = parts.middle;
    this.#tail = parts.tail;
    this.#padded = habits.padded;
    this.#keepsEscapes = habits.keepsEscapes;
  }

  /** undefined when it cannot be told where in `written` the piece stands. */
  static of(written: string, piece: FramePiece): WrittenShape | undefined {
    const begin = written.indexOf('{');
    if (!written.endsWith(END) || written.indexOf('\n\n') !== written.length - 2) return undefined;
    if (begin < 0 || written.lastIndexOf('"', begin) >= 0) return undefined;
    const tokens = stringsIn(written, begin);
    const place = tokens && onlyOne(written, tokens, piece.text);
    if (!tokens || !place) return undefined;
    const found = written.slice(place.from, place.to);
    const keepsEscapes = piece.loose ? found === piece.raw : undefined;
    if (found !== (keepsEscapes ? piece.raw : regular(piece.text))) return undefined;
    const paddingFrom = paddingIn(written, tokens, place, piece);
    const paddingTo = paddingFrom < 0 ? written.length - END.length : paddingFrom + piece.padding.length;
    const middle = written.slice(place.to, paddingFrom < 0 ? paddingTo : paddingFrom);
    const parts = { head: written.slice(0, place.from), middle, tail: written.slice(paddingTo) };
    const unseen = piece.shape.padding === 'blanks' && piece.padding === '';
    return new WrittenShape(parts, { padded: unseen ? undefined : paddingFrom >= 0, keepsEscapes });
  }

  /** Both together, when both say the same. */
  and(other: WrittenShape): WrittenShape | undefined {
    const padded = this.#padded ?? other.#padded;
    const keepsEscapes = this.#keepsEscapes ?? other.#keepsEscapes;
    const same = this.#head === other.#head && this.#middle === other.#middle && this.#tail === other.#tail;
    const agree = padded === (other.#padded ?? padded) && keepsEscapes === (other.#keepsEscapes ?? keepsEscapes);
    return same && agree ? new WrittenShape(this.#parts, { padded, keepsEscapes }) : undefined;
  }

  /** undefined for a piece of a kind that was not seen yet. */
  write({ raw, text, loose: unusual, padding }: FramePiece): string | undefined {
    if (unusual && this.#keepsEscapes === undefined) return undefined;
    if (padding !== '' && this.#padded === undefined) return undefined;
    const string = unusual && !this.#keepsEscapes ? regular(text) : raw;
    return this.#head + string + this.#middle + (this.#padded ? padding : '') + this.#tail;
  }

  get #parts() {
    return { head: this.#head, middle: this.#middle, tail: this.#tail };
  }
}

/** -1 when the padding is not written. */
function paddingIn(written: string, tokens: readonly Token[], place: Token, { shape, padding }: FramePiece): number {
  if (shape.padding === 'blanks') {
    const to = written.length - END.length;
    const from = blanksBefore(written, to);
    return padding !== '' && from === to - padding.length ? from : -1;
  }
  const token = paddingAfter(written, tokens, place);
  return token && written.slice(token.from, token.to) === padding ? token.from : -1;
}

/** Half the time of `startsWith`, which compares character by character. */
function stands(part: string, text: string, at: number): boolean {
  return text.slice(at, at + part.length) === part;
}

/** A part of another text is a view of it, which keeps all of it in memory and is slower to read. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}

function regular(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Whether all data is the one line in which `begin` stands, so that every string stands where it seems to. */
function isOneLine(raw: string, begin: number): boolean {
  const line = raw.lastIndexOf('\n', raw.length - END.length) + 1;
  const label = raw.slice(line, begin);
  if (begin < line || (label !== 'data:' && label !== 'data: ') || raw.lastIndexOf('"', begin) >= 0) return false;
  for (let at = 0; at < line; at = raw.indexOf('\n', at) + 1) if (raw.startsWith('data', at)) return false;
  return true;
}

function plainStringEnd(text: string, at: number): number {
  const end = stringEnd(text, at);
  return escaped ? -1 : end;
}

/** Where the string ends that begins at `at`, or -1 when it does not or is none. Sets `escaped` and `loose`. */
function stringEnd(text: string, at: number): number {
  escaped = false;
  loose = false;
  for (let end = at; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end;
    if (code < BLANK) return -1;
    if (code !== BACKSLASH) continue;
    escaped = true;
    end = escapeEnd(text, end + 1);
    if (end < 0) return -1;
  }
  return -1;
}

/** The last character of the escape whose letter stands at `at`, or -1. */
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
      loose = true;
      return at;
    case 'u':
      loose = true;
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

function blanksEnd(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) === BLANK) end++;
  return end;
}

function blanksBefore(text: string, to: number): number {
  let from = to;
  while (text.charCodeAt(from - 1) === BLANK) from--;
  return from;
}

/** All strings of the JSON that begins at `at`, names included; undefined when there are too many or one has no end. */
function stringsIn(text: string, at: number): Token[] | undefined {
  const tokens: Token[] = [];
  for (let quote = text.indexOf('"', at); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    const to = stringEnd(text, quote + 1);
    if (to < 0 || tokens.length === MAX_TOKENS) return undefined;
    tokens.push({ from: quote + 1, to, escaped });
    quote = to;
  }
  return tokens;
}

/** The string that says `text`, when there is exactly one. */
function onlyOne(raw: string, tokens: readonly Token[], text: string): Token | undefined {
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

/** The string that is padding and stands after `place`; null when there is one elsewhere, or several. */
function paddingAfter(raw: string, tokens: readonly Token[], place: Token): Token | undefined | null {
  let padding: Token | undefined;
  for (const [at, { from, to }] of tokens.entries()) {
    if (to - from !== PADDING_NAME.length || !raw.startsWith(PADDING_NAME, from)) continue;
    const value = tokens[at + 1];
    if (padding || !value || value.from !== to + 3 || raw[to + 1] !== ':' || value.from <= place.to) return null;
    padding = value;
  }
  return padding;
}

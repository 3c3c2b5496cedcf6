/**
 * Within a stream nearly all frames differ in one string. A shape is the text before and after that string; a frame that has the
 * same text around it is read without parsing it. Beside the string one more place may differ: the padding against listeners
 * that some providers send (`obfuscation`, or blanks before the last bracket).
 */
import { parseTrustedJson } from '../core/json.ts';
import {
  blanksBefore,
  blanksEnd,
  END,
  lastString,
  onlyOne,
  paddingAfter,
  plainPlace,
  plainStringEnd,
  stringEnd,
  stringsIn,
  type Token,
} from './frame-strings.ts';

/** What one frame has in the places where frames of a shape differ. */
export interface FramePiece {
  readonly shape: FrameSchema;
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

/** A longer part of another text is a view of it and would keep all of it in memory. */
const MAX_COPY_CHARS = 12;

export class FrameSchema {
  readonly event: string | undefined;
  /** The part of the answer that frames of this shape belong to. */
  readonly part: number;
  /** What the padding of its frames is, if they have any. */
  readonly padding: 'string' | 'blanks';
  readonly #head: string;
  readonly #middle: string;
  readonly #tail: string;
  /** The text from the words of a frame without padding to its end, and to the next frame's words; '' where frames have padding. */
  readonly #closing: string;
  readonly #between: string;
  /** Where the data begins in the head. */
  readonly #dataFrom: number;
  // What the last match has found.
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
    this.#closing = padding ? '' : ownCopy(this.#middle + END);
    this.#between = padding ? '' : ownCopy(this.#closing + this.#head);
  }

  /** The shape of a frame in which `text` came; undefined when it cannot be told where. `raw` ends with the frame's blank line. */
  static of(raw: string, text: string, origin: FrameOrigin): FrameSchema | undefined {
    const begin = raw.indexOf('{');
    if (!raw.endsWith(END) || !isOneLine(raw, begin)) return undefined;
    const plain = plainPlace(raw, begin, text);
    if (plain) return new FrameSchema(raw, begin, origin, plain, undefined);
    const tokens = stringsIn(raw, begin);
    const place = tokens && onlyOne(raw, tokens, text);
    if (!tokens || !place) return undefined;
    const padding = paddingAfter(raw, tokens, place);
    return padding === null ? undefined : new FrameSchema(raw, begin, origin, place, padding);
  }

  /** Returns where the frame ends that begins at `at`, or -1 when it has another shape. */
  match(text: string, at: number): number {
    if (!stands(this.#head, text, at)) return -1;
    const from = at + this.#head.length;
    const to = stringEnd(text, from);
    // An empty string is no event.
    if (to <= from || !stands(this.#middle, text, to)) return -1;
    this.#escaped = lastString.escaped;
    this.#loose = lastString.loose;
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
    const own = this.#escaped || raw.length > MAX_COPY_CHARS ? (parseTrustedJson(`"${raw}"`) as string) : raw;
    const padding = text.slice(this.#to + this.#middle.length, this.#paddingTo);
    return { shape: this, raw, text: own, loose: this.#loose, padding };
  }

  /**
   * What stands between the texts that all frames share, up to a quote each, from the frame that begins at `at` on; undefined
   * when not even that one is like them. A plain part is the words of a frame. Any other must be looked at with `match`: its
   * quote may be an escaped one.
   */
  partsFrom(text: string, at: number): string[] | undefined {
    if (this.#closing === '' || !stands(this.#head, text, at)) return undefined;
    let from = at + this.#head.length;
    let parts: string[] | undefined;
    for (let goesOn = true; goesOn; ) {
      const quote = text.indexOf('"', from);
      // An empty string is no event.
      if (quote <= from) return parts;
      goesOn = stands(this.#between, text, quote);
      if (!goesOn && !stands(this.#closing, text, quote)) return parts;
      const part = text.slice(from, quote);
      if (parts) parts.push(part);
      else parts = [part];
      from = quote + this.#between.length;
    }
    return parts;
  }

  /** How long a frame is beside its words. */
  get lengthAround(): number {
    return this.#head.length + this.#closing.length;
  }

  dataOf({ raw, padding }: FramePiece): string {
    return `${this.#head.slice(this.#dataFrom)}${raw}${this.#middle}${padding}${this.#tail.slice(0, -2)}`;
  }
}

/** This takes half the time of `startsWith`, which compares character by character. */
function stands(part: string, text: string, at: number): boolean {
  return text.slice(at, at + part.length) === part;
}

/** A part of another text is a view of it, which keeps all of it in memory and is slower to read. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}

/** Whether all data is the one line in which `begin` stands, so that every string stands where it seems to. */
function isOneLine(raw: string, begin: number): boolean {
  const line = raw.lastIndexOf('\n', raw.length - END.length) + 1;
  const label = raw.slice(line, begin);
  if (begin < line || (label !== 'data:' && label !== 'data: ') || raw.lastIndexOf('"', begin) >= 0) return false;
  for (let at = 0; at < line; at = raw.indexOf('\n', at) + 1) if (raw.startsWith('data', at)) return false;
  return true;
}

/**
 * Long texts of a JSON document, kept as they stood in it. Parsing reads each of them alone; writing puts the bytes back instead of
 * escaping the text again. A prompt of 200 KB is then neither copied into one more large string nor written character by character.
 *
 * It is exact because a text is looked up by its value: the bytes that are written are a literal that was read as the same text,
 * wherever in the document it stood.
 */
import { randomBytes } from 'node:crypto';
import { type Json, type JsonObject, parseJson } from '../core/json.ts';

/** With its quotes. A shorter literal costs less to write than to look up. */
const MIN_BYTES = 8 * 1024;
/** Every character may have been written as six: `\u0041`. */
const MIN_CHARACTERS = Math.floor((MIN_BYTES - 2) / 6);
/** Texts of one length are compared with each other, so that many of them would be a way to keep a process busy. */
const MAX_LITERALS = 64;
/** Documents whose strings are shorter than this on average are parsed as one. */
const BYTES_PER_STRING = 128;
/** With more of them a value is written as one: being asked about a number takes ten times as long as writing it. */
const MAX_VALUES = 16 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;
const HIGHEST_BITS = 0x80808080 | 0;

/** Stands for a literal while the rest is parsed or written. Nobody outside of this process knows it, so no document contains it. */
const MARK = randomBytes(18).toString('hex');
const MARK_LENGTH = MARK.length + 2;
const markOf = (at: number): string => `${MARK}${at < 10 ? '0' : ''}${at}`;
const atOfMark = (text: string): number => Number(text.slice(MARK.length));
const isMark = (value: unknown): value is string =>
  typeof value === 'string' && value.length === MARK_LENGTH && value.startsWith(MARK);

/** Where a literal stands: its opening quote, and what follows its closing one. */
interface Place {
  from: number;
  to: number;
}

export class JsonLiterals {
  readonly #literals = new Map<string, Uint8Array>();
  #bytes = 0;

  /** Of a text that was written in two ways the shorter one is kept. */
  add(text: string, literal: Uint8Array): void {
    this.#bytes += literal.length;
    const known = this.#literals.get(text);
    if (known === undefined || literal.length < known.length) this.#literals.set(text, literal);
  }

  /** The value as JSON: as text where it has none of these texts, otherwise as the pieces of its bytes. */
  write(value: JsonObject): string | readonly Uint8Array[] {
    if (afterValues(value, MAX_VALUES) < 0) return JSON.stringify(value);
    const used: Uint8Array[] = [];
    // A text that came once as escapes and often as it is would otherwise be sent as escapes every time: six times the document.
    let bytesLeft = this.#bytes;
    const text = JSON.stringify(value, (_name, member: unknown) => {
      if (typeof member !== 'string' || member.length < MIN_CHARACTERS || used.length === MAX_LITERALS) return member;
      const literal = this.#literals.get(member);
      if (literal === undefined || literal.length > bytesLeft) return member;
      bytesLeft -= literal.length;
      return markOf(used.push(literal) - 1);
    });
    return used.length === 0 ? text : filled(text, used);
  }
}

/** How many of `left` values remain after those of the node; negative as soon as there are more. */
function afterValues(node: Json | undefined, left: number): number {
  let rest = left - 1;
  if (Array.isArray(node)) {
    for (let at = 0; at < node.length && rest >= 0; at++) rest = afterValues(node[at], rest);
  } else if (typeof node === 'object' && node !== null) {
    for (const name in node) {
      if (rest < 0) break;
      rest = afterValues(node[name], rest);
    }
  }
  return rest;
}

function filled(text: string, literals: readonly Uint8Array[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let written = 0;
  for (const literal of literals) {
    const quote = text.indexOf(MARK, written) - 1;
    pieces.push(Buffer.from(text.slice(written, quote)), literal);
    written = quote + MARK_LENGTH + 2;
  }
  pieces.push(Buffer.from(text.slice(written)));
  return pieces;
}

/** Parses a document and remembers its long texts; undefined where it has none, and it is to be parsed as one. */
export function parseAroundLiterals(bytes: Buffer): { value: Json; literals: JsonLiterals } | undefined {
  if (bytes.length < 2 * MIN_BYTES) return undefined;
  const places = longLiterals(bytes);
  if (places.length === 0) return undefined;
  const texts = places.map(({ from, to }) => textOf(bytes, from, to));
  const literals = new JsonLiterals();
  for (const [at, { from, to }] of places.entries()) literals.add(texts[at] as string, bytes.subarray(from, to));
  return { value: withTexts(parseJson(marked(bytes, places)), texts), literals };
}

function longLiterals(bytes: Buffer): Place[] {
  const places: Place[] = [];
  let strings = bytes.length / BYTES_PER_STRING;
  for (let from = bytes.indexOf(QUOTE); from >= 0 && places.length < MAX_LITERALS; ) {
    if (strings-- < 0) return [];
    const to = afterLiteral(bytes, from);
    if (to < 0) return [];
    if (to - from >= MIN_BYTES && !isName(bytes, to)) places.push({ from, to });
    from = bytes.indexOf(QUOTE, to);
  }
  return places;
}

/** Negative when the literal never ends, which the parser reports. */
function afterLiteral(bytes: Buffer, from: number): number {
  for (let end = bytes.indexOf(QUOTE, from + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return -1;
}

function isName(bytes: Buffer, after: number): boolean {
  let at = after;
  while ((bytes[at] ?? COLON) <= SPACE) at++;
  return bytes[at] === COLON;
}

function textOf(bytes: Buffer, from: number, to: number): string {
  const escapedAt = bytes.subarray(from, to).indexOf(BACKSLASH);
  // JSON allows every other character as it is, so the text is what stands between the quotes.
  if (escapedAt < 0 && !hasControlCharacter(bytes, from, to)) return bytes.toString('utf8', from + 1, to - 1);
  return parseJson(bytes.toString('utf8', from, to)) as string;
}

/** Looks at four bytes at once: a byte below 32 borrows from its highest bit when 32 is taken off. */
function hasControlCharacter(bytes: Buffer, from: number, to: number): boolean {
  let at = from;
  for (; at < to && (bytes.byteOffset + at) % 4 !== 0; at++) if ((bytes[at] as number) < SPACE) return true;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, (to - at) >> 2);
  for (let word = 0; word < words.length; word++) {
    const four = words[word] as number;
    if ((((four - 0x20202020) | 0) & ~four & HIGHEST_BITS) !== 0) return true;
  }
  for (at += words.byteLength; at < to; at++) if ((bytes[at] as number) < SPACE) return true;
  return false;
}

function marked(bytes: Buffer, places: readonly Place[]): string {
  let text = '';
  let read = 0;
  for (const [at, { from, to }] of places.entries()) {
    text += `${bytes.toString('utf8', read, from)}"${markOf(at)}"`;
    read = to;
  }
  return text + bytes.toString('utf8', read);
}

/** As deep as `parseJson` allows. */
function withTexts(node: Json, texts: readonly string[]): Json {
  if (isMark(node)) return texts[atOfMark(node)] as string;
  if (Array.isArray(node)) {
    for (let at = 0; at < node.length; at++) {
      const item = node[at] as Json;
      if (typeof item === 'object' ? item !== null : isMark(item)) node[at] = withTexts(item, texts);
    }
  } else if (typeof node === 'object' && node !== null) {
    for (const name in node) {
      const item = node[name] as Json;
      if (typeof item === 'object' ? item !== null : isMark(item)) node[name] = withTexts(item, texts);
    }
  }
  return node;
}

/**
 * Turns bytes into frames of server-sent events. This runs for every chunk of every stream, so it decodes each chunk once,
 * searches only text it has not seen, and builds no arrays of lines.
 */
import { parseTrustedJson } from '../core/json.ts';
import { FrameRun, isPlain } from './frame-run.ts';
import type { FrameSchema } from './frame-shape.ts';
import type { SseFrame } from './protocol.ts';
import { ShapedFrame } from './shaped-frame.ts';

/** Image and audio answers come as single frames of megabytes; beyond this a provider is broken or hostile. */
const MAX_FRAME_CHARS = 16 * 1024 * 1024;

/** It is shared, since it keeps no state: only whole characters are decoded, which stays on the engine's fast path. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const BOM = 0xfeff;
const COLON = 0x3a;
const SPACE = 0x20;

export class SseFrameTooLarge extends Error {
  readonly limit: number;
  constructor(limit: number) {
    super(`a server-sent event is larger than ${limit} characters`);
    this.limit = limit;
  }
}

type OnFrame = (frame: SseFrame) => void;

export class SseParser {
  /** Frames that have it are not parsed; they come as ShapedFrame, or many at once as FrameRun. */
  shape: FrameSchema | undefined;
  readonly #maxFrameChars: number;
  /** The bytes of a character cut by the end of a chunk. */
  #cutCharacter: Uint8Array | undefined;
  /** The last chunk ended in CR, which already counted as a line end: a following LF belongs to it. */
  #skipLineFeed = false;
  #atStart = true;
  /** The unfinished last line. */
  #line = '';
  #event: string | undefined;
  #data: string | undefined;
  #frameChars = 0;
  /** What is being read, where its frame begins (-1: in an earlier chunk) and where that ends. */
  #text = '';
  #frameFrom = -1;
  #frameTo = 0;

  constructor(maxFrameChars: number = MAX_FRAME_CHARS) {
    this.#maxFrameChars = maxFrameChars;
  }

  push(chunk: Uint8Array, onFrame: OnFrame): void {
    const whole = this.#wholeCharacters(chunk);
    if (whole.length > 0) this.#pushText(decoder.decode(whole), onFrame);
  }

  /** The frame inside `onFrame` as it was sent, with line ends of one kind; undefined when it came in several pieces. */
  get raw(): string | undefined {
    return this.#frameFrom < 0 ? undefined : this.#text.slice(this.#frameFrom, this.#frameTo);
  }

  /** The connection closed: a last frame without its blank line still counts. */
  end(onFrame: OnFrame): void {
    if (this.#cutCharacter) {
      const cut = this.#cutCharacter;
      this.#cutCharacter = undefined;
      this.#pushText(decoder.decode(cut), onFrame);
    }
    if (this.#line !== '') {
      const line = this.#line;
      this.#line = '';
      this.#readLine(line, 0, line.length);
    }
    this.#frameFrom = -1;
    this.#dispatch(onFrame);
  }

  #wholeCharacters(chunk: Uint8Array): Uint8Array {
    let bytes = chunk;
    if (this.#cutCharacter) {
      bytes = new Uint8Array(this.#cutCharacter.length + chunk.length);
      bytes.set(this.#cutCharacter);
      bytes.set(chunk, this.#cutCharacter.length);
      this.#cutCharacter = undefined;
    }
    const cut = cutCharacterLength(bytes);
    if (cut === 0) return bytes;
    // The bytes are copied, because the transport may reuse the chunk's memory.
    this.#cutCharacter = bytes.slice(bytes.length - cut);
    return bytes.subarray(0, bytes.length - cut);
  }

  #pushText(decoded: string, onFrame: OnFrame): void {
    let text = decoded;
    if (this.#atStart) {
      this.#atStart = false;
      if (text.charCodeAt(0) === BOM) text = text.slice(1);
    }
    if (this.#skipLineFeed) {
      this.#skipLineFeed = false;
      if (text.startsWith('\n')) text = text.slice(1);
    }
    if (text.includes('\r')) {
      this.#skipLineFeed = text.endsWith('\r');
      text = text.replace(/\r\n?/g, '\n');
    }
    this.#readLines(text, onFrame);
  }

  #readLines(text: string, onFrame: OnFrame): void {
    const between = this.#line === '' && this.#frameChars === 0;
    let start = between ? this.#readShaped(text, 0, onFrame) : 0;
    this.#text = text;
    this.#frameFrom = between ? start : -1;
    let newline = text.indexOf('\n', start);
    if (newline !== -1 && this.#line !== '') {
      const line = this.#line + text.slice(0, newline);
      this.#line = '';
      this.#readLine(line, 0, line.length);
      start = newline + 1;
      newline = text.indexOf('\n', start);
    }
    while (newline !== -1) {
      if (newline === start) start = this.#endFrame(text, start + 1, onFrame);
      else {
        this.#readLine(text, start, newline);
        start = newline + 1;
      }
      newline = text.indexOf('\n', start);
    }
    this.#text = '';
    if (start < text.length) {
      this.#line += start === 0 ? text : text.slice(start);
      if (this.#frameChars + this.#line.length > this.#maxFrameChars) throw new SseFrameTooLarge(this.#maxFrameChars);
    }
  }

  /** Returns where the next frame begins that must be read line by line. */
  #endFrame(text: string, end: number, onFrame: OnFrame): number {
    this.#frameTo = end;
    this.#dispatch(onFrame);
    this.#frameFrom = this.#readShaped(text, end, onFrame);
    return this.#frameFrom;
  }

  #readShaped(text: string, from: number, onFrame: OnFrame): number {
    const { shape } = this;
    if (!shape) return from;
    for (let at = from; ; ) {
      at = this.#readRun(shape, text, at, onFrame);
      const end = shape.match(text, at);
      if (end < 0 || end - at > this.#maxFrameChars) return at;
      onFrame(new ShapedFrame(shape.piece(text)));
      at = end;
    }
  }

  /** Reads frames that differ in plain words alone, many at once. Returns where the first begins that must be looked at. */
  #readRun(shape: FrameSchema, text: string, from: number, onFrame: OnFrame): number {
    // A single frame is cheaper to look at.
    if (text.length - from < 2 * shape.lengthAround) return from;
    const parts = shape.partsFrom(text, from);
    if (!parts) return from;
    const all = parts.join('');
    const length = parts.length * shape.lengthAround + all.length;
    if (length > this.#maxFrameChars) return from;
    if (!isPlain(all)) return this.#readMixed(shape, text, from, parts, onFrame);
    onFrame(new FrameRun(shape, parts, all));
    return from + length;
  }

  /** Does the same where some of the parts are not plain: each of those is a frame with escapes, or no frame of the shape. */
  #readMixed(shape: FrameSchema, text: string, from: number, parts: readonly string[], onFrame: OnFrame): number {
    let at = from;
    let plainFrom = 0;
    for (const [index, part] of parts.entries()) {
      const end = at + part.length + shape.lengthAround;
      if (!isPlain(part)) {
        this.#passRun(shape, parts.slice(plainFrom, index), onFrame);
        plainFrom = index + 1;
        const frameEnd = shape.match(text, at);
        if (frameEnd < 0) return at;
        onFrame(new ShapedFrame(shape.piece(text)));
        if (frameEnd !== end) return frameEnd;
      }
      at = end;
    }
    this.#passRun(shape, parts.slice(plainFrom), onFrame);
    return at;
  }

  #passRun(shape: FrameSchema, words: readonly string[], onFrame: OnFrame): void {
    if (words.length > 0) onFrame(new FrameRun(shape, words, words.join('')));
  }

  #readLine(text: string, start: number, end: number): void {
    if (text.charCodeAt(start) === COLON) return;
    this.#frameChars += end - start;
    if (this.#frameChars > this.#maxFrameChars) throw new SseFrameTooLarge(this.#maxFrameChars);
    if (isField(text, start, end, 'data')) {
      const value = fieldValue(text, start + 4, end);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    } else if (isField(text, start, end, 'event')) {
      this.#event = fieldValue(text, start + 5, end);
    }
  }

  #dispatch(onFrame: OnFrame): void {
    const data = this.#data;
    const event = this.#event;
    this.#data = undefined;
    this.#event = undefined;
    this.#frameChars = 0;
    if (data === undefined) return;
    onFrame({ event: event || undefined, data, json: data === '[DONE]' ? undefined : parseTrustedJson(data) });
  }
}

/** One frame as text. Our data is always JSON on one line or `[DONE]`, so no line has to be split. */
export function writeFrame(data: string, event?: string): string {
  return event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
}

function isField(text: string, start: number, end: number, name: string): boolean {
  const after = start + name.length;
  return text.startsWith(name, start) && (after === end || (after < end && text.charCodeAt(after) === COLON));
}

function fieldValue(text: string, colon: number, end: number): string {
  if (colon >= end) return '';
  const start = text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
  return start >= end ? '' : text.slice(start, end);
}

/** How many bytes at the end belong to a UTF-8 character that is not complete yet (0 to 3). */
function cutCharacterLength(bytes: Uint8Array): number {
  const length = bytes.length;
  const furthest = Math.min(3, length);
  for (let back = 1; back <= furthest; back++) {
    const byte = bytes[length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? back : 0;
    }
  }
  return 0;
}

/**
 * Splits the members of `requests` out of a JSON body that comes in pieces, each as its own bytes: a batch in
 * Anthropic's form is one document of up to hundreds of megabytes, and only one member is held at a time. The reader of
 * a member parses it; here only the brackets around it are counted.
 */
export class BodyNoRequests extends Error {}
export class RequestTooLong extends Error {
  /** Counted from 0. */
  readonly index: number;

  constructor(index: number) {
    super(`requests.${index} is too long`);
    this.index = index;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const ARRAY = 0x5b;
const OBJECT = 0x7b;
const NAME = Buffer.from('"requests"');
const MAX_NAME = 64;

export async function* splitRequests(pieces: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer> {
  const scanner = new RequestScanner(maxBytes);
  for await (const piece of pieces) yield* scanner.read(piece);
  scanner.end();
}

type Place = 'before' | 'names' | 'colon' | 'value' | 'list' | 'after';

class RequestScanner {
  readonly #maxBytes: number;
  #place: Place = 'before';
  /** How many brackets are open within the present value. */
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** The parts of the present member that came in earlier pieces. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Where the member, or its rest, begins in the present piece; -1 when none has begun. */
  #from = -1;
  #name: number[] = [];
  #isRequests = false;
  #seen = false;
  #count = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *read(piece: Uint8Array): Generator<Buffer> {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    if (this.#from >= 0) this.#from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const member = this.#step(bytes[at] as number, at, bytes);
      if (member) yield member;
    }
    if (this.#from >= 0) this.#hold(Buffer.from(bytes.subarray(this.#from)));
  }

  #hold(part: Buffer): void {
    this.#held.push(part);
    this.#heldBytes += part.length;
    if (this.#heldBytes > this.#maxBytes) throw new RequestTooLong(this.#count);
  }

  end(): void {
    if (this.#place !== 'after' || !this.#seen) throw new BodyNoRequests();
  }

  #step(byte: number, at: number, bytes: Buffer): Buffer | undefined {
    switch (this.#place) {
      case 'before':
        if (SPACE.has(byte)) return undefined;
        if (byte !== OBJECT) throw new BodyNoRequests();
        this.#place = 'names';
        return undefined;
      case 'names':
        return this.#inNames(byte);
      case 'colon':
        if (SPACE.has(byte)) return undefined;
        if (byte !== COLON) throw new BodyNoRequests();
        this.#place = 'value';
        return undefined;
      case 'value':
        return this.#inValue(byte);
      case 'list':
        return this.#inList(byte, at, bytes);
      case 'after':
        if (!SPACE.has(byte)) throw new BodyNoRequests();
        return undefined;
    }
  }

  #inNames(byte: number): undefined {
    if (this.#inText) {
      if (this.#name.length <= MAX_NAME) this.#name.push(byte);
      if (!this.#endsText(byte)) return;
      this.#isRequests = Buffer.from(this.#name).equals(NAME);
      if (this.#isRequests && this.#seen) throw new BodyNoRequests();
      this.#place = 'colon';
    } else if (byte === QUOTE) {
      this.#name = [byte];
      this.#inText = true;
    } else if (byte === 0x7d) this.#place = 'after';
    else if (byte !== COMMA && !SPACE.has(byte)) throw new BodyNoRequests();
  }

  /** Skips a value that is not the list of requests. */
  #inValue(byte: number): undefined {
    if (this.#isRequests && this.#depth === 0) {
      if (SPACE.has(byte)) return;
      if (byte !== ARRAY) throw new BodyNoRequests();
      this.#seen = true;
      this.#place = 'list';
      return;
    }
    if (this.#inText) this.#endsText(byte);
    else if (byte === QUOTE) this.#inText = true;
    else if (OPEN.has(byte)) this.#depth++;
    else if (CLOSE.has(byte) && this.#depth > 0) this.#depth--;
    else if (this.#depth === 0 && byte === COMMA) this.#place = 'names';
    else if (this.#depth === 0 && byte === 0x7d) this.#place = 'after';
  }

  #inList(byte: number, at: number, bytes: Buffer): Buffer | undefined {
    if (!this.#inText && this.#depth === 0) {
      if (byte === COMMA) return this.#member(at, bytes);
      if (byte === 0x5d) {
        this.#place = 'names';
        return this.#member(at, bytes);
      }
      if (SPACE.has(byte)) return undefined;
    }
    if (this.#from < 0) this.#from = at;
    if (this.#inText) this.#endsText(byte);
    else if (byte === QUOTE) this.#inText = true;
    else if (OPEN.has(byte)) this.#depth++;
    else if (CLOSE.has(byte)) this.#depth--;
    return undefined;
  }

  #member(at: number, bytes: Buffer): Buffer | undefined {
    if (this.#from < 0) return undefined;
    this.#hold(bytes.subarray(this.#from, at));
    const member = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    this.#from = -1;
    this.#count++;
    return member;
  }

  #endsText(byte: number): boolean {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) {
      this.#inText = false;
      return true;
    }
    return false;
  }
}

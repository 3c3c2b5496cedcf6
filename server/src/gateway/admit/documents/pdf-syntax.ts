/** The tokens of PDF syntax: of its objects, of the streams that draw its pages, and of its character tables. */
import { Unknown } from './budget.ts';

export type PdfValue =
  | number
  | boolean
  | null
  | PdfName
  | PdfString
  | PdfPointer
  | PdfWord
  | PdfValue[]
  | PdfDictionary;
export type PdfDictionary = Map<string, PdfValue>;

export class PdfName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** One character per byte. */
export class PdfString {
  readonly bytes: string;
  constructor(bytes: string) {
    this.bytes = bytes;
  }
}

export class PdfPointer {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}

/** An operator, or a keyword such as `stream`. */
export class PdfWord {
  readonly word: string;
  constructor(word: string) {
    this.word = word;
  }
}

const MAX_DEPTH = 64;
const BLANKS = /(?:[\0\t\n\f\r ]|%[^\r\n]*)*/y;
const NUMBER = /[+-]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})/y;
const REFERENCE = /(\d{1,10})[\0\t\n\f\r ]{1,100}\d{1,5}[\0\t\n\f\r ]{1,100}R(?![A-Za-z0-9])/y;
const NAME = /\/([^\0\t\n\f\r ()<>[\]{}/%]*)/y;
const WORD = /[^\0\t\n\f\r ()<>[\]{}/%]+/y;
const HEX = /<([^<>]*)>/y;
const STRING_PIECE = /[^\\()]*/y;
const ESCAPE = /\\(?:([0-7]{1,3})|(\r\n|[\s\S]))/y;
const ESCAPED: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const END = new PdfWord('');

/** Reads one value after the other. `text` has one character per byte. */
export class PdfReader {
  at: number;
  readonly #text: string;
  readonly #end: number;

  constructor(text: string, at = 0, end = text.length) {
    this.#text = text;
    this.at = at;
    this.#end = end;
  }

  /** undefined at the end. */
  next(depth = 0): PdfValue | undefined {
    if (depth > MAX_DEPTH) throw new Unknown('nested too deeply');
    this.#match(BLANKS);
    if (this.at >= this.#end) return undefined;
    const first = this.#text[this.at] as string;
    switch (first) {
      case '/':
        return new PdfName(plainName(this.#match(NAME)?.[1] ?? ''));
      case '(':
        return this.#literal();
      case '[':
        this.at++;
        return this.#list(']', depth);
      case '<':
        return this.#text[this.at + 1] === '<' ? this.#dictionary(depth) : this.#hexadecimal();
      case '>':
      case ']':
      case ')':
      case '{':
      case '}':
        this.at += first === '>' && this.#text[this.at + 1] === '>' ? 2 : 1;
        return new PdfWord(first);
      default:
        return this.#plain();
    }
  }

  #plain(): PdfValue {
    const reference = this.#match(REFERENCE);
    if (reference) return new PdfPointer(Number(reference[1]));
    const number = this.#match(NUMBER);
    if (number) return Number(number[0]) || 0;
    const word = this.#match(WORD)?.[0];
    if (word === undefined) {
      this.at++;
      return END;
    }
    if (word === 'true' || word === 'false') return word === 'true';
    return word === 'null' ? null : new PdfWord(word);
  }

  #list(closing: string, depth: number): PdfValue[] {
    const values: PdfValue[] = [];
    for (;;) {
      const value = this.next(depth + 1);
      if (value === undefined || (value instanceof PdfWord && value.word === closing)) return values;
      values.push(value);
    }
  }

  #dictionary(depth: number): PdfDictionary {
    this.at += 2;
    const entries = this.#list('>', depth);
    const dictionary: PdfDictionary = new Map();
    for (let at = 0; at + 1 < entries.length; at++) {
      const key = entries[at];
      if (!(key instanceof PdfName)) continue;
      dictionary.set(key.name, entries[at + 1] as PdfValue);
      at++;
    }
    return dictionary;
  }

  #hexadecimal(): PdfValue {
    const digits = this.#match(HEX)?.[1]?.replace(/[^0-9a-f]/gi, '');
    if (digits === undefined) {
      this.at++;
      return END;
    }
    return new PdfString(Buffer.from(digits.length % 2 ? `${digits}0` : digits, 'hex').toString('latin1'));
  }

  #literal(): PdfString {
    this.at++;
    let bytes = '';
    for (let open = 1; this.at < this.#end; ) {
      bytes += this.#match(STRING_PIECE)?.[0] ?? '';
      const mark = this.#text[this.at];
      if (mark === '\\') bytes += this.#escaped();
      else {
        this.at++;
        open += mark === '(' ? 1 : -1;
        if (open === 0 || mark === undefined) break;
        bytes += mark;
      }
    }
    return new PdfString(bytes);
  }

  #escaped(): string {
    const [, octal, other = ''] = this.#match(ESCAPE) ?? [];
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
    if (other === '') this.at++;
    return /[\r\n]/.test(other) ? '' : (ESCAPED[other] ?? other);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }
}

/** Any character of a name may be written as its number. */
function plainName(written: string): string {
  if (!written.includes('#')) return written;
  return written.replace(/#([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/**
 * All objects of a PDF, found by scanning the file and not by its own tables, which may point anywhere. Where the file
 * has an object several times all are kept, because readers may use any of them.
 */
import { type ReadingBudget, Unknown } from './budget.ts';
import { type PdfDictionary, PdfName, PdfPointer, PdfReader, type PdfValue, PdfWord } from './pdf-syntax.ts';

const MAX_OBJECTS = 200_000;
const MAX_VERSIONS = 64;
/** What stands between the number of an object and its keyword. */
const HEAD = /(\d{1,10})[\0\t\n\f\r ]{1,20}\d{1,5}[\0\t\n\f\r ]{0,20}$/;
const MAX_HEAD_CHARS = 40;

export interface PdfObject {
  value: PdfValue;
  /**
   * Where its stream begins in the file; undefined where it has none, or is itself packed into the stream of another
   * object.
   */
  streamAt?: number;
}

export class SurveyedPdf {
  readonly #bytes: Buffer;
  readonly #text: string;
  readonly #budget: ReadingBudget;
  readonly #objects = new Map<number, PdfObject[]>();
  #count = 0;

  private constructor(bytes: Buffer, budget: ReadingBudget) {
    this.#bytes = bytes;
    this.#text = bytes.toString('latin1');
    this.#budget = budget;
  }

  static async open(bytes: Buffer, budget: ReadingBudget): Promise<SurveyedPdf> {
    const file = new SurveyedPdf(bytes, budget);
    file.#refuseEncrypted(await file.#trailers());
    await file.#findObjects();
    return file;
  }

  *objects(): Generator<[number, PdfObject]> {
    for (const [number, versions] of this.#objects) for (const object of versions) yield [number, object];
  }

  /** Every value that a reference may resolve to: the value itself, or each object with the number it refers to. */
  versions(value: PdfValue | undefined): readonly PdfObject[] {
    if (value instanceof PdfPointer) return this.#objects.get(value.number) ?? [];
    return value === undefined ? [] : [{ value }];
  }

  /** Work beside unpacking that has the same bound. */
  spend(bytes: number): void {
    this.#budget.spend(bytes);
  }

  /** The last that a value may stand for. */
  resolved(value: PdfValue | undefined): PdfValue | undefined {
    return this.versions(value).at(-1)?.value;
  }

  dictionary(value: PdfValue | undefined): PdfDictionary | undefined {
    const found = this.resolved(value);
    return found instanceof Map ? found : undefined;
  }

  /** The stream of an object, unpacked; one character per byte. Undefined where it has none. */
  async stream({ value, streamAt }: PdfObject): Promise<string | undefined> {
    if (streamAt === undefined || !(value instanceof Map)) return undefined;
    const filters = listOf(this.resolved(value.get('Filter') ?? value.get('F')));
    this.#refusePredictor(value);
    let bytes: Buffer | undefined;
    for (const filter of filters) {
      bytes = await this.#filtered(filter, bytes, value, streamAt);
    }
    if (bytes) return bytes.toString('latin1');
    const raw = this.#plainStream(value, streamAt);
    this.#budget.spend(raw.length);
    return raw.toString('latin1');
  }

  async #filtered(
    filter: PdfValue,
    before: Buffer | undefined,
    value: PdfDictionary,
    streamAt: number,
  ): Promise<Buffer> {
    const name = filter instanceof PdfName ? filter.name : '';
    // A compressed stream marks its own end.
    if (name === 'FlateDecode' || name === 'Fl')
      return this.#budget.unpack(before ?? this.#bytes.subarray(streamAt), 'zlib');
    const text = (before ?? this.#plainStream(value, streamAt)).toString('latin1');
    this.#budget.spend(text.length);
    if (name === 'ASCIIHexDecode' || name === 'AHx') return Buffer.from(text.replace(/[^0-9a-f]/gi, ''), 'hex');
    if (name === 'ASCII85Decode' || name === 'A85') return decodeBase85(text);
    throw new Unknown(`a stream packed by ${name}`);
  }

  /** Ends at its stated length or at the next `endstream`, whichever is later. */
  #plainStream(value: PdfDictionary, streamAt: number): Buffer {
    const stated = this.resolved(value.get('Length'));
    const end = this.#text.indexOf('endstream', streamAt);
    const length = Math.max(typeof stated === 'number' ? stated : 0, (end < 0 ? this.#text.length : end) - streamAt);
    return this.#bytes.subarray(streamAt, streamAt + length);
  }

  #refusePredictor(value: PdfDictionary): void {
    for (const settings of listOf(this.resolved(value.get('DecodeParms') ?? value.get('DP')))) {
      const predictor = this.resolved(this.dictionary(settings)?.get('Predictor'));
      if (typeof predictor === 'number' && predictor > 1) throw new Unknown('a stream behind a predictor');
    }
  }

  async #trailers(): Promise<PdfDictionary[]> {
    const found: PdfDictionary[] = [];
    for (let at = this.#text.indexOf('trailer'); at >= 0; at = this.#text.indexOf('trailer', at + 7)) {
      const reader = new PdfReader(this.#text, at + 7);
      const value = reader.next();
      if (value instanceof Map) found.push(value);
      const turn = this.#budget.turn(reader.at - at);
      if (turn) await turn;
    }
    return found;
  }

  #refuseEncrypted(dictionaries: readonly PdfDictionary[]): void {
    if (dictionaries.some((one) => one.has('Encrypt'))) throw new Unknown('encrypted');
  }

  async #findObjects(): Promise<void> {
    for (let at = this.#text.indexOf('obj'); at >= 0; at = this.#text.indexOf('obj', at + 3)) {
      const waiting = this.#budget.turn(MAX_HEAD_CHARS);
      if (waiting) await waiting;
      const head = HEAD.exec(this.#text.slice(Math.max(0, at - MAX_HEAD_CHARS), at));
      if (!head) continue;
      const reader = new PdfReader(this.#text, at + 3);
      const value = reader.next();
      if (value === undefined) continue;
      const object = { value, ...this.#streamAfter(reader, value) };
      this.#keep(Number(head[1]), object);
      const turn = this.#budget.turn(reader.at - at);
      if (turn) await turn;
      if (value instanceof Map) await this.#openPacked(value, object);
    }
  }

  #streamAfter(reader: PdfReader, value: PdfValue): { streamAt?: number } {
    if (!(value instanceof Map)) return {};
    const word = reader.next();
    if (!(word instanceof PdfWord) || !word.word.startsWith('stream')) return {};
    let streamAt = reader.at - word.word.length + 'stream'.length;
    if (this.#text[streamAt] === '\r') streamAt++;
    if (this.#text[streamAt] === '\n') streamAt++;
    return { streamAt };
  }

  /** Opens objects that are packed into the stream of another. */
  async #openPacked(value: PdfDictionary, object: PdfObject): Promise<void> {
    this.#refuseEncrypted([value]);
    const type = value.get('Type');
    const isPacked = type instanceof PdfName ? type.name === 'ObjStm' : value.has('First') && value.has('N');
    if (!isPacked) return;
    const text = await this.stream(object);
    const first = this.resolved(value.get('First'));
    if (text === undefined || typeof first !== 'number') throw new Unknown('objects that cannot be unpacked');
    const reader = new PdfReader(text, 0, first);
    for (let number = reader.next(); typeof number === 'number'; number = reader.next()) {
      const offset = reader.next();
      if (typeof offset !== 'number') break;
      const inner = new PdfReader(text, first + offset);
      const found = inner.next();
      if (found !== undefined) this.#keep(number, { value: found });
      const turn = this.#budget.turn(inner.at - first - offset);
      if (turn) await turn;
    }
  }

  #keep(number: number, object: PdfObject): void {
    const versions = this.#objects.get(number);
    if (++this.#count > MAX_OBJECTS || (versions?.length ?? 0) >= MAX_VERSIONS) throw new Unknown('too many objects');
    if (versions) versions.push(object);
    else this.#objects.set(number, [object]);
  }
}

export function listOf(value: PdfValue | undefined): readonly PdfValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** Five characters are four bytes; `z` stands for four zeros. */
function decodeBase85(text: string): Buffer {
  const bytes: number[] = [];
  const group: number[] = [];
  const flush = (): void => {
    const missing = 5 - group.length;
    while (group.length < 5) group.push(84);
    const word = group.reduce((sum, digit) => sum * 85 + digit, 0);
    for (let i = 0; i < 4 - missing; i++) bytes.push(Math.floor(word / 256 ** (3 - i)) % 256);
    group.length = 0;
  };
  for (const character of text) {
    const digit = character.charCodeAt(0) - 33;
    if (character === '~') break;
    if (character === 'z' && group.length === 0) bytes.push(0, 0, 0, 0);
    else if (digit >= 0 && digit < 85) {
      group.push(digit);
      if (group.length === 5) flush();
    }
  }
  if (group.length > 1) flush();
  return Buffer.from(bytes);
}

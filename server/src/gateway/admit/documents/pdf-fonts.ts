/** The characters that codes in a PDF's text stand for, as far as a reader can know. */
import { Unknown } from './budget.ts';
import { listOf, type SurveyedPdf } from './pdf-file.ts';
import { type PdfDictionary, PdfName, PdfReader, PdfString, type PdfValue, PdfWord } from './pdf-syntax.ts';

/** Stands for a character that only the reader's own tables know. It counts as much as the most expensive character. */
const SOME_CHARACTER = 'Ꭰ';
const MAX_CODES = 65_536;
/** What an entry of a table costs of the bound, because a few bytes can name a whole range of entries. */
const BYTES_PER_ENTRY = 8;
/** Names of characters outside Latin. */
const FOREIGN_NAME = /^(?:uni|u)[0-9A-F]{4,6}$|^afii\d/;

type Table = Map<number, string>;

export interface PdfFont {
  /** Bytes of one code. */
  bytes: 1 | 2;
  /** Undefined when each byte is a Latin character. */
  characters: ReadonlyMap<number, string> | undefined;
  /** For codes that are not in `characters`. */
  otherwise: string | undefined;
}

/** Before any font is chosen, or where it is not found. */
export const PLAIN_FONT: PdfFont = { bytes: 1, characters: undefined, otherwise: undefined };

export async function readFont(font: PdfDictionary, file: SurveyedPdf): Promise<PdfFont> {
  const subtype = file.resolved(font.get('Subtype'));
  const isWide = subtype instanceof PdfName && subtype.name === 'Type0';
  const characters = await readTable(font.get('ToUnicode'), file);
  const otherwise = isWide || hasForeignNames(font, file) ? SOME_CHARACTER : undefined;
  return { bytes: isWide ? 2 : 1, characters, otherwise };
}

/** Stops soon after `most` characters, because one code may stand for hundreds. */
export function decodeGlyphs(text: string, { bytes, characters, otherwise }: PdfFont, max: number): string {
  if (!characters && otherwise === undefined) return text;
  const decoded: string[] = [];
  let length = 0;
  for (let at = 0; at < text.length && length <= max; at += bytes) {
    const code = bytes === 1 ? text.charCodeAt(at) : (text.charCodeAt(at) << 8) | (text.charCodeAt(at + 1) || 0);
    const meant = characters?.get(code) ?? otherwise ?? String.fromCharCode(code);
    decoded.push(meant);
    length += meant.length;
  }
  return decoded.join('');
}

function hasForeignNames(font: PdfDictionary, file: SurveyedPdf): boolean {
  const differences = file.resolved(file.dictionary(font.get('Encoding'))?.get('Differences'));
  return listOf(differences).some((name) => name instanceof PdfName && FOREIGN_NAME.test(name.name));
}

async function readTable(value: PdfValue | undefined, file: SurveyedPdf): Promise<Table | undefined> {
  let table: Table | undefined;
  for (const object of file.versions(value)) {
    const text = await file.stream(object);
    if (text === undefined) continue;
    table ??= new Map();
    readEntries(new PdfReader(text), table, file);
  }
  return table;
}

function readEntries(reader: PdfReader, table: Table, file: SurveyedPdf): void {
  let operands: PdfValue[] = [];
  for (let value = reader.next(); value !== undefined; value = reader.next()) {
    if (!(value instanceof PdfWord)) {
      operands.push(value);
      continue;
    }
    if (value.word === 'endbfchar') addCharacters(operands, table, file);
    else if (value.word === 'endbfrange') addRanges(operands, table, file);
    operands = [];
  }
}

function addCharacters(operands: readonly PdfValue[], table: Table, file: SurveyedPdf): void {
  for (let at = 0; at + 1 < operands.length; at += 2) put(table, codeOf(operands[at]), textOf(operands[at + 1]), file);
}

function addRanges(operands: readonly PdfValue[], table: Table, file: SurveyedPdf): void {
  for (let at = 0; at + 2 < operands.length; at += 3) {
    const from = codeOf(operands[at]);
    const to = Math.min(codeOf(operands[at + 1]), from + MAX_CODES);
    const target = operands[at + 2];
    const first = textOf(target);
    for (let code = from; code <= to; code++) {
      put(table, code, Array.isArray(target) ? textOf(target[code - from]) : following(first, code - from), file);
    }
  }
}

/** When a code has two meanings, the longer one counts. */
function put(table: Table, code: number, text: string, file: SurveyedPdf): void {
  if (table.size > MAX_CODES) throw new Unknown('a table with too many characters');
  file.spend(BYTES_PER_ENTRY + text.length);
  if ((table.get(code)?.length ?? -1) < text.length) table.set(code, text);
}

function codeOf(value: PdfValue | undefined): number {
  if (!(value instanceof PdfString)) return 0;
  let code = 0;
  for (let at = 0; at < Math.min(4, value.bytes.length); at++) code = code * 256 + value.bytes.charCodeAt(at);
  return code;
}

function textOf(value: PdfValue | undefined): string {
  if (!(value instanceof PdfString)) return '';
  const { bytes } = value;
  let text = '';
  for (let at = 0; at + 1 < bytes.length; at += 2)
    text += String.fromCharCode((bytes.charCodeAt(at) << 8) | bytes.charCodeAt(at + 1));
  return text;
}

function following(first: string, steps: number): string {
  if (first === '') return '';
  const last = first.length - 1;
  return first.slice(0, last) + String.fromCharCode((first.charCodeAt(last) + steps) & 0xffff);
}

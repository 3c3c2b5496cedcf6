/** An upper bound for a packed office file, e-book or the like: the text in it and its pictures. */
import type { TokenCount } from '../../../core/token-estimate.ts';
import { countTokens } from '../../../core/token-estimate.ts';
import type { MediaLimits } from '../count-media.ts';
import { countInTurns } from '../count-waiting.ts';
import { type ReadingBudget, Unknown } from './budget.ts';

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const MAX_ENTRIES = 5_000;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

const PICTURE = /\.(?:png|jpe?g|gif|bmp|tiff?|webp|emf|wmf|svg)$/i;
/** Entries without text, or that no reader of the document opens. */
const NO_TEXT = /\.(?:ttf|otf|odttf|woff2?|bin|mp[34]|wav|css|rels)$|\/$/i;
const STRINGS = /sharedStrings\.xml$/i;
/** Spreadsheet cells can repeat "16,000 times" in a few bytes. */
const REPEATING = 'application/vnd.oasis.opendocument.spreadsheet';

interface Entry {
  name: string;
  method: number;
  /** Where its data begins. */
  at: number;
  packedBytes: number;
}

export async function surveyArchive(
  bytes: Buffer,
  { pictures }: MediaLimits,
  budget: ReadingBudget,
): Promise<TokenCount> {
  let text = '';
  let images = 0;
  let strings: number[] = [];
  let shared = 0;
  const entries = readEntries(bytes);
  // The strings that cells refer to by number must be known before the cells.
  entries.sort((one, other) => Number(STRINGS.test(other.name)) - Number(STRINGS.test(one.name)));
  for (const entry of entries) {
    if (PICTURE.test(entry.name)) images++;
    if (PICTURE.test(entry.name) || NO_TEXT.test(entry.name)) continue;
    const content = (await contentOf(entry, bytes, budget)).toString('utf8');
    if (content.includes('<!ENTITY') || content.startsWith(REPEATING)) throw new Unknown('text that repeats itself');
    const pieces = await textPieces(content, budget);
    if (STRINGS.test(entry.name)) strings = stringsOf(content);
    if (isSheet(entry.name))
      for (const piece of pieces) shared += /^\d{1,7}$/.test(piece) ? (strings[Number(piece)] ?? 0) : 0;
    text += pieces.join(' ');
  }
  const { likely, max } = await countInTurns(text);
  return { likely: likely + shared, max: max + shared + images * pictures.max };
}

function isSheet(name: string): boolean {
  return name.toLowerCase().includes('worksheets/');
}

/** Tokens of each string that cells refer to. */
function stringsOf(xml: string): number[] {
  return xml
    .split(/<(?:\w{1,64}:)?si[\s>]/)
    .slice(1)
    .map((item) => countTokens(withoutTags(item)).max);
}

/** A regular expression would search for the end of each open tag again and again. */
function withoutTags(xml: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < xml.length; ) {
    const open = xml.indexOf('<', at);
    if (open < 0) {
      pieces.push(xml.slice(at));
      break;
    }
    pieces.push(xml.slice(at, open));
    const close = xml.indexOf('>', open);
    at = close < 0 ? xml.length : close + 1;
  }
  return pieces.join('');
}

/** The text between the tags. */
async function textPieces(xml: string, budget: ReadingBudget): Promise<string[]> {
  const pieces: string[] = [];
  for (let at = 0; at < xml.length; ) {
    const open = xml.indexOf('<', at);
    const end = open < 0 ? xml.length : open;
    const piece = xml.slice(at, end).trim();
    if (piece !== '') pieces.push(piece);
    const close = open < 0 ? -1 : xml.indexOf('>', open);
    // Unclosed markup counts as text, because a lenient reader may read it so.
    if (open >= 0 && close < 0) pieces.push(xml.slice(open));
    const next = close < 0 ? xml.length : close + 1;
    const turn = budget.turn(next - at);
    if (turn) await turn;
    at = next;
  }
  return pieces;
}

/** Stated sizes are not believed: compressed data marks its own end. */
async function contentOf({ method, at, packedBytes }: Entry, bytes: Buffer, budget: ReadingBudget): Promise<Buffer> {
  if (method === DEFLATED) return budget.unpack(bytes.subarray(at), 'raw');
  if (method !== STORED) throw new Unknown('packed in a way that is not read here');
  const stored = bytes.subarray(at, at + packedBytes);
  budget.spend(stored.length);
  return stored;
}

function readEntries(bytes: Buffer): Entry[] {
  try {
    const end = findEnd(bytes);
    const count = bytes.readUInt16LE(end + 10);
    if (count === 0 || count > MAX_ENTRIES) throw new Unknown('no entries, or too many');
    const entries: Entry[] = [];
    let at = bytes.readUInt32LE(end + 16);
    for (let i = 0; i < count; i++) {
      const { entry, next } = readEntry(bytes, at);
      entries.push(entry);
      at = next;
    }
    return entries;
  } catch {
    throw new Unknown('a list of contents that cannot be read');
  }
}

function findEnd(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = bytes.length - END_BYTES; at >= first; at--) if (bytes.readUInt32LE(at) === END) return at;
  throw new Unknown('no list of contents');
}

function readEntry(bytes: Buffer, at: number): { entry: Entry; next: number } {
  if (bytes.readUInt32LE(at) !== CENTRAL) throw new Unknown('no list of contents');
  if (bytes.readUInt16LE(at + 8) & ENCRYPTED) throw new Unknown('encrypted');
  const method = bytes.readUInt16LE(at + 10);
  const packedBytes = bytes.readUInt32LE(at + 20);
  const nameLength = bytes.readUInt16LE(at + 28);
  const next = at + 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
  const local = bytes.readUInt32LE(at + 42);
  // The lengths of name and extra field are repeated before the data and may differ there.
  const data = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  if (data + packedBytes > bytes.length) throw new Unknown('an entry beyond the end');
  return { entry: { name, method, at: data, packedBytes }, next };
}

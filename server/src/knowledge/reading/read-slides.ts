/**
 * Reads PowerPoint files: each slide under its title, with its tables and its notes. They are read as a stream of tags
 * from the parts that the presentation names, in its order; each part once, and all together within the limit for
 * unpacked bytes.
 */
import { posix } from 'node:path';
import { type BlockList, Unreadable } from './blocks.ts';
import { readRows } from './read-table.ts';
import { unreadableReasons } from './reasons.ts';
import { tagParser } from './tag-parser.ts';
import { type Archive, openArchive } from './zip-directory.ts';

const PRESENTATION = 'ppt/presentation.xml';
const MAX_HEADING_CHARS = 160;
/** What every slide repeats: its number, the date, the footer. */
const REPEATED = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);
const TITLES = new Set(['title', 'ctrTitle']);

type Piece = { kind: 'line'; text: string } | { kind: 'table'; rows: string[][] };

interface Slide {
  title: string;
  pieces: Piece[];
}

export function readSlides(bytes: Uint8Array, unpackedBytes: number, into: BlockList): void {
  const archive = openArchive(bytes, unpackedBytes);
  const paths = slidePaths(archive);
  if (paths.length === 0) throw new Unreadable(unreadableReasons.broken);
  paths.forEach((path, at) => {
    addSlide(readShapes(archive.text(path) ?? ''), at + 1, into);
    const notes = relationsOf(archive, path).find(({ type }) => type.endsWith('/notesSlide'));
    if (notes) addPieces(readShapes(archive.text(notes.target) ?? '').pieces, at + 1, into);
  });
}

function addSlide({ title, pieces }: Slide, page: number, into: BlockList): void {
  const [first, ...others] = pieces;
  // Without a title the first line serves as one, because the slide would otherwise seem to belong to the one before.
  const untitled = title === '' && first?.kind === 'line' && first.text.length <= MAX_HEADING_CHARS;
  const heading = untitled ? first.text : title;
  if (heading !== '') into.add({ kind: 'heading', text: heading, level: 1, page });
  addPieces(untitled ? others : pieces, page, into);
}

function addPieces(pieces: readonly Piece[], page: number, into: BlockList): void {
  for (const piece of pieces) {
    if (piece.kind === 'line') into.add({ kind: 'text', text: piece.text, page });
    else readRows(piece.rows, into, page);
  }
}

interface Relation {
  id: string;
  type: string;
  target: string;
}

/** The slides in the order in which they are shown. */
function slidePaths(archive: Archive): string[] {
  const targets = new Map(relationsOf(archive, PRESENTATION).map(({ id, target }) => [id, target]));
  const paths = new Set<string>();
  parseXml(archive.text(PRESENTATION) ?? '', {
    open(name, attributes) {
      const path = name === 'sldId' ? targets.get(attributes['r:id'] ?? '') : undefined;
      if (path !== undefined) paths.add(path);
    },
  });
  return [...paths];
}

function relationsOf(archive: Archive, path: string): Relation[] {
  const { dir, base } = posix.parse(path);
  const relations: Relation[] = [];
  parseXml(archive.text(`${dir}/_rels/${base}.rels`) ?? '', {
    open(name, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) {
      if (name !== 'Relationship' || mode === 'External') return;
      relations.push({ id, type, target: posix.join('/', target.startsWith('/') ? '' : dir, target).slice(1) });
    },
  });
  return relations;
}

/** Texts and tables of a slide or of its notes, shape by shape. */
function readShapes(xml: string): Slide {
  const reader = new ShapeReader();
  parseXml(xml, reader);
  return { title: reader.titles.join(' '), pieces: reader.pieces };
}

class ShapeReader implements XmlVisitor {
  readonly titles: string[] = [];
  readonly pieces: Piece[] = [];
  /** The purpose of the shape: `title`, `body`, or empty where the file does not say. */
  #placeholder = '';
  #line = '';
  #inText = false;
  #rows: string[][] | undefined;
  /** The depth within copies for older programs of what was read already. */
  #fallbacks = 0;

  open(name: string, attributes: Record<string, string>): void {
    if (name === 'Fallback') this.#fallbacks++;
    else if (name === 'sp') this.#placeholder = '';
    else if (name === 'ph') this.#placeholder = attributes['type'] ?? 'body';
    else if (name === 'tbl') this.#rows = [];
    else if (name === 'tr') this.#rows?.push([]);
    else if (name === 'tc') this.#rows?.at(-1)?.push('');
    else if (name === 't') this.#inText = true;
    else if (name === 'br' || name === 'tab') this.#line += ' ';
  }

  text(piece: string): void {
    if (this.#inText && this.#fallbacks === 0) this.#line += piece;
  }

  close(name: string): void {
    if (name === 'Fallback') this.#fallbacks--;
    else if (name === 't') this.#inText = false;
    else if (name === 'p') this.#endLine();
    else if (name === 'tbl') {
      if (this.#rows) this.pieces.push({ kind: 'table', rows: this.#rows });
      this.#rows = undefined;
    }
  }

  #endLine(): void {
    const text = this.#line.trim();
    this.#line = '';
    if (text === '' || REPEATED.has(this.#placeholder)) return;
    const row = this.#rows?.at(-1);
    if (row && row.length > 0) row[row.length - 1] = `${row.at(-1) ?? ''} ${text}`.trim();
    else if (TITLES.has(this.#placeholder)) this.titles.push(text);
    else this.pieces.push({ kind: 'line', text });
  }
}

interface XmlVisitor {
  open(name: string, attributes: Record<string, string>): void;
  text?(piece: string): void;
  close?(name: string): void;
}

/** Names are passed without their prefix. The parser knows only the usual entities, so none can expand. */
function parseXml(xml: string, visitor: XmlVisitor): void {
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  const parser = new (tagParser())(
    {
      onopentag: (name, attributes) => visitor.open(local(name), attributes),
      ontext: (piece) => visitor.text?.(piece),
      onclosetag: (name) => visitor.close?.(local(name)),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}

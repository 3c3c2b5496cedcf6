/** Reads a PDF: glyphs to lines, lines to paragraphs and headings, page by page. */
import type { getDocumentProxy as openDocument } from 'unpdf';
import { type BlockList, Unreadable } from './blocks.ts';
import { unreadableReasons } from './reasons.ts';
import { type Glyphs, readLine } from './right-to-left.ts';

interface Line {
  text: string;
  y: number;
  size: number;
}

const MAX_PAGES = 3_000;
/** Glyphs whose height differs by less than this part of their size stand on one line. */
const SAME_LINE = 0.5;
/** Lines further apart than this many letter heights belong to different paragraphs. */
const PARAGRAPH_GAP = 1.7;
const HEADING_SIZE = 1.15;
const MAX_HEADING_CHARS = 160;

export async function readPdf(bytes: Uint8Array, into: BlockList): Promise<void> {
  const pages = await openPages(bytes);
  const body = commonSize(pages);
  pages.forEach((lines, at) => {
    addPage(lines, at + 1, body, into);
  });
  if (into.blocks.length === 0) throw new Unreadable(unreadableReasons.noTextInPdf);
}

/** One page after the other: of each only its lines are kept, so a long document takes little more than a short one. */
async function openPages(bytes: Uint8Array): Promise<Line[][]> {
  try {
    const { getDocumentProxy } = await import('unpdf');
    // The library takes ownership of the buffer.
    const document = await getDocumentProxy(bytes.slice(), { isEvalSupported: false, verbosity: 0 });
    try {
      if (document.numPages > MAX_PAGES) throw new Unreadable(unreadableReasons.tooManyPages(MAX_PAGES));
      const pages: Line[][] = [];
      for (let number = 1; number <= document.numPages; number++) pages.push(await linesOnPage(document, number));
      return pages;
    } finally {
      await document.destroy();
    }
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    const { name } = error as Error;
    throw new Unreadable(
      name === 'PasswordException' ? unreadableReasons.lockedPdf : unreadableReasons.brokenPdf,
      error,
    );
  }
}

type PdfDocument = Awaited<ReturnType<typeof openDocument>>;

async function linesOnPage(document: PdfDocument, number: number): Promise<Line[]> {
  const page = await document.getPage(number);
  try {
    const { items } = await page.getTextContent();
    return linesOf(items.flatMap((item) => ('str' in item ? [glyphsOf(item)] : [])));
  } finally {
    page.cleanup();
  }
}

/** `transform` contains the size and the position of the letters. */
function glyphsOf({
  str,
  transform,
  width,
  height,
}: {
  str: string;
  transform: number[];
  width: number;
  height: number;
}) {
  const [, , c = 0, d = 0, x = 0, y = 0] = transform;
  return { text: str, x, y, width, size: Math.hypot(c, d) || height || 10 };
}

function linesOf(items: readonly (Glyphs & { y: number })[]): Line[] {
  const lines: Line[] = [];
  let open: (Glyphs & { y: number })[] = [];
  const close = () => {
    const text = readLine(open);
    if (text !== '') lines.push({ text, y: open[0]?.y ?? 0, size: Math.max(...open.map(({ size }) => size)) });
    open = [];
  };
  for (const item of items) {
    if (item.text === '') continue;
    const first = open.find(({ text }) => text.trim() !== '') ?? open[0];
    // Only neighbours in the file are joined: sorting the whole page would weave columns into one another.
    if (first && Math.abs(first.y - item.y) > first.size * SAME_LINE) close();
    open.push(item);
  }
  close();
  return lines;
}

function commonSize(pages: readonly Line[][]): number {
  const letters = new Map<number, number>();
  for (const { size, text } of pages.flat()) {
    const rounded = Math.round(size);
    letters.set(rounded, (letters.get(rounded) ?? 0) + text.length);
  }
  return [...letters].reduce((most, next) => (next[1] > most[1] ? next : most), [12, 0])[0];
}

function addPage(lines: readonly Line[], page: number, body: number, into: BlockList): void {
  let paragraph: string[] = [];
  let previous: Line | undefined;
  const flush = () => {
    into.add({ kind: 'text', text: paragraph.join('\n'), page });
    paragraph = [];
  };
  for (const line of lines) {
    const isHeading = line.size >= body * HEADING_SIZE && line.text.length <= MAX_HEADING_CHARS;
    const apart =
      previous !== undefined && Math.abs(previous.y - line.y) > PARAGRAPH_GAP * Math.max(previous.size, line.size);
    if (isHeading || apart) flush();
    if (isHeading) into.add({ kind: 'heading', text: line.text, level: line.size >= body * 1.6 ? 1 : 2, page });
    else paragraph.push(line.text);
    previous = line;
  }
  flush();
}

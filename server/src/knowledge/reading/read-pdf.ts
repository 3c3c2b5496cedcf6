/** PDF: glyphs to lines, lines to paragraphs and headings, page by page. */
import { extractTextItems, getDocumentProxy } from 'unpdf';
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
const LONGEST_HEADING = 160;

export async function readPdf(bytes: Uint8Array, into: BlockList): Promise<void> {
  const pages = await openPages(bytes);
  const body = commonSize(pages);
  pages.forEach((lines, at) => {
    addPage(lines, at + 1, body, into);
  });
  if (into.blocks.length === 0) throw new Unreadable(unreadableReasons.noTextInPdf);
}

async function openPages(bytes: Uint8Array): Promise<Line[][]> {
  try {
    // The library takes the buffer for itself.
    const document = await getDocumentProxy(bytes.slice(), { isEvalSupported: false, verbosity: 0 });
    if (document.numPages > MAX_PAGES) throw new Unreadable(unreadableReasons.tooManyPages(MAX_PAGES));
    const { items } = await extractTextItems(document);
    return items.map((page) =>
      linesOf(
        page.map((item) => ({
          text: item.str,
          x: item.x,
          y: item.y,
          width: item.width,
          size: item.fontSize || item.height || 10,
        })),
      ),
    );
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    const { name } = error as Error;
    throw new Unreadable(
      name === 'PasswordException' ? unreadableReasons.lockedPdf : unreadableReasons.brokenPdf,
      error,
    );
  }
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
    const isHeading = line.size >= body * HEADING_SIZE && line.text.length <= LONGEST_HEADING;
    const apart =
      previous !== undefined && Math.abs(previous.y - line.y) > PARAGRAPH_GAP * Math.max(previous.size, line.size);
    if (isHeading || apart) flush();
    if (isHeading) into.add({ kind: 'heading', text: line.text, level: line.size >= body * 1.6 ? 1 : 2, page });
    else paragraph.push(line.text);
    previous = line;
  }
  flush();
}

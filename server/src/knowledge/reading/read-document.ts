/** Reads one file into blocks, whatever its format. */
import type { Text } from '@dargah/core/text.ts';
import { type Block, BlockList, type Format, type ReadingLimits, Unreadable } from './blocks.ts';
import { detectFormat, PACKED_FORMATS } from './detect-format.ts';
import { readHtml } from './read-html.ts';
import { readDocx, readWorkbook } from './read-office.ts';
import { readPdf } from './read-pdf.ts';
import { readMarkdown, readPlain } from './read-plain.ts';
import { readSlides } from './read-slides.ts';
import { readCsv, readJsonText } from './read-table.ts';
import { unreadableReasons } from './reasons.ts';

export interface ReadingOrder {
  bytes: Uint8Array;
  name: string;
  mediaType: string | undefined;
  limits: ReadingLimits;
}

export type ReadingReport =
  | { kind: 'read'; blocks: Block[] }
  | { kind: 'unreadable'; reason: Text; cause: string }
  /** A library threw something unexpected. The file is blamed, because plain text never causes this. */
  | { kind: 'broken'; cause: string };

export const SHORT_BYTES = 16 * 1024;

/**
 * True for a short text, which cannot unpack into more than it is. A file of unknown format is left to the reader, which says
 * why.
 */
export function isShortText({ bytes, name, mediaType }: ReadingOrder): boolean {
  if (bytes.length > SHORT_BYTES) return false;
  try {
    return !PACKED_FORMATS.has(detectFormat(bytes, name, mediaType));
  } catch {
    return false;
  }
}

export async function readDocument({ bytes, name, mediaType, limits }: ReadingOrder): Promise<Block[]> {
  const format = detectFormat(bytes, name, mediaType);
  const list = new BlockList(limits.characters);
  await readInto(format, bytes, limits, list);
  if (list.blocks.length === 0) throw new Unreadable(unreadableReasons.noText);
  return list.blocks;
}

async function readInto(format: Format, bytes: Uint8Array, limits: ReadingLimits, list: BlockList): Promise<void> {
  switch (format) {
    // Libraries are loaded by the readers that need them: most documents are text, and a thread starts for each.
    case 'pdf':
      return readPdf(bytes, list);
    case 'docx':
      return readDocx(bytes, limits.unpackedBytes, list);
    case 'xlsx':
      return readWorkbook(bytes, limits.unpackedBytes, list);
    case 'pptx':
      return readSlides(bytes, limits.unpackedBytes, list);
    case 'text':
      return readPlain(decodeText(bytes), list);
    case 'markdown':
      return readMarkdown(decodeText(bytes), list);
    case 'html':
      return readHtml(decodeText(bytes), list);
    case 'csv':
      return readCsv(decodeText(bytes), list);
    case 'json':
      return readJsonText(decodeText(bytes), list);
  }
}

/** Old Persian files are often in Windows' Arabic code page, and nothing in them says so. */
function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1256').decode(bytes);
  }
}

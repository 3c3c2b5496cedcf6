/**
 * Detects the format of a file. Its first bytes are trusted more than its name, and its name more than the declared
 * type.
 */
import { type Format, Unreadable } from './blocks.ts';
import { unreadableReasons } from './reasons.ts';
import { entryNames } from './zip-directory.ts';

const BY_EXTENSION: Record<string, Format> = {
  txt: 'text',
  text: 'text',
  log: 'text',
  md: 'markdown',
  markdown: 'markdown',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  pdf: 'pdf',
  docx: 'docx',
  xlsx: 'xlsx',
  pptx: 'pptx',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
};

const BY_MEDIA_TYPE: Record<string, Format> = {
  'text/plain': 'text',
  'text/markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'text/csv': 'csv',
  'application/json': 'json',
};

/** Formats that contain more bytes than they have; they are never assumed unless the first bytes say so. */
export const PACKED_FORMATS: ReadonlySet<Format> = new Set(['pdf', 'docx', 'xlsx', 'pptx']);

const KNOWN_FORMATS = ['txt', 'md', 'html', 'pdf', 'docx', 'xlsx', 'pptx', 'csv', 'json'];

export function detectFormat(bytes: Uint8Array, name: string, mediaType: string | undefined): Format {
  if (bytes.length === 0) throw new Unreadable(unreadableReasons.empty);
  // A PDF may begin with other bytes; readers search the first kilobyte.
  if (latin(bytes, 1024).includes('%PDF-')) return 'pdf';
  if (startsWith(bytes, [0x50, 0x4b])) return packedFormat(bytes);
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) throw new Unreadable(unreadableReasons.oldOrLockedOffice);
  const stated = BY_EXTENSION[extensionOf(name)] ?? BY_MEDIA_TYPE[mediaType?.split(';')[0]?.trim().toLowerCase() ?? ''];
  if (stated !== undefined && PACKED_FORMATS.has(stated)) throw new Unreadable(unreadableReasons.notWhatItSays(stated));
  if (looksBinary(bytes)) throw new Unreadable(unreadableReasons.unknownFormat(KNOWN_FORMATS));
  if (stated !== undefined) return stated;
  return /^\s*(?:<!doctype html|<html)/i.test(latin(bytes, 512)) ? 'html' : 'text';
}

function packedFormat(bytes: Uint8Array): Format {
  const names = entryNames(bytes);
  if (names.includes('word/document.xml')) return 'docx';
  if (names.includes('xl/workbook.xml')) return 'xlsx';
  if (names.includes('ppt/presentation.xml')) return 'pptx';
  throw new Unreadable(unreadableReasons.unknownFormat(KNOWN_FORMATS));
}

/** Text of any usual encoding has no NUL bytes, except UTF-16, which says so at its beginning. */
function looksBinary(bytes: Uint8Array): boolean {
  if (startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff])) return false;
  const head = bytes.subarray(0, 65_536);
  let odd = 0;
  for (const byte of head) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) odd++;
  // A stray NUL in a text is removed later; a file full of them is no text.
  return odd > head.length / 50;
}

function extensionOf(name: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(name.trim())?.[1]?.toLowerCase() ?? '';
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, at) => bytes[at] === byte);
}

function latin(bytes: Uint8Array, count: number): string {
  return Buffer.from(bytes.subarray(0, count)).toString('latin1');
}

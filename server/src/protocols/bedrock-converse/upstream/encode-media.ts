/** Pictures and documents always go as bytes, with a format from a short list. */
import type { FilePart, MediaSource } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { protocolReasons } from '../../reasons.ts';

const IMAGE_FORMATS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const DOCUMENT_FORMATS: Record<string, string> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

export function encodeImage(source: MediaSource, at: string): JsonObject {
  const { mediaType, data } = bytesOf(source, at);
  const format = IMAGE_FORMATS[mediaType.toLowerCase()];
  if (format === undefined) throw invalidRequest(at, reasons.notCarried(`image (${mediaType})`));
  return { image: { format, source: { bytes: data } } };
}

/** `number` makes names differ, which they must; they take few characters besides letters and digits. */
export function encodeDocument({ source, name }: FilePart, number: number, at: string): JsonObject {
  if (source.kind === 'text') return document('txt', name, number, Buffer.from(source.text).toString('base64'));
  if (source.kind === 'data' && source.mediaType.startsWith('image/')) return encodeImage(source, at);
  const { mediaType, data } = bytesOf(source, at);
  const type = mediaType.toLowerCase().split(';')[0] ?? '';
  const format = DOCUMENT_FORMATS[type] ?? (type.startsWith('text/') ? 'txt' : undefined);
  if (format === undefined) throw invalidRequest(at, reasons.notCarried(`file (${mediaType})`));
  return document(format, name, number, data);
}

function document(format: string, name: string | undefined, number: number, bytes: string): JsonObject {
  const plain = (name ?? '')
    .replace(/[^A-Za-z0-9-]/g, ' ')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ')
    .slice(0, 100);
  return { document: { format, name: `${plain === '' ? 'document' : plain} ${number}`, source: { bytes } } };
}

function bytesOf(source: MediaSource, at: string): { mediaType: string; data: string } {
  if (source.kind === 'data') return source;
  throw invalidRequest(at, source.kind === 'url' ? protocolReasons.noFileByAddress : reasons.notCarried('file_id'));
}

/** Files with a ticket: few, small, of kinds that do not run, and never served under their own type. */
import { invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { reasons } from '../core/reasons.ts';

export interface AttachmentInput {
  name: string;
  type: string;
  /** base64. */
  data: string;
}

export interface ReadAttachment {
  name: string;
  type: string;
  data: Buffer;
}

const MAX = 3;
const MAX_BYTES = 3 * 1024 * 1024;
const TYPES = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'application/pdf',
  'text/plain',
  'application/json',
  'text/csv',
]);

export function readAttachments(input: readonly AttachmentInput[]): ReadAttachment[] {
  if (input.length > MAX) throw invalidRequest('attachments', reasons.tooLong('attachments', MAX));
  return input.map(({ name, type, data }, index) => {
    const param = `attachments.${index}`;
    if (!TYPES.has(type)) throw invalidRequest(`${param}.type`, reasons.oneOf('type', [...TYPES]));
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data))
      throw invalidRequest(`${param}.data`, reasons.mustBe('data', expected.base64));
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length === 0 || bytes.length > MAX_BYTES)
      throw invalidRequest(`${param}.data`, reasons.tooLong('data', MAX_BYTES));
    return { name: safeName(name), type, data: bytes };
  });
}

/** No path, no control characters, nothing that ends a header. */
function safeName(name: string): string {
  const plain = name
    .replace(/[^\p{L}\p{N} ._()-]/gu, '_')
    .replace(/^\.+/, '')
    .trim();
  return plain === '' ? 'file' : plain.slice(0, 120);
}

/** Files with a ticket: few, small, of types that cannot run, and never served under their own type. */
import { decodeAttached, safeFileName } from '../core/attached-file.ts';
import { invalidRequest } from '../core/errors.ts';
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
    return { name: safeFileName(name), type, data: decodeAttached(data, `${param}.data`) };
  });
}

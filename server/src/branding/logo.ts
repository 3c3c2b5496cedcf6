/** The operator's picture: its type is found from its first bytes, not from its name. SVG with scripts is refused. */

import { createHash } from 'node:crypto';
import type { Text } from '@dargah/core/text.ts';
import { invalidRequest } from '../core/errors.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';
import type { Logo } from './brand.ts';

const MAX_LOGO_BYTES = 128 * 1024;

const KINDS: readonly (readonly [type: string, matches: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/webp', (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'],
];

export function readLogo(base64: string): Logo {
  const bytes = Buffer.from(base64, 'base64');
  const type = KINDS.find(([, matches]) => matches(bytes))?.[0];
  if (type === undefined) throw invalidRequest('image', NOT_A_PICTURE);
  if (bytes.length > MAX_LOGO_BYTES) throw invalidRequest('image', reasons.tooLong('image', MAX_LOGO_BYTES));
  return { type, bytes, digest: createHash('sha256').update(bytes).digest('hex').slice(0, 16) };
}

export function storedLogo(stored: Json | undefined): Logo | null {
  if (!isJsonObject(stored) || typeof stored['image'] !== 'string') return null;
  return readLogo(stored['image']);
}

const NOT_A_PICTURE: Text = {
  fa: 'تصویر باید از نوع «PNG»، «JPEG» یا «WebP» باشد.',
  en: 'The picture must be a PNG, JPEG or WebP file.',
};

/** A multipart form whose file is streamed: the bytes before it, the bytes after it, and the exact length of the whole. */
import type { FormField } from './transcription-request.ts';

export interface FormFile {
  field: string;
  name: string;
  type: string;
  size: number;
}

export interface EncodedForm {
  contentType: string;
  /** Some providers refuse a body without a length, so it is never sent chunked. */
  contentLength: number;
  before: Uint8Array;
  after: Uint8Array;
}

/** `boundary` must be random: a value that contained it would end its part early. */
export function encodeForm(fields: readonly FormField[], file: FormFile, boundary: string): EncodedForm {
  let text = '';
  // The file comes last: a server that reads as it goes knows the model before the first byte of audio.
  for (const [name, value] of fields) {
    text += `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`;
  }
  text += `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(file.field)}"; filename="${quoted(file.name)}"\r\n`;
  text += `Content-Type: ${file.type.replace(/[^\x21-\x7e]/g, '') || 'application/octet-stream'}\r\n\r\n`;
  const encoder = new TextEncoder();
  const before = encoder.encode(text);
  const after = encoder.encode(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: before.length + file.size + after.length,
    before,
    after,
  };
}

/** Escapes a name as browsers do; a raw quote or line break would let a name write headers of its own. */
function quoted(text: string): string {
  return text.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}

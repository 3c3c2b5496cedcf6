/** A form with pictures, as OpenAI's clients send it: one file is `image`, several are `image[]`. */
import type { JsonObject } from '../../core/json.ts';

const EXTENSIONS: Readonly<Record<string, string>> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' };

/** Pictures are data URLs. `boundary` must be random: a value that contained it would end its part early. */
export function encodePictureForm(
  fields: JsonObject,
  pictures: readonly string[],
  mask: string | undefined,
  boundary: string,
): { headers: Record<string, string>; body: Uint8Array } {
  const parts: Uint8Array[] = [];
  const add = (text: string) => parts.push(Buffer.from(text));
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    add(`--${boundary}\r\nContent-Disposition: form-data; name="${plain(name)}"\r\n\r\n${text}\r\n`);
  }
  const file = (field: string, name: string, url: string) => {
    const [type, bytes] = bytesOf(url);
    const known = `${name}.${EXTENSIONS[type] ?? 'png'}`;
    add(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${known}"\r\nContent-Type: ${type}\r\n\r\n`,
    );
    parts.push(bytes);
    add('\r\n');
  };
  const field = pictures.length === 1 ? 'image' : 'image[]';
  for (const [at, url] of pictures.entries()) file(field, `image-${at}`, url);
  if (mask !== undefined) file('mask', 'mask', mask);
  add(`--${boundary}--\r\n`);
  const body = Buffer.concat(parts);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(body.length) },
    body,
  };
}

function bytesOf(dataUrl: string): [type: string, bytes: Buffer] {
  const comma = dataUrl.indexOf(',');
  const type = dataUrl.slice('data:'.length, dataUrl.indexOf(';')).replace(/[^a-z/+.-]/g, '');
  return [type, Buffer.from(dataUrl.slice(comma + 1), 'base64')];
}

/** A field of the client's own: a quote or a line break would let it write headers of its own. */
function plain(name: string): string {
  return name.replace(/[^\w[\].-]/g, '_');
}

/** Pictures without a model: the bytes of the prompt as coloured fields, so that the same words always give the same picture. */
import { crc32, deflateSync } from 'node:zlib';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../../core/json.ts';
import { jsonReply, type LocalAnswer } from './local-reply.ts';

const MAX_SIDE = 1024;
const COLOURS = 256;

export function simulateImages(url: string, body: Buffer): LocalAnswer {
  const asked = readAsked(body);
  const isEdit = url.endsWith('/edits');
  const { prompt, size, count, stream, partials } = asked;
  const facts = { size: size.join('x'), quality: 'low', background: 'opaque', output_format: 'png' };
  if (!stream) {
    const data = Array.from({ length: count }, (_, at) => ({ b64_json: drawPrompt(`${prompt}${at || ''}`, size) }));
    return jsonReply(200, { created: 0, ...facts, data });
  }
  const name = isEdit ? 'image_edit' : 'image_generation';
  const event = (type: string, more: object) =>
    `event: ${name}.${type}\ndata: ${JSON.stringify({ type: `${name}.${type}`, ...facts, ...more })}\n\n`;
  const chunks = Array.from({ length: partials }, (_, at) =>
    event('partial_image', { partial_image_index: at, b64_json: drawPrompt(prompt.slice(0, at + 1), size) }),
  );
  chunks.push(event('completed', { b64_json: drawPrompt(prompt, size) }));
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, chunks };
}

function readAsked(body: Buffer) {
  const text = body.toString('utf8');
  const json = parseTrustedJson(text);
  const fields: JsonObject = isJsonObject(json) ? json : formFields(text);
  const [width = 256, height = width] = String(fields['size'] ?? '256x256')
    .split('x')
    .map(Number);
  const side = (value: number) => (value >= 16 ? Math.min(MAX_SIDE, Math.floor(value)) : 256);
  return {
    prompt: String(fields['prompt'] ?? ''),
    size: [side(width), side(height)] as const,
    count: Math.min(10, Math.max(1, Number(fields['n'] ?? 1))),
    stream: String(fields['stream']) === 'true',
    partials: Math.min(3, Number(fields['partial_images'] ?? 0)),
  };
}

function formFields(text: string): JsonObject {
  const fields: JsonObject = {};
  for (const name of ['prompt', 'size', 'n', 'stream', 'partial_images']) {
    const head = `name="${name}"\r\n\r\n`;
    const at = text.indexOf(head);
    if (at >= 0) fields[name] = text.slice(at + head.length, text.indexOf('\r\n', at + head.length));
  }
  return fields;
}

/** A PNG in base64. */
function drawPrompt(prompt: string, [width, height]: readonly [number, number]): string {
  const bytes = Buffer.from(prompt);
  const fields = Math.max(2, Math.ceil(Math.sqrt(bytes.length)));
  const rows: Buffer[] = [];
  for (let y = 0; y < height; y++) {
    const row = Buffer.alloc(width + 1);
    for (let x = 0; x < width; x++) {
      const field = Math.floor((y * fields) / height) * fields + Math.floor((x * fields) / width);
      row[x + 1] = bytes[field % Math.max(1, bytes.length)] ?? 0;
    }
    rows.push(row);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, each the place of a colour in the palette.
  header.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.alloc(COLOURS * 3);
  for (let at = 0; at < COLOURS; at++)
    palette.set([(at * 53) % 256, (at * 97 + 60) % 256, (at * 151 + 120) % 256], at * 3);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const pixels = deflateSync(Buffer.concat(rows), { level: 1 });
  const parts = [chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]).toString('base64');
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(named, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}

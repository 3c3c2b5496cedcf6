/** Writes Amazon's framing, for fakes. */
import { crc32 } from 'node:zlib';

export function header(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  const letters = Buffer.from(name);
  return Buffer.concat([Buffer.from([letters.length]), letters, Buffer.from([7]), length, text]);
}

export function amazonMessage(headers: Record<string, string> | Buffer, payload: string): Buffer {
  const head = Buffer.isBuffer(headers)
    ? headers
    : Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const checked = Buffer.concat([prelude, head, body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(checked));
  return Buffer.concat([checked, sum]);
}

export const amazonEvent = (type: string, payload: object): Buffer =>
  amazonMessage(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify(payload),
  );

/** An event of a model's own protocol, wrapped as InvokeModel does; the padding is Amazon's. */
export const amazonChunk = (event: object): Buffer =>
  amazonEvent('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abcdefgh' });

/**
 * The body of an edit: JSON, or a form whose files become data URLs, so that both are read alike. Pictures are small
 * enough to be held in memory, and their memory is reserved before anything is read.
 */
import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import { refuseBrokenText } from '../core/broken-text.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import type { JsonObject } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';
import { readJsonBody } from '../gateway/index.ts';
import { httpReasons } from './reasons.ts';

const MAX_PARTS = 64;
const MAX_FIELD_BYTES = 256 * 1024;
/** Memory holds the bytes, their base64, and the parsed body. */
export const PICTURE_MEMORY_FACTOR = 4;
const NUMBERS = new Set(['n', 'partial_images', 'output_compression']);
const PICTURES = /^(?:image|images)(?:\[\d{0,3}\])?$/;

export function bytesAnnounced({ headers }: IncomingMessage, most: number): number {
  const length = Number(headers['content-length']);
  return Number.isSafeInteger(length) && length >= 0 ? Math.min(length, most) : most;
}

export function receivePictures(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  const type = request.headers['content-type'] ?? '';
  return /^multipart\/form-data\b/i.test(type) ? readForm(request, type, maxBytes) : readJson(request, maxBytes);
}

async function readJson(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw tooLarge('images', maxBytes);
    chunks.push(chunk as Buffer);
  }
  const body = readJsonBody({ body: Buffer.concat(chunks), contentType: request.headers['content-type'] });
  refuseBrokenText(body);
  return body;
}

function readForm(request: IncomingMessage, type: string, maxBytes: number): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const body: JsonObject = {};
    const images: JsonObject[] = [];
    let size = 0;
    let form: InstanceType<typeof Busboy>;
    try {
      const limits = { fieldSize: MAX_FIELD_BYTES, parts: MAX_PARTS, headerPairs: 32, headerSize: 16_384 };
      form = new Busboy({ headers: { ...request.headers, 'content-type': type }, limits });
    } catch (error) {
      reject(unreadable(error));
      return;
    }
    const stop = (error: unknown) => {
      request.unpipe(form);
      reject(error instanceof GatewayError ? error : unreadable(error));
    };
    form.on('error', stop);
    request.on('error', stop).on('close', () => request.complete || stop(undefined));
    form.on('partsLimit', () => stop(invalidRequest(undefined, reasons.tooLong('form', MAX_PARTS))));
    form.on('field', (name, value, _nameCut, cut) => {
      if (cut) stop(tooLarge(name, MAX_FIELD_BYTES));
      else if (PICTURES.test(name) || name === 'mask')
        stop(invalidRequest(name, reasons.mustBe(name, expected.uploadedFile)));
      else body[name] = fieldValue(name, value);
      try {
        refuseBrokenText({ [name]: value });
      } catch (error) {
        stop(error);
      }
    });
    form.on('file', (name, stream, _fileName, _encoding, fileType) => {
      const chunks: Buffer[] = [];
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) stop(tooLarge(name, maxBytes));
        else chunks.push(chunk);
      });
      stream.on('end', () => {
        const picture = { image_url: dataUrl(fileType, Buffer.concat(chunks)) };
        if (name === 'mask') body['mask'] = picture;
        else if (PICTURES.test(name)) images.push(picture);
        else stop(invalidRequest(name, reasons.unknownField(name, 'image')));
      });
    });
    form.on('finish', () => resolve(images.length === 0 ? body : { ...body, images }));
    request.pipe(form);
  });
}

/** A form has only texts. */
function fieldValue(name: string, value: string): string | number | boolean {
  if (name === 'stream' && (value === 'true' || value === 'false')) return value === 'true';
  return NUMBERS.has(name) && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** The type comes from its first bytes, because clients often leave it out. */
function dataUrl(type: string, bytes: Buffer): string {
  const isPng = bytes.subarray(0, 4).toString('latin1') === '\x89PNG';
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  const isWebp = bytes.subarray(8, 12).toString('latin1') === 'WEBP';
  const known = isPng ? 'image/png' : isJpeg ? 'image/jpeg' : isWebp ? 'image/webp' : undefined;
  return `data:${known ?? (type.startsWith('image/') ? type : 'application/octet-stream')};base64,${bytes.toString('base64')}`;
}

function tooLarge(param: string, maxBytes: number): GatewayError {
  return invalidRequest(param, reasons.tooLong(param, maxBytes), { status: 413 });
}

function unreadable(cause: unknown): GatewayError {
  return invalidRequest(undefined, httpReasons.formUnreadable, { cause });
}

/**
 * A multipart form from the wire: texts stay in memory, the one file goes to disk as it arrives, and the sender is
 * slowed down to the speed of the disk. When it ends early (a client that leaves, a cut form, a limit) no file is left
 * behind.
 */

import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { refuseBrokenText } from '../core/broken-text.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { reasons } from '../core/reasons.ts';
import type { ReceivedForm } from '../gateway/index.ts';
import { type UploadedFile, type UploadFiles, UploadsFull, UploadTooLarge } from '../platform/upload-files.ts';
import { httpReasons } from './reasons.ts';

/** Voice samples come as data URLs in fields: four of some seconds each. */
const MAX_FIELD_BYTES = 4 * 1024 * 1024;
const MAX_FIELDS_BYTES = 16 * 1024 * 1024;
const MAX_FIELDS = 64;
const MAX_NAME_CHARS = 100;
const MAX_REST_BYTES = 64 * 1024 * 1024;
const FILE_FIELD = 'file';

export interface FormLimits {
  fileBytes: number;
}

export async function receiveForm(
  request: IncomingMessage,
  uploads: UploadFiles,
  limits: FormLimits,
): Promise<ReceivedForm> {
  const form = new FormReader(request, uploads, limits);
  try {
    return await form.read();
  } catch (error) {
    await form.discard();
    throw explained(error, limits);
  }
}

class FormReader {
  readonly #request: IncomingMessage;
  readonly #uploads: UploadFiles;
  readonly #limits: FormLimits;
  readonly #fields: [string, string][] = [];
  #fieldBytes = 0;
  #file: { receiving: Promise<UploadedFile>; stream: Readable; name: string; type: string } | undefined;

  constructor(request: IncomingMessage, uploads: UploadFiles, limits: FormLimits) {
    this.#request = request;
    this.#uploads = uploads;
    this.#limits = limits;
  }

  async read(): Promise<ReceivedForm> {
    await this.#parse();
    if (!this.#file) throw invalidRequest(FILE_FIELD, reasons.required(FILE_FIELD));
    const { receiving, name, type } = this.#file;
    for (const [field, value] of this.#fields) refuseBrokenText({ [field]: value });
    refuseBrokenText(name, FILE_FIELD);
    return { fields: this.#fields, file: await receiving, fileName: name, fileType: type };
  }

  /** Stops reading, waits for the disk, removes what was written. */
  async discard(): Promise<void> {
    this.#file?.stream.destroy();
    await this.#file?.receiving.then((file) => file.remove()).catch(() => undefined);
  }

  #parse(): Promise<void> {
    const request = this.#request;
    const busboy = openParser(request);
    return new Promise<void>((resolve, reject) => {
      const settle = (error?: unknown) => {
        request.unpipe(busboy);
        request.off('error', stop).off('close', gone);
        if (error === undefined) resolve();
        else reject(error);
      };
      const stop = (error: unknown) => settle(error ?? cutForm());
      const gone = () => {
        if (!request.complete) stop(cutForm());
      };
      request.on('error', stop).on('close', gone);
      busboy.on('error', stop);
      busboy.on('partsLimit', () => stop(invalidRequest(undefined, reasons.tooLong('form', MAX_FIELDS))));
      busboy.on('field', (name, value, _nameCut, valueCut) => this.#addField(name, value, valueCut, stop));
      busboy.on('file', (name, stream, fileName, _encoding, type) => this.#addFile(name, stream, fileName, type, stop));
      busboy.on('finish', () => settle());
      request.pipe(busboy);
    });
  }

  #addField(name: string | undefined, value: string, cut: boolean, stop: (error: unknown) => void): void {
    this.#fieldBytes += value.length;
    if (name === undefined || name === '' || name.length > MAX_NAME_CHARS) stop(cutForm());
    else if (name === FILE_FIELD) stop(invalidRequest(name, reasons.mustBe(name, expected.uploadedFile)));
    else if (cut || this.#fieldBytes > MAX_FIELDS_BYTES)
      stop(invalidRequest(name, reasons.tooLong(name, MAX_FIELD_BYTES), { status: 413 }));
    else this.#fields.push([name, value]);
  }

  #addFile(
    name: string | undefined,
    stream: Readable,
    fileName: string | undefined,
    type: string,
    stop: (error: unknown) => void,
  ): void {
    // Without a listener a stream that breaks off would crash the process; its reader reports what broke.
    stream.on('error', () => undefined);
    if (name !== FILE_FIELD || this.#file) {
      stream.resume();
      const twice = httpReasons.oneFileOnly;
      stop(invalidRequest(name || FILE_FIELD, twice));
      return;
    }
    const receiving = this.#uploads.receive(stream, this.#limits.fileBytes);
    receiving.catch(stop);
    this.#file = { receiving, stream, name: fileName ?? '', type };
  }
}

function openParser(request: IncomingMessage): InstanceType<typeof Busboy> {
  const { headers } = request;
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw invalidRequest('Content-Type', reasons.mustBe('Content-Type', expected.exactly('multipart/form-data')));
  }
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': type },
      limits: { fieldSize: MAX_FIELD_BYTES, parts: MAX_FIELDS, headerPairs: 32, headerSize: 16_384 },
    });
  } catch (error) {
    throw cutForm(error);
  }
}

function cutForm(cause?: unknown): GatewayError {
  return invalidRequest(undefined, httpReasons.formUnreadable, { cause });
}

function explained(error: unknown, { fileBytes }: FormLimits): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof UploadTooLarge)
    return invalidRequest(FILE_FIELD, reasons.tooLong(FILE_FIELD, fileBytes), { status: 413 });
  if (error instanceof UploadsFull || NO_ROOM.has(String(codeOf(error))))
    return new GatewayError('overloaded', { retryAfterMs: 5_000, cause: error });
  return OUR_DISK.test(String((error as { syscall?: string }).syscall))
    ? new GatewayError('internal_error', { cause: error })
    : cutForm(error);
}

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);
const OUR_DISK = /^(open|write|close)$/;

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

/**
 * A client that is refused while it still sends reads our answer only when its sending has ended. So a bounded rest of
 * the body is read and dropped; beyond it the connection is closed.
 */
export function throwAwayRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let left = MAX_REST_BYTES;
  request.on('data', (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  // Taking a form apart may have left it paused.
  request.resume();
}

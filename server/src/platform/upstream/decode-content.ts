/**
 * We never ask for compression, but some proxies in front of providers compress anyway. Then the reply is read through
 * zlib, with the same pull and the same bounds; all other replies pass untouched and pay nothing.
 */
import { Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { transportFailure } from './name-failure.ts';
import { TransportError, type UpstreamReply } from './port.ts';

export function decodedReply(reply: UpstreamReply): UpstreamReply {
  const encoding = reply.header('content-encoding');
  if (encoding === undefined || encoding === 'identity' || encoding === '') return reply;
  const decoder = decoderOf(encoding.trim().toLowerCase());
  if (decoder) return new DecodedReply(reply, decoder);
  reply.abort('unknown content encoding');
  throw transportFailure(
    'malformed',
    'content_encoding',
    `the provider answered in the encoding '${encoding}'`,
    'body',
  );
}

function decoderOf(encoding: string): Transform | undefined {
  // Flush at every input: a stream of events must not wait for a full block.
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip({ flush: constants.Z_SYNC_FLUSH });
  if (encoding === 'deflate') return createInflate({ flush: constants.Z_SYNC_FLUSH });
  if (encoding === 'br') return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
  return undefined;
}

class DecodedReply implements UpstreamReply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly #inner: UpstreamReply;
  readonly #decoded: AsyncIterator<Uint8Array>;
  readonly #decoder: Transform;

  constructor(inner: UpstreamReply, decoder: Transform) {
    this.#inner = inner;
    this.status = inner.status;
    this.headers = { ...inner.headers };
    delete this.headers['content-encoding'];
    delete this.headers['content-length'];
    this.#decoder = decoder;
    const source = Readable.from(chunksOf(inner));
    source.on('error', (error) => decoder.destroy(error));
    // The next read rejects with it; without a listener an abort before the first read would end the process.
    decoder.on('error', () => undefined);
    this.#decoded = source.pipe(decoder)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  }

  header(name: string): string | undefined {
    return this.headers[name];
  }

  async read(): Promise<Uint8Array | null> {
    try {
      const next = await this.#decoded.next();
      return next.done ? null : next.value;
    } catch (error) {
      this.#inner.abort('broken compression');
      if (error instanceof TransportError) throw error;
      throw transportFailure('malformed', 'content_encoding', 'the compressed body is broken', 'body');
    }
  }

  async text(limitBytes: number): Promise<string> {
    const { text, whole } = await this.#collect(limitBytes);
    if (whole) return text;
    throw transportFailure('malformed', 'too_large', `the body is over ${limitBytes} bytes`, 'body');
  }

  async excerpt(limitBytes: number): Promise<string> {
    try {
      return (await this.#collect(limitBytes)).text.slice(0, limitBytes);
    } catch {
      return '';
    }
  }

  markFirstEvent(): void {
    this.#inner.markFirstEvent();
  }

  pace(): void {
    this.#inner.pace();
  }

  release(): void {
    this.#inner.release();
  }

  abort(reason: string): void {
    this.#inner.abort(reason);
    this.#decoder.destroy(transportFailure('truncated', 'aborted', `aborted: ${reason}`, 'body'));
  }

  async #collect(limitBytes: number): Promise<{ text: string; whole: boolean }> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (let chunk = await this.read(); chunk !== null; chunk = await this.read()) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limitBytes) {
        this.abort('body too large');
        return { text: Buffer.concat(chunks).toString('utf8'), whole: false };
      }
    }
    return { text: Buffer.concat(chunks).toString('utf8'), whole: true };
  }
}

async function* chunksOf(reply: UpstreamReply): AsyncGenerator<Uint8Array> {
  for (let chunk = await reply.read(); chunk !== null; chunk = await reply.read()) yield chunk;
}

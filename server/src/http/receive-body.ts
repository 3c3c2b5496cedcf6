/**
 * The body of a request as one block of bytes. Each piece is copied into the block when it comes and given back at once, so a long
 * body takes its own length and not that of its pieces beside it.
 */
import { Socket } from 'node:net';
import type { FastifyRequest, RequestPayload } from 'fastify';
import { giveBack } from '#http-fast-path';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { bodyTooLarge } from './body-memory.ts';
import { httpReasons } from './reasons.ts';

const MIN_BLOCK_BYTES = 4 * 1024;
/**
 * The block is at most this many times what has come, because announcing a long body costs its sender nothing. A body of 200 KB is
 * copied into its whole block from the first read on.
 */
const GROWTH = 4;

type Done = (error: Error | null, body?: Buffer) => void;

/** For the web framework: reads a body, whose length its headers may tell, up to the limit of its route. */
export function receiveBody(request: FastifyRequest, payload: RequestPayload, done: Done): void {
  const { bodyLimit: maxBytes } = request.routeOptions;
  const declared = Number(request.headers['content-length']);
  if (declared > maxBytes) {
    done(bodyTooLarge());
    return;
  }
  const body = new Block(Number.isNaN(declared) ? maxBytes : declared);
  // What a caller within this process passes as its body stays the caller's.
  const isOurs = request.raw.socket instanceof Socket;
  const end = (error: Error | null, whole?: Buffer) => {
    payload.off('data', add).off('end', complete).off('error', fail);
    if (error) body.drop();
    done(error, whole);
  };
  const add = (piece: Buffer) => {
    if (body.length + piece.length > maxBytes) {
      end(bodyTooLarge());
      return;
    }
    body.add(piece);
    if (isOurs) giveBack(piece);
  };
  const complete = () => {
    if (!Number.isNaN(declared) && body.length !== declared) fail();
    else end(null, body.whole());
  };
  const fail = (cause?: Error) =>
    end(cause instanceof GatewayError ? cause : invalidRequest(undefined, httpReasons.unreadable, { cause }));
  payload.on('data', add).on('end', complete).on('error', fail);
  payload.resume();
}

/** Bytes that are added piece by piece to one block, which grows with what has come. */
class Block {
  length = 0;
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(piece, this.length);
    this.length = length;
  }

  /** A block that grew too large is exchanged for one of its length. */
  whole(): Buffer {
    if (this.length < this.#bytes.length) this.#moveTo(this.length);
    return this.#bytes;
  }

  /** Nobody gets the bytes. */
  drop(): void {
    giveBack(this.#bytes);
  }

  #grow(length: number): void {
    this.#moveTo(Math.max(length, Math.min(this.#maxBytes, Math.max(MIN_BLOCK_BYTES, GROWTH * length))));
  }

  #moveTo(bytes: number): void {
    const old = this.#bytes;
    this.#bytes = Buffer.allocUnsafe(bytes);
    this.#bytes.set(old.subarray(0, this.length));
    giveBack(old);
  }
}

/**
 * One call and its reply: the object a connection talks to and the object the request path reads from are the same, so that
 * the body has exactly one owner (two owners would corrupt each other's streams).
 */

import type { AnswerHandler, AnswerHead, Carrier } from '#http-client';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { DeadlineSweep, Swept } from './deadline-sweep.ts';
import { decodedReply } from './decode-content.ts';
import { nameFailure, transportFailure } from './name-failure.ts';
import type { TransportError, UpstreamCall, UpstreamReply } from './port.ts';
import type { ReadPacer, Resting } from './read-pacer.ts';

/** Bytes waiting for a slow reader before the socket is paused. One more socket read may come on top. */
const HIGH_WATER_BYTES = 64 * 1024;
/** What `release` drains to keep a socket: less than a new TLS handshake costs. */
const RELEASE_BYTES = 16 * 1024;
const RELEASE_MS = 1000;

export class Exchange implements UpstreamReply, AnswerHandler, Swept, Resting {
  status = 0;
  via: string | undefined;
  position = -1;
  readonly #call: UpstreamCall;
  readonly #host: string;
  readonly #sweep: DeadlineSweep;
  readonly #settle: { resolve: (reply: UpstreamReply) => void; reject: (error: TransportError) => void };
  readonly #startedMs: number;
  readonly #pacer: ReadPacer | undefined;
  #carrier: Carrier | undefined;
  #head: AnswerHead | undefined;
  #chunks: Uint8Array[] = [];
  #queuedBytes = 0;
  #paused = false;
  #paced = false;
  #resting = false;
  #waiter: { resolve: (chunk: Uint8Array | null) => void; reject: (error: TransportError) => void } | undefined;
  #waitingSinceMs = -1;
  #firstEventSeen: boolean;
  #released = false;
  #releasedAtMs = -1;
  #phase: 'connect' | 'headers' | 'body' | 'done' = 'connect';
  #error: TransportError | undefined;
  #onCancel: ((reason: string) => void) | undefined;

  constructor(
    call: UpstreamCall,
    host: string,
    sweep: DeadlineSweep,
    startedMs: number,
    settle: { resolve: (reply: UpstreamReply) => void; reject: (error: TransportError) => void },
    pacer?: ReadPacer,
  ) {
    this.#call = call;
    this.#host = host;
    this.#sweep = sweep;
    this.#settle = settle;
    this.#startedMs = startedMs;
    this.#pacer = pacer;
    this.#firstEventSeen = call.firstEventMs === undefined;
    sweep.add(this);
    if (call.cancellation) {
      const onCancel = (reason: string): void => this.abort(reason);
      this.#onCancel = onCancel;
      call.cancellation.attach(onCancel);
    }
  }

  get headers(): Record<string, string> {
    return this.#head?.headers() ?? {};
  }

  header(name: string): string | undefined {
    return this.#head?.header(name);
  }

  /** True when nothing more can happen to it. */
  get done(): boolean {
    return this.#phase === 'done';
  }

  /** All of the body was read, and its end has come. */
  get over(): boolean {
    return this.#phase === 'done' && this.#queuedBytes === 0 && this.#error === undefined;
  }

  read(): Promise<Uint8Array | null> {
    if (this.#queuedBytes > 0) return Promise.resolve(this.#takeQueued());
    if (this.#error) return Promise.reject(this.#error);
    if (this.#phase === 'done') return Promise.resolve(null);
    if (this.#waiter) return Promise.reject(new Error('a reply has one reader: the previous read is still running'));
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
      this.#waitingSinceMs = -1;
    });
  }

  /** At once when everything has come, as most answers have by the time their head was looked at. */
  text(limitBytes: number): MaybePromise<string> {
    if (this.#phase !== 'done' || this.#error || this.#queuedBytes > limitBytes) return this.#textToCome(limitBytes);
    return this.#queuedBytes === 0 ? '' : asText([this.#takeQueued()], 0);
  }

  async #textToCome(limitBytes: number): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    while (this.#queuedBytes > 0 || this.#error || this.#phase !== 'done') {
      const chunk = this.#queuedBytes > 0 ? this.#takeQueued() : await this.read();
      if (chunk === null) break;
      size += chunk.length;
      if (size > limitBytes) {
        this.abort('body too large');
        throw transportFailure('malformed', 'too_large', `${this.#host}: the body is over ${limitBytes} bytes`, 'body');
      }
      chunks.push(chunk);
    }
    return asText(chunks, size);
  }

  async excerpt(limitBytes: number): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for (let chunk = await this.read(); chunk !== null; chunk = await this.read()) {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= limitBytes) break;
      }
      this.release();
    } catch {
      // An error page that was cut off is still worth quoting.
    }
    return asText(chunks, size).slice(0, limitBytes);
  }

  markFirstEvent(): void {
    this.#firstEventSeen = true;
  }

  pace(): void {
    this.#paced = true;
    if (this.#rests(0)) this.#carrier?.pause();
  }

  handOver(): void {
    const waiter = this.#waiter;
    if (!waiter || this.#chunks.length === 0) return;
    this.#waiter = undefined;
    waiter.resolve(this.#takeQueued());
  }

  readOn(): void {
    this.handOver();
    this.#resting = false;
    if (!this.#paused) this.#carrier?.resume();
  }

  release(): void {
    if (this.#phase === 'done' || this.#released) return;
    this.#released = true;
    this.#chunks = [];
    this.#queuedBytes = 0;
    this.#unpause();
  }

  abort(reason: string): void {
    if (this.#phase === 'done') return;
    this.#chunks = [];
    this.#queuedBytes = 0;
    this.#fail('truncated', 'aborted', `aborted: ${reason}`);
  }

  checkDeadlines(nowMs: number): void {
    const { connectMs, headersMs, firstEventMs, idleMs, deadlineAtMs } = this.#call;
    const elapsedMs = nowMs - this.#startedMs;
    if (deadlineAtMs !== undefined && nowMs >= deadlineAtMs) {
      this.#fail('timeout', 'deadline', 'the time for the whole request ran out');
    } else if (this.#phase === 'connect' && elapsedMs >= connectMs) {
      this.#fail('connect', 'connect_timeout', `no connection within ${connectMs} ms`);
    } else if (this.#phase !== 'body' && elapsedMs >= headersMs) {
      this.#fail('timeout', 'headers_timeout', `no answer within ${headersMs} ms`);
    } else if (!this.#firstEventSeen && firstEventMs !== undefined && elapsedMs >= firstEventMs) {
      this.#fail('timeout', 'first_event_timeout', `no first event within ${firstEventMs} ms`);
    } else if (this.#released) {
      if (this.#releasedAtMs < 0) this.#releasedAtMs = nowMs;
      else if (nowMs - this.#releasedAtMs >= RELEASE_MS) this.abort('not finished after release');
    } else if (this.#waiter) {
      // Measured from the first sweep that finds the reader waiting, so that no clock is read per chunk.
      if (this.#waitingSinceMs < 0) this.#waitingSinceMs = nowMs;
      else if (nowMs - this.#waitingSinceMs >= idleMs)
        this.#fail('timeout', 'idle_timeout', `silent for ${idleMs} ms inside the body`);
    }
  }

  // The methods below are called by the connection.

  onAssigned(carrier: Carrier): void {
    this.#carrier = carrier;
  }

  onSent(): void {
    if (this.#phase !== 'connect') return;
    this.#phase = 'headers';
    this.#call.onSent?.();
  }

  onHead(head: AnswerHead): void {
    if (this.#phase === 'done') return;
    this.status = head.status;
    this.#head = head;
    this.#phase = 'body';
    this.#settleReply();
  }

  /** False when no more should come for now. */
  onBody(chunk: Buffer): boolean {
    if (this.#phase === 'done') return true;
    if (this.#released) {
      this.#queuedBytes += chunk.length;
      if (this.#queuedBytes > RELEASE_BYTES) this.abort('too much left after release');
      return true;
    }
    const waiter = this.#waiter;
    const rests = this.#rests(chunk.length);
    if (waiter && !rests) {
      this.#waiter = undefined;
      waiter.resolve(chunk);
      return true;
    }
    this.#chunks.push(chunk);
    this.#queuedBytes += chunk.length;
    this.#paused = this.#queuedBytes >= HIGH_WATER_BYTES;
    return !rests && !this.#paused;
  }

  onEnd(): void {
    if (this.#phase === 'done') return;
    this.#finish();
    if (this.#released) this.#queuedBytes = 0;
    this.handOver();
    this.#waiter?.resolve(null);
    this.#waiter = undefined;
  }

  onError(error: Error): void {
    if (this.#phase === 'done') return;
    const named = nameFailure(error, this.#phase, this.#host);
    this.#failWith(named);
  }

  #settleReply(): void {
    try {
      this.#settle.resolve(decodedReply(this));
    } catch (error) {
      this.#settle.reject(nameFailure(error, 'body', this.#host));
    }
  }

  #fail(kind: 'connect' | 'timeout' | 'truncated', code: string, what: string): void {
    const phase = this.#phase === 'done' ? 'body' : this.#phase;
    this.#failWith(transportFailure(kind, code, `${this.#host}: ${what}`, phase));
  }

  #failWith(error: TransportError): void {
    const replied = this.#phase === 'body';
    const carrier = this.#carrier;
    this.#error = error;
    this.#finish();
    carrier?.drop();
    if (!replied) this.#settle.reject(error);
    this.handOver();
    this.#waiter?.reject(error);
    this.#waiter = undefined;
  }

  #finish(): void {
    this.#phase = 'done';
    // The connection may carry another call by the time the rest of this one is read.
    this.#carrier = undefined;
    this.#sweep.delete(this);
    if (this.#onCancel) this.#call.cancellation?.detach(this.#onCancel);
  }

  #takeQueued(): Uint8Array {
    const chunks = this.#chunks;
    const taken = chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, this.#queuedBytes);
    this.#chunks = [];
    this.#queuedBytes = 0;
    this.#unpause();
    return taken;
  }

  /** True from one read of a paced stream until the next may come. */
  #rests(readBytes: number): boolean {
    if (!this.#paced || this.#phase !== 'body') return false;
    if (!this.#resting) this.#resting = this.#pacer?.rest(this, readBytes) ?? false;
    return this.#resting;
  }

  #unpause(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (!this.#resting) this.#carrier?.resume();
  }
}

function asText(chunks: Uint8Array[], size: number): string {
  const only = chunks.length === 1 ? chunks[0] : undefined;
  const bytes = only ?? Buffer.concat(chunks, size);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Writes an Answer or an error: every response carries its ids, the rate headers and, on errors, retry advice. */

import { UNWATCHED_BYTES } from '#http-fast-path';
import {
  chatRateHeaders,
  messagesRateHeaders,
  type RateWindows,
  retryHeaders,
  UNLIMITED_WINDOW,
  type WindowState,
} from '../admission/index.ts';
import type { Answer, Sink } from '../core/answer.ts';
import type { GatewayError } from '../core/errors.ts';
import { toTomanText } from '../core/money.ts';
import type { Call } from '../gateway/index.ts';
import type { ClientCodec } from '../protocols/index.ts';
import type { Headers, Reply } from './reply.ts';

const READER_IDLE_MS = 60_000;

export function commonHeaders(call: Call, codec: ClientCodec, nowMs: number): Headers {
  const { cost, warnings, cache } = call.metadata;
  const rates = ratesOf(call);
  const headers: Headers = chatRateHeaders(rates);
  // Answers repeat what a caller wrote, so no browser may render one as a page.
  headers['x-content-type-options'] = 'nosniff';
  headers['x-svc-request-id'] = call.id;
  headers['x-request-id'] = call.id;
  headers['request-id'] = call.id;
  if (codec.protocol === 'anthropic-messages') Object.assign(headers, messagesRateHeaders(rates, nowMs));
  if (cost !== undefined) headers['x-svc-cost'] = toTomanText(cost);
  if (cache !== undefined) headers['x-svc-cache'] = cache;
  if (warnings.length > 0) headers['x-svc-warnings'] = headerText(warnings.join('; '));
  return headers;
}

/** Windows are found by the prefix of their name, which is cheaper than building the names again. */
function ratesOf({ metadata }: Call): RateWindows {
  let key: WindowState | undefined;
  let account: WindowState | undefined;
  let address: WindowState | undefined;
  let tokens = UNLIMITED_WINDOW;
  for (const [id, state] of metadata.windows) {
    if (id.startsWith('rpm:key:')) key = state;
    else if (id.startsWith('rpm:account:')) account = state;
    else if (id.startsWith('tpm:key:')) tokens = state;
    else if (id.startsWith('auth:ip:')) address = state;
  }
  return { requests: narrower(key, account) ?? address ?? UNLIMITED_WINDOW, tokens };
}

/** Key and account limit the same requests: the headers show whichever leaves less room. */
function narrower(key: WindowState | undefined, account: WindowState | undefined): WindowState | undefined {
  if (!key || !account) return key ?? account;
  return account.remaining < key.remaining ? account : key;
}

export function errorHeaders(error: GatewayError): Headers {
  const headers: Headers = { 'x-should-retry': String(error.shouldRetry), 'cache-control': 'no-store' };
  const { retryAfterMs = error.status === 429 || error.status === 503 ? 1_000 : undefined } = error.options;
  if (retryAfterMs !== undefined) Object.assign(headers, retryHeaders(retryAfterMs));
  return headers;
}

export function sendBody(
  raw: Reply,
  status: number,
  headers: Headers,
  contentType: string,
  body: string | Uint8Array,
  readerIdleMs = READER_IDLE_MS,
): void {
  if (raw.destroyed) return;
  headers['content-type'] = contentType;
  headers['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  raw.writeHead(status, headers);
  raw.end(body);
  if (raw.writableLength > UNWATCHED_BYTES) watchReader(raw, readerIdleMs);
}

/** Returns a promise only for a stream; a body is written at once. */
export function sendAnswer(
  raw: Reply,
  answer: Answer,
  headers: Headers,
  readerIdleMs: number,
): Promise<void> | undefined {
  if (answer.headers) Object.assign(headers, answer.headers);
  if (answer.kind === 'body') {
    sendBody(raw, answer.status, headers, answer.contentType, answer.body, readerIdleMs);
    return undefined;
  }
  headers['content-type'] = answer.contentType;
  // Proxies must neither buffer nor cache a stream; a private one is not stored at all.
  headers['cache-control'] ??= 'no-cache';
  headers['x-accel-buffering'] = 'no';
  raw.writeHead(200, headers);
  return answer.run(new ResponseSink(raw, readerIdleMs));
}

class ResponseSink implements Sink {
  readonly #raw: Reply;
  readonly #readerIdleMs: number;

  constructor(raw: Reply, readerIdleMs: number) {
    this.#raw = raw;
    this.#readerIdleMs = readerIdleMs;
  }

  get gone(): boolean {
    return this.#raw.destroyed;
  }

  write(data: string | Uint8Array): Promise<void> | undefined {
    const raw = this.#raw;
    if (raw.destroyed || raw.write(data)) return undefined;
    const unwatch = watchReader(raw, this.#readerIdleMs);
    return new Promise((resolve) => {
      const done = () => {
        raw.removeListener('drain', done);
        raw.removeListener('close', done);
        unwatch();
        resolve();
      };
      raw.once('drain', done);
      raw.once('close', done);
    });
  }

  end(): void {
    this.endWith('');
  }

  endWith(last: string): void {
    if (this.#raw.destroyed) return;
    this.#raw.end(last);
    if (this.#raw.writableLength > UNWATCHED_BYTES) watchReader(this.#raw, this.#readerIdleMs);
  }

  cut(): void {
    this.#raw.destroy();
  }
}

/**
 * A reader that takes no byte for this long has gone: its socket is closed, so that its stream is settled and its hold
 * freed. Node's own idle timer is used because it sees bytes the kernel took, which 'drain' does not report.
 */
function watchReader(raw: Reply, idleMs: number): () => void {
  const { socket } = raw;
  if (!socket) return () => undefined;
  const cut = () => void socket.destroy();
  // After the end the timer is Node's again, for the keep-alive of the connection.
  const forget = () => void socket.removeListener('timeout', cut);
  socket.setTimeout(idleMs);
  socket.once('timeout', cut);
  raw.once('finish', forget);
  return () => {
    socket.setTimeout(0);
    raw.removeListener('finish', forget);
    forget();
  };
}

/** Header values are Latin text without line breaks. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 1_024);
}

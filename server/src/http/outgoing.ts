/** From an Answer or an error to bytes: every response carries its ids, the rate headers and, on errors, retry advice. */
import type { FastifyReply } from 'fastify';
import {
  chatRateHeaders,
  messagesRateHeaders,
  retryHeaders,
  UNLIMITED_WINDOW,
  type WindowState,
} from '../admission/index.ts';
import type { GatewayError } from '../core/errors.ts';
import { toTomanText } from '../core/money.ts';
import type { Answer, Call, Sink } from '../gateway/index.ts';
import type { ClientCodec } from '../protocols/index.ts';

type Headers = Record<string, string | number>;

export function commonHeaders(call: Call, style: ClientCodec, nowMs: number): Headers {
  const { windows, cost, warnings } = call.trail;
  const rates = {
    requests:
      narrower(
        windows.get(`rpm:key:${call.trail.key?.id}`),
        windows.get(`rpm:account:${call.trail.key?.account.id}`),
      ) ??
      windows.get(`auth:ip:${call.ip}`) ??
      UNLIMITED_WINDOW,
    tokens: windows.get(`tpm:key:${call.trail.key?.id}`) ?? UNLIMITED_WINDOW,
  };
  const headers: Headers = {
    'x-svc-request-id': call.id,
    'x-request-id': call.id,
    'request-id': call.id,
    ...chatRateHeaders(rates),
  };
  if (style.protocol === 'anthropic-messages') Object.assign(headers, messagesRateHeaders(rates, nowMs));
  if (cost !== undefined) headers['x-svc-cost'] = toTomanText(cost);
  if (warnings.length > 0) headers['x-svc-warnings'] = headerText(warnings.join('; '));
  return headers;
}

/** Key and account limit the same requests: the headers tell of whichever leaves less room. */
function narrower(key: WindowState | undefined, account: WindowState | undefined): WindowState | undefined {
  if (!key || !account) return key ?? account;
  return account.remaining < key.remaining ? account : key;
}

export function errorHeaders(error: GatewayError): Headers {
  const headers: Headers = { 'x-should-retry': String(error.shouldRetry) };
  const { retryAfterMs } = error.options;
  if (error.status === 429 || error.status === 503) Object.assign(headers, retryHeaders(retryAfterMs ?? 1_000));
  return headers;
}

export function sendBody(
  reply: FastifyReply,
  status: number,
  headers: Headers,
  contentType: string,
  body: string | Uint8Array,
): void {
  const { raw } = reply;
  if (raw.destroyed) return;
  headers['content-type'] = contentType;
  headers['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  raw.writeHead(status, headers);
  raw.end(reply.request.method === 'HEAD' ? undefined : body);
}

export async function sendAnswer(reply: FastifyReply, answer: Answer, headers: Headers): Promise<void> {
  if (answer.kind === 'body') {
    sendBody(reply, answer.status, { ...headers, ...answer.headers }, answer.contentType, answer.body);
    return;
  }
  const { raw } = reply;
  // Proxies must neither buffer nor cache a stream.
  raw.writeHead(200, {
    ...headers,
    'content-type': answer.contentType,
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  await answer.run(new ResponseSink(raw));
}

class ResponseSink implements Sink {
  readonly #raw: FastifyReply['raw'];

  constructor(raw: FastifyReply['raw']) {
    this.#raw = raw;
  }

  get gone(): boolean {
    return this.#raw.destroyed;
  }

  write(data: string | Uint8Array): Promise<void> | undefined {
    const raw = this.#raw;
    if (raw.destroyed || raw.write(data)) return undefined;
    return new Promise((resolve) => {
      const done = () => {
        raw.removeListener('drain', done);
        raw.removeListener('close', done);
        resolve();
      };
      raw.once('drain', done);
      raw.once('close', done);
    });
  }

  end(): void {
    if (!this.#raw.destroyed) this.#raw.end();
  }

  cut(): void {
    this.#raw.destroy();
  }
}

/** Header values are Latin text without line breaks. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 1_024);
}

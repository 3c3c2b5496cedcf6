/** One request at the fake vendor and everything a behaviour may do to its connection. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type JsonObject, parseTrustedJson } from '../../src/core/json.ts';

export type Dialect =
  | 'openai-chat'
  | 'anthropic-messages'
  | 'openai-responses'
  | 'gemini-generate'
  | 'embeddings'
  | 'speech'
  | 'transcription'
  | 'other';

/** `aborted`: the caller closed the connection before our answer was complete. */
export type Ending = 'finished' | 'aborted' | 'reset';

export interface RecordedRequest {
  index: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  /** The parsed body; empty for multipart and for what is not JSON. */
  body: JsonObject;
  dialect: Dialect;
  stream: boolean;
  /** Resolves when the exchange is over, one way or the other. */
  ended: Promise<Ending>;
  /** undefined while it runs. */
  ending: Ending | undefined;
  bytesSent: number;
}

export interface Wire {
  readonly request: RecordedRequest;
  head(status: number, headers?: Record<string, string | string[]>): void;
  /** Waits for the socket when it is full, so that a test can see backpressure. */
  write(data: string | Uint8Array): Promise<void>;
  end(data?: string | Uint8Array): void;
  /** TCP reset: the caller sees ECONNRESET. */
  reset(): void;
  /** Closes the connection in the middle of the body, without the final chunk. */
  cut(): void;
  /** True once the caller has gone. */
  readonly gone: boolean;
}

export type Behaviour = (wire: Wire) => void | Promise<void>;

function dialectOf(path: string): Dialect {
  const bare = path.split('?')[0] ?? path;
  if (bare.endsWith('/chat/completions')) return 'openai-chat';
  if (bare.endsWith('/messages')) return 'anthropic-messages';
  if (bare.endsWith('/responses')) return 'openai-responses';
  if (bare.endsWith(':generateContent') || bare.endsWith(':streamGenerateContent')) return 'gemini-generate';
  if (bare.endsWith('/embeddings')) return 'embeddings';
  if (bare.endsWith('/audio/speech')) return 'speech';
  if (bare.endsWith('/audio/transcriptions') || bare.endsWith('/audio/translations')) return 'transcription';
  return 'other';
}

export async function readRequest(index: number, message: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const path = message.url ?? '/';
  const dialect = dialectOf(path);
  const parsed = parseTrustedJson(raw.toString('utf8'));
  const body = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : {};
  return {
    index,
    method: message.method ?? 'GET',
    path,
    headers: message.headers,
    raw,
    body,
    dialect,
    stream: body['stream'] === true || path.includes(':streamGenerateContent'),
    ended: Promise.resolve('finished'),
    ending: undefined,
    bytesSent: 0,
  };
}

export function openWire(request: RecordedRequest, response: ServerResponse): Wire {
  const socket = response.socket as Socket;
  let markEnd: (ending: Ending) => void = () => undefined;
  request.ended = new Promise((resolve) => {
    markEnd = (ending) => {
      request.ending ??= ending;
      resolve(request.ending);
    };
  });
  response.on('finish', () => markEnd('finished'));
  response.on('close', () => markEnd('aborted'));
  const sent = (data: string | Uint8Array) => {
    request.bytesSent += typeof data === 'string' ? Buffer.byteLength(data) : data.length;
  };
  return {
    request,
    get gone() {
      return request.ending !== undefined;
    },
    head(status, headers = {}) {
      response.writeHead(status, headers);
      response.flushHeaders();
    },
    write(data) {
      if (request.ending !== undefined) return Promise.resolve();
      sent(data);
      if (response.write(data)) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          response.off('drain', done);
          response.off('close', done);
          resolve();
        };
        response.on('drain', done);
        response.on('close', done);
      });
    },
    end(data) {
      if (data !== undefined) sent(data);
      response.end(data);
    },
    reset() {
      markEnd('reset');
      socket.resetAndDestroy();
    },
    cut() {
      markEnd('reset');
      socket.destroy();
    },
  };
}

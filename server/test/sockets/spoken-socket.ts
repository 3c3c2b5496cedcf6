/** A WebSocket client that keeps every message, so that tests wait for one and never for a time. */
import { WebSocket } from 'ws';
import type { JsonObject } from '../../src/core/json.ts';

export interface SpokenSocket {
  socket: WebSocket;
  /** All messages so far. */
  events: JsonObject[];
  send(event: object): void;
  /** The first message from `from` on that fits; rejects when the socket closes without it. */
  until(fits: (event: JsonObject) => boolean, from?: number): Promise<JsonObject>;
  /** Sends and waits for the end of the turn. */
  turn(event: object): Promise<JsonObject>;
  closed: Promise<{ code: number; reason: string }>;
}

const ENDS = new Set(['response.completed', 'response.failed', 'response.incomplete', 'response.done', 'error']);

export interface OpenOptions {
  key?: string;
  headers?: Record<string, string>;
  protocols?: string[];
  /** Takes any certificate. */
  insecure?: boolean;
}

/** Rejects with the status of a refused handshake. */
export function openSocket(url: string, options: OpenOptions = {}): Promise<SpokenSocket> {
  const { key, protocols, headers } = options;
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols ?? [], {
    headers: { 'accept-language': 'en', ...authorization, ...headers },
    rejectUnauthorized: options.insecure !== true,
  });
  const events: JsonObject[] = [];
  const waiting = new Set<() => void>();
  const look = () => {
    for (const one of [...waiting]) one();
  };
  let isClosed = false;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      isClosed = true;
      resolve({ code, reason: reason.toString() });
      look();
    });
  });
  socket.on('message', (data) => {
    events.push(JSON.parse(data.toString()) as JsonObject);
    look();
  });
  const until: SpokenSocket['until'] = (fits, from = 0) =>
    new Promise((resolve, reject) => {
      const one = () => {
        const found = events.slice(from).find(fits);
        if (!found && !isClosed) return;
        waiting.delete(one);
        if (found) resolve(found);
        else reject(new Error(`closed after ${JSON.stringify(events.slice(from))}`));
      };
      waiting.add(one);
      one();
    });
  const send = (event: object) => socket.send(JSON.stringify(event));
  const spoken: SpokenSocket = {
    socket,
    events,
    send,
    until,
    turn(event) {
      const from = events.length;
      send(event);
      return until(({ type }) => ENDS.has(String(type)), from);
    },
    closed,
  };
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(spoken));
    socket.on('unexpected-response', (_request, reply) => reject(new Error(`refused with ${reply.statusCode}`)));
    socket.on('error', reject);
  });
}

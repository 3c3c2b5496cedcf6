/** A WebSocket to a provider, by the same ways out as its other requests. */
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { openDirect, secureOver } from '#http-client';
import type { FailureKind } from '../../core/failure.ts';
import type { Way } from './egress/index.ts';
import { nameFailure, transportFailure } from './name-failure.ts';
import type { SocketCall, TransportError, UpstreamSocket, UpstreamSocketListener } from './port.ts';

/** The largest message of a provider; sound comes in small pieces. */
const MAX_MESSAGE_BYTES = 32 << 20;

export async function openWebSocket(call: SocketCall, way: Way): Promise<UpstreamSocket> {
  const { destination, name } = way;
  const { host } = destination;
  const { 'content-type': _type, ...headers } = call.headers;
  let stream: Socket;
  try {
    const signal = AbortSignal.timeout(call.connectMs);
    const carried = destination.connect && (await destination.connect(destination, signal));
    if (!carried) stream = openDirect(destination, {});
    else stream = destination.secure ? secureOver(carried, destination, undefined) : carried;
  } catch (error) {
    throw nameFailure(error, 'connect', host);
  }
  const socket = new WebSocket(call.url.replace(/^http/, 'ws'), {
    headers,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handshakeTimeout: call.connectMs,
    createConnection: () => stream,
  });
  const opened = new ProviderSocket(socket, name);
  return new Promise((resolve, reject) => {
    const fail = (error: TransportError): void => {
      stream.destroy();
      reject(error);
    };
    socket.once('open', () => resolve(opened));
    socket.once('unexpected-response', (_request, reply) => fail(refused(reply.statusCode ?? 0, host)));
    socket.once('error', (error) => fail(nameFailure(error, 'connect', host)));
  });
}

/** What the status of a refused handshake means; its body is never shown. */
function refused(status: number, host: string): TransportError {
  const error = transportFailure(
    kindOf(status),
    'handshake',
    `${host}: the handshake was answered ${status}`,
    'headers',
  );
  error.failure.status = status;
  return error;
}

function kindOf(status: number): FailureKind {
  if (status === 401 || status === 403) return 'credential';
  if (status === 429) return 'rate-limited';
  return status === 404 ? 'model-gone' : 'server';
}

class ProviderSocket implements UpstreamSocket {
  readonly via: string;
  readonly #socket: WebSocket;
  #early: string[] = [];
  #listener: UpstreamSocketListener | undefined;
  #closed: string | undefined;

  constructor(socket: WebSocket, via: string) {
    this.via = via;
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const text = data.toString('utf8');
      if (this.#listener) this.#listener.message(text);
      else this.#early.push(text);
    });
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      this.#closed = `closed with ${code} ${reason.toString('utf8').slice(0, 200)}`.trim();
      this.#listener?.closed(this.#closed);
    });
  }

  get waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(text: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text);
  }

  listen(listener: UpstreamSocketListener): void {
    this.#listener = listener;
    for (const text of this.#early.splice(0)) listener.message(text);
    if (this.#closed !== undefined) listener.closed(this.#closed);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.close(1000);
  }
}

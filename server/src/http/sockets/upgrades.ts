/**
 * Which requests become WebSockets. Node hands over every request with an `Upgrade` header as soon as one listener wants any, also
 * those that ask for something else beside an ordinary answer (Java's client offers h2c with each request). Such requests are given
 * back to the server, without the offer; versions of Node that can be told which ones are wanted never hand them over.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

export type OnUpgrade = (request: IncomingMessage, socket: Socket, head: Buffer) => void;

const WEBSOCKET = /^websocket$/i;
/** Headers that speak of this connection alone. */
const OF_THE_OFFER = new Set(['upgrade', 'connection', 'http2-settings']);

export class Upgrades {
  readonly #server: Server;
  readonly #ordinary: (socket: Socket) => void;
  readonly #paths = new Map<string, OnUpgrade>();

  /** It must be made before anything else stands before the server's connections. */
  constructor(server: Server) {
    this.#server = server;
    const [ordinary] = server.listeners('connection') as ((socket: Socket) => void)[];
    if (!ordinary) throw new Error('the server has no handler for connections');
    this.#ordinary = ordinary;
    const wanted = { shouldUpgradeCallback: (request: IncomingMessage) => this.#handlerOf(request) !== undefined };
    // Node knows this from 22.21 and 24.9 on.
    Object.assign(server, wanted);
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const handler = this.#handlerOf(request);
      if (handler) handler(request, socket, head);
      else this.#giveBack(request, socket, head);
    });
  }

  at(path: string, handler: OnUpgrade): void {
    this.#paths.set(path, handler);
  }

  #handlerOf({ method, url = '', headers }: IncomingMessage): OnUpgrade | undefined {
    if (method !== 'GET' || !WEBSOCKET.test(headers.upgrade ?? '')) return undefined;
    const query = url.indexOf('?');
    return this.#paths.get(query < 0 ? url : url.slice(0, query));
  }

  #giveBack(request: IncomingMessage, socket: Socket, head: Buffer): void {
    this.#ordinary.call(this.#server, socket);
    socket.resume();
    socket.emit('data', Buffer.concat([Buffer.from(withoutOffer(request), 'latin1'), head]));
  }
}

function withoutOffer({ method, url, httpVersion, rawHeaders, headers }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!OF_THE_OFFER.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  if (/\bclose\b/i.test(headers.connection ?? '')) lines.push('Connection: close');
  return `${lines.join('\r\n')}\r\n\r\n`;
}

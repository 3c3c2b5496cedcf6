/**
 * Memory of what was read of a connection. Each read is a block outside of the heap, and the engine counts blocks that nobody needs
 * as held until its next collection: a few long bodies at once then make it collect in full. So blocks that have been copied are
 * given back at once.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Shorter blocks are left to the collector: after the first block that was given back the engine checks at every use of bytes whether
 * they are still there, so a process that sees no long body gives nothing back.
 */
const WORTHWHILE_BYTES = 16 * 1024;

/**
 * Ends the bytes and gives back their memory, where they have it alone. Whoever else still knows them finds them empty. Node 20
 * cannot do it, and leaves them to its collector.
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < WORTHWHILE_BYTES || byteLength !== buffer.byteLength) return;
  (buffer as { transfer?: (bytes: number) => unknown }).transfer?.(0);
}

/** A shorter body comes with its head, or in one more piece. */
const LONG_BODY_BYTES = 64 * 1024;

/** Gives back what Node's server read of long bodies, on the connections that were handed over to it. */
export class ReadMemory {
  readonly #connections = new WeakMap<Socket, ReadConnection>();

  constructor(server: Server) {
    server.on('request', (request) => {
      if (isLong(request)) this.#connections.get(request.socket)?.begin(request);
    });
  }

  /** Node's server must listen for the data of the socket already. */
  watch(socket: Socket): void {
    this.#connections.set(socket, new ReadConnection(socket));
  }
}

class ReadConnection {
  readonly #socket: Socket;
  /** The request whose long body is being read. */
  #request: IncomingMessage | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData);
  }

  begin(request: IncomingMessage): void {
    this.#request = request;
    // The parser must have a piece before it is given back. When an offer to upgrade was declined, the parser listens anew, behind us.
    this.#socket.off('data', this.#onData).on('data', this.#onData);
  }

  /** A piece that ends within a body holds nothing that the parser did not copy. Behind the end of the body there may be more. */
  readonly #onData = (piece: Buffer): void => {
    if (this.#request === undefined) return;
    if (this.#request.complete) this.#request = undefined;
    else giveBack(piece);
  };
}

function isLong({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > LONG_BODY_BYTES;
}

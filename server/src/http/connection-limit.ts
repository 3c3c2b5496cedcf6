/** Connections that one address may hold open: each costs memory before a byte of it was understood. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimit {
  perAddress: number;
  /** A proxy on this machine or a listed one speaks for many. */
  speaksForMany(address: string): boolean;
}

/** Stands before every other listener; what is too much is closed without a word. */
export function limitConnections(server: Server, { perAddress, speaksForMany }: ConnectionLimit): void {
  const open = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || speaksForMany(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

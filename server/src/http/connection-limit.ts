/** Bounds the connections that one address may hold open: each costs memory before a byte of it was read. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { callerOf } from '../core/caller-network.ts';

export interface ConnectionLimit {
  perAddress: number;
  /** True for a proxy, which carries the connections of many callers. */
  speaksForMany(address: string): boolean;
}

/** Runs before every other listener; a connection beyond the limit is closed without an answer. */
export function limitConnections(server: Server, { perAddress, speaksForMany }: ConnectionLimit): void {
  const open = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || speaksForMany(remoteAddress)) return;
    const address = connectionOwner(remoteAddress);
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

/** An IPv6 customer has a whole /64; `::ffff:10.0.0.1` is how a dual-stack socket writes an IPv4 address. */
function connectionOwner(address: string): string {
  return address.startsWith('::ffff:') ? address : callerOf(address);
}

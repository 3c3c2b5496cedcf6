/** A wire between a program and a service that a test can cut, hold silent and mend. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpLink {
  port: number;
  /** Breaks what is open and lets nothing new through. */
  cut(): void;
  /** Open connections stay and nothing passes any more, in either direction; new ones are taken and stay silent. */
  silence(): void;
  /** New connections pass. What was silent before is broken. */
  mend(): void;
  close(): Promise<void>;
}

type State = 'open' | 'cut' | 'silent';

export async function startTcpLink(target: { host: string; port: number }): Promise<TcpLink> {
  const sockets = new Set<Socket>();
  let state: State = 'open';
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (state !== 'open') {
      if (state === 'cut') near.destroy();
      else near.pause();
      return;
    }
    const far = connect(target);
    keep(far);
    pipeWhile(near, far, () => state === 'open');
    pipeWhile(far, near, () => state === 'open');
  });
  await listen(server);
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      breakAll();
    },
    silence() {
      state = 'silent';
    },
    mend() {
      if (state === 'silent') breakAll();
      state = 'open';
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}

function pipeWhile(from: Socket, to: Socket, open: () => boolean): void {
  from.on('data', (chunk) => {
    if (open()) to.write(chunk);
  });
  from.on('close', () => to.destroy());
}

async function listen(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** A provider whose every byte the test writes itself, over TCP or TLS. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.ts';

/** A request (without a body) that came in, and the connection to answer on. */
export interface Asked {
  socket: Socket;
  /** Resolves when the bytes have left, each call as a write (over TLS: a record) of its own. */
  send(text: string | Buffer): Promise<void>;
}

export interface ScriptedProvider {
  port: number;
  /** How many connections there were. */
  opened(): number;
  asked(): Promise<Asked>;
  close(): Promise<void>;
}

export async function startScriptedProvider(secure: boolean): Promise<ScriptedProvider> {
  const sockets = new Set<Socket>();
  const waiting: ((asked: Asked) => void)[] = [];
  const unanswered: Asked[] = [];
  let opened = 0;

  const onConnection = (socket: Socket): void => {
    opened++;
    sockets.add(socket.setNoDelay(true));
    let request = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      request += bytes.toString('latin1');
      if (!request.endsWith('\r\n\r\n')) return;
      request = '';
      const send = (text: string | Buffer) => new Promise<void>((resolve) => socket.write(text, () => resolve()));
      const asked = { socket, send };
      const taker = waiting.shift();
      if (taker) taker(asked);
      else unanswered.push(asked);
    });
  };
  const server = secure
    ? createSecureServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, onConnection)
    : createServer(onConnection);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    opened: () => opened,
    asked() {
      const first = unanswered.shift();
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve));
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

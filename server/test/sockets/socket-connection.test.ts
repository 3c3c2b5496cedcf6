/** One connection against a client that does not read, and one that speaks after the farewell. */
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { SocketConnection } from '../../src/http/sockets/socket-connection.ts';
import { MemoryBudget } from '../../src/platform/memory-budget.ts';

const HANDSHAKE =
  'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const PING = 9;
const TEXT = 1;
const CLOSE = 8;
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A frame of a client, masked with zeros. */
function frame(kind: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | kind, 0x80 | content.length, 0, 0, 0, 0]), content]);
}

async function opened(): Promise<{ connection: SocketConnection; raw: Socket; client: Socket; said: string[] }> {
  const server = createServer();
  const library = new WebSocketServer({ noServer: true });
  const said: string[] = [];
  const entered = new Promise<{ connection: SocketConnection; raw: Socket }>((resolve) => {
    server.on('upgrade', (request, stream, head) => {
      const raw = stream as Socket;
      library.handleUpgrade(request, raw, head, (socket) => {
        const terms = {
          keyId: 'k',
          owner: 'a',
          memory: new MemoryBudget({ maxBytes: 16 << 20 }),
          readerIdleMs: 600_000,
        };
        const connection = new SocketConnection(socket, raw, terms);
        connection.talk({ message: (bytes) => void said.push(bytes.toString()), farewell() {}, closed() {} });
        resolve({ connection, raw });
      });
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write(HANDSHAKE);
  const { connection, raw } = await entered;
  closers.push(() => {
    client.destroy();
    raw.destroy();
    server.close();
  });
  return { connection, raw, client, said };
}

it('a client that pings and does not read is not read either, until it reads again', async () => {
  const { raw, client, said } = await opened();
  const pings = Buffer.concat(Array.from({ length: 8_000 }, () => frame(PING, Buffer.alloc(125))));
  // Until the buffers of the system are full, whose size is the machine's.
  for (let sent = 0; sent < 24 && !raw.isPaused(); sent++) {
    let isSent = false;
    client.write(pings, () => {
      isSent = true;
    });
    while (!isSent && !raw.isPaused()) await new Promise(setImmediate);
  }
  client.write(frame(TEXT, Buffer.from('read at last')));
  expect(raw.isPaused()).toBe(true);
  expect(raw.writableLength).toBeLessThan(4 << 20);
  client.resume();
  while (said.length === 0) await new Promise(setImmediate);
  expect(said).toEqual(['read at last']);
});

it('a message that crosses our farewell is not answered', async () => {
  const { connection, raw, client, said } = await opened();
  client.resume();
  connection.close(1000);
  const isOver = new Promise((done) => raw.on('close', done));
  client.write(frame(TEXT, Buffer.from('too late')));
  client.write(frame(CLOSE, Buffer.from([0x03, 0xe8])));
  await isOver;
  expect(said).toEqual([]);
});

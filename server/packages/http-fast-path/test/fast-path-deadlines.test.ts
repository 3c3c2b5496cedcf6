/** Connections that only hold a place: slow senders, idle and silent ones. The sweep is called by hand; nothing waits for a clock. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FastPathService, PlainConnection } from '../src/plain-connection.ts';
import { WantedHeaders } from '../src/plain-head.ts';
import type { PlainReply } from '../src/plain-reply.ts';

const TIMES = { requestMs: 10_000, keepAliveMs: 60_000 };
const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n';

let server: Server;
let connection: PlainConnection;
let client: Socket;
let received: string;
let arrived: (reply: PlainReply) => void;
let ended: Set<PlainConnection>;

beforeEach(async () => {
  received = '';
  ended = new Set();
  const service: FastPathService = {
    wanted: new WantedHeaders([]),
    accepts: () => true,
    answer: (_request, reply) => arrived(reply),
    handOver: () => undefined,
    date: () => 'today',
    ended: (which) => void ended.add(which),
  };
  server = createServer({ allowHalfOpen: true });
  const accepted = new Promise<void>((resolve) => {
    server.once('connection', (socket) => {
      connection = new PlainConnection(socket, service);
      resolve();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  client = connect((server.address() as { port: number }).port, '127.0.0.1');
  client.on('data', (piece) => {
    received += piece;
  });
  await accepted;
});
afterEach(() => {
  client.destroy();
  server.close();
});

/** Time for a socket that was destroyed to say so. */
const answers = () => new Promise<void>((resolve) => void setImmediate(() => setImmediate(resolve)));
const closed = () => new Promise<void>((resolve) => void client.once('close', () => resolve()));

/** The reply of the next whole request, held back until the test gives it. */
function request(text: string): Promise<PlainReply> {
  const reply = new Promise<PlainReply>((resolve) => {
    arrived = resolve;
  });
  client.write(text);
  return reply;
}

async function answered(): Promise<void> {
  const reply = await request(`${HEAD}body`);
  reply.writeHead(200, { 'content-length': 2 });
  reply.end('ok');
  while (!received.endsWith('ok')) await new Promise((resolve) => void client.once('data', resolve));
}

describe('a connection of the lane', () => {
  it('that never asks is closed after half the time of a request', async () => {
    // The first sweep after it came may follow at once, whatever the time between sweeps is.
    connection.sweep(5_000, TIMES);
    connection.sweep(4_999, TIMES);
    await answers();
    expect(ended).not.toContain(connection);
    connection.sweep(1, TIMES);
    await closed();
    expect(received).toBe('');
  });

  it('whose body does not come is told so and closed', async () => {
    await answered();
    received = '';
    client.write(`${HEAD}bo`);
    // A whole request behind the half one would be read as its body: the half one has arrived when its head was taken.
    await new Promise((resolve) => setImmediate(resolve));
    while (received === '') {
      connection.sweep(10_000, TIMES);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closed();
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('that is used again and again stays, and one that is not goes after its time', async () => {
    for (let use = 0; use < 3; use++) {
      await answered();
      connection.sweep(60_000, TIMES);
      connection.sweep(59_000, TIMES);
    }
    expect(ended).not.toContain(connection);
    connection.sweep(1_000, TIMES);
    await closed();
  });

  it('is left alone while its request is answered, however long that takes', async () => {
    const reply = await request(`${HEAD}body`);
    connection.sweep(3_600_000, TIMES);
    reply.writeHead(200, { 'content-length': 2 });
    reply.end('ok');
    while (received === '') await new Promise((resolve) => void client.once('data', resolve));
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it('that is closed finishes its answer first', async () => {
    const reply = await request(`${HEAD}body`);
    connection.close();
    reply.writeHead(200, { 'content-length': 2 });
    reply.end('ok');
    client.end();
    await closed();
    expect(received).toMatch(/ok$/);
  });

  it('tells the request when its client is gone', async () => {
    const reply = await request(`${HEAD}body`);
    const gone = new Promise((resolve) => void reply.once('close', () => resolve(reply.writableFinished)));
    client.destroy();
    expect(await gone).toBe(false);
    expect(ended).toContain(connection);
  });

  it('never writes a header that would end early', async () => {
    const reply = await request(`${HEAD}body`);
    expect(() => reply.writeHead(200, { 'x-a': 'b\r\nx-c: d' })).toThrow('bad characters');
  });
});

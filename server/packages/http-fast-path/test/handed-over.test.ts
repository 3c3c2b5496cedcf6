/** A connection that the fast path leaves to Node's server is slowed down by it like any other: a body that nobody reads stays with its sender. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { FastPath } from '../src/index.ts';
import { connectionTo } from './connection-to.ts';

const BODY_BYTES = 32 * 1024 * 1024;
const MAX_BUFFERED = 1024 * 1024;
const FAST_PATH_REQUEST = 'POST /lane HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
const LARGE_HEAD = `POST /large HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`;

/** `answerFastPath` is called when the plain request is to be answered; the large one is handed to `onLarge` unread. */
async function start(
  answerFastPath: (answer: () => void) => void,
  onLarge: (request: IncomingMessage) => void,
): Promise<Socket> {
  const server: Server = createServer((request, response) => {
    onLarge(request);
    request.on('end', () => response.end('whole'));
  });
  const fastPath = new FastPath({
    server,
    headers: [],
    times: { requestMs: 60_000, keepAliveMs: 60_000 },
    now: () => 0,
    accepts: ({ path }) => path === '/lane',
    answer: (_request, reply) =>
      answerFastPath(() => {
        reply.writeHead(200, { 'content-length': 4 });
        reply.end('lane');
      }),
  });
  return connectionTo(server, fastPath);
}

/** Writes the body; resolves when the sender was made to wait, which must come before the body's end. */
async function sendUntilHeld(client: Socket): Promise<void> {
  const piece = Buffer.alloc(64 * 1024, 1);
  for (let sent = 0; sent < BODY_BYTES; sent += piece.length) {
    if (client.write(piece)) continue;
    const drained = new Promise<'drained'>((resolve) => client.once('drain', () => resolve('drained')));
    // Turns of the event loop, not time: both ends are in this process, so what can move has moved by then.
    if ((await Promise.race([drained, turns(200)])) !== 'drained') return;
  }
  throw new Error('the whole body was taken from its sender');
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

it('a large body waits with its sender until it is read', async () => {
  const arrival = deferred<IncomingMessage>();
  const client = await start((answer) => answer(), arrival.resolve);
  client.write(LARGE_HEAD);
  await sendUntilHeld(client);
  const request = await arrival.promise;
  expect(request.readableLength).toBeLessThan(MAX_BUFFERED);
  let received = 0;
  request.on('data', (piece: Buffer) => {
    received += piece.length;
  });
  await turns(50);
  expect(received).toBeGreaterThan(MAX_BUFFERED);
});

it('so does one that was sent while the lane still answered', async () => {
  const arrival = deferred<IncomingMessage>();
  const asked = deferred<() => void>();
  const client = await start(asked.resolve, arrival.resolve);
  client.write(FAST_PATH_REQUEST + LARGE_HEAD);
  const answer = await asked.promise;
  const sending = sendUntilHeld(client);
  await turns(100);
  answer();
  const request = await arrival.promise;
  await turns(200);
  await sending;
  expect(request.readableLength).toBeLessThan(MAX_BUFFERED);
});

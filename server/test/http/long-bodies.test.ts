/** Bodies that are longer than what a connection reads at once: they arrive whole, or the client learns why not. */
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { json } from '../fake-vendor/index.ts';

import { scaled } from '../harness/slowness.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

const LIMIT = 3 * 1024 * 1024;
const REQUEST_MS = scaled(4_000);

let gateway: TestGateway;
let open: Socket[] = [];
beforeAll(async () => {
  gateway = await startGateway({
    config: {
      settings: { max_body_bytes: LIMIT, request_ms: REQUEST_MS, max_event_loop_lag_ms: 600_000 },
      accounts: [{ id: 'acme', balance: 1_000_000_000, keys: [{ id: 'main', key: 'dg-test-main' }] }],
    },
  });
}, 120_000);
afterAll(() => gateway?.stop());
beforeEach(() => gateway.vendor.reset());
afterEach(async () => {
  for (const socket of open) socket.destroy();
  open = [];
  // Whatever was taken for a body is given back, however its request ended.
  await eventually(async () => expect(await heldForBodies()).toBe(0));
});

async function heldForBodies(): Promise<number> {
  const text = await (await gateway.admin('GET', '/metrics')).text();
  return Number(/^dargah_memory_held_bytes\{kind="bodies"\} (\d+)$/m.exec(text)?.[1]);
}

/** A chat of exactly so many bytes, of which no two pieces are alike. Nearly all of it is blanks, which are few tokens. */
function chatOf(bytes: number, model = 'mock/chat'): Buffer {
  const [before, after] = [`{"model":"${model}","messages":[{"role":"user","content":"`, '"}]}'];
  const room = bytes - before.length - after.length;
  let text = '';
  for (let line = 0; text.length < room; line++) text += `${String(line).padStart(1_009)}`;
  return Buffer.from(before + text.slice(0, room) + after);
}

const contentOf = (body: unknown) => (body as { messages: { content: string }[] }).messages[0]?.content;

interface Client {
  socket: Socket;
  /** The status of the answer, with all that the connection sends until it ends or the answer is whole. */
  answered: Promise<{ status: number; text: string }>;
}

function dial(header: string): Client {
  const { port } = new URL(gateway.origin);
  const socket = connect(Number(port), '127.0.0.1');
  open.push(socket);
  const answered = new Promise<{ status: number; text: string }>((resolve) => {
    let text = '';
    const told = () => resolve({ status: Number(text.slice(9, 12)), text });
    socket.on('close', told).on('error', told);
    socket.on('data', (piece) => {
      text += piece.toString('utf8');
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      const body = text.split('\r\n\r\n').slice(1).join('\r\n\r\n');
      if (length !== undefined && Buffer.byteLength(body) >= Number(length)) told();
    });
  });
  socket.setNoDelay(true);
  socket.write(headOf(header));
  return { socket, answered };
}

function headOf(header: string): Buffer {
  const lines = [
    'POST /api/v1/chat/completions HTTP/1.1',
    'Host: gateway',
    `Authorization: Bearer ${gateway.key}`,
    'Content-Type: application/json',
    'Accept-Language: en',
    header,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}

const ofLength = (bytes: number) => dial(`Content-Length: ${bytes}`);
const ofUnknownLength = () => dial('Transfer-Encoding: chunked');
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Piece after piece, with a turn of the event loop between them. */
async function sendPieces({ socket }: Client, body: Buffer, size: number, chunked = false): Promise<void> {
  for (let at = 0; at < body.length && !socket.destroyed; at += size) {
    const piece = body.subarray(at, at + size);
    if (chunked) socket.write(`${piece.length.toString(16)}\r\n`);
    socket.write(piece);
    if (chunked) socket.write('\r\n');
    await turn();
  }
  if (chunked) socket.write('0\r\n\r\n');
}

async function expectArrived(client: Client, body: Buffer): Promise<void> {
  expect((await client.answered).status).toBe(200);
  const { body: received } = await gateway.vendor.received(0);
  expect(contentOf(received) === contentOf(JSON.parse(body.toString()))).toBe(true);
}

async function expectTooLarge({ answered }: Client): Promise<void> {
  const { status, text } = await answered;
  expect(status).toBe(413);
  expect(text).toContain('The request body is larger than allowed.');
  expect(gateway.vendor.requests).toHaveLength(0);
}

describe('a long body', () => {
  it.each([
    [100_000, 301],
    [200_000, 4_096],
    [300_001, 65_536],
    [LIMIT, 20_000],
    [LIMIT, LIMIT],
  ])('of %d bytes in pieces of %d arrives as it was sent', async (bytes, size) => {
    const body = chatOf(bytes);
    const known = ofLength(bytes);
    await sendPieces(known, body, size);
    await expectArrived(known, body);
    gateway.vendor.reset();
    const unknown = ofUnknownLength();
    await sendPieces(unknown, body, size, true);
    await expectArrived(unknown, body);
  });

  it('leaves its connection to the next ones, long and short', async () => {
    const body = chatOf(500_000);
    const client = ofLength(body.length);
    client.socket.write(body);
    await expectArrived(client, body);
    for (const bytes of [200, 1_000_000]) {
      gateway.vendor.reset();
      const next = chatOf(bytes);
      client.socket.write(Buffer.concat([headOf(`Content-Length: ${bytes}`), next]));
      const { body: received } = await gateway.vendor.received(0);
      expect(contentOf(received) === contentOf(JSON.parse(next.toString()))).toBe(true);
    }
  });

  it('is sent to the next provider as it came when the first one fails', async () => {
    const body = chatOf(400_000, 'mock/two');
    gateway.vendor.next(json(500, { error: { message: 'no' } }));
    const client = ofLength(body.length);
    client.socket.write(body);
    expect((await client.answered).status).toBe(200);
    const sent = gateway.vendor.requests.map(({ body: received }) => contentOf(received));
    expect(sent.length).toBe(2);
    expect(sent.every((content) => content === contentOf(JSON.parse(body.toString())))).toBe(true);
  });
});

describe('a body beyond the limit', () => {
  it('is refused by its length, unread', async () => {
    await expectTooLarge(ofLength(LIMIT + 1));
  });

  it('of unknown length is refused at the first byte too many', async () => {
    const client = ofUnknownLength();
    await sendPieces(client, chatOf(LIMIT + 1), 50_000, true);
    await expectTooLarge(client);
  });
});

describe('a body that does not come', () => {
  it('is refused when its time is over', async () => {
    const client = ofLength(1_000_000);
    client.socket.write(chatOf(1_000_000).subarray(0, 100_000));
    expect((await client.answered).status).toBe(408);
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it.each([
    ['of a length', () => ofLength(1_000_000), (piece: Buffer) => piece],
    [
      'of unknown length',
      ofUnknownLength,
      (piece: Buffer) => Buffer.concat([Buffer.from('30d40\r\n'), piece, Buffer.from('\r\n')]),
    ],
  ])('%s because its client left is forgotten', async (_what, start, framed) => {
    const client = start();
    client.socket.write(framed(chatOf(200_000)));
    await eventually(async () => expect(await heldForBodies()).toBeGreaterThan(0));
    client.socket.destroy();
    await eventually(async () => expect(await heldForBodies()).toBe(0));
    expect(gateway.vendor.requests).toHaveLength(0);
  });
});

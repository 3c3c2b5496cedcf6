/** What Node's server read of a long body is given back while the body comes, and nobody who still needs a piece finds it empty. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { FastPath, giveBack } from '../src/index.ts';
import { connectionTo } from './connection-to.ts';

/** Node 20 cannot give back. */
const CAN_GIVE_BACK = 'transfer' in ArrayBuffer.prototype;
/** Node 26 reads the body of such a request by itself. The gateway tells it and Node 24 which offers it wants, and is handed no others. */
const HANDS_OVER_DECLINED = Number.parseInt(process.versions.node, 10) < 26;
const LONG = 3_000_001;

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

type OnServer = (server: Server) => void;
const nothing: OnServer = () => undefined;

/** Answers each body with its digest. `before` and `after`: what happens to the server around the making of the fast path. */
async function start({
  before = nothing,
  after = nothing,
}: {
  before?: OnServer;
  after?: OnServer;
} = {}): Promise<Socket> {
  const server = createServer(async (request, response) => {
    const hash = createHash('sha256');
    for await (const piece of request) hash.update(piece);
    response.end(hash.digest('hex'));
  });
  before(server);
  const fastPath = new FastPath({
    server,
    headers: [],
    times: { requestMs: 60_000, keepAliveMs: 60_000 },
    now: () => 0,
    accepts: () => false,
    answer: () => undefined,
  });
  after(server);
  return connectionTo(server, fastPath);
}

/** Waits until everything that is expected stands in what was answered, in this order. */
function heard(client: Socket, expected: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    client.on('close', () => reject(new Error(`closed after ${text}`)));
    client.on('data', (piece) => {
      text += piece.toString('latin1');
      let at = 0;
      for (const one of expected) {
        at = text.indexOf(one, at) + one.length;
        if (at < one.length) return;
      }
      resolve();
    });
  });
}

const head = (bytes: number, ...headers: string[]) =>
  Buffer.from(['POST / HTTP/1.1', 'Host: x', `Content-Length: ${bytes}`, ...headers, '', ''].join('\r\n'));

const OFFER = Buffer.from('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');

function inChunks(body: Buffer, sizes: readonly number[]): Buffer {
  const pieces: Uint8Array[] = [Buffer.from('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')];
  for (let at = 0, turn = 0; at < body.length; turn++) {
    const piece = body.subarray(at, at + (sizes[turn % sizes.length] as number));
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
    at += piece.length;
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

describe('long bodies', () => {
  it('behind each other and between short ones arrive as they were sent', async () => {
    const client = await start();
    const bodies = [LONG, 5, 70_000, LONG, 0, 65_537].map((bytes) => randomBytes(bytes));
    const answers = heard(client, bodies.map(digest));
    client.write(Buffer.concat(bodies.flatMap((body) => [head(body.length), body])));
    await answers;
  });

  it('of unknown length arrive as they were sent', async () => {
    const client = await start();
    const bodies = [LONG, 3, 200_000].map((bytes) => randomBytes(bytes));
    const answers = heard(client, bodies.map(digest));
    client.write(Buffer.concat(bodies.map((body) => inChunks(body, [1, 70_000, 3, 16_384]))));
    await answers;
  });

  it('that wait for their reader arrive as they were sent', async () => {
    const before: OnServer = (server) => {
      const [answer] = server.listeners('request') as ((...all: unknown[]) => void)[];
      server.removeAllListeners('request');
      server.on('request', (...both) => setTimeout(() => answer?.(...both), 20));
    };
    const client = await start({ before });
    const body = randomBytes(LONG);
    const answers = heard(client, [digest(body)]);
    client.write(Buffer.concat([head(body.length), body]));
    await answers;
  });

  it('are given back piece by piece, short ones are left alone', async () => {
    const read: Buffer[] = [];
    const watch = (socket: Socket) => socket.prependListener('data', (piece: Buffer) => read.push(piece));
    const client = await start({ after: (server) => server.on('connection', watch) });
    const short = randomBytes(1_000);
    const answered = heard(client, [digest(short)]);
    client.write(Buffer.concat([head(short.length), short]));
    await answered;
    expect(read.every(({ length }) => length > 0)).toBe(true);
    const long = randomBytes(LONG);
    const answers = heard(client, [digest(long)]);
    client.write(Buffer.concat([head(long.length), long]));
    await answers;
    const left = read.reduce((sum, { length }) => sum + length, 0);
    // The pieces in which a request ends are left to the collector.
    if (CAN_GIVE_BACK) expect(left).toBeLessThan(200_000);
    else expect(left).toBeGreaterThan(LONG);
  });
});

describe('an offer to upgrade', () => {
  it('behind a long body in the same piece gets the bytes that follow it', async () => {
    const [body, rest] = [randomBytes(200_000), randomBytes(20_000)];
    const followed = new Promise<string>((resolve) => {
      const after: OnServer = (server) =>
        server.on('upgrade', (_request, socket, begun) => {
          let all: Buffer = begun;
          socket.on('data', (piece: Buffer) => {
            all = Buffer.concat([all, piece]);
            if (all.length === rest.length) resolve(digest(all));
          });
        });
      void start({ after }).then((client) => {
        client.write(Buffer.concat([head(body.length), body, OFFER, rest.subarray(0, 10_000)]));
        client.once('data', () => client.write(rest.subarray(10_000)));
      });
    });
    expect(await followed).toBe(digest(rest));
  });

  it.runIf(HANDS_OVER_DECLINED)('that is declined leaves the long body behind it as it was sent', async () => {
    // As http/sockets/upgrades.ts does it: the connection begins anew, without the offer.
    const before: OnServer = (server) => {
      const [ordinary] = server.listeners('connection') as ((socket: Duplex) => void)[];
      server.on('upgrade', (request, socket, begun) => {
        ordinary?.call(server, socket);
        socket.resume();
        socket.emit('data', Buffer.concat([head(Number(request.headers['content-length'])), begun]));
      });
    };
    const client = await start({ before });
    const body = randomBytes(LONG);
    const answers = heard(client, [digest(body)]);
    client.write(Buffer.concat([head(body.length, 'Connection: Upgrade', 'Upgrade: other'), body]));
    await answers;
  });
});

describe('giving back', () => {
  it('leaves bytes alone that share their memory with others', () => {
    const shared = Buffer.from('abcdef').subarray(2, 4);
    giveBack(shared);
    expect(shared.toString()).toBe('cd');
  });

  it('leaves short blocks to the collector', () => {
    const short = Buffer.alloc(16 * 1024 - 1);
    giveBack(short);
    expect(short.length).toBe(16 * 1024 - 1);
  });

  it('of bytes that were given back already, and of none, is harmless', () => {
    const own = Buffer.alloc(100_000);
    giveBack(own);
    giveBack(own);
    giveBack(Buffer.alloc(0));
    expect(own.length).toBe(CAN_GIVE_BACK ? 0 : 100_000);
  });
});

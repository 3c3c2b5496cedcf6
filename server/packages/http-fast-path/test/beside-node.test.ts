/**
 * The same bytes go to a server of Node and to the same server behind a fast path. A client must not be able to tell them apart: same
 * answers, in the same order, from the same reading of every request, and the connection closed or kept alike.
 * @tier services
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { budget } from '../../../test/fuzz/budget.ts';
import { FastPath } from '../src/index.ts';

const WANTED = ['authorization', 'x-api-key', 'content-type', 'accept-language'] as const;
const PATH = '/in/the/lane';
const MAX_BODY = 64;

interface Reading {
  url: string | undefined;
  headers: Record<string, unknown>;
  body: string;
}

const asAnswer = (reading: Reading) => JSON.stringify(reading);

function ordinary(): Server {
  return createServer((request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const headers = Object.fromEntries(WANTED.map((name) => [name, request.headers[name]]));
      const text = asAnswer({ url: request.url, headers, body: Buffer.concat(pieces).toString('latin1') });
      response.writeHead(200, { 'content-length': Buffer.byteLength(text) });
      response.end(text);
    });
  });
}

let inFastPath = 0;
const alone = ordinary();
const behindFastPath = ordinary();
const fastPath = new FastPath({
  server: behindFastPath,
  headers: WANTED,
  times: { requestMs: 60_000, keepAliveMs: 60_000 },
  now: () => 0,
  accepts: ({ path, bodyBytes }) => path === PATH && bodyBytes <= MAX_BODY,
  answer({ head, body }, reply) {
    inFastPath++;
    const headers = Object.fromEntries(WANTED.map((name) => [name, head.headers[name]]));
    const text = asAnswer({ url: head.path, headers, body: Buffer.from(body).toString('latin1') });
    reply.writeHead(200, { 'content-length': Buffer.byteLength(text) });
    reply.end(text);
  },
});
afterAll(() => fastPath.close());

interface Heard {
  answers: { status: number; body: string }[];
  closed: boolean;
}

/** What a client hears that sends these pieces and then waits. */
async function hear(server: Server, pieces: readonly Buffer[]): Promise<Heard> {
  const [client, served] = duplexPair();
  let heard = '';
  let closed = false;
  let events = 0;
  client.on('data', (piece: Buffer) => {
    heard += piece.toString('latin1');
    events++;
  });
  client.on('end', () => {
    closed = true;
    events++;
  });
  client.on('error', () => undefined);
  served.on('error', () => undefined);
  server.emit('connection', served);
  for (const piece of pieces) {
    if (!closed) client.write(piece);
    await quiet(() => events, 2);
  }
  await quiet(() => events, 6);
  destroy(client, served);
  return { answers: takeApart(heard), closed };
}

function destroy(...sockets: Duplex[]): void {
  for (const socket of sockets) socket.destroy();
}

/** Until nothing has happened for some turns of the event loop. */
async function quiet(events: () => number, turns: number): Promise<void> {
  for (let still = 0, before = events(); still < turns; still++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (events() !== before) still = 0;
    before = events();
  }
}

function takeApart(text: string): Heard['answers'] {
  const answers: Heard['answers'] = [];
  for (let at = 0; at < text.length; ) {
    const headEnd = text.indexOf('\r\n\r\n', at);
    if (headEnd < 0) break;
    const head = text.slice(at, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const status = Number(head.slice(9, 12));
    // What Node writes into its own refusals is not ours to repeat.
    const body = status === 200 ? text.slice(headEnd + 4, headEnd + 4 + length) : '';
    answers.push({ status, body });
    at = headEnd + 4 + length;
  }
  return answers;
}

const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
/** Nearly always the first: a request with one odd place says more than one that is odd all over. */
const mostly = (usual: string, ...odd: string[]) =>
  fc.oneof({ weight: 14, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: oneOf(...odd) });
const blank = mostly(' ', '', '  ', '\t', ' \t', '\xa0', '\x0b');
const behind = mostly('', ' ', '  ', '\t', ' \t', '\xa0', '\x0b');
const name = fc.oneof(
  { weight: 30, arbitrary: oneOf('Authorization', 'x-api-key', 'Content-Type', 'accept-language', 'X-Other') },
  {
    weight: 3,
    arbitrary: oneOf('Connection', 'Proxy-Connection', 'Transfer-Encoding', 'Content-Length', 'Expect', 'Upgrade'),
  },
  { weight: 2, arbitrary: oneOf('TE', 'Trailer', 'Keep-Alive', 'Host', 'Content-length', '__proto__', 'X Y', '') },
  { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
);
const value = fc.oneof(
  { weight: 12, arbitrary: oneOf('Bearer dg-1', 'application/json', 'fa', 'a, b', '\xfc\xff', '"quoted"', '') },
  {
    weight: 4,
    arbitrary: oneOf('keep-alive', 'Keep-Alive', 'close', 'keep-alive, close', 'upgrade', 'chunked', '100-continue'),
  },
  { weight: 2, arbitrary: oneOf('0', '5', '05', '+5', '5, 5', '0x5', '5_0', '99999999999', 'identity', 'h2c') },
  { weight: 1, arbitrary: fc.string({ maxLength: 10, unit: 'binary-ascii' }) },
);
const lineEnd = mostly('\r\n', '\n', '\r', '\r\n ');
const header = fc
  .tuple(name, mostly(':', ' :', '', '::'), blank, value, behind, lineEnd)
  .map((parts) => parts.join(''));
const body = fc.string({ maxLength: 12, unit: oneOf('a', '\r', '\n', '0', ':', ' ', '\xff') });
const firstLine = fc.oneof(
  { weight: 20, arbitrary: fc.constant(`POST ${PATH} HTTP/1.1\r\n`) },
  {
    weight: 1,
    arbitrary: oneOf(
      `POST ${PATH}?a=b HTTP/1.1\r\n`,
      `POST  ${PATH} HTTP/1.1\r\n`,
      `POST ${PATH} HTTP/1.0\r\n`,
      `post ${PATH} HTTP/1.1\r\n`,
      `GET ${PATH} HTTP/1.1\r\n`,
      `PUT ${PATH} HTTP/1.1\r\n`,
      `POST ${PATH} HTTP/1.1 \r\n`,
      `POST ${PATH} HTTP/1.1\n`,
      `POST ${PATH}\xe9 HTTP/1.1\r\n`,
      `POST http://x${PATH} HTTP/1.1\r\n`,
      `\r\nPOST ${PATH} HTTP/1.1\r\n`,
    ),
  },
);
const request = fc
  .record({
    first: firstLine,
    before: fc.array(header, { maxLength: 3 }),
    after: fc.array(header, { maxLength: 2 }),
    body,
    announced: fc.oneof(
      { weight: 8, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: oneOf('-1', '-2').map(Number) },
    ),
    length: mostly('Content-Length: ', 'content-length:', 'CONTENT-LENGTH:\t', 'Content-Length:  '),
    behind,
    host: mostly('Host: x\r\n', '', 'Host: x\r\nhost: y\r\n'),
  })
  .map(({ first, before, after, body, announced, length, behind, host }) => {
    const bodyBytes = Math.max(0, body.length + announced);
    const head = `${first}${host}${before.join('')}${length}${bodyBytes}${behind}\r\n${after.join('')}\r\n`;
    return [`${head}${body.slice(0, bodyBytes)}`, body.slice(bodyBytes)];
  });
/** Some pieces are cut, some carry a byte that the way has changed, some never come to their end. */
const conversation = fc
  .record({
    requests: fc.array(request, { minLength: 1, maxLength: 3 }),
    cuts: fc.oneof(
      { weight: 3, arbitrary: fc.constant<number[]>([]) },
      { weight: 1, arbitrary: fc.array(fc.nat(400), { maxLength: 3 }) },
    ),
    /** Bytes that never come. */
    missing: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(60) }),
    changed: fc.option(fc.record({ piece: fc.nat(5), at: fc.nat(300), byte: fc.nat(255) }), { freq: 12 }),
  })
  .map(({ requests, cuts, missing, changed }) => {
    const pieces = requests
      .flat()
      .filter((text) => text !== '')
      .map((text) => Buffer.from(text, 'latin1'));
    const hit = pieces[(changed?.piece ?? 0) % pieces.length];
    // A digit would move the end of the body into the middle of a piece.
    if (changed && hit && !isDigit(hit[changed.at % hit.length])) hit[changed.at % hit.length] = changed.byte;
    const last = pieces.pop() ?? Buffer.alloc(0);
    return [...pieces, last.subarray(0, Math.max(0, last.length - missing))].flatMap((piece) => cut(piece, cuts));
  });

/**
 * Node refuses broken bytes at once and forgets the answers that it owes to requests before them in the same piece. Byte by byte
 * it has answered every request before it reads the next one, as a fast path has.
 */
function byteByByte(pieces: readonly Buffer[]): Buffer[] {
  return pieces.flatMap((piece) => [...piece].map((byte) => Buffer.of(byte)));
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((at) => at % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length)).filter((p) => p.length > 0);
}

describe('a lane beside the server of Node', () => {
  const { parameters, timeoutMs } = budget(1_500);

  it(
    'no bytes are answered otherwise than there',
    async () => {
      inFastPath = 0;
      let cases = 0;
      await fc.assert(
        fc.asyncProperty(conversation, async (pieces) => {
          cases++;
          const answered = await hear(behindFastPath, pieces);
          expect([await hear(alone, pieces), await hear(alone, byteByByte(pieces))]).toContainEqual(answered);
        }),
        parameters,
      );
      // Otherwise Node would be compared with itself.
      expect(inFastPath).toBeGreaterThan(cases / 10);
    },
    timeoutMs,
  );

  it.each([
    ['a tab behind the length', 'Content-Length: 5\t\r\n'],
    ['a no-break space before the length', 'Content-Length: \xa05\r\n'],
    ['an old word for Connection: close', 'Content-Length: 5\r\nProxy-Connection: close\r\n'],
    ['an old word for Connection: keep-alive', 'Content-Length: 5\r\nProxy-Connection: keep-alive\r\n'],
    ['close, then keep-alive', 'Content-Length: 5\r\nConnection: close\r\nConnection: keep-alive\r\n'],
    ['more headers than Node keeps', `Content-Length: 5\r\n${'a:\r\n'.repeat(2_100)}X-Api-Key: late\r\n`],
  ])('%s is read as Node reads it', async (_what, lines) => {
    const bytes = [Buffer.from(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n${lines}\r\nhello`, 'latin1')];
    expect(await hear(behindFastPath, bytes)).toEqual(await hear(alone, bytes));
  });

  it('an ordinary request is taken by the lane', async () => {
    inFastPath = 0;
    const bytes = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello`;
    expect((await hear(behindFastPath, [Buffer.from(bytes)])).answers[0]?.status).toBe(200);
    expect(inFastPath).toBe(1);
  });
});

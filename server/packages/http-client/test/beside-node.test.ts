/**
 * The same bytes go to the reader of this package and to Node's own client. Being stricter is allowed; another status, another
 * header, another body or another idea of whether the connection may be used again is not.
 */
import { Agent, request } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budget } from '../../../test/fuzz/budget.ts';
import { MalformedResponse } from '../src/refusals.ts';
import { ResponseReader } from '../src/response-reader.ts';

interface Read {
  /** Bytes up to the end of the answer, as far as the pieces tell. */
  taken: number;
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The connection may carry another call. */
  reusable: boolean;
}

/** Undefined when the bytes are refused, or are not a whole answer. */
function ours(pieces: readonly Buffer[]): Read | undefined {
  const read: Read = { taken: 0, status: 0, headers: {}, body: '', reusable: false };
  let over = false;
  const reader = new ResponseReader({
    head(head) {
      read.status = head.status;
      read.headers = { ...head.headers() };
    },
    body(view) {
      read.body += view.toString('latin1');
    },
    end(reusable) {
      read.reusable = reusable;
      over = true;
    },
  });
  try {
    for (const piece of pieces) {
      // Whatever comes after the answer is nobody's: the connection is closed.
      if (over) {
        read.reusable = false;
        break;
      }
      read.taken += piece.length;
      reader.read(Buffer.from(piece));
    }
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedResponse);
    return undefined;
  }
  return over || reader.closed() ? read : undefined;
}

/** What Node makes of the bytes, from a server that closes behind them unless the answer was over before. */
function node(bytes: Buffer): Promise<Omit<Read, 'taken'> | undefined> {
  const [socket, server] = duplexPair();
  const agent = new Agent({ keepAlive: true });
  Object.assign(agent, { createConnection: () => withSocketMethods(socket) });
  server.once('data', () => server.end(bytes)).on('error', () => undefined);
  return new Promise<Omit<Read, 'taken'> | undefined>((resolve) => {
    let answered = false;
    const call = request({ host: 'x', agent }, (reply) => {
      answered = true;
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => pieces.push(piece));
      reply.on('error', () => resolve(undefined));
      reply.on('end', () => {
        const headers: Record<string, string> = Object.create(null);
        for (let at = 0; at < reply.rawHeaders.length; at += 2) {
          const name = (reply.rawHeaders[at] as string).toLowerCase();
          const value = reply.rawHeaders[at + 1] as string;
          headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
        }
        resolve({
          status: reply.statusCode ?? 0,
          headers: { ...headers },
          body: Buffer.concat(pieces).toString('latin1'),
          reusable: call.shouldKeepAlive,
        });
      });
    });
    call.on('error', () => resolve(undefined));
    call.on('upgrade', () => resolve(undefined));
    call.on('close', () => {
      if (!answered) resolve(undefined);
    });
    call.end();
  }).finally(() => {
    agent.destroy();
    socket.destroy();
    server.destroy();
  });
}

/** What Node's agent asks of a socket beyond a stream. */
function withSocketMethods(stream: Duplex): Duplex {
  return Object.assign(stream, { setKeepAlive() {}, setTimeout() {}, setNoDelay() {}, ref() {}, unref() {} });
}

const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
/** Nearly always the first: an answer with one odd place says more than one that is odd all over. */
const mostly = (usual: string, ...odd: string[]) =>
  fc.oneof({ weight: 14, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: oneOf(...odd) });
const blank = mostly(' ', '', '  ', '\t', '\xa0', '\x0b', '\x85');
const behind = mostly('', ' ', '\t', ' \t', '\xa0', '\x0b');
const lineEnd = mostly('\r\n', '\n', '\r', '\r\n ');
const name = fc.oneof(
  { weight: 12, arbitrary: oneOf('content-type', 'X-Other', 'date', 'server', 'retry-after', 'a', 'A') },
  { weight: 5, arbitrary: oneOf('Connection', 'Proxy-Connection', 'Keep-Alive', 'Trailer') },
  { weight: 2, arbitrary: oneOf('Transfer-Encoding', 'Content-Length', 'Upgrade', '__proto__', 'x y', '') },
  { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
);
const value = fc.oneof(
  { weight: 10, arbitrary: oneOf('application/json', 'a, b', '', '\xfc\xff', 'timeout=5', 'x') },
  { weight: 6, arbitrary: oneOf('keep-alive', 'close', 'Close', 'keep-alive, close', 'close, x', 'closed', 'upgrade') },
  { weight: 2, arbitrary: oneOf('chunked', 'gzip, chunked', 'identity', '5', '0', '+5', '5, 5', '0x5') },
  { weight: 1, arbitrary: fc.string({ maxLength: 8, unit: 'binary-ascii' }) },
);
const header = fc
  .tuple(name, mostly(':', ' :', '', '::'), blank, value, behind, lineEnd)
  .map((parts) => parts.join(''));
const body = fc.string({ maxLength: 20, unit: oneOf('a', '\r', '\n', '0', ':', ' ', '\xff') });
const chunked = fc
  .record({
    pieces: fc.array(
      body.filter((text) => text !== ''),
      { maxLength: 3 },
    ),
    field: mostly('Transfer-Encoding: chunked', 'transfer-encoding:\tCHUNKED', 'Transfer-Encoding: \xa0chunked'),
    behind,
    size: mostly('', ' ', '\t', ';a=b', ';x', ';x="y z"', ';', ' ;x', ';a=b;c'),
    zero: mostly('0', '00', '0 ', '0;x', ''),
    wrong: fc.oneof(
      { weight: 20, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: -1, max: 1 }) },
    ),
    end: lineEnd,
    trailers: fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant('x-sum: 1\r\n') }, header), { maxLength: 2 }),
  })
  .map(({ pieces, field, behind, size, zero, wrong, end, trailers }) => {
    const chunks = pieces.map((text) => `${Math.max(0, text.length + wrong).toString(16)}${size}${end}${text}\r\n`);
    return { field: `${field}${behind}\r\n`, wire: `${chunks.join('')}${zero}\r\n${trailers.join('')}\r\n` };
  });
const sized = fc
  .record({
    body,
    field: mostly('Content-Length: ', 'content-length:', 'CONTENT-LENGTH:\t', 'Content-Length: \xa0'),
    behind,
    wrong: fc.oneof(
      { weight: 20, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: -1, max: 1 }) },
    ),
  })
  .map(({ body, field, behind, wrong }) => ({
    field: `${field}${Math.max(0, body.length + wrong)}${behind}\r\n`,
    wire: body,
  }));
const unsized = body.map((text) => ({ field: '', wire: text }));
const interim = oneOf('HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
const answer = fc
  .record({
    interim: fc.oneof({ weight: 5, arbitrary: fc.constant<string[]>([]) }, fc.array(interim, { maxLength: 3 })),
    first: fc.oneof(
      { weight: 10, arbitrary: fc.constant('HTTP/1.1 200 OK\r\n') },
      {
        weight: 3,
        arbitrary: oneOf(
          'HTTP/1.0 200 OK\r\n',
          'HTTP/1.1 204 No Content\r\n',
          'HTTP/1.1 304 Not Modified\r\n',
          'HTTP/1.1 200\r\n',
          'HTTP/1.1 200 \r\n',
          'HTTP/1.1 429 Too Many\xa0Requests\r\n',
          'HTTP/1.1 200 OK\n',
          'HTTP/1.1  200 OK\r\n',
          'HTTP/1.2 200 OK\r\n',
          'HTTP/1.1 099 OK\r\n',
          'HTTP/1.1 2000 OK\r\n',
          'http/1.1 200 OK\r\n',
        ),
      },
    ),
    before: fc.array(header, { maxLength: 3 }),
    content: fc.oneof(sized, chunked, unsized),
    after: fc.array(header, { maxLength: 1 }),
    more: mostly('', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'x'),
    missing: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(30) }),
    changed: fc.option(fc.record({ at: fc.nat(300), byte: fc.nat(255) }), { freq: 10 }),
    cuts: fc.array(fc.nat(400), { maxLength: 4 }),
  })
  .map(({ interim, first, before, content, after, more, missing, changed, cuts }) => {
    const head = `${interim.join('')}${first}${before.join('')}${content.field}${after.join('')}\r\n`;
    const whole = Buffer.from(`${head}${content.wire}${more}`, 'latin1');
    const bytes = whole.subarray(0, Math.max(1, whole.length - missing));
    if (changed) bytes[changed.at % bytes.length] = changed.byte;
    const places = [...new Set(cuts.map((at) => at % (bytes.length + 1)))].sort((a, b) => a - b);
    return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length)).filter((p) => p.length > 0);
  });

describe('the reader beside the client of Node', () => {
  const { parameters, timeoutMs } = budget(5_000);

  it(
    'no answer is understood otherwise than there',
    async () => {
      let cases = 0;
      let accepted = 0;
      await fc.assert(
        fc.asyncProperty(answer, async (pieces) => {
          cases++;
          const bytes = Buffer.concat(pieces);
          const read = ours([...bytes].map((byte) => Buffer.of(byte)));
          const inPieces = ours(pieces);
          expect({ ...inPieces, taken: read?.taken }).toEqual({ ...read, taken: read?.taken });
          if (!read) return;
          accepted++;
          const { status, headers, body, reusable, taken } = read;
          // Node refuses the answer for what comes behind it; we give the answer and close the connection.
          const theirs = await node(bytes.subarray(0, taken));
          if (taken < bytes.length) expect(reusable).toBe(false);
          expect({ status, headers, body }).toEqual({
            status: theirs?.status,
            headers: theirs?.headers,
            body: theirs?.body,
          });
          // Closing one that could be kept costs a handshake; keeping one that was to be closed costs a call.
          if (reusable) expect(theirs?.reusable).toBe(true);
        }),
        parameters,
      );
      expect(accepted).toBeGreaterThan(cases / 8);
    },
    timeoutMs,
  );
});

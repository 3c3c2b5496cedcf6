import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedResponse } from '../src/refusals.ts';
import type { ResponseHead } from '../src/response-head.ts';
import { ResponseReader } from '../src/response-reader.ts';

interface Seen {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Undefined while the answer is not over. */
  reusable: boolean | undefined;
}

/** Reads bytes that come in the given pieces; `closed` tells that the provider closed after the last. */
function read(pieces: readonly Buffer[], closed = false): Seen[] {
  const seen: Seen[] = [];
  const last = () => seen.at(-1) as Seen;
  const reader = new ResponseReader({
    head: (head: ResponseHead) =>
      void seen.push({ status: head.status, headers: { ...head.headers() }, body: '', reusable: undefined }),
    body: (view) => {
      last().body += view.toString('latin1');
      // The memory belongs to the next read by then.
      view.fill(0x21);
    },
    end: (reusable) => {
      last().reusable = reusable;
    },
  });
  for (const piece of pieces) reader.read(Buffer.from(piece));
  if (closed && reader.closed()) last().reusable = false;
  return seen;
}

const readText = (text: string, closed = false) => read([Buffer.from(text, 'latin1')], closed);

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [...new Set(at.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places]
    .map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
    .filter(({ length }) => length);
}

const body = fc.string({ unit: fc.constantFrom('a', 'ü', '\r', '\n', '0', ':', ' '), maxLength: 80 });
const cuts = fc.array(fc.nat({ max: 2_000 }), { maxLength: 12 });

/** The body in chunks, with what the protocol allows around them. */
const chunked = fc
  .record({
    pieces: fc.array(
      body.filter(({ length }) => length > 0),
      { maxLength: 5 },
    ),
    extension: fc.constantFrom('', ';a=b', ';x;y=1'),
    upper: fc.boolean(),
    trailers: fc.constantFrom('', 'x-sum: 1\r\n', 'a: b\r\nc: d\r\n'),
  })
  .map(({ pieces, extension, upper, trailers }) => {
    const sizeOf = ({ length }: string) => (upper ? length.toString(16).toUpperCase() : length.toString(16));
    const chunks = pieces.map((piece) => `${sizeOf(piece)}${extension}\r\n${piece}\r\n`).join('');
    return { framing: 'Transfer-Encoding: chunked\r\n', wire: `${chunks}0\r\n${trailers}\r\n`, body: pieces.join('') };
  });
const sized = body.map((text) => ({ framing: `content-length: ${text.length}\r\n`, wire: text, body: text }));
const response = fc.record({
  status: fc.constantFrom(200, 201, 400, 429, 503),
  interim: fc.constantFrom('', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  content: fc.oneof(sized, chunked),
});

describe('answers of a provider', () => {
  it('are the same however their bytes are split, one after the other on a connection', () => {
    fc.assert(
      fc.property(fc.array(response, { minLength: 1, maxLength: 3 }), cuts, (responses, places) => {
        const pieces = responses.map(({ status, interim, content }) =>
          cut(
            Buffer.from(
              `${interim}HTTP/1.1 ${status} Some words\r\nX-Odd:\t two  \r\n${content.framing}\r\n${content.wire}`,
              'latin1',
            ),
            places,
          ),
        );
        const seen = read(pieces.flat());
        expect(seen.map((each) => [each.status, each.body, each.headers['x-odd'], each.reusable])).toEqual(
          responses.map(({ status, content }) => [status, content.body, 'two', true]),
        );
      }),
    );
  });

  it('end with the connection where nothing else says so', () => {
    fc.assert(
      fc.property(body, cuts, (text, places) => {
        const bytes = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n${text}`, 'latin1');
        expect(read(cut(bytes, places))).toMatchObject([{ body: text, reusable: undefined }]);
        expect(read(cut(bytes, places), true)).toMatchObject([{ body: text, reusable: false }]);
      }),
    );
  });

  it.each([
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nab',
  ])('are not over when the connection closes inside %j', (text) => {
    expect(readText(text, true)).toMatchObject([{ reusable: undefined }]);
  });

  it.each([
    ['HTTP/1.1 200 OK\r\ncontent-length: 0', true],
    ['HTTP/1.1 204 No Content', true],
    ['HTTP/1.1 304 Not Modified\r\ncontent-length: 10', true],
    ['HTTP/1.1 200\r\ncontent-length: 0', true],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\nConnection: Close', false],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: x-own, close', false],
    ['HTTP/1.0 200 OK\r\ncontent-length: 0', false],
    ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\nconnection: Keep-Alive', true],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\nconnection: keep-alive', false],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: keep-alive\r\nconnection: close', false],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\nproxy-connection: close', false],
    ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\nProxy-Connection: keep-alive', true],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: \xa0close', true],
  ])('without a body: %j, connection reusable %s', (head, reusable) => {
    expect(readText(`${head}\r\n\r\n`)).toMatchObject([{ body: '', reusable }]);
  });

  it('may be announced by sixteen interim ones', () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(16);
    expect(readText(`${hints}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`)).toMatchObject([
      { status: 200, body: 'ok' },
    ]);
  });

  it('leave a connection that says more than it was asked to no second call', () => {
    expect(readText('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n')).toMatchObject([
      { body: 'ok', reusable: false },
    ]);
  });

  it('keep repeated headers, and a header may have any name', () => {
    const [seen] = readText('HTTP/1.1 200 OK\r\nA: 1\r\na: 2\r\n__proto__: 3\r\ncontent-length: 0\r\n\r\n');
    expect(seen?.headers['a']).toBe('1, 2');
    expect(Object.entries(seen?.headers ?? {})).toContainEqual(['__proto__', '3']);
  });
});

describe('what is not HTTP', () => {
  it.each([
    'HTTP/2 200 OK\r\n\r\n',
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/1.1 099 Odd\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n',
    'SSH-2.0-OpenSSH_9.6\r\n\r\n',
    'HTTP/1.1 200 OK\r\nname : value\r\n\r\n',
    'HTTP/1.1 200 OK\r\nname: one\r\n two\r\n\r\n',
    'HTTP/1.1 200 OK\r\nname: a\rb\r\n\r\n',
    'HTTP/1.1 200 OK\r\nname: a\0b\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1e3\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1, 1\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\na\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffff\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: \xa0chunked\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: \xa05\r\n\r\nhello',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\t\r\n\r\nhello',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\t;x\r\nhello\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nno trailer\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx : y\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\ncontent-length: 5\r\n\r\n',
    'HTTP/1.0 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 100 Continue\r\nconnection: close\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(17)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`,
  ])('%j is refused', (text) => {
    expect(() => readText(text)).toThrow(MalformedResponse);
  });

  it.each([
    ['a head without end', 'HTTP/1.1 200 OK\r\n', 'x-more: of the same\r\n'],
    [
      'lines that never come to their empty one',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n',
      'a: b\r\n',
    ],
    [
      'the size of a chunk without end',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;',
      'aaaaaaaaaaaaaaaaaaaa',
    ],
  ])('%s takes no more than a bounded memory', (_, beginning, more) => {
    const pieces = [beginning, ...Array.from({ length: 100_000 }, () => more)].map((text) => Buffer.from(text));
    expect(() => read(pieces)).toThrow(MalformedResponse);
  });
});

/** The strict reader of heads: whatever it accepts, Node's own parser understands in the same way; whatever it doubts, it leaves. */
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPlainHead, WantedHeaders } from '../src/plain-head.ts';

const WANTED = new WantedHeaders([
  'authorization',
  'x-api-key',
  'accept-language',
  'content-type',
  'origin',
  'x-svc-hop',
]);
const read = (head: string) => readPlainHead(Buffer.from(head, 'latin1'), Buffer.byteLength(head, 'latin1'), WANTED);
const lines = (...each: string[]) => each.join('\r\n');
const POST = 'POST /api/v1/chat/completions HTTP/1.1';

describe('a plain head', () => {
  it('gives the path, the length and the headers a call may read', () => {
    const head = read(
      lines(
        POST,
        'Host: x',
        'User-Agent: y',
        'Content-Length: 12',
        'AUTHORIZATION:  Bearer dg-1\t',
        'Connection: Keep-Alive',
      ),
    );
    expect(head).toEqual({
      path: '/api/v1/chat/completions',
      headers: { authorization: 'Bearer dg-1' },
      bodyBytes: 12,
    });
  });

  it.each([
    ['another method', lines('GET / HTTP/1.1', 'host: x', 'content-length: 1')],
    ['an older version', lines('POST / HTTP/1.0', 'host: x', 'content-length: 1')],
    ['a space in the address', lines('POST /a b HTTP/1.1', 'host: x', 'content-length: 1')],
    ['no headers', POST],
    ['no host', lines(POST, 'content-length: 1')],
    ['two hosts', lines(POST, 'host: x', 'host: y', 'content-length: 1')],
    ['no length', lines(POST, 'host: x')],
    ['two lengths', lines(POST, 'host: x', 'content-length: 1', 'content-length: 1')],
    ['a list of lengths', lines(POST, 'host: x', 'content-length: 1, 1')],
    ['a signed length', lines(POST, 'host: x', 'content-length: +1')],
    ['a hexadecimal length', lines(POST, 'host: x', 'content-length: 0x1')],
    ['a length of many digits', lines(POST, 'host: x', 'content-length: 00000000001')],
    ['chunks', lines(POST, 'host: x', 'transfer-encoding: chunked')],
    ['chunks and a length', lines(POST, 'host: x', 'content-length: 1', 'Transfer-Encoding: chunked')],
    ['an expectation', lines(POST, 'host: x', 'content-length: 1', 'expect: 100-continue')],
    ['an upgrade', lines(POST, 'host: x', 'content-length: 1', 'upgrade: h2c')],
    ['a connection to be closed', lines(POST, 'host: x', 'content-length: 1', 'connection: close')],
    ['connection options', lines(POST, 'host: x', 'content-length: 1', 'connection: keep-alive, x-svc-hop')],
    ['a header of ours twice', lines(POST, 'host: x', 'content-length: 1', 'x-api-key: a', 'X-Api-Key: b')],
    ['a folded line', lines(POST, 'host: x', 'content-length: 1', 'x-a: b', ' c: d')],
    ['a space before the colon', lines(POST, 'host: x', 'content-length : 1')],
    ['a line without a colon', lines(POST, 'host: x', 'content-length: 1', 'nonsense')],
    ['a name of no length', lines(POST, 'host: x', 'content-length: 1', ': b')],
    ['a lone line feed', lines(POST, 'host: x', 'content-length: 1\nx-api-key: stolen')],
    ['a lone carriage return', lines(POST, 'host: x', 'content-length: 1\rx-api-key: stolen')],
    ['a NUL', lines(POST, 'host: x', 'content-length: 1', 'x-a: b\0c')],
    ['more than Node would read', lines(POST, 'host: x', 'content-length: 1', `x-a: ${'b'.repeat(17_000)}`)],
  ])('is not one with %s', (_what, head) => {
    expect(read(head)).toBeUndefined();
  });
});

describe('beside the parser of Node', () => {
  let seen: IncomingMessage | undefined;
  const server = createServer((request, response) => {
    seen = request;
    response.end();
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => void server.close());

  /** What Node makes of the head; undefined when it refuses. */
  function throughNode(head: string, bodyBytes: number): Promise<IncomingMessage | undefined> {
    seen = undefined;
    return new Promise((resolve) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write(`${head}\r\n\r\n`, 'latin1');
        socket.write('b'.repeat(bodyBytes));
      });
      socket.once('data', () => socket.destroy()).on('error', () => undefined);
      socket.once('close', () => resolve(seen));
    });
  }

  const name = fc.oneof(
    fc.constantFrom(
      'authorization',
      'X-Api-Key',
      'Accept-Language',
      'content-type',
      'x-other',
      'Origin',
      'x-svc-hop',
      'te',
    ),
    fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/),
    fc.string({ maxLength: 6 }),
  );
  const value = fc.oneof(
    fc.stringMatching(/^[ \t!-~\x80-\xff]{0,30}$/),
    fc.string({ maxLength: 12, unit: 'binary-ascii' }),
    fc.constantFrom('keep-alive', 'close', '12', '\xa0padded\xa0'),
  );
  const header = fc.tuple(name, fc.constantFrom(':', ': ', ' :', ':\t'), value).map((parts) => parts.join(''));

  it('every head that is accepted is understood alike', async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(header, { maxLength: 6 }), fc.nat(40), async (more, bodyBytes) => {
        const text = lines('POST /some/path HTTP/1.1', 'Host: x', ...more, `Content-Length: ${bodyBytes}`);
        if (/[^\0-\xff]/.test(text)) return;
        const head = read(text);
        if (!head) return;
        accepted++;
        const node = await throughNode(text, bodyBytes);
        expect(node?.url).toBe(head.path);
        expect(node?.headers['content-length']).toBe(String(head.bodyBytes));
        for (const [each, text] of Object.entries(head.headers)) expect(node?.headers[each]).toBe(text);
      }),
      { numRuns: 400, seed: 5 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});

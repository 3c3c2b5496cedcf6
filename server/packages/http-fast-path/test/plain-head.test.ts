/** The strict reader of heads: what it takes and what it leaves to Node. That Node would read the same is `beside-node.test.ts`. */
import { describe, expect, it } from 'vitest';
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
    ['a tab behind the length', lines(POST, 'host: x', 'content-length: 1\t')],
    ['two blanks before the length', lines(POST, 'host: x', 'content-length:  1')],
    ['the old word for connection', lines(POST, 'host: x', 'content-length: 1', 'proxy-connection: close')],
    ['very many headers', lines(POST, 'host: x', 'content-length: 1', ...Array.from({ length: 1_000 }, () => 'a:'))],
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

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SseFrame, SseFrameTooLarge, SseParser, writeFrame } from '../../src/protocols/index.ts';
import { bytesOf, cutAt, framesOf } from './streams.ts';

const parse = (text: string): SseFrame[] => framesOf([bytesOf(text)]);
const brief = (frames: SseFrame[]) => frames.map(({ event, data }) => (event ? [event, data] : [data]));

describe('reading server-sent events', () => {
  test.each([
    ['line feeds', 'data: a\n\ndata: b\n\n', [['a'], ['b']]],
    ['carriage returns and line feeds', 'data: a\r\n\r\ndata: b\r\n\r\n', [['a'], ['b']]],
    ['carriage returns alone', 'data: a\r\rdata: b\r\r', [['a'], ['b']]],
    ['mixed line ends', 'event: x\r\ndata: a\n\r\ndata: b\r\n\n', [['x', 'a'], ['b']]],
    ['several data lines', 'data: a\ndata: b\ndata:\ndata: c\n\n', [['a\nb\n\nc']]],
    ['no space after the colon', 'event:x\ndata:a\n\n', [['x', 'a']]],
    ['two spaces: only the first is dropped', 'data:  a\n\n', [[' a']]],
    ['a field without a colon', 'data\n\n', [['']]],
    ['comments', ': OPENROUTER PROCESSING\n\n: again\ndata: a\n: inside\ndata: b\n\n', [['a\nb']]],
    ['unknown fields', 'id: 7\nretry: 10\ndatum: no\ndata: a\n\n', [['a']]],
    ['an event without data is no frame', 'event: ping\n\ndata: a\n\n', [['a']]],
    ['a byte order mark at the start', '\uFEFFdata: a\n\n', [['a']]],
    ['a byte order mark inside the text', 'data: a\uFEFFb\n\n', [['a\uFEFFb']]],
    ['a last frame without its blank line', 'data: a\n\ndata: b\n', [['a'], ['b']]],
    ['a last frame without any line end', 'event: e\ndata: b', [['e', 'b']]],
    ['nothing', '', []],
    ['blank lines only', '\n\n\r\n\r\n', []],
  ])('%s', (_name, text, expected) => {
    expect(brief(parse(text))).toEqual(expected);
  });

  test('json is parsed once, and only where it is JSON', () => {
    const [chunk, broken, done] = parse('data: {"a":[1]}\n\ndata: {"a":\n\ndata: [DONE]\n\n');
    expect(chunk?.json).toEqual({ a: [1] });
    expect(broken?.json).toBeUndefined();
    expect(done).toEqual({ event: undefined, data: '[DONE]', json: undefined });
  });

  test('cut at every byte, inside characters and line ends, the frames are the same', () => {
    const text =
      '\uFEFF: c\r\nevent: گفت\r\ndata: {"t":"سلام 👋🏽"}\r\n\r\ndata: é\rdata: 漢\r\rdata: z\n\ndata: [DONE]\n\n';
    const bytes = bytesOf(text);
    const whole = framesOf([bytes]);
    expect(whole).toHaveLength(4);
    for (let at = 0; at <= bytes.length; at++) expect(framesOf(cutAt(bytes, [at])), `cut at ${at}`).toEqual(whole);
    expect(framesOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  test('any text, cut anywhere any number of times, gives the same frames', () => {
    const line = fc.oneof(
      fc.constantFrom('data: x', 'data:', 'event: e', ': c', '', '', 'data', 'noise'),
      fc.string({ unit: 'binary', maxLength: 8 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
    );
    const stream = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 })
      .map((lines) => bytesOf(lines.flat().join('')));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 6 }), (bytes, cuts) => {
        expect(framesOf(cutAt(bytes, cuts))).toEqual(framesOf([bytes]));
      }),
    );
  });

  test('bytes that are not UTF-8 become replacement characters, and the stream goes on', () => {
    const bytes = Uint8Array.of(...bytesOf('data: a'), 0xff, 0xe2, 0x82, ...bytesOf('b\n\ndata: c\n\n'), 0xf0, 0x9f);
    expect(brief(framesOf([bytes]))).toEqual([['a\uFFFD\uFFFDb'], ['c']]);
    expect(framesOf([...bytes].map((byte) => Uint8Array.of(byte))).map(({ data }) => data)).toContain('c');
  });

  test('the transport may reuse the memory of a chunk', () => {
    const frames: SseFrame[] = [];
    const parser = new SseParser();
    const bytes = bytesOf('data: س\n\n');
    const reused = Uint8Array.from(bytes.subarray(0, 7));
    parser.push(reused, (frame) => frames.push(frame));
    reused.fill(0);
    parser.push(bytes.subarray(7), (frame) => frames.push(frame));
    expect(brief(frames)).toEqual([['س']]);
  });

  test('a frame of 300 KB in small chunks is whole', () => {
    const data = 'x'.repeat(300_000);
    const bytes = bytesOf(`data: ${data}\n\n`);
    const pieces = cutAt(
      bytes,
      Array.from({ length: 600 }, (_, at) => at * 500),
    );
    expect(framesOf(pieces)[0]?.data).toBe(data);
  });

  test.each([
    ['one endless line', 'data: 0123456789'],
    ['many lines', 'data: 01\ndata: 01\ndata: 01\n'],
  ])('a frame over the bound is refused: %s', (_name, text) => {
    const parser = new SseParser(15);
    expect(() => parser.push(bytesOf(text), () => {})).toThrow(SseFrameTooLarge);
  });

  test('the bound is per frame: many small ones pass', () => {
    const parser = new SseParser(15);
    let count = 0;
    for (let i = 0; i < 50; i++) parser.push(bytesOf('data: 012345\n\n: a comment of any length\n\n'), () => count++);
    expect(count).toBe(50);
  });

  test('what is written can be read', () => {
    expect(brief(parse(writeFrame('{"a":1}') + writeFrame('{}', 'ping')))).toEqual([['{"a":1}'], ['ping', '{}']]);
  });
});

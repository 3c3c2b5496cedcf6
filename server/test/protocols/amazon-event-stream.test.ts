/** Amazon's framing: any cut, any damage, any size. */
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AmazonMessage,
  EventStreamBroken,
  EventStreamParser,
  MAX_MESSAGE_BYTES,
} from '../../src/protocols/amazon-event-stream.ts';
import { amazonFrame } from '../../src/protocols/amazon-frames.ts';
import { amazonMessage, header } from '../clouds/amazon-message.ts';

function read(chunks: Uint8Array[], maxBytes?: number) {
  const parser = new EventStreamParser(maxBytes);
  const messages: AmazonMessage[] = [];
  for (const chunk of chunks) parser.push(chunk, (message) => messages.push(message));
  return { isCut: parser.isCut, messages: messages.map(plain) };
}

const plain = ({ headers, payload }: AmazonMessage) => ({
  headers: Object.fromEntries(headers),
  text: Buffer.from(payload).toString(),
});

/** Written by another program, so that writer and reader here cannot be wrong together. */
const FOREIGN =
  'AAAAmgAAAEsfmnjACzpldmVudC10eXBlBwAFY2h1bmsNOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2ZW50eyJieXRlcyI6ImV5SjBlWEJsSWpvaWNHbHVaeUlzSW01dmRHVWlPaUpvYjNWelpTSjkiLCJwIjoiYWJjZCJ96uJG6w==';

describe('a stream of Amazon', () => {
  it('is read as others write it', () => {
    const { messages, isCut } = read([Buffer.from(FOREIGN, 'base64')]);
    expect(isCut).toBe(false);
    expect(messages[0]?.headers).toEqual({
      ':event-type': 'chunk',
      ':content-type': 'application/json',
      ':message-type': 'event',
    });
    const parser = new EventStreamParser();
    let text = '';
    parser.push(Buffer.from(FOREIGN, 'base64'), (message) => {
      text += amazonFrame(message);
    });
    expect(text).toBe('data: {"type":"ping","note":"house"}\n\n');
  });

  it('gives the same messages however it is cut', () => {
    const texts = fc.array(fc.record({ event: fc.string({ maxLength: 20 }), text: fc.string({ maxLength: 60 }) }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(texts, fc.array(fc.nat(400), { maxLength: 8 }), (all, cuts) => {
        const bytes = Buffer.concat(all.map(({ event, text }) => amazonMessage({ ':event-type': event }, text)));
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((to, at) => bytes.subarray(places[at], to));
        const expected = all.map(({ event, text }) => ({ headers: { ':event-type': event }, text }));
        expect(read(chunks)).toEqual({ isCut: false, messages: expected });
      }),
    );
    const two = Buffer.concat([amazonMessage({ a: 'b' }, '{"x":"سلام"}'), amazonMessage({}, '')]);
    const whole = read([two]).messages;
    for (let at = 0; at <= two.length; at++)
      expect(read([two.subarray(0, at), two.subarray(at)]).messages).toEqual(whole);
    expect(read([...two].map((byte) => Uint8Array.of(byte))).messages).toEqual(whole);
    expect(read([two.subarray(0, two.length - 1)])).toMatchObject({ isCut: true, messages: [whole[0]] });
  });

  it('with any one byte damaged is refused, and never read as something else', () => {
    const bytes = amazonMessage({ ':event-type': 'contentBlockDelta' }, '{"delta":{"text":"five"}}');
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      expect(() => read([damaged]), `byte ${at}`).toThrow(EventStreamBroken);
    }
  });

  it('is bounded before anything is kept', () => {
    const lengths = (total: number, headers: number) => {
      const prelude = Buffer.alloc(12);
      prelude.writeUInt32BE(total, 0);
      prelude.writeUInt32BE(headers, 4);
      prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
      return prelude;
    };
    for (const [total, headers] of [
      [MAX_MESSAGE_BYTES + 1, 0],
      [0xffff_ffff, 0],
      [1_000_000, 200_000],
      [15, 0],
      [0, 0],
      [40, 30],
    ] as const)
      expect(() => read([lengths(total, headers)]), `${total}, ${headers}`).toThrow(EventStreamBroken);
    expect(read([lengths(MAX_MESSAGE_BYTES, 0)]).isCut).toBe(true);
    expect(() => read([amazonMessage({}, 'x'.repeat(100))], 64)).toThrow('too large');
  });

  it('may have headers of every type, and of no other', () => {
    const values: [number, Buffer][] = [
      [0, Buffer.alloc(0)],
      [1, Buffer.alloc(0)],
      [2, Buffer.alloc(1)],
      [3, Buffer.alloc(2)],
      [4, Buffer.alloc(4)],
      [5, Buffer.alloc(8)],
      [6, Buffer.from([0, 3, 1, 2, 3])],
      [8, Buffer.alloc(8)],
      [9, Buffer.alloc(16)],
    ];
    const raw = values.map(([type, value], at) =>
      Buffer.concat([Buffer.from([2]), Buffer.from(`h${at}`), Buffer.from([type]), value]),
    );
    const { messages } = read([amazonMessage(Buffer.concat([...raw, header(':event-type', 'x')]), '{}')]);
    expect(messages).toEqual([{ headers: { ':event-type': 'x' }, text: '{}' }]);
    expect(() => read([amazonMessage(Buffer.from([1, 97, 10]), '')])).toThrow('unknown type');
    expect(() => read([amazonMessage(Buffer.from([1, 97, 7, 0, 9, 1]), '')])).toThrow('cut');
    expect(() => read([amazonMessage(Buffer.from([200, 97]), '')])).toThrow('cut');
  });
});

describe('a message as an event', () => {
  const frame = (headers: Record<string, string>, text: string) => {
    let out = '';
    new EventStreamParser().push(amazonMessage(headers, text), (message) => {
      out += amazonFrame(message);
    });
    return out;
  };

  it('has one line, whatever the payload is written like', () => {
    expect(frame({ ':message-type': 'event', ':event-type': 'metadata' }, '{\r\n  "usage": {}\n}')).toBe(
      'event: metadata\ndata: {    "usage": {} }\n\n',
    );
    expect(frame({ ':event-type': 'a\nevent: b' }, '{}')).toBe('event: aevent: b\ndata: {}\n\n');
    expect(frame({ ':event-type': 'chunk' }, 'no json')).toBe('');
  });

  it.each([
    ['throttlingException', 'rate_limit_error'],
    ['validationException', 'invalid_request_error'],
    ['modelTimeoutException', 'timeout_error'],
    ['modelStreamErrorException', 'api_error'],
    ['internalServerException', 'api_error'],
    ['somethingNew', 'api_error'],
  ])('that is the exception %s is an error of type %s', (type, error) => {
    const text = frame({ ':message-type': 'exception', ':exception-type': type }, '{"message":"Too many"}');
    expect(text).toBe(
      `event: exception\ndata: {"type":"error","exception":"${type}","error":{"type":"${error}","message":"Too many"}}\n\n`,
    );
    expect(frame({ ':message-type': 'error', ':error-code': type, ':error-message': 'Why' }, '')).toContain(
      '"message":"Why"',
    );
  });
});

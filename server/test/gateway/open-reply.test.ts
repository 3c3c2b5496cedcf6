/** What a provider sent is read by what it is, not by what its label says. */
import { describe, expect, test } from 'vitest';
import { type BegunAnswer, type Expected, openReply } from '../../src/gateway/chat/open-reply.ts';
import type { UpstreamReply } from '../../src/platform/upstream/index.ts';
import { openaiChatRelay, openaiChatUpstream } from '../../src/protocols/index.ts';
import { fixture, target } from '../protocols/openai-chat/fixtures.ts';

const WHOLE = JSON.stringify({ id: 'x', choices: [{ message: { content: 'سلام' }, finish_reason: 'stop' }] });

function replyOf(text: string, pieceBytes: number): UpstreamReply & { aborted: boolean } {
  const bytes = Buffer.from(text);
  let at = 0;
  const read = (): Promise<Uint8Array | null> => {
    if (at >= bytes.length) return Promise.resolve(null);
    at += pieceBytes;
    return Promise.resolve(bytes.subarray(at - pieceBytes, at));
  };
  const reply = {
    status: 200,
    headers: {},
    header: () => undefined,
    read,
    text: () => {
      at = bytes.length;
      return text;
    },
    excerpt: () => Promise.resolve(text),
    markFirstEvent() {},
    pace() {},
    release() {},
    abort() {
      reply.aborted = true;
    },
    aborted: false,
  };
  return reply;
}

function expectedOf(stream: boolean, maxBytes = 10_000): Expected {
  const protocol = { upstream: openaiChatUpstream, relay: openaiChatRelay };
  return { protocol, target: target({}, { stream }), relayed: false, sameProtocol: true, maxBytes };
}

const open = async (reply: UpstreamReply, expected: Expected) => openReply(reply, 'application/json', expected);

/** The text of an answer, whichever way it came. */
async function textOf(begun: BegunAnswer): Promise<string> {
  if (begun.kind === 'whole') return JSON.stringify(begun.response.choices[0]?.parts);
  let text = '';
  for (let batch = begun.first; ; ) {
    for (const event of batch.events) if (event.type === 'part-delta') text += event.text;
    const next = await begun.stream.next();
    if (!next) return text;
    batch = next;
  }
}

test('a stream rests only once it has said something', async () => {
  const [head, ...frames] = ['{"role":"assistant"}', '{"content":"سلام"}', '{"content":"!"}'].map(
    (delta) => `data: {"id":"x","choices":[{"index":0,"delta":${delta}}]}\n\n`,
  );
  const order: string[] = [];
  const pieces = [': waiting\n\n', head, ...frames].map((text) => Buffer.from(text ?? ''));
  const read = (): Promise<Uint8Array | null> => {
    order.push('read');
    return Promise.resolve(pieces.shift() ?? null);
  };
  const reply = { ...replyOf('', 1), read, pace: () => void order.push('pace') };
  const result = await openReply(reply, 'text/event-stream', expectedOf(true));
  if (!('begun' in result) || result.begun.kind !== 'stream') throw new Error('no stream');
  expect(result.begun.first.events).toContainEqual(expect.objectContaining({ type: 'part-delta', text: 'سلام' }));
  expect(order).toEqual(['read', 'read', 'read', 'pace']);
});

describe('labelled as JSON', () => {
  const stream = fixture('regular');
  const said = 'سلام 👋';

  test.each([1, 3, 1_000])('a stream that was asked for, in pieces of %i bytes, is read as one', async (piece) => {
    for (const before of ['', ': waiting\n\n', '\uFEFF\r\n\r\n', 'event: message\n']) {
      const result = await open(replyOf(before + stream, piece), expectedOf(true));
      if (!('begun' in result)) throw new Error(`failed: ${JSON.stringify(result)}`);
      expect(result.begun.kind, before).toBe('stream');
      expect(await textOf(result.begun)).toBe(said);
    }
  });

  test('a stream that nobody asked for is folded', async () => {
    const result = await open(replyOf(stream, 100), expectedOf(false));
    expect(result).toMatchObject({ begun: { kind: 'whole' } });
    if ('begun' in result) expect(await textOf(result.begun)).toContain(said);
  });

  test.each([true, false])('an answer that is JSON stays whole (stream asked for: %s)', async (asked) => {
    const result = await open(replyOf(`\n ${WHOLE}`, 3), expectedOf(asked));
    expect(result).toMatchObject({ begun: { kind: 'whole' } });
    if ('begun' in result) expect(await textOf(result.begun)).toContain('سلام');
  });

  test('what is neither is malformed, and a body has a bound', async () => {
    for (const asked of [true, false]) {
      for (const text of ['', '<html>', 'dataless', '[1]']) {
        expect(await open(replyOf(text, 5), expectedOf(asked)), text).toMatchObject({ failure: { kind: 'malformed' } });
      }
    }
    const large = replyOf(WHOLE, 20);
    expect(await open(large, expectedOf(true, 50))).toMatchObject({ failure: { kind: 'malformed' } });
    expect(large.aborted).toBe(true);
  });
});

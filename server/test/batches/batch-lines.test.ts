/** What a line of a batch is: found in pieces of any size, held one at a time, refused by its field. */
import { describe, expect, it } from 'vitest';
import { LineRefused, readBatchLine } from '../../src/batches/read-line.ts';
import { usageOfBody } from '../../src/batches/results.ts';
import { type LineAt, splitLines } from '../../src/batches/split-lines.ts';
import { splitRequests } from '../../src/batches/split-requests.ts';
import type { Model } from '../../src/catalog/index.ts';
import { modelAtPercent } from '../../src/catalog/prices/batch-price.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of found) list.push(one);
  return list;
}

describe('lines', () => {
  const text = Buffer.from('\ufeff{"a":1}\r\n\n  \n{"گ":"ل\\n"}\nlast');

  it.each([1, 2, 3, 7, 1_000])('are the same in pieces of %i bytes', async (size) => {
    const lines = await all(splitLines(inPieces(text, size), 100));
    expect(lines.map(({ number, bytes }) => [number, bytes?.toString()])).toEqual([
      [1, '{"a":1}'],
      [4, '{"گ":"ل\\n"}'],
      [5, 'last'],
    ]);
    for (const { position, bytes } of lines)
      expect(text.subarray(position, position + (bytes?.length ?? 0)).equals(bytes as Buffer)).toBe(true);
  });

  it('that are too long are not held', async () => {
    const long = Buffer.concat([Buffer.alloc(5_000, 'x'), Buffer.from('\n{}')]);
    const lines: LineAt[] = await all(splitLines(inPieces(long, 10), 100));
    expect(lines.map(({ number, bytes }) => [number, bytes?.toString()])).toEqual([
      [1, undefined],
      [2, '{}'],
    ]);
  });
});

describe('requests of one document', () => {
  const members = ['{"custom_id":"a,]}","params":{"x":["\\"]",{}]}}', '{"custom_id":"b"}', '7'];
  const body = Buffer.from(`{ "note": {"requests":[1]}, "requests" : [ ${members.join(' ,\n')} ], "z": "}" }\n`);

  it.each([1, 2, 5, 1_000])('are found in pieces of %i bytes', async (size) => {
    const found = await all(splitRequests(inPieces(body, size), 100));
    expect(found.map((member) => member.toString().trim())).toEqual(members);
  });

  it.each(['', '[]', '{}', '{"requests":5}', '{"requests":[{}', '{"requests":[]} x', '{"requests":[],"requests":[]}'])(
    '%s has none',
    async (broken) => {
      await expect(all(splitRequests(inPieces(Buffer.from(broken), 3), 100))).rejects.toThrow();
    },
  );

  it('that are too long are refused while they come', async () => {
    const long = Buffer.from(`{"requests":["${'x'.repeat(500)}`);
    await expect(all(splitRequests(inPieces(long, 10), 100))).rejects.toMatchObject({ index: 0 });
  });
});

describe('a line', () => {
  const good = { custom_id: 'a', method: 'POST', url: '/v1/x', body: { model: 'm' } };
  const read = (line: unknown) =>
    readBatchLine(Buffer.isBuffer(line) ? line : Buffer.from(JSON.stringify(line)), 'openai', '/v1/x');

  it('is its id and its body', () => {
    expect(read(good)).toEqual({ customId: 'a', body: { model: 'm' } });
    const params = { custom_id: 'b', params: { model: 'm' } };
    expect(readBatchLine(Buffer.from(JSON.stringify(params)), 'anthropic', '/v1/messages').customId).toBe('b');
  });

  it.each<[unknown, string, string | null]>([
    [Buffer.from('{"custom_id":'), 'invalid_json_line', null],
    [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'invalid_json_line', null],
    [[good], 'invalid_json_line', null],
    [{ ...good, custom_id: 'a\u0000' }, 'invalid_custom_id', 'custom_id'],
    [{ ...good, custom_id: '\ud800' }, 'invalid_custom_id', 'custom_id'],
    [{ ...good, custom_id: 'x'.repeat(257) }, 'invalid_custom_id', 'custom_id'],
    [{ ...good, custom_id: 5 }, 'invalid_custom_id', 'custom_id'],
    [{ ...good, method: 'GET' }, 'invalid_method', 'method'],
    [{ ...good, url: '/v1/y' }, 'invalid_url', 'url'],
    [{ ...good, body: [] }, 'invalid_request', 'body'],
    [{ ...good, body: { stream: true } }, 'invalid_request', 'body.stream'],
    [{ ...good, body: { background: true } }, 'invalid_request', 'body.background'],
  ])('%j is refused', (line, code, param) => {
    let fault: unknown;
    try {
      read(line);
    } catch (error) {
      fault = error instanceof LineRefused ? error.fault : error;
    }
    expect(fault).toMatchObject({ code, param });
  });
});

it('usage is read in the words of every protocol', () => {
  const chat = { prompt_tokens: 5, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } };
  expect(usageOfBody(JSON.stringify({ usage: chat }))).toEqual({
    inputTokens: 5,
    cachedTokens: 2,
    outputTokens: 3,
    reasoningTokens: 0,
  });
  const messages = { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 3 };
  expect(usageOfBody(JSON.stringify({ usage: messages }))).toMatchObject({ inputTokens: 9, cachedTokens: 4 });
  expect(usageOfBody('no json')).toMatchObject({ inputTokens: 0, outputTokens: 0 });
});

it('a percentage of a price is rounded up, never to nothing, in every tier', () => {
  const tiers = [{ above: 10, perUnit: { inputFresh: 5n } }];
  const model = { price: { version: 'v', perUnit: { inputFresh: 3n, output: 0n }, perRequest: 1n, tiers } };
  const { price } = modelAtPercent(model as unknown as Model, 50);
  expect(price).toEqual({
    version: 'v',
    perUnit: { inputFresh: 2n, output: 0n },
    perRequest: 1n,
    tiers: [{ above: 10, perUnit: { inputFresh: 3n } }],
  });
});

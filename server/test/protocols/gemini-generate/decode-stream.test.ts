import { describe, expect, it } from 'vitest';
import type { ChatResponse } from '../../../src/core/chat.ts';
import type { Json } from '../../../src/core/json.ts';
import { geminiUpstream } from '../../../src/protocols/index.ts';
import { decodeText, foldEvents } from '../streams.ts';
import { answer, streamOf, target, whole } from './fixtures.ts';

const events = (text: string) => decodeText(geminiUpstream.openDecoder(target()), text);
const streamed = (...frames: Json[]) => foldEvents(events(streamOf(...frames)));

describe('streams', () => {
  const piece = (parts: Json[], usage: Json, more: object = {}) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    usageMetadata: usage,
    responseId: 'r1',
  });

  it('counters repeat and grow: the last of each counts, and none is forgotten', () => {
    const response = streamed(
      piece([{ text: 'Hel' }], {
        promptTokenCount: 10,
        cachedContentTokenCount: 4,
        thoughtsTokenCount: 6,
        totalTokenCount: 17,
        candidatesTokenCount: 1,
      }),
      piece([{ text: 'lo' }], { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 18 }),
      piece([], { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 19 }, { finishReason: 'STOP' }),
    ) as ChatResponse;
    expect(response.usage?.buckets).toEqual({ inputFresh: 6, cacheRead: 4, reasoning: 6, output: 3 });
    expect(response.choices[0]?.parts).toEqual([{ kind: 'text', text: 'Hello' }]);
  });

  it('counters that start anew replace the old ones, cached tokens too', () => {
    const response = streamed(
      piece([{ text: 'a' }], {
        promptTokenCount: 9,
        cachedContentTokenCount: 4,
        candidatesTokenCount: 15,
        thoughtsTokenCount: 78,
        totalTokenCount: 102,
      }),
      piece(
        [{ text: 'b' }],
        { promptTokenCount: 87, thoughtsTokenCount: 78, totalTokenCount: 165 },
        { finishReason: 'STOP' },
      ),
    ) as ChatResponse;
    expect(response.usage?.buckets).toEqual({ inputFresh: 87, cacheRead: 0, reasoning: 78, output: 0 });
  });

  describe('arguments in pieces', () => {
    const call = (functionCall: Json, more: object = {}) => piece([{ functionCall, ...more }], {});
    const partial = (...partialArgs: Json[]) => call({ partialArgs, willContinue: true });
    const stop = piece([], {}, { finishReason: 'STOP' });
    const callsOf = (...frames: Json[]) => {
      const parts = (streamed(...frames, stop) as ChatResponse).choices[0]?.parts ?? [];
      return parts.map((part) => (part.kind === 'tool-call' ? [part.name, JSON.parse(part.arguments)] : part.kind));
    };

    it('texts grow, places are made, and the call ends with an empty piece', () => {
      const calls = callsOf(
        call({ name: 'weather', willContinue: true }, { thoughtSignature: 'c2ln' }),
        partial({ jsonPath: '$.place.city', stringValue: 'Teh', willContinue: true }),
        partial({ jsonPath: '$.place.city', stringValue: 'ran' }, { jsonPath: '$.days', numberValue: 0 }),
        partial({ jsonPath: '$.units[0]', stringValue: 'C' }, { jsonPath: "$['units'][1]", stringValue: 'F' }),
        partial({ jsonPath: '$.hourly', boolValue: false }, { jsonPath: '$["a.b"]', nullValue: 'NULL_VALUE' }),
        call({}),
      );
      const args = { place: { city: 'Tehran' }, days: 0, units: ['C', 'F'], hourly: false, 'a.b': null };
      expect(calls).toEqual([['weather', args]]);
    });

    it('a call without arguments, one in a single piece, one that repeats its name, one that nothing ends', () => {
      expect(callsOf(call({ name: 'f', willContinue: true }), call({}))).toEqual([['f', {}]]);
      const once = { name: 'f', partialArgs: [{ jsonPath: '$.a', stringValue: 'b' }] };
      expect(callsOf(call(once), call({ name: 'f', args: { c: 1 } }))).toEqual([
        ['f', { a: 'b' }],
        ['f', { c: 1 }],
      ]);
      expect(callsOf(call({ ...once, willContinue: true }), call(once))).toEqual([['f', { a: 'bb' }]]);
      expect(callsOf(call({ ...once, willContinue: true }), call({ name: 'g' }))).toEqual([
        ['f', { a: 'b' }],
        ['g', {}],
      ]);
      expect(callsOf(call({ ...once, willContinue: true }))).toEqual([['f', { a: 'b' }]]);
    });

    it('a place that is no place ends the stream, and none reaches a prototype', () => {
      for (const jsonPath of ['$.a[9]', '$', 'a', '$..a', '$.a[', `$${'.a'.repeat(101)}`, 7]) {
        const frames = [call({ name: 'f', willContinue: true }), partial({ jsonPath, stringValue: 'x' }), call({})];
        expect(streamed(...frames, stop), String(jsonPath)).toMatchObject({ kind: 'malformed' });
      }
      const calls = callsOf(
        call({ name: 'f', willContinue: true }),
        partial({ jsonPath: '$.__proto__.polluted', stringValue: 'x' }),
        call({}),
      );
      expect(JSON.stringify(calls)).toBe('[["f",{"__proto__":{"polluted":"x"}}]]');
      expect({}).not.toHaveProperty('polluted');
    });
  });

  it('a stream that closes without a reason was cut', () => {
    expect(streamed(piece([{ text: 'Hel' }], {}))).toMatchObject({ kind: 'truncated' });
    expect(events('')).toEqual([{ type: 'failure', failure: expect.objectContaining({ kind: 'empty' }) }]);
  });

  it('a reason in every frame is not an end in every frame', () => {
    const stop = { finishReason: 'STOP' };
    const response = streamed(piece([{ text: 'a' }], {}, stop), piece([{ text: 'b' }], {}, stop)) as ChatResponse;
    expect(response.choices[0]?.parts).toEqual([{ kind: 'text', text: 'ab' }]);
  });

  it('an error in the middle ends it, whatever followed', () => {
    const all = events(
      streamOf(
        piece([{ text: 'a' }], {}),
        { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
        piece([{ text: 'b' }], {}, { finishReason: 'STOP' }),
      ),
    );
    expect(all.at(-1)).toEqual({
      type: 'failure',
      failure: { kind: 'server', status: 503, message: 'The model is overloaded.', code: 'UNAVAILABLE' },
    });
    expect(all.filter((event) => event.type === 'response-end')).toEqual([]);
  });

  it('a frame that is no JSON is malformed', () => {
    expect(foldEvents(events('data: {"candidates": [\n\n'))).toMatchObject({ kind: 'malformed' });
  });

  it('a signature may come last, on an empty piece, and belongs to what was said', () => {
    const all = events(
      streamOf(
        piece([{ text: 'why', thought: true }], {}),
        piece([{ text: '', thought: true, thoughtSignature: 'VEg=' }], {}),
        piece([{ text: 'so' }], {}),
        piece([{ text: '', thoughtSignature: 'VFg=' }], {}, { finishReason: 'STOP' }),
      ),
    );
    expect(all.filter((event) => event.type === 'part-end')).toEqual([
      { type: 'part-end', part: 0, signature: 'VEg=' },
      { type: 'part-end', part: 1, signature: 'VFg=' },
    ]);
    expect(foldEvents(all)).toMatchObject({
      choices: [
        {
          parts: [
            { kind: 'reasoning', signature: 'VEg=' },
            { kind: 'text', text: 'so', extras: { 'gemini-generate': { thoughtSignature: 'VFg=' } } },
          ],
        },
      ],
    });
  });

  it('calls of one stream get ids of their own', () => {
    const response = streamed(
      piece([{ functionCall: { name: 'f', args: { n: 1 } } }], {}),
      piece([{ functionCall: { name: 'f', args: { n: 1 } } }], {}, { finishReason: 'STOP' }),
    ) as ChatResponse;
    expect(response.choices[0]?.parts.map((part) => part.kind === 'tool-call' && part.id)).toEqual([
      'call_r1_0',
      'call_r1_1',
    ]);
    expect(response.choices[0]?.finish.kind).toBe('tool-calls');
  });
});

describe('usage', () => {
  const buckets = (usageMetadata: Json) => whole({ ...answer([]), usageMetadata }).usage?.buckets;

  it('counts cached tokens inside the prompt, thoughts outside the answer, tool prompts as input', () => {
    expect(
      buckets({
        promptTokenCount: 100,
        cachedContentTokenCount: 30,
        toolUsePromptTokenCount: 7,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 50,
        totalTokenCount: 177,
      }),
    ).toEqual({ inputFresh: 77, cacheRead: 30, output: 20, reasoning: 50 });
  });

  it('keeps sound and pictures apart, without counting their cached part twice', () => {
    expect(
      buckets({
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 20 },
          { modality: 'AUDIO', tokenCount: 30 },
          { modality: 'IMAGE', tokenCount: 50 },
        ],
        cacheTokensDetails: [{ modality: 'IMAGE', tokenCount: 40 }],
        candidatesTokenCount: 12,
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 12 }],
      }),
    ).toEqual({ inputFresh: 20, cacheRead: 40, audioInput: 30, imageInput: 10, output: 0, audioOutput: 12 });
  });

  it('works out a missing count from the total, and leaves unknown what nobody said', () => {
    expect(buckets({ promptTokenCount: 5, thoughtsTokenCount: 9, totalTokenCount: 20 })).toEqual({
      inputFresh: 5,
      reasoning: 9,
      output: 6,
    });
    expect(buckets({ promptTokenCount: 5 })).toEqual({ inputFresh: 5 });
  });
});

import { describe, expect, it } from 'vitest';
import type { ChatResponse } from '../../../src/core/chat.ts';
import type { Json } from '../../../src/core/json.ts';
import { foldEvents, geminiUpstream, isFailure } from '../../../src/protocols/index.ts';
import { decodeText } from '../streams.ts';
import { answer, streamOf, target } from './fixtures.ts';

function whole(body: Json): ChatResponse {
  const response = geminiUpstream.decodeResponse(body, target());
  if (isFailure(response)) throw new Error(`${response.kind}: ${response.message}`);
  return response;
}

function failed(body: Json) {
  const response = geminiUpstream.decodeResponse(body, target());
  if (!isFailure(response)) throw new Error('it did not fail');
  return response;
}

const events = (text: string) => decodeText(geminiUpstream.openDecoder(target()), text);
const streamed = (...frames: Json[]) => foldEvents(events(streamOf(...frames)));

describe('the parts of an answer', () => {
  it('reads thoughts as reasoning and joins pieces of one kind', () => {
    const response = whole(
      answer([{ text: 'Let me ', thought: true }, { text: 'see.', thought: true }, { text: 'Yes' }, { text: '!' }]),
    );
    expect(response).toMatchObject({ id: 'Ab_c-9', model: 'gemini-2.5-flash' });
    expect(response.choices).toEqual([
      {
        index: 0,
        parts: [
          { kind: 'reasoning', text: 'Let me see.', summary: true, origin: 'gemini-generate' },
          { kind: 'text', text: 'Yes!' },
        ],
        finish: { kind: 'stop', raw: 'STOP' },
      },
    ]);
  });

  it('STOP after a call is a call: the parts decide, ids are made, signatures kept', () => {
    const response = whole(
      answer([
        { functionCall: { name: 'weather', args: { city: 'Yazd' } }, thoughtSignature: 'U0lH' },
        { functionCall: { name: 'clock' } },
        { functionCall: { id: 'given', name: 'clock', args: {} } },
      ]),
    );
    expect(response.choices[0]).toEqual({
      index: 0,
      parts: [
        {
          kind: 'tool-call',
          id: 'call_Abc-9_0',
          name: 'weather',
          arguments: '{"city":"Yazd"}',
          signature: 'U0lH',
        },
        { kind: 'tool-call', id: 'call_Abc-9_1', name: 'clock', arguments: '{}' },
        { kind: 'tool-call', id: 'given', name: 'clock', arguments: '{}' },
      ],
      finish: { kind: 'tool-calls', raw: 'STOP' },
    });
  });

  it('makes ids that differ from turn to turn even when the answer has none', () => {
    const callOf = (tokens: number) => {
      const { responseId: _id, ...body } = answer([{ functionCall: { name: 'f' } }]);
      const part = whole({ ...body, usageMetadata: { promptTokenCount: tokens } }).choices[0]?.parts[0];
      return part?.kind === 'tool-call' ? part.id : '';
    };
    expect(callOf(5)).toMatch(/^call_[a-z0-9]+_0$/);
    expect(callOf(5)).not.toBe(callOf(9));
  });

  it('keeps a generated image, spoken sound, and skips what the provider ran itself', () => {
    const response = whole(
      answer([
        { executableCode: { language: 'PYTHON', code: '1' } },
        { inlineData: { mimeType: 'image/png', data: 'QQ==' } },
        { inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: 'QUI=' } },
      ]),
    );
    expect(response.choices[0]?.parts).toEqual([
      { kind: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'QQ==' } },
      { kind: 'audio', format: 'pcm16', data: 'QUI=' },
    ]);
  });

  it('reads several candidates', () => {
    const { candidates } = answer([]) as { candidates: object[] };
    const response = whole({
      candidates: [
        { ...candidates[0], content: { parts: [{ text: 'a' }] } },
        { content: { parts: [{ text: 'b' }] }, finishReason: 'MAX_TOKENS', index: 1 },
      ],
    });
    expect(response.choices.map(({ parts, finish }) => [parts, finish.kind])).toEqual([
      [[{ kind: 'text', text: 'a' }], 'stop'],
      [[{ kind: 'text', text: 'b' }], 'length'],
    ]);
  });

  it('cites the sources of a grounded answer where its words stand, not where its bytes do', () => {
    const response = whole(
      answer([{ text: 'سلام. Paris it is.' }], {
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://e.org', title: 'e' } }],
          groundingSupports: [
            { segment: { startIndex: 10, endIndex: 22, text: 'Paris it is.' }, groundingChunkIndices: [0, 7] },
          ],
        },
      }),
    );
    expect(response.choices[0]?.parts).toEqual([
      {
        kind: 'text',
        text: 'سلام. Paris it is.',
        citations: [{ start: 6, end: 18, url: 'https://e.org', title: 'e' }],
      },
    ]);
  });

  it('gives probabilities in the chat style', () => {
    const response = whole(
      answer([{ text: 'é' }], {
        logprobsResult: {
          chosenCandidates: [{ token: 'é', logProbability: -0.5 }],
          topCandidates: [{ candidates: [{ token: 'e', logProbability: -1 }] }],
        },
      }),
    );
    expect(response.choices[0]?.logprobs).toEqual({
      content: [
        { token: 'é', logprob: -0.5, bytes: [195, 169], top_logprobs: [{ token: 'e', logprob: -1, bytes: [101] }] },
      ],
      refusal: null,
    });
  });
});

describe('how an answer ends', () => {
  it.each(['SAFETY', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'SPII', 'RECITATION', 'IMAGE_SAFETY'])(
    '%s is content_filter, with whatever was said before',
    (finishReason) => {
      const [choice] = whole(answer([], { content: {}, finishReason })).choices;
      expect(choice).toEqual({ index: 0, parts: [], finish: { kind: 'content-filter', raw: finishReason } });
    },
  );

  it('a blocked prompt has no candidates, only a reason', () => {
    const body = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
    };
    const expected = [{ index: 0, parts: [], finish: { kind: 'content-filter', raw: 'PROHIBITED_CONTENT' } }];
    const response = whole(body);
    expect(response.choices).toEqual(expected);
    expect(response.usage?.buckets).toEqual({ inputFresh: 7, output: 0 });
    expect(streamed(body)).toMatchObject({ choices: expected });
  });

  it('a malformed call is worth another route', () => {
    const finishMessage = 'Malformed function call: print(';
    expect(failed(answer([], { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }))).toEqual({
      kind: 'malformed',
      message: finishMessage,
      code: 'MALFORMED_FUNCTION_CALL',
    });
    expect(streamed(answer([{ text: 'a' }], { finishReason: 'MALFORMED_FUNCTION_CALL' }))).toMatchObject({
      kind: 'malformed',
    });
  });

  it('a call of an undeclared function reaches the client when it is there, and fails when it was withheld', () => {
    const finishReason = 'UNEXPECTED_TOOL_CALL';
    expect(whole(answer([{ functionCall: { name: 'ghost' } }], { finishReason })).choices[0]?.finish).toEqual({
      kind: 'tool-calls',
      raw: finishReason,
    });
    expect(failed(answer([], { finishReason }))).toMatchObject({ kind: 'malformed' });
  });

  it('nothing at all is a failure, and so is an error that came with 200', () => {
    expect(failed({ usageMetadata: {} })).toMatchObject({ kind: 'empty' });
    expect(failed(null)).toMatchObject({ kind: 'malformed' });
    expect(failed('<html>')).toMatchObject({ kind: 'malformed' });
    expect(failed([{ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }])).toMatchObject({
      kind: 'server',
      status: 503,
    });
  });
});

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

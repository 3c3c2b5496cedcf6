import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
import { geminiUpstream, isFailure } from '../../../src/protocols/index.ts';
import { decodeText, foldEvents } from '../streams.ts';
import { answer, streamOf, target, whole } from './fixtures.ts';

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

  it('gives probabilities in the chat protocol', () => {
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

/** Through the wire and back: nothing the chat protocol can carry is lost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatResponse } from '../../../src/core/chat.ts';
import { ZERO } from '../../../src/core/money.ts';
import { emptyUsage } from '../../../src/core/usage.ts';
import { openaiChatClient, openaiChatUpstream, unfoldResponse } from '../../../src/protocols/index.ts';
import { chatRequest, chatResponse } from '../arbitraries.ts';
import { bytesOf, cutAt, decodeFrames, foldEvents, framesOf } from '../streams.ts';
import { request, target, view } from './fixtures.ts';

const requests = chatRequest({
  images: true,
  audio: true,
  files: true,
  refusals: true,
  developerRole: true,
  names: true,
  reasoning: { signed: 'anthropic-messages' },
  toolSignatures: true,
  outputs: ['text', 'json', 'json-schema'],
  sampling: [
    'temperature',
    'topP',
    'topK',
    'seed',
    'stop',
    'presencePenalty',
    'frequencyPenalty',
    'logitBias',
    'count',
    'logprobs',
    'topLogprobs',
  ],
});

const responses = chatResponse({
  choices: 3,
  reasoning: { signed: 'anthropic-messages' },
  toolSignatures: true,
  buckets: ['inputFresh', 'cacheRead', 'cacheWrite5m', 'output', 'reasoning'],
});

const quirks = { replayReasoningAs: 'reasoning_details', replaysToolSignatures: true } as const;

describe('requests', () => {
  test('encoded and decoded again, a request is the same', () => {
    fc.assert(
      fc.property(requests, (original) => {
        const { body } = openaiChatUpstream.encodeRequest(
          original,
          target(quirks, { model: 'vendor/model', stream: original.stream, maxOutputTokens: original.maxOutputTokens }),
        );
        expect(openaiChatClient.decodeRequest(body)).toEqual(original);
      }),
    );
  });

  test('plain reasoning comes back under either plain name', () => {
    const plain = chatRequest({ reasoning: {} });
    for (const replayReasoningAs of ['reasoning_content', 'reasoning'] as const) {
      fc.assert(
        fc.property(plain, (original) => {
          const { body } = openaiChatUpstream.encodeRequest(original, target({ replayReasoningAs }));
          expect(openaiChatClient.decodeRequest(body).messages).toEqual(original.messages);
        }),
        { numRuns: 30 },
      );
    }
  });
});

/** What the client sees is ours: id, time and model; the rest must be the provider's. */
function asSeen(response: ChatResponse): ChatResponse {
  const { choices, usage } = response;
  return {
    id: 'chatcmpl-ours',
    model: 'vendor/model',
    created: 1_700_000_000,
    choices: choices.map((choice) => ({ ...choice, finish: { kind: choice.finish.kind, raw: expect.any(String) } })),
    usage: { source: 'upstream', buckets: usage?.buckets ?? {}, raw: expect.anything() },
  };
}

describe('answers', () => {
  test('a whole answer, encoded and decoded again, is the same', () => {
    fc.assert(
      fc.property(responses, (original) => {
        const body = openaiChatClient.encodeResponse(original, view(), {
          usage: original.usage ?? emptyUsage(),
          cost: ZERO,
        });
        const extras = { 'openai-chat': { system_fingerprint: null } };
        expect(openaiChatUpstream.decodeResponse(body, target())).toEqual({ ...asSeen(original), extras });
      }),
    );
  });

  test('a streamed answer, encoded, cut anywhere and decoded again, is the same', () => {
    fc.assert(
      fc.property(responses, fc.array(fc.nat(), { maxLength: 5 }), (original, cuts) => {
        const encoder = openaiChatClient.openEncoder(view());
        let text = '';
        for (const event of unfoldResponse(original)) text += encoder.encode(event);
        text += encoder.finish({ usage: original.usage ?? emptyUsage(), cost: ZERO });
        const frames = framesOf(cutAt(bytesOf(text), cuts));
        expect(foldEvents(decodeFrames(openaiChatUpstream.openDecoder(target()), frames))).toEqual(asSeen(original));
      }),
    );
  });

  test('our own answer, pushed back as history, brings its signatures along', () => {
    fc.assert(
      fc.property(responses, (original) => {
        const body = openaiChatClient.encodeResponse(original, view(), { usage: emptyUsage(), cost: ZERO });
        const choices = body['choices'] as { message: { tool_calls?: { id: string }[] } }[];
        const message = choices[0]?.message ?? {};
        const answers = (choices[0]?.message.tool_calls ?? []).map(({ id }) => ({
          role: 'tool',
          tool_call_id: id,
          content: 'ok',
        }));
        const decoded = request({ messages: [{ role: 'user', content: 'hi' }, message, ...answers] });
        expect(decoded.messages[1]?.parts).toEqual(original.choices[0]?.parts);
      }),
    );
  });
});

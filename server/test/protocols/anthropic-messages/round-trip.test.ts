import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatResponse, Message, Part } from '../../../src/core/chat.ts';
import { GatewayError } from '../../../src/core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../src/core/json.ts';
import {
  anthropicMessagesClient,
  anthropicMessagesRelay,
  anthropicMessagesUpstream,
  unfoldResponse,
} from '../../../src/protocols/index.ts';
import { chatRequest, chatResponse, reasoningPart } from '../arbitraries.ts';
import { bytesOf, cutAt, decodeFrames, decodeText, foldEvents, framesOf } from '../streams.ts';
import { claudeCodeBody } from './claude-code-body.ts';
import { readBody, readStream } from './official-sdk.ts';
import { chat, closing, target, view } from './surroundings.ts';

const SHAPE = {
  images: true,
  files: true,
  reasoning: { signed: 'anthropic-messages' },
  joinedToolResults: true,
  sampling: ['topK'],
} as const;

function withoutMediaType(part: Part): Part {
  if (part.kind !== 'file') return part;
  const { mediaType: _told, ...rest } = part;
  return rest;
}

/** The wire has no place for the outer media type of a file, and a last assistant text is trimmed. */
function carried(messages: Message[]): Message[] {
  return messages.map((message) => ({ ...message, parts: message.parts.map(withoutMediaType) }));
}

describe('a request', () => {
  it('comes back from the wire as it went', () => {
    fc.assert(
      fc.property(chatRequest(SHAPE), (request) => {
        const { body } = anthropicMessagesUpstream.encodeRequest(
          { ...request, maxOutputTokens: 500 },
          target({ model: 'vendor/model', stream: request.stream }),
        );
        const back = anthropicMessagesClient.decodeRequest(body);
        expect(back).toEqual({
          ...request,
          messages: carried(request.messages),
          tools: request.tools,
          maxOutputTokens: 500,
          includeUsage: true,
        });
      }),
    );
  });
});

const RESPONSE = {
  reasoning: { signed: 'anthropic-messages' },
  buckets: ['inputFresh', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output', 'reasoning'],
} as const;

/** What the protocol does not say: when the answer was made, and its own word for the end. */
function comparable({ choices, usage }: ChatResponse) {
  return {
    choices: choices.map(({ parts, finish }) => ({ parts, kind: finish.kind })),
    buckets: usage?.buckets,
  };
}

describe('an answer', () => {
  it('comes back whole', () => {
    fc.assert(
      fc.property(chatResponse(RESPONSE), (response) => {
        const usage = response.usage ?? closing().usage;
        const body = anthropicMessagesClient.encodeResponse(response, view(), closing({ usage }));
        const back = anthropicMessagesUpstream.decodeResponse(body, target()) as ChatResponse;
        expect(comparable(back)).toEqual(comparable(response));
      }),
    );
  });

  it('comes back from a stream cut anywhere', () => {
    fc.assert(
      fc.property(chatResponse(RESPONSE), fc.array(fc.nat(), { maxLength: 5 }), (response, cuts) => {
        const frames = framesOf(cutAt(bytesOf(streamed(response)), cuts));
        const back = foldEvents(decodeFrames(anthropicMessagesUpstream.openDecoder(target()), frames));
        expect(comparable(back as ChatResponse)).toEqual(comparable(response));
      }),
    );
  });

  it('reads the same to the official SDK, streamed or whole', async () => {
    await fc.assert(
      fc.asyncProperty(chatResponse({ ...RESPONSE, toolSignatures: true }), async (response) => {
        const usage = response.usage ?? closing().usage;
        const body = anthropicMessagesClient.encodeResponse(response, view(), closing({ usage }));
        const [whole, stream] = await Promise.all([readBody(body), readStream(streamed(response))]);
        expect(stream.content).toEqual(whole.content);
        expect(stream.stop_reason).toBe(whole.stop_reason);
        expect(stream.usage).toMatchObject({
          output_tokens: whole.usage.output_tokens,
          input_tokens: whole.usage.input_tokens,
        });
      }),
      { numRuns: 30 },
    );
  });

  it('is relayed as it would be decoded', () => {
    fc.assert(
      fc.property(chatResponse(RESPONSE), (response) => {
        const relay = anthropicMessagesRelay.openRelay(view());
        const frames = framesOf([bytesOf(streamed(response))]);
        const text = frames.map((frame) => relay.forward(frame)).join('') + relay.finish(closing());
        const back = foldEvents(decodeText(anthropicMessagesUpstream.openDecoder(target()), text));
        expect(comparable(back as ChatResponse)).toEqual(comparable(response));
      }),
    );
  });
});

function streamed(response: ChatResponse): string {
  const encoder = anthropicMessagesClient.openEncoder(view());
  const frames = unfoldResponse(response).map((event) => encoder.encode(event));
  return frames.join('') + encoder.finish(closing(response.usage ? { usage: response.usage } : {}));
}

describe('reasoning and signatures of other protocols', () => {
  it('survive the trip through a client of this one', () => {
    const origins = fc.constantFrom('openai-responses', 'openai-chat', 'gemini-generate', 'anthropic-messages');
    const reasoning = origins.chain((origin) => reasoningPart(origin as 'openai-chat'));
    fc.assert(
      fc.property(reasoning, fc.string({ unit: 'binary', minLength: 1 }), (thought, signature) => {
        const call: Part = { kind: 'tool-call', id: 'call_1', name: 'f', arguments: '{}', signature };
        const answer: ChatResponse = {
          choices: [{ index: 0, parts: [thought, call], finish: { kind: 'tool-calls' } }],
        };
        for (const body of [
          anthropicMessagesClient.encodeResponse(answer, view(), closing()),
          foldedByClient(answer),
        ]) {
          const content = body['content'] as JsonObject[];
          const id = String(content.at(-1)?.['id']);
          expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
          const request = anthropicMessagesClient.decodeRequest({
            max_tokens: 1,
            messages: [
              { role: 'user', content: 'q' },
              { role: 'assistant', content },
              { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'r' }] },
            ],
          });
          expect(request.messages[1]?.parts).toEqual([thought, call]);
          expect(request.messages[2]?.parts[0]).toMatchObject({ callId: 'call_1' });
        }
      }),
    );
  });
});

/** A client that streams, puts the blocks together and sends them back. */
function foldedByClient(answer: ChatResponse): JsonObject {
  const content: JsonObject[] = [];
  for (const { json } of framesOf([bytesOf(streamed(answer))])) {
    if (!isJsonObject(json)) continue;
    const { content_block: block, delta } = json;
    if (isJsonObject(block)) content.push({ ...block });
    const last = content.at(-1);
    if (!isJsonObject(delta) || !last) continue;
    if (typeof delta['thinking'] === 'string') last['thinking'] = String(last['thinking']) + delta['thinking'];
    if (typeof delta['signature'] === 'string') last['signature'] = delta['signature'];
  }
  return { content };
}

describe('whatever a client sends', () => {
  const ANY = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonObject[string]>;

  /** The body with one value somewhere in it replaced. */
  function damaged(value: JsonObject[string], path: readonly number[], by: JsonObject[string]): JsonObject[string] {
    const [first, ...rest] = path;
    if (first === undefined || typeof value !== 'object' || value === null) return by;
    const keys = Object.keys(value);
    if (keys.length === 0) return by;
    const key = keys[first % keys.length] as string;
    const copy = (Array.isArray(value) ? [...value] : { ...value }) as JsonObject;
    copy[key] = damaged(copy[key], rest, by);
    return copy;
  }

  it('is decoded, or refused with an error of ours; what was decoded can be sent on', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), ANY, (path, value) => {
        const body = damaged(claudeCodeBody(), path, value);
        if (!isJsonObject(body)) return;
        try {
          const request = anthropicMessagesClient.decodeRequest(body);
          anthropicMessagesUpstream.encodeRequest(request, target());
          anthropicMessagesRelay.patchRequest(body, request, target());
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
          expect((error as GatewayError).code).toBe('invalid_request');
          expect((error as GatewayError).options.param).toBeTypeOf('string');
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('whatever a provider sends', () => {
  it('never throws, streamed or whole', () => {
    const type = fc.constantFrom(
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
      'error',
      'ping',
    );
    const block = fc.record(
      {
        type: fc.constantFrom(
          'text',
          'thinking',
          'redacted_thinking',
          'tool_use',
          'text_delta',
          'input_json_delta',
          'x',
        ),
        text: fc.jsonValue(),
        input: fc.jsonValue(),
        partial_json: fc.jsonValue(),
        citations: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const frame = fc.record(
      {
        type,
        index: fc.oneof(fc.nat(2), fc.jsonValue()),
        content_block: fc.oneof(block, fc.jsonValue()),
        delta: fc.oneof(block, fc.jsonValue()),
        message: fc.jsonValue(),
        usage: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), fc.jsonValue(), (frames, body) => {
        const text = frames.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
        const encoder = anthropicMessagesClient.openEncoder(view({ request: chat() }));
        for (const event of decodeText(anthropicMessagesUpstream.openDecoder(target()), text)) encoder.encode(event);
        encoder.finish(closing());
        const relay = anthropicMessagesRelay.openRelay(view());
        for (const one of framesOf([bytesOf(text)])) relay.forward(one);
        relay.finish(closing());
        anthropicMessagesUpstream.decodeResponse(body as JsonObject, target());
      }),
      { numRuns: 500 },
    );
  });
});

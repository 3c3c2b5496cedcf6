/** What a request or an answer says survives the wire, in both directions, cut anywhere. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatResponse, Message, Part } from '../../../src/core/chat.ts';
import type { ChatEvent } from '../../../src/core/events.ts';
import { emptyUsage } from '../../../src/core/usage.ts';
import {
  openaiResponsesClient,
  openaiResponsesRelay,
  openaiResponsesUpstream,
  unfoldResponse,
} from '../../../src/protocols/index.ts';
import { chatRequest, chatResponse } from '../arbitraries.ts';
import { bytesOf, cutAt, decodeFrames, foldEvents, framesOf } from '../streams.ts';
import { readStream } from './official-sdk.ts';
import { closing, target, view, wireEvents } from './surroundings.ts';

const requests = chatRequest({
  images: true,
  files: true,
  refusals: true,
  developerRole: true,
  sampling: ['temperature', 'topP'],
  outputs: ['text', 'json', 'json-schema'],
});
const answers = chatResponse({ buckets: ['inputFresh', 'cacheRead', 'output', 'reasoning'], reasoning: {} });

/** Parts without what the wire adds to them; details of images have a default of their own. */
function plain(parts: readonly Part[]): Part[] {
  return parts.map(({ extras: _extras, ...part }) => {
    if (part.kind === 'image') return { kind: 'image', source: part.source };
    if (part.kind === 'reasoning') return { kind: 'reasoning', text: part.text };
    return part.kind === 'tool-result' ? { ...part, content: plain(part.content) } : part;
  }) as Part[];
}

function plainMessages(messages: readonly Message[]): Message[] {
  return messages.map(({ role, parts }) => ({ role, parts: plain(parts) }));
}

function encoded(response: ChatResponse): string {
  const encoder = openaiResponsesClient.openEncoder(view());
  const usage = response.usage ?? emptyUsage();
  return (
    unfoldResponse(response)
      .map((event) => encoder.encode(event))
      .join('') + encoder.finish(closing({ usage }))
  );
}

const cutFrames = (text: string, cuts: readonly number[]) => framesOf(cutAt(bytesOf(text), cuts));

function decoded(text: string, cuts: readonly number[] = []): ChatResponse {
  const events = decodeFrames(openaiResponsesUpstream.openDecoder(target()), cutFrames(text, cuts));
  return foldEvents(events) as ChatResponse;
}

function substance({ choices, usage }: ChatResponse) {
  return { parts: plain(choices[0]?.parts ?? []), finish: choices[0]?.finish.kind, buckets: usage?.buckets };
}

describe('a request', () => {
  it('means the same after the way to a provider and back', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const { body } = openaiResponsesUpstream.encodeRequest(request, target({ stream: request.stream }));
        const again = openaiResponsesClient.decodeRequest(body);
        expect(plainMessages(again.messages)).toEqual(plainMessages(request.messages));
        expect(again.tools.map(({ strict: _strict, ...tool }) => tool)).toEqual(request.tools);
        expect(again.toolChoice).toEqual(request.toolChoice);
        expect(again.output).toEqual(request.output);
        expect(again.sampling).toEqual(request.sampling);
        expect(again.stream).toBe(request.stream);
      }),
    );
  });

  it('of any shape is decoded or refused by name, never broken', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('input', 'tools', 'text', 'tool_choice', 'reasoning', 'include', 'model'),
          fc.jsonValue(),
        ),
        (body) => {
          try {
            openaiResponsesClient.decodeRequest(body as never);
          } catch (error) {
            expect(error).toMatchObject({ code: 'invalid_request' });
          }
        },
      ),
    );
  });
});

describe('an answer', () => {
  it('says the same streamed, cut anywhere, and read back', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(), { maxLength: 8 }), (response, cuts) => {
        const text = encoded(response);
        wireEvents(text);
        expect(substance(decoded(text, cuts))).toEqual(substance(response));
      }),
    );
  });

  it('is the same whole and streamed, to the official SDK', async () => {
    await fc.assert(
      fc.asyncProperty(answers, async (response) => {
        const usage = response.usage ?? emptyUsage();
        const whole = openaiResponsesClient.encodeResponse(response, view(), closing({ usage }));
        const read = await readStream(encoded(response));
        expect(read).toMatchObject(whole as object);
      }),
      { numRuns: 30 },
    );
  });

  it('cut at every single byte reads the same, and relays the same', () => {
    const text = encoded(WITH_EVERYTHING);
    const whole = decoded(text);
    const expected = JSON.stringify(cutFrames(text, []));
    const bytes = bytesOf(text).length;
    // A decoder is given frames and nothing else, so from the same ones it reads the same.
    const different = Array.from({ length: bytes }, (_, at) => at).filter(
      (at) => JSON.stringify(cutFrames(text, [at])) !== expected,
    );
    expect(different).toEqual([]);
    const relay = openaiResponsesRelay.openRelay(view());
    const relayed =
      framesOf([bytesOf(text)])
        .map((frame) => relay.forward(frame))
        .join('') + relay.finish(closing());
    expect(wireEvents(relayed).map(({ type }) => type)).toEqual(wireEvents(text).map(({ type }) => type));
    expect(substance(decoded(relayed)).parts).toEqual(substance(whole).parts);
  });

  it('survives any order of events without breaking', () => {
    const frames = framesOf([bytesOf(encoded(WITH_EVERYTHING))]);
    fc.assert(
      fc.property(fc.shuffledSubarray(frames), (some) => {
        const encoder = openaiResponsesClient.openEncoder(view());
        const events: ChatEvent[] = decodeFrames(openaiResponsesUpstream.openDecoder(target()), some);
        const text = events.map((event) => encoder.encode(event)).join('');
        wireEvents(text);
        expect(events.filter(({ type }) => type === 'response-end' || type === 'failure')).toHaveLength(1);
      }),
    );
  });
});

const WITH_EVERYTHING: ChatResponse = {
  choices: [
    {
      index: 0,
      parts: [
        { kind: 'reasoning', text: 'فکر', summary: true, encrypted: 'gAAA', id: 'rs_1', origin: 'openai-responses' },
        { kind: 'text', text: 'سلام 👋', citations: [{ url: 'https://example.com/', title: 't', start: 0, end: 4 }] },
        { kind: 'refusal', text: 'no' },
        { kind: 'tool-call', id: 'call_1', name: 'f', arguments: '{"a":1}' },
        { kind: 'tool-call', id: 'call_2', name: 'g', arguments: 'free text', custom: true },
        { kind: 'reasoning', text: 'raw', summary: false },
        { kind: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' } },
      ],
      finish: { kind: 'tool-calls' },
    },
  ],
  usage: { buckets: { inputFresh: 3, output: 4 }, source: 'upstream' },
};

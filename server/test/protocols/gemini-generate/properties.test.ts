import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/core/errors.ts';
import type { Json } from '../../../src/core/json.ts';
import { geminiUpstream, inlineMedia, mediaUrls } from '../../../src/protocols/index.ts';
import { chatRequest } from '../arbitraries.ts';
import { decodeText } from '../streams.ts';
import { encode, hello, request, streamOf, target, user } from './fixtures.ts';

const models = fc.constantFrom('gemini-2.0-flash', 'gemini-2.5-pro', 'gemini-3-flash-preview', 'something-else');

const anyRequest = chatRequest({
  images: true,
  audio: true,
  files: true,
  refusals: true,
  developerRole: true,
  names: true,
  reasoning: { signed: 'gemini-generate' },
  toolSignatures: true,
  joinedToolResults: true,
  sampling: ['temperature', 'topP', 'topK', 'seed', 'stop', 'logitBias', 'count', 'logprobs', 'topLogprobs'],
  outputs: ['text', 'json', 'json-schema'],
});

describe('any request', () => {
  it('is encoded as JSON with at least one turn, or refused by name', () => {
    fc.assert(
      fc.property(anyRequest, models, fc.boolean(), (given, model, stream) => {
        try {
          const { body } = encode(given, target(model, { stream }));
          expect(JSON.parse(JSON.stringify(body))).toEqual(body);
          const contents = body['contents'] as { role: string; parts: Json[] }[];
          expect(contents.length).toBeGreaterThan(0);
          for (const { role, parts } of contents) {
            expect(['user', 'model']).toContain(role);
            expect(parts.length).toBeGreaterThan(0);
          }
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
          expect(error.code).toBe('invalid_request');
          expect(error.options.param).toBeDefined();
        }
      }),
    );
  });

  it('is not changed by encoding', () => {
    fc.assert(
      fc.property(anyRequest, (given) => {
        const before = structuredClone(given);
        try {
          encode(given);
        } catch {
          // Refusals are checked above.
        }
        expect(given).toEqual(before);
      }),
      { numRuns: 50 },
    );
  });
});

describe('any frame', () => {
  it('ends in one end or one failure, never in an exception', () => {
    const frame = fc.oneof(
      fc.jsonValue() as fc.Arbitrary<Json>,
      fc.record({
        candidates: fc.array(
          fc.record(
            {
              index: fc.oneof(fc.nat(3), fc.constant(-1), fc.constant(1e9)),
              finishReason: fc.constantFrom('STOP', 'SAFETY', 'MALFORMED_FUNCTION_CALL', 'NEW_REASON'),
              content: fc.record({ parts: fc.array(fc.jsonValue() as fc.Arbitrary<Json>) }),
            },
            { requiredKeys: [] },
          ),
        ),
        usageMetadata: fc.jsonValue() as fc.Arbitrary<Json>,
      }) as fc.Arbitrary<Json>,
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 5 }), (frames) => {
        const events = decodeText(geminiUpstream.openDecoder(target()), streamOf(...frames));
        const last = events.filter(({ type }) => type === 'response-end' || type === 'failure');
        expect(last).toHaveLength(1);
      }),
    );
  });
});

describe('media by address', () => {
  const picture = (url: string) => ({ kind: 'image' as const, source: { kind: 'url' as const, url } });
  const given = request([
    hello,
    user(picture('https://e.org/a.png'), picture('https://e.org/a.png'), picture('data:image/png;base64,QQ==')),
    { role: 'assistant', parts: [{ kind: 'tool-call', id: 'a', name: 'look', arguments: '' }] },
    {
      role: 'tool',
      parts: [
        {
          kind: 'tool-result',
          callId: 'a',
          content: [{ kind: 'file', source: { kind: 'url', url: 'http://e.org/b.pdf' }, name: 'b' }],
        },
      ],
    },
    user(picture('https://youtu.be/x')),
  ]);

  it('is listed once each, so that it can be fetched', () => {
    expect(mediaUrls(given)).toEqual(['https://e.org/a.png', 'http://e.org/b.pdf', 'https://youtu.be/x']);
    const toFetch = mediaUrls(given).filter((url) => !geminiUpstream.readsUrl?.(url, {}));
    expect(toFetch).toEqual(['https://e.org/a.png', 'http://e.org/b.pdf']);
  });

  it('is encoded once the bytes are in', () => {
    const fetched = new Map([
      ['https://e.org/a.png', { mediaType: 'image/png', data: 'QQ==' }],
      ['http://e.org/b.pdf', { mediaType: 'application/pdf', data: 'Qg==' }],
    ]);
    const inlined = inlineMedia(given, fetched);
    expect(mediaUrls(inlined)).toEqual(['https://youtu.be/x']);
    expect(JSON.stringify(encode(inlined).body)).toContain('"mimeType":"application/pdf","data":"Qg=="');
    expect(mediaUrls(given)).toHaveLength(3);
  });
});

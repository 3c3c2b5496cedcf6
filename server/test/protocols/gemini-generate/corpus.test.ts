/** The codec over recorded answers of Google's two endpoints. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatResponse } from '../../../src/core/chat.ts';
import { GatewayError } from '../../../src/core/errors.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../../src/core/json.ts';
import { totalTokens } from '../../../src/core/usage.ts';
import { decodeCount, geminiClient, geminiUpstream, isFailure } from '../../../src/protocols/index.ts';
import { describeCorpus, type Exchange } from '../corpus.ts';
import { bytesOf, cutAt, decodeFrames, decodeText, foldEvents, framesOf } from '../streams.ts';
import { target } from './fixtures.ts';

/** Hosted tools, caches, answers that are no text, and files by addresses that Google does not read itself. */
const NOT_CARRIED =
  /^tools\.\d\.(?:googleSearch|codeExecution|urlContext|fileSearch)$|^cachedContent$|^generationConfig\.responseModalities$|^messages\.\d\.content$/;

function bodiesOf({ stream, resp }: Exchange): JsonObject[] {
  const bodies = stream ? framesOf([bytesOf(resp)]).map(({ json }) => json) : [parseTrustedJson(resp)];
  return bodies.filter(isJsonObject);
}

/** The answer's words, read straight from the recorded JSON. */
function recordedText(exchange: Exchange, thought: boolean): string {
  let text = '';
  for (const { candidates } of bodiesOf(exchange)) {
    for (const candidate of Array.isArray(candidates) ? candidates : []) {
      const content = isJsonObject(candidate) ? candidate['content'] : undefined;
      const parts = isJsonObject(content) && Array.isArray(content['parts']) ? content['parts'] : [];
      for (const part of parts) {
        if (isJsonObject(part) && typeof part['text'] === 'string' && (part['thought'] === true) === thought) {
          text += part['text'];
        }
      }
    }
  }
  return text;
}

function decoded(exchange: Exchange): ChatResponse {
  const response = exchange.stream
    ? foldEvents(decodeText(geminiUpstream.openDecoder(target()), exchange.resp))
    : geminiUpstream.decodeResponse(parseTrustedJson(exchange.resp) ?? null, target());
  if (isFailure(response)) throw new Error(`${exchange.id}: ${response.kind} ${response.message}`);
  return response;
}

const said = ({ choices }: ChatResponse, kind: 'text' | 'reasoning') =>
  choices
    .flatMap(({ parts }) => parts)
    .map((part) => (part.kind === kind ? part.text : ''))
    .join('');

describeCorpus('recorded Gemini traffic', ['gemini-generateContent', 'gemini-streamGenerateContent'], (exchanges) => {
  const answered = exchanges.filter(({ status }) => status === 200);

  it('is there', () => {
    expect(answered.length).toBeGreaterThan(150);
    expect(answered.filter(({ stream }) => stream).length).toBeGreaterThan(5);
  });

  it('says what was recorded, with every token in exactly one bucket', () => {
    for (const exchange of answered) {
      const response = decoded(exchange);
      expect(said(response, 'text'), exchange.id).toBe(recordedText(exchange, false));
      expect(said(response, 'reasoning'), exchange.id).toBe(recordedText(exchange, true));
      const usage = bodiesOf(exchange).at(-1)?.['usageMetadata'] as JsonObject;
      if (!response.usage) throw new Error(`${exchange.id} without usage`);
      expect(totalTokens(response.usage), exchange.id).toBe(usage['totalTokenCount']);
    }
  });

  it('keeps every call with its arguments, an id of its own and its signature', () => {
    let calls = 0;
    for (const exchange of answered) {
      const recorded = exchange.resp.split('"functionCall"').length - 1;
      const parts = decoded(exchange).choices.flatMap((choice) => choice.parts);
      const found = parts.filter((part) => part.kind === 'tool-call');
      expect(found, exchange.id).toHaveLength(recorded);
      expect(new Set(found.map(({ id }) => id)).size).toBe(recorded);
      for (const { signature, arguments: text } of found) {
        expect(isJsonObject(parseTrustedJson(text))).toBe(true);
        if (signature !== undefined) expect(exchange.resp).toContain(signature);
      }
      if (recorded > 0) expect(decoded(exchange).choices[0]?.finish.kind).toBe('tool-calls');
      calls += recorded;
    }
    expect(calls).toBeGreaterThan(50);
  });

  it('means the same wherever the network cut it', () => {
    for (const { resp, id } of answered.filter(({ stream }) => stream)) {
      const bytes = bytesOf(resp);
      const expected = decodeText(geminiUpstream.openDecoder(target()), resp);
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (positions) => {
          const events = decodeFrames(geminiUpstream.openDecoder(target()), framesOf(cutAt(bytes, positions)));
          expect(events, id).toEqual(expected);
        }),
        { numRuns: 15 },
      );
    }
  });

  it('classifies the recorded refusals', () => {
    const refused = exchanges.filter(({ status }) => status !== 200);
    const kinds = refused.map(({ status, resp }) => geminiUpstream.decodeFailure(status, {}, resp));
    expect(kinds.map(({ kind }) => kind).sort()).toEqual(['client-fault', 'credential', 'rate-limited']);
    expect(kinds.find(({ kind }) => kind === 'rate-limited')?.retryAfterMs).toBeGreaterThan(1000);
  });
});

describeCorpus(
  'recorded requests to Gemini',
  [
    'gemini-generateContent',
    'gemini-streamGenerateContent',
    'gemini-countTokens',
    'vertex-generateContent',
    'vertex-streamGenerateContent',
  ],
  (exchanges) => {
    /** Some sources kept an answer without its request. */
    const asked = exchanges.filter(({ req }) => isJsonObject(req));

    /** The field for which a request is refused; undefined where the provider is asked. */
    function refusedFor({ api, req, stream }: Exchange): string | undefined {
      const address = { model: 'a/b', stream };
      try {
        const request = api.endsWith('countTokens')
          ? decodeCount(req, address)
          : geminiClient(address).decodeRequest(req);
        geminiUpstream.encodeRequest(request, target());
        return undefined;
      } catch (error) {
        if (error instanceof GatewayError && error.options.param !== undefined) return error.options.param;
        throw error;
      }
    }

    it('pass, or are refused by the name of what this service does not carry', () => {
      expect(asked.length).toBeGreaterThan(380);
      const refused = asked.filter(({ status }) => status === 200).map((exchange) => refusedFor(exchange) ?? '');
      const others = refused.filter((field) => field !== '' && !NOT_CARRIED.test(field));
      // Results in the name of the model, which Google's own MCP client leaves; a call that nobody answered.
      expect(others.sort()).toEqual(['contents.1.parts.0', 'contents.1.parts.1', 'contents.2.parts.0']);
    });

    it('are refused where Google refused what they say', () => {
      const fields = asked.filter(({ status }) => status === 400).map(refusedFor);
      expect(fields).toEqual(expect.arrayContaining(['contents', 'contents.0.role']));
    });
  },
  ['open', 'second', 'endpoints'],
);

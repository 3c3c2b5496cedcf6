/** Recorded traffic of some twenty providers. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../../../src/core/json.ts';
import { completionTokens, promptTokens, type Usage } from '../../../src/core/usage.ts';
import {
  isFailure,
  openaiChatClient,
  openaiChatRelay,
  openaiChatUpstream,
  unfoldResponse,
} from '../../../src/protocols/index.ts';
import { describeCorpus, type Exchange } from '../corpus.ts';
import { bytesOf, cutAt, decodeFrames, decodeText, foldEvents, framesOf } from '../streams.ts';
import { closing, payloads, target, view } from './fixtures.ts';

/** Streams that end in an error event are failures by right. */
const endsInError = ({ resp }: Exchange): boolean => /^event: error$/m.test(resp);

function decode(exchange: Exchange) {
  if (exchange.stream) return foldEvents(decodeText(openaiChatUpstream.openDecoder(target()), exchange.resp));
  return openaiChatUpstream.decodeResponse(parseTrustedJson(exchange.resp) ?? null, target());
}

/** The last usage object that was on the wire. */
function recordedUsage({ resp, stream }: Exchange): JsonObject | undefined {
  const bodies: (Json | undefined)[] = stream
    ? framesOf([bytesOf(resp)]).map(({ json }) => json)
    : [parseTrustedJson(resp)];
  return bodies
    .map((body) => (isJsonObject(body) && isJsonObject(body['usage']) ? body['usage'] : undefined))
    .findLast((usage) => usage !== undefined);
}

describeCorpus('recorded chat completions', ['openai-chat'], (all) => {
  const answered = all.filter(({ status, resp }) => status === 200 && resp !== '');
  const whole = answered.filter((exchange) => !endsInError(exchange));
  const streams = whole.filter(({ stream, resp }) => stream || resp.startsWith('data:'));

  test('there is something to read', () => {
    expect(whole.length).toBeGreaterThan(300);
    expect(streams.length).toBeGreaterThan(50);
  });

  test('every answer decodes', () => {
    for (const exchange of whole) expect(isFailure(decode(exchange)), exchange.id).toBe(false);
  });

  test('an error event is a failure', () => {
    for (const exchange of answered.filter(endsInError)) expect(isFailure(decode(exchange)), exchange.id).toBe(true);
  });

  test('the buckets add up to the recorded totals', () => {
    let checked = 0;
    for (const exchange of whole) {
      const recorded = recordedUsage(exchange);
      const decoded = decode(exchange);
      if (!recorded || isFailure(decoded)) continue;
      const usage = decoded.usage as Usage;
      expect(promptTokens(usage), exchange.id).toBe(recorded['prompt_tokens']);
      expect(promptTokens(usage) + completionTokens(usage), exchange.id).toBe(recorded['total_tokens']);
      checked++;
    }
    expect(checked).toBeGreaterThan(250);
  });

  test('streams cut at random give the same events', () => {
    for (const { resp, id } of streams) {
      const bytes = bytesOf(resp);
      const events = decodeFrames(openaiChatUpstream.openDecoder(target()), framesOf([bytes]));
      fc.assert(
        fc.property(fc.array(fc.nat({ max: bytes.length }), { minLength: 1, maxLength: 20 }), (cuts) => {
          expect(decodeFrames(openaiChatUpstream.openDecoder(target()), framesOf(cutAt(bytes, cuts))), id).toEqual(
            events,
          );
        }),
        { numRuns: 3 },
      );
    }
  });

  test('every answer encodes for our clients, whole and streamed, and reads the same again', () => {
    for (const exchange of whole) {
      const decoded = decode(exchange);
      if (isFailure(decoded)) continue;
      const parts = (response: typeof decoded) =>
        response.choices.map((choice) => choice.parts.map(({ kind }) => kind));
      const encoder = openaiChatClient.openEncoder(view());
      const text =
        unfoldResponse(decoded)
          .map((event) => encoder.encode(event))
          .join('') + encoder.finish(closing);
      const again = foldEvents(decodeText(openaiChatUpstream.openDecoder(target()), text));
      if (isFailure(again)) throw new Error(`${exchange.id}: ${again.message}`);
      expect(parts(again), exchange.id).toEqual(parts(decoded));
      const body = openaiChatClient.encodeResponse(decoded, view(), closing);
      expect(isFailure(openaiChatUpstream.decodeResponse(body, target())), exchange.id).toBe(false);
    }
  });

  test('every stream relays into the form of the contract, with the same content', () => {
    for (const { resp, id } of streams) {
      const relay = openaiChatRelay.openRelay(view());
      const frames = framesOf([bytesOf(resp)]);
      const text = frames.map((frame) => relay.forward(frame)).join('') + relay.finish(closing);
      expect(payloads(text).at(-1), id).toBe('[DONE]');
      const direct = foldEvents(decodeFrames(openaiChatUpstream.openDecoder(target()), frames));
      const again = foldEvents(decodeText(openaiChatUpstream.openDecoder(target()), text));
      if (isFailure(direct) || isFailure(again)) throw new Error(id);
      const choices = (response: typeof direct) =>
        response.choices.map(({ parts, finish }) => ({ parts, kind: finish.kind }));
      // A call without arguments is given {} on its way.
      const whole = JSON.stringify(choices(direct)).replaceAll('"arguments":""', '"arguments":"{}"');
      expect(JSON.stringify(choices(again)), id).toBe(whole);
    }
  });

  test('every recorded request is understood, or refused by name', () => {
    let understood = 0;
    for (const { req, id } of all) {
      if (!isJsonObject(req)) continue;
      try {
        openaiChatClient.decodeRequest(req);
        understood++;
      } catch (error) {
        expect(error, id).toMatchObject({ code: 'invalid_request', options: { param: expect.any(String) } });
      }
    }
    expect(understood / all.length).toBeGreaterThan(0.95);
  });

  test('every failure has a kind and a message', () => {
    for (const { status, resp, resp_headers, id } of all.filter((exchange) => exchange.status >= 400)) {
      const failure = openaiChatUpstream.decodeFailure(status, resp_headers, resp);
      expect(failure.message, id).not.toBe('');
      expect(failure.kind, id).not.toBe('server');
    }
  });
});

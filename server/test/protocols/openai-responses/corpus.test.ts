import { expect, it } from 'vitest';
import type { ChatResponse } from '../../../src/core/chat.ts';
import { isJsonObject, type JsonObject } from '../../../src/core/json.ts';
import { completionTokens, promptTokens } from '../../../src/core/usage.ts';
import {
  isFailure,
  openaiResponsesClient,
  openaiResponsesRelay,
  openaiResponsesUpstream,
} from '../../../src/protocols/index.ts';
import { describeCorpus, type Exchange } from '../corpus.ts';
import { bytesOf, cutAt, decodeFrames, foldEvents, framesOf } from '../streams.ts';
import { readStream } from './official-sdk.ts';
import { closing, json, target, view, wireEvents } from './surroundings.ts';

/** The response object of a recording: the body, or what its last event holds. */
function recordedResponse({ stream, resp }: Exchange): JsonObject {
  if (!stream) return json(resp);
  const last = framesOf([bytesOf(resp)]).at(-1)?.json;
  return (isJsonObject(last) ? last['response'] : undefined) as JsonObject;
}

function answerOf({ stream, resp }: Exchange, cuts: readonly number[] = []): ChatResponse {
  const decoded = stream
    ? foldEvents(decodeFrames(openaiResponsesUpstream.openDecoder(target()), framesOf(cutAt(bytesOf(resp), cuts))))
    : openaiResponsesUpstream.decodeResponse(json(resp), target());
  if (isFailure(decoded)) throw new Error(`${decoded.kind}: ${decoded.message}`);
  return decoded;
}

/** Items without their ids, and reasoning that holds nothing. */
function substance(output: unknown): JsonObject[] {
  const items = (output as JsonObject[]).filter(
    ({ type, summary, content, encrypted_content: encrypted }) =>
      type !== 'reasoning' || encrypted || [summary, content].some((list) => Array.isArray(list) && list.length > 0),
  );
  return items.map(({ id: _id, status: _status, parsed_arguments: _parsed, content, ...item }) => ({
    ...item,
    ...(Array.isArray(content) && content.length > 0 && { content: content.map(withLogprobs) }),
  }));
}

/** Some providers leave logprobs out, and the SDK adds a field of its own. */
function withLogprobs(part: unknown): JsonObject {
  const { parsed: _parsed, ...rest } = part as JsonObject;
  return { logprobs: [], ...rest };
}

/** The items as their own events end them: the provider encrypts reasoning anew for its last event. */
function streamedItems({ resp }: Exchange): JsonObject[] {
  return framesOf([bytesOf(resp)]).flatMap(({ json: event }) =>
    isJsonObject(event) && event['type'] === 'response.output_item.done' ? [event['item'] as JsonObject] : [],
  );
}

/** What only a gateway with a store, or a provider that keeps things, can answer. */
function isOurs({ req }: Exchange): boolean {
  return req['background'] !== true && req['conversation'] === undefined && req['previous_response_id'] === undefined;
}

describeCorpus('recorded Responses traffic', ['openai-responses'], (exchanges) => {
  const answered = exchanges.filter(
    (exchange) => exchange.status === 200 && recordedResponse(exchange)['status'] !== 'queued',
  );
  const streams = answered.filter(({ stream }) => stream);

  it('holds enough to mean something', () => {
    expect(answered.length).toBeGreaterThan(130);
    expect(streams.length).toBeGreaterThan(10);
  });

  it('has requests that all decode, and relay with little but the model changed', () => {
    for (const exchange of exchanges.filter((one) => isOurs(one) && one.status === 200)) {
      const { req, id } = exchange;
      const request = openaiResponsesClient.decodeRequest(req);
      const { body } = openaiResponsesRelay.patchRequest(
        req,
        request,
        target({ stream: request.stream, capabilities: new Set() }),
      );
      const { stream: _stream, ...rest } = req;
      const input = Array.isArray(req['input']) ? body['input'] : req['input'];
      expect(body, id).toEqual({
        ...rest,
        input,
        model: 'up-model',
        store: false,
        ...(request.stream && { stream: true }),
      });
    }
  });

  it('has requests that survive the canonical form', () => {
    for (const { req, id } of exchanges.filter((one) => isOurs(one) && one.status === 200)) {
      const request = openaiResponsesClient.decodeRequest(req);
      const { body } = openaiResponsesUpstream.encodeRequest(request, target());
      expect(body['tools'] ?? [], id).toHaveLength(Array.isArray(req['tools']) ? req['tools'].length : 0);
      const again = openaiResponsesClient.decodeRequest(body);
      expect(openaiResponsesUpstream.encodeRequest(again, target()).body, id).toEqual(body);
      const sent = (body['input'] as JsonObject[]).filter(({ type }) => type === 'reasoning');
      const given = Array.isArray(req['input']) ? (req['input'] as JsonObject[]) : [];
      const replayable = ({ encrypted_content: encrypted, content }: JsonObject) =>
        encrypted || (Array.isArray(content) && content.length > 0);
      expect(sent, id).toEqual(given.filter((item) => item['type'] === 'reasoning' && replayable(item)));
    }
  });

  it('reads what is answered in the background or within a conversation, and keeps it for the store', () => {
    const kept = exchanges.filter(({ req }) => req['background'] === true || req['conversation'] !== undefined);
    expect(kept.length).toBeGreaterThan(0);
    for (const { id, req } of kept) {
      const text = JSON.stringify(openaiResponsesClient.decodeRequest(req));
      if (req['background'] === true) expect(text, id).toContain('"background":true');
      if (req['conversation'] !== undefined) expect(text, id).toContain('"conversation":');
    }
  });

  it('has buckets that add up to the recorded usage', () => {
    for (const exchange of answered) {
      const recorded = recordedResponse(exchange)['usage'] as JsonObject;
      const { usage } = answerOf(exchange);
      if (!usage) throw new Error(`no usage in ${exchange.id}`);
      expect(promptTokens(usage), exchange.id).toBe(recorded['input_tokens']);
      expect(completionTokens(usage), exchange.id).toBe(recorded['output_tokens']);
      const cached = (recorded['input_tokens_details'] as JsonObject)['cached_tokens'];
      expect(usage.buckets.cacheRead ?? 0, exchange.id).toBe(cached);
    }
  });

  it('has answers that encode again to what was recorded', () => {
    for (const exchange of answered) {
      const again = openaiResponsesClient.encodeResponse(answerOf(exchange), view(), closing());
      const recorded = exchange.stream ? streamedItems(exchange) : recordedResponse(exchange)['output'];
      expect(substance(again['output']), exchange.id).toEqual(substance(recorded));
    }
  });

  it('has streams that read the same cut anywhere, translated, relayed, and by the official SDK', async () => {
    for (const exchange of streams) {
      const whole = answerOf(exchange);
      for (let every = 1; every < 40; every += 9) {
        const cuts = Array.from({ length: Math.floor(exchange.resp.length / every) }, (_, at) => at * every);
        expect(answerOf(exchange, cuts), exchange.id).toEqual(whole);
      }
      const frames = framesOf([bytesOf(exchange.resp)]);
      const encoder = openaiResponsesClient.openEncoder(view());
      const relay = openaiResponsesRelay.openRelay(view());
      let translated = '';
      for (const event of decodeFrames(openaiResponsesUpstream.openDecoder(target()), frames)) {
        translated += encoder.encode(event);
      }
      translated += encoder.finish(closing());
      const relayed = frames.map((frame) => relay.forward(frame)).join('') + relay.finish(closing());
      wireEvents(translated);
      wireEvents(relayed);
      const recorded = recordedResponse(exchange)['output'];
      expect(substance((await readStream(translated)).output), exchange.id).toEqual(substance(streamedItems(exchange)));
      expect((await readStream(relayed)).output, exchange.id).toMatchObject(recorded as JsonObject[]);
    }
  });

  it('has failures with a kind', () => {
    const kinds = exchanges
      .filter(({ status }) => status !== 200)
      .map(
        ({ status, resp_headers: headers, resp }) => openaiResponsesUpstream.decodeFailure(status, headers, resp).kind,
      );
    expect(kinds.toSorted()).toEqual(['client-fault', 'context-too-long', 'credential', 'model-gone']);
  });
});

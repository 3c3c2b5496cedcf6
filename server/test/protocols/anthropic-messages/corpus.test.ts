import { expect, it } from 'vitest';
import type { ChatResponse } from '../../../src/core/chat.ts';
import { isJsonObject, type JsonObject } from '../../../src/core/json.ts';
import type { Usage } from '../../../src/core/usage.ts';
import {
  anthropicMessagesClient,
  anthropicMessagesRelay,
  anthropicMessagesUpstream,
  decodeCountTokensRequest,
  isFailure,
} from '../../../src/protocols/index.ts';
import { describeCorpus, type Exchange } from '../corpus.ts';
import { bytesOf, cutAt, decodeFrames, foldEvents, framesOf } from '../streams.ts';
import { readStream } from './official-sdk.ts';
import { closing, json, target, view } from './surroundings.ts';

/** The counters of a recording, joined over a stream: the last known value of each. */
function recordedUsage({ stream, resp }: Exchange): JsonObject {
  if (!stream) return json(resp)['usage'] as JsonObject;
  const joined: JsonObject = {};
  for (const frame of framesOf([bytesOf(resp)])) {
    const event = frame.json as JsonObject;
    const message = isJsonObject(event['message']) ? event['message'] : event;
    for (const [key, value] of Object.entries(message['usage'] ?? {})) if (value !== null) joined[key] = value;
  }
  return joined;
}

function answerOf({ stream, resp }: Exchange, cuts: readonly number[] = []): ChatResponse {
  const decoded = stream
    ? foldEvents(
        decodeFrames(
          anthropicMessagesUpstream.openDecoder(target({ stream: true })),
          framesOf(cutAt(bytesOf(resp), cuts)),
        ),
      )
    : anthropicMessagesUpstream.decodeResponse(json(resp), target());
  if (isFailure(decoded)) throw new Error(`${decoded.kind}: ${decoded.message}`);
  return decoded;
}

function sum({ buckets }: Usage, ...names: (keyof Usage['buckets'])[]): number {
  return names.reduce((total, name) => total + (buckets[name] ?? 0), 0);
}

/** Content without what only pads it: null fields, and empty text that no client may send back. */
function substance(content: JsonObject[]): JsonObject[] {
  return content
    .filter((block) => block['type'] !== 'text' || block['text'] !== '' || Array.isArray(block['citations']))
    .map((block) => {
      const { citations, ...rest } = block;
      return Array.isArray(citations) && citations.length > 0 ? block : rest;
    });
}

describeCorpus('recorded Messages traffic', ['anthropic-messages'], (exchanges) => {
  const answered = exchanges.filter(({ status }) => status === 200);

  it('holds enough to mean something', () => {
    expect(answered.length).toBeGreaterThan(100);
    expect(answered.filter(({ stream }) => stream).length).toBeGreaterThan(5);
  });

  it('has requests that all decode, and relay with nothing but the model changed', () => {
    for (const { req, id } of exchanges) {
      const request = anthropicMessagesClient.decodeRequest(req);
      const { body } = anthropicMessagesRelay.patchRequest(
        req,
        request,
        target({ stream: request.stream, modelMaxOutput: undefined }),
      );
      expect(body, id).toEqual({ ...req, model: 'claude-x' });
      expect(decodeCountTokensRequest(req).messages, id).toEqual(request.messages);
    }
  });

  it('has requests that survive the canonical form', () => {
    for (const { req, id } of exchanges) {
      const request = anthropicMessagesClient.decodeRequest(req);
      const { body } = anthropicMessagesUpstream.encodeRequest(request, target({ modelMaxOutput: undefined }));
      const { metadata, context_management, mcp_servers, container, cache_control, system } = req;
      expect(body, id).toMatchObject(
        JSON.parse(JSON.stringify({ metadata, context_management, mcp_servers, container, cache_control })) as object,
      );
      expect(body['tools'] ?? [], id).toHaveLength(Array.isArray(req['tools']) ? req['tools'].length : 0);
      expect(body['system'] !== undefined, id).toBe(system !== undefined && system !== '');
      // Encoded once more it stays the same: the canonical form has lost nothing it knew.
      const again = anthropicMessagesClient.decodeRequest(body);
      expect(anthropicMessagesUpstream.encodeRequest(again, target({ modelMaxOutput: undefined })).body, id).toEqual(
        body,
      );
    }
  });

  it('has buckets that add up to the recorded usage', () => {
    for (const exchange of answered) {
      const recorded = recordedUsage(exchange);
      const { usage } = answerOf(exchange);
      if (!usage) throw new Error(`no usage in ${exchange.id}`);
      const billed = (name: string): number => Math.max(counted(recorded, name), passes(recorded, name));
      expect(sum(usage, 'inputFresh'), exchange.id).toBe(billed('input_tokens'));
      expect(sum(usage, 'cacheRead'), exchange.id).toBe(billed('cache_read_input_tokens'));
      expect(sum(usage, 'cacheWrite5m', 'cacheWrite1h'), exchange.id).toBe(billed('cache_creation_input_tokens'));
      expect(sum(usage, 'output', 'reasoning'), exchange.id).toBe(billed('output_tokens'));
    }
  });

  it('has answers that encode again to what was recorded', () => {
    for (const exchange of answered.filter(({ stream }) => !stream)) {
      const recorded = json(exchange.resp);
      const answer = answerOf(exchange);
      const usage = answer.usage ?? closing().usage;
      const again = anthropicMessagesClient.encodeResponse(answer, view(), closing({ usage }));
      const { id: _id, model: _model, content, usage: _usage, ...rest } = recorded;
      expect(again, exchange.id).toMatchObject(rest);
      expect(substance(again['content'] as JsonObject[]), exchange.id).toEqual(substance(content as JsonObject[]));
    }
  });

  it('has streams that read the same cut anywhere, translated, relayed, and by the official SDK', async () => {
    for (const exchange of answered.filter(({ stream }) => stream)) {
      const whole = answerOf(exchange);
      for (let every = 1; every < 40; every += 6) {
        const cuts = Array.from({ length: Math.floor(exchange.resp.length / every) }, (_, at) => at * every);
        expect(answerOf(exchange, cuts), exchange.id).toEqual(whole);
      }
      const decoder = anthropicMessagesUpstream.openDecoder(target());
      const frames = framesOf([bytesOf(exchange.resp)]);
      const encoder = anthropicMessagesClient.openEncoder(view());
      const relay = anthropicMessagesRelay.openRelay(view());
      let translated = '';
      for (const event of decodeFrames(decoder, frames)) translated += encoder.encode(event);
      translated += encoder.finish(closing());
      const relayed = frames.map((frame) => relay.forward(frame)).join('') + relay.finish(closing());
      const [original, viaCanonical, viaRelay] = await Promise.all(
        [exchange.resp, translated, relayed].map(readStream),
      );
      const blocks = (message: typeof original) => substance((message?.content ?? []) as unknown as JsonObject[]);
      expect(blocks(viaCanonical), exchange.id).toEqual(blocks(original));
      expect(viaRelay?.content, exchange.id).toEqual(original?.content);
      expect([viaCanonical?.stop_reason, viaRelay?.stop_reason]).toEqual([
        original?.stop_reason,
        original?.stop_reason,
      ]);
    }
  });

  it('has failures with a kind', () => {
    for (const { status, resp, resp_headers } of exchanges.filter((exchange) => exchange.status !== 200)) {
      expect(anthropicMessagesUpstream.decodeFailure(status, resp_headers, resp)).toMatchObject({
        kind: 'credential',
        code: 'authentication_error',
      });
    }
  });
});

describeCorpus('recorded count_tokens traffic', ['anthropic-count_tokens'], (exchanges) => {
  it('decodes without a limit', () => {
    expect(exchanges.length).toBeGreaterThan(0);
    for (const { req } of exchanges) expect(decodeCountTokensRequest(req).messages.length).toBeGreaterThan(0);
  });
});

function counted(report: JsonObject, name: string): number {
  return Number(report[name] ?? 0);
}

/** Passes of an advising model and of a compaction are billed beside the counters. */
function passes({ iterations }: JsonObject, name: string): number {
  if (!Array.isArray(iterations)) return 0;
  return iterations.filter(isJsonObject).reduce((all, pass) => all + counted(pass, name), 0);
}

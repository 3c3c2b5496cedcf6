/** Bedrock as it was recorded: every frame has its checksums, every answer is read, and the counts add up. */
import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../src/core/json.ts';
import { totalTokens } from '../../src/core/usage.ts';
import {
  amazonFrame,
  anthropicMessagesUpstream,
  bedrockConverseUpstream,
  EventFold,
  EventStreamParser,
  isFailure,
  openGuard,
  SseParser,
  type UpstreamCodec,
} from '../../src/protocols/index.ts';
import { describeCorpus, type Exchange } from './corpus.ts';

const target = {
  model: 'recorded',
  stream: true,
  maxOutputTokens: undefined,
  modelMaxOutput: undefined,
  capabilities: new Set<string>(),
  quirks: {},
};

/** In chunks of seven bytes, so that everything is cut somewhere. */
function framesOf({ resp }: Exchange): string {
  const bytes = Buffer.from(resp, 'base64');
  const parser = new EventStreamParser();
  let text = '';
  for (let at = 0; at < bytes.length; at += 7)
    parser.push(bytes.subarray(at, at + 7), (message) => {
      text += amazonFrame(message);
    });
  expect(parser.isCut).toBe(false);
  return text;
}

function foldOf(text: string, { openDecoder }: UpstreamCodec): EventFold {
  const fold = new EventFold();
  const decoder = openGuard(openDecoder(target));
  const parser = new SseParser();
  parser.push(Buffer.from(text), (frame) => decoder.push(frame, (event) => fold.push(event)));
  decoder.end((event) => fold.push(event));
  return fold;
}

const isFramed = ({ resp, status }: Exchange) => status === 200 && /^AAA/.test(resp);

describeCorpus(
  'recorded Converse',
  ['bedrock-converse', 'bedrock-converse-stream'],
  (exchanges) => {
    it('is read whole, with the counts that were billed', () => {
      const whole = exchanges.filter(({ api, status }) => api === 'bedrock-converse' && status === 200);
      let understood = 0;
      for (const { id, resp } of whole) {
        const body = parseTrustedJson(resp) as JsonObject;
        const response = bedrockConverseUpstream.decodeResponse(body, target);
        if (isFailure(response)) throw new Error(`${id}: ${response.message}`);
        if ((response.choices[0]?.parts.length ?? 0) > 0) understood++;
        const total = isJsonObject(body['usage']) ? body['usage']['totalTokens'] : undefined;
        if (response.usage && typeof total === 'number') expect(totalTokens(response.usage), id).toBe(total);
      }
      // One of them was written to hold nothing that anybody knows.
      expect(understood).toBeGreaterThanOrEqual(whole.length - 1);
    });

    it('is read from its frames', () => {
      for (const exchange of exchanges.filter(isFramed)) {
        const text = framesOf(exchange);
        const fold = foldOf(text, bedrockConverseUpstream);
        expect(fold.failure, exchange.id).toBeUndefined();
        const usage = fold.response().usage;
        const [, total] = /"totalTokens":\s*(\d+)/.exec(text) ?? [];
        if (usage && total) expect(totalTokens(usage), exchange.id).toBe(Number(total));
      }
    });

    it('fails as what it is', () => {
      for (const { id, status, resp, resp_headers } of exchanges.filter(({ status }) => status >= 400))
        expect(bedrockConverseUpstream.decodeFailure(status, resp_headers, resp).kind, id).toBe('model-gone');
    });
  },
  ['endpoints'],
);

describeCorpus(
  'recorded InvokeModel',
  ['bedrock-invoke-with-response-stream'],
  (exchanges) => {
    it('holds Anthropic’s own events', () => {
      for (const exchange of exchanges.filter(isFramed)) {
        const text = framesOf(exchange);
        const first = parseTrustedJson(text.slice('data: '.length, text.indexOf('\n')));
        if (!isJsonObject(first) || first['type'] !== 'message_start') continue;
        const fold = foldOf(text, anthropicMessagesUpstream);
        expect(fold.failure, exchange.id).toBeUndefined();
        expect(fold.response().usage?.buckets.output, exchange.id).toBeGreaterThan(0);
      }
    });
  },
  ['endpoints'],
);

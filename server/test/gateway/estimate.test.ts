import { describe, expect, it } from 'vitest';
import type { Model } from '../../src/catalog/index.ts';
import type { ChatRequest } from '../../src/core/chat.ts';
import { ZERO } from '../../src/core/money.ts';
import { ANY_MEDIA } from '../../src/gateway/admit/count-media.ts';
import { affordableByAny, affordableByOne, estimateModels } from '../../src/gateway/admit/estimate.ts';
import { History } from '../../src/gateway/admit/history.ts';
import { anthropicMessagesClient, openaiChatClient } from '../../src/protocols/index.ts';

const USUAL_LENGTH = 700;

function modelOf(id: string, output: bigint): Model {
  const perUnit = {
    inputFresh: 15_000n,
    cacheWrite5m: 60_000n,
    audioInput: 240_000n,
    output,
    audioOutput: output * 8n,
  };
  return {
    id,
    vendor: 'mock',
    name: id,
    kind: 'chat',
    routes: [],
    price: { version: 'one', perUnit, perRequest: 500n },
    context: 128_000,
    maxOutput: 16_384,
    capabilities: new Set(),
    categories: [],
    created: 0,
    hedge: false,
    simulated: false,
  };
}

const CHEAP = modelOf('mock/cheap', 60_000n);
const EXPENSIVE = modelOf('mock/dear', 90_000n);
const text = 'word '.repeat(400);

const REQUESTS: [string, ChatRequest][] = [
  ['plain text', openaiChatClient.decodeRequest({ messages: [{ role: 'user', content: text }] })],
  [
    'a prompt to keep in a cache',
    anthropicMessagesClient.decodeRequest({
      max_tokens: USUAL_LENGTH,
      messages: [{ role: 'user', content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] }],
    }),
  ],
  [
    'a spoken answer',
    openaiChatClient.decodeRequest({
      messages: [{ role: 'user', content: text }],
      modalities: ['text', 'audio'],
      audio: { voice: 'a', format: 'wav' },
    }),
  ],
];

describe('what a hold pays for', () => {
  const estimate = (request: ChatRequest, models: Model[]) =>
    estimateModels(request, models, {
      account: 'one',
      history: new History(),
      defaultOutput: USUAL_LENGTH,
      leastOutput: 16,
      extraInput: 0,
      growing: true,
      leastLimit: 0,
      hosted: undefined,
      media: () => ANY_MEDIA,
    });

  it.each(REQUESTS)('%s: the length it was made for, and not a token more', (_name, request) => {
    const found = estimate(request, [CHEAP]);
    expect(affordableByOne(found, CHEAP, found.want)).toBe(USUAL_LENGTH);
    expect(affordableByAny(found, CHEAP, found.want)).toBe(USUAL_LENGTH);
  });

  it.each(REQUESTS)('%s: by the price of the model that answers', (_name, request) => {
    const found = estimate(request, [CHEAP, EXPENSIVE]);
    expect(affordableByOne(found, EXPENSIVE, found.want)).toBe(USUAL_LENGTH);
    expect(affordableByOne(found, CHEAP, found.want)).toBeGreaterThan(USUAL_LENGTH);
    expect(affordableByAny(found, CHEAP, found.want)).toBe(USUAL_LENGTH);
  });

  it('of a free model: as long as it likes, for nothing', () => {
    const free: Model = { ...CHEAP, price: { ...CHEAP.price, perUnit: {}, perRequest: ZERO } };
    const found = estimate(openaiChatClient.decodeRequest({ messages: [{ role: 'user', content: text }] }), [free]);
    expect(found.want).toBe(ZERO);
    expect(affordableByAny(found, free, found.want)).toBeGreaterThanOrEqual(16_384);
    expect(affordableByOne(found, free, found.want)).toBeGreaterThanOrEqual(16_384);
  });
});

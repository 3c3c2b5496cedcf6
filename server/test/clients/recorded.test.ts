/**
 * Every recorded answer of every upstream protocol, replayed to the gateway and read back through the official SDK of
 * every client protocol: it must say what the recording says. A sample by default, all of them with `npm run test:long`.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  anthropicMessagesUpstream,
  geminiUpstream,
  openaiChatUpstream,
  openaiResponsesUpstream,
} from '../../src/protocols/index.ts';
import { LONG } from '../harness/long.ts';
import { startGateway, TEST_KEY, type TestGateway } from '../harness/start-gateway.ts';
import { describeCorpus, type Exchange } from '../protocols/corpus.ts';
import { anthropic } from './adapters/anthropic.ts';
import { openaiChat } from './adapters/openai-chat.ts';
import { openaiResponses } from './adapters/openai-responses.ts';
import type { OpenClient } from './client.ts';
import { isSame, isStream, questionFor, replay, saidBy, saidDirectly } from './recorded-answers.ts';

/** A prime, so that the sample does not follow the order in which a source was recorded. */
const SAMPLE_STEP = 13;
const AT_ONCE = 4;

const UPSTREAMS = {
  'openai-chat': { apis: ['openai-chat'], model: 'mock/chat', codec: openaiChatUpstream },
  'anthropic-messages': { apis: ['anthropic-messages'], model: 'mock/claude', codec: anthropicMessagesUpstream },
  'openai-responses': { apis: ['openai-responses'], model: 'mock/responses', codec: openaiResponsesUpstream },
  'gemini-generate': {
    apis: ['gemini-generateContent', 'gemini-streamGenerateContent'],
    model: 'mock/gemini',
    codec: geminiUpstream,
  },
};

const CLIENTS: Record<string, OpenClient> = {
  'chat completions': openaiChat(OpenAI),
  messages: anthropic(Anthropic),
  responses: openaiResponses(OpenAI),
};

/** Thousands of requests in one minute. */
const ACCOUNTS = [
  {
    id: 'acme',
    name: 'Acme',
    balance: 100_000_000,
    keys: [{ id: 'main', key: TEST_KEY, rules: { rpm: 100_000, tpm: 1_000_000_000 } }],
  },
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ config: { accounts: ACCOUNTS } });
});
afterAll(() => gateway.stop());

async function inTurns(exchanges: Exchange[], work: (exchange: Exchange) => Promise<void>): Promise<void> {
  const waiting = [...exchanges];
  const worker = async () => {
    for (let exchange = waiting.pop(); exchange; exchange = waiting.pop()) await work(exchange);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

describe.each(Object.entries(UPSTREAMS))('%s', (_protocol, { apis, model, codec }) => {
  describeCorpus('recorded answers', apis, (exchanges) => {
    const answered = exchanges.filter(({ status, resp }) => status === 200 && resp !== '');
    const chosen = LONG ? answered : answered.filter((_exchange, i) => i % SAMPLE_STEP === 0);

    it.each(Object.entries(CLIENTS))('read through %s', { timeout: LONG ? 600_000 : 120_000 }, async (_name, open) => {
      expect(chosen.length).toBeGreaterThan(5);
      const client = open({ baseUrl: gateway.baseUrl, key: gateway.key });
      const byId = new Map(chosen.map((exchange) => [exchange.id, exchange]));
      gateway.vendor.choose((request) => replay(byId, request));
      const differences: object[] = [];
      await inTurns(chosen, async (exchange) => {
        const direct = saidDirectly(exchange, codec);
        const reply = client[isStream(exchange) ? 'stream' : 'ask']({ model, text: questionFor(exchange) });
        const read = await reply.then(saidBy, (error: unknown) => ({ failed: String(error) }));
        const same = direct === undefined ? 'failed' in read : !('failed' in read) && isSame(read, direct);
        if (!same) differences.push({ id: exchange.id, read, direct });
      });
      expect(differences).toEqual([]);
    });
  });
});

/** Every client library of the matrix. One that does not load on this Node is shown as skipped, with its reason. */
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { aiSdk } from './adapters/ai-sdk.ts';
import { anthropic } from './adapters/anthropic.ts';
import { googleGenai } from './adapters/google-genai.ts';
import { langchain } from './adapters/langchain.ts';
import { openaiChat } from './adapters/openai-chat.ts';
import { openaiResponses } from './adapters/openai-responses.ts';
import { type Access, MAX_TOKENS, type OpenClient } from './client.ts';

const openai6 = async () => (await import('openai')).default;
/** Newer than the types we test against; what it does is what counts. */
const openai7 = async () => (await import('openai7')).default as unknown as typeof OpenAI;
const anthropic1 = async () => (await import('@anthropic-ai/sdk')).default;
const anthropic0 = async () => (await import('anthropic0')).default as unknown as typeof Anthropic;

const aiOpenai = async () => {
  const { createOpenAI } = await import('@ai-sdk/openai');
  return ({ baseUrl, key }: Access) => createOpenAI({ baseURL: baseUrl, apiKey: key });
};
const langchainOpenai = async (useResponsesApi: boolean) => {
  const { ChatOpenAI } = await import('@langchain/openai');
  return langchain(
    ({ baseUrl, key }, model) =>
      new ChatOpenAI({
        model,
        apiKey: key,
        configuration: { baseURL: baseUrl },
        maxRetries: 0,
        maxTokens: MAX_TOKENS,
        useResponsesApi,
      }),
  );
};

export const LIBRARIES: Record<string, () => Promise<OpenClient>> = {
  'openai 6, chat completions': async () => openaiChat(await openai6()),
  'openai 6, responses': async () => openaiResponses(await openai6()),
  'openai 7, chat completions': async () => openaiChat(await openai7()),
  'openai 7, responses': async () => openaiResponses(await openai7()),
  '@anthropic-ai/sdk 1': async () => anthropic(await anthropic1()),
  '@anthropic-ai/sdk 0': async () => anthropic(await anthropic0()),
  '@google/genai 3': async () => googleGenai(await import('@google/genai')),
  'ai 6, @ai-sdk/openai (responses)': async () => {
    const provider = await aiOpenai();
    return aiSdk((access, id) => provider(access)(id));
  },
  'ai 6, @ai-sdk/openai chat': async () => {
    const provider = await aiOpenai();
    return aiSdk((access, id) => provider(access).chat(id));
  },
  'ai 6, @ai-sdk/openai-compatible': async () => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return aiSdk(({ baseUrl, key }, id) =>
      createOpenAICompatible({
        name: 'dargah',
        baseURL: baseUrl,
        apiKey: key,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })(id),
    );
  },
  'ai 6, @ai-sdk/anthropic': async () => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return aiSdk(({ baseUrl, key }, id) => createAnthropic({ baseURL: baseUrl, apiKey: key })(id));
  },
  '@langchain/openai, chat completions': () => langchainOpenai(false),
  '@langchain/openai, responses': () => langchainOpenai(true),
  '@langchain/anthropic': async () => {
    const { ChatAnthropic } = await import('@langchain/anthropic');
    return langchain(
      ({ baseUrl, key }, model) =>
        new ChatAnthropic({
          model,
          apiKey: key,
          anthropicApiUrl: baseUrl.replace(/\/v1$/, ''),
          maxRetries: 0,
          maxTokens: MAX_TOKENS,
        }),
      true,
    );
  },
};

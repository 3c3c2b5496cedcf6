/** Every client library of the matrix. One that does not load on this Node is shown as skipped, with its reason. */
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { anthropic } from './adapters/anthropic.ts';
import { openaiChat } from './adapters/openai-chat.ts';
import { openaiResponses } from './adapters/openai-responses.ts';
import type { OpenClient } from './client.ts';

const openai6 = async () => (await import('openai')).default;
/** Newer than the types we test against; what it does is what counts. */
const openai7 = async () => (await import('openai7')).default as unknown as typeof OpenAI;
const anthropic1 = async () => (await import('@anthropic-ai/sdk')).default;
const anthropic0 = async () => (await import('anthropic0')).default as unknown as typeof Anthropic;

export const LIBRARIES: Record<string, () => Promise<OpenClient>> = {
  'openai 6, chat completions': async () => openaiChat(await openai6()),
  'openai 6, responses': async () => openaiResponses(await openai6()),
  'openai 7, chat completions': async () => openaiChat(await openai7()),
  'openai 7, responses': async () => openaiResponses(await openai7()),
  '@anthropic-ai/sdk 1': async () => anthropic(await anthropic1()),
  '@anthropic-ai/sdk 0': async () => anthropic(await anthropic0()),
};

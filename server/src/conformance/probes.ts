/**
 * THE PROBES, as data: what every route is asked to prove, cheapest first. A probe is its requests and a check of their answers; a
 * new one is an entry here and a name in packages/core/src/probes.ts. The sandbox can fail each of them on request
 * (platform/upstream/sandbox/failing.ts).
 */
import type { ChatResponse, ToolCallPart } from '../core/chat.ts';
import { isJsonObject, parseTrustedJson } from '../core/json.ts';
import { completionTokens, promptTokens } from '../core/usage.ts';
import type { ConformanceProbe } from './probe.ts';
import { asking, filler, PICTURE, placeTool, user } from './probe-requests.ts';

const COUNTING = 'Write the numbers from one to ten in English words, separated by spaces, and nothing else.';
const WEATHER = placeTool('get_weather', 'Tells the weather of a city.');
const CLOCK = placeTool('get_local_time', 'Tells the local time of a city.');
/** Long enough for every provider that caches by itself (1,024 tokens) and for those that want a marker (up to 4,096). */
const CACHED_PREFIX = filler(280);
const CACHING = () =>
  asking(
    [
      { role: 'system', parts: [{ kind: 'text', text: CACHED_PREFIX, cacheControl: {} }] },
      user('Answer with the one word: ready'),
    ],
    { extras: { 'openai-chat': { prompt_cache_key: 'dargah-conformance' } } },
  );
const NEEDLE = '718293';
/** About 24,000 tokens, with the one line that matters in their middle. */
const HAYSTACK = `${filler(600)}\nThe code of the vault is ${NEEDLE}.\n${filler(600)}`;
const MIN_LONG_CONTEXT = 32_000;

export const PROBES: readonly ConformanceProbe[] = [
  {
    id: 'stream',
    asksOf: ({ capabilities }) => capabilities.has('streaming'),
    requests: [asking([user(COUNTING)], { stream: true })],
    check([answer]) {
      if (answer === undefined || textOf(answer.response) === '') return 'the stream held no text';
      return answer.pieces > 1 ? undefined : 'the text came in one piece';
    },
  },
  {
    id: 'usage',
    asksOf: () => true,
    requests: [asking([user('Answer with the one word: ready')], { stream: true })],
    check([answer]) {
      const usage = answer?.response.usage;
      if (usage === undefined || usage.source !== 'upstream') return 'no usage was reported';
      if (promptTokens(usage) === 0) return 'no input tokens were reported';
      return completionTokens(usage) === 0 ? 'no output tokens were reported' : undefined;
    },
  },
  {
    id: 'stop_reasons',
    asksOf: () => true,
    requests: [asking([user('Write the numbers from one to two hundred in English words.')], { maxOutputTokens: 16 })],
    check([answer]) {
      const kind = answer?.response.choices[0]?.finish.kind;
      return kind === 'length' ? undefined : `ended with ${kind ?? 'nothing'} at its limit of tokens`;
    },
  },
  {
    id: 'tools',
    asksOf: ({ capabilities }) => capabilities.has('tools'),
    requests: [
      asking([user('What is the weather in Tehran?')], {
        tools: [WEATHER],
        toolChoice: { kind: 'tool', name: WEATHER.name },
      }),
    ],
    check([answer]) {
      const [call] = callsOf(answer?.response);
      if (call === undefined) return 'no tool was called';
      if (call.name !== WEATHER.name) return 'another tool was called';
      return namesCity(call) ? undefined : 'the arguments are not what the tool takes';
    },
  },
  {
    id: 'parallel_tools',
    asksOf: ({ capabilities }) => capabilities.has('tools'),
    requests: [
      asking([user('Tell me the weather and the local time in Tehran. Call both tools at once.')], {
        tools: [WEATHER, CLOCK],
        toolChoice: { kind: 'required' },
        parallelToolCalls: true,
      }),
    ],
    check([answer]) {
      const calls = callsOf(answer?.response);
      if (calls.length < 2) return `${calls.length} of 2 tools were called`;
      if (new Set(calls.map(({ id }) => id)).size < calls.length) return 'two calls have one id';
      return calls.every(namesCity) ? undefined : 'the arguments are not what the tools take';
    },
  },
  {
    id: 'schema',
    asksOf: ({ capabilities }) => capabilities.has('json_schema'),
    requests: [
      asking([user('Describe the city of Isfahan.')], {
        output: {
          kind: 'json-schema',
          name: 'city',
          strict: true,
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, is_capital: { type: 'boolean' } },
            required: ['name', 'is_capital'],
            additionalProperties: false,
          },
        },
      }),
    ],
    check([answer]) {
      const value = parseTrustedJson(textOf(answer?.response));
      if (!isJsonObject(value)) return 'the answer is no JSON object';
      const fits = typeof value['name'] === 'string' && typeof value['is_capital'] === 'boolean';
      return fits && Object.keys(value).length === 2 ? undefined : 'the answer does not fit its schema';
    },
  },
  {
    id: 'prefill',
    asksOf: () => true,
    requests: [
      asking([
        user('Copy this line and write nothing else: amber basalt cedar dahlia ember falcon garnet'),
        { role: 'assistant', parts: [{ kind: 'text', text: 'amber basalt cedar' }] },
      ]),
    ],
    check([answer]) {
      const text = textOf(answer?.response).trimStart();
      return text.startsWith('dahlia') ? undefined : 'the answer does not go on where it was begun';
    },
  },
  {
    id: 'vision',
    asksOf: ({ capabilities }) => capabilities.has('vision'),
    requests: [
      asking([
        user('What colour is this picture? Answer with one English word.', {
          kind: 'image',
          source: { kind: 'data', mediaType: 'image/png', data: PICTURE },
        }),
      ]),
    ],
    check: ([answer]) =>
      /\bred\b/i.test(textOf(answer?.response)) ? undefined : 'the colour of the picture was not seen',
  },
  {
    id: 'caching',
    // A provider that sells cached tokens at a price of their own must report them.
    asksOf: ({ price }) => price.perUnit.cacheRead !== undefined,
    requests: [CACHING(), CACHING()],
    check([, second]) {
      const cached = second?.response.usage?.buckets.cacheRead ?? 0;
      return cached > 0 ? undefined : 'the second of two like prompts was not read from the cache';
    },
  },
  {
    id: 'long_context',
    asksOf: ({ context }) => context !== undefined && context >= MIN_LONG_CONTEXT,
    requests: [asking([user(HAYSTACK, 'What is the code of the vault? Answer with its digits.')])],
    check: ([answer]) =>
      textOf(answer?.response).includes(NEEDLE) ? undefined : 'a line in the middle of a long text was not found',
  },
];

function textOf(response: ChatResponse | undefined): string {
  let text = '';
  for (const part of response?.choices[0]?.parts ?? []) if (part.kind === 'text') text += part.text;
  return text;
}

function callsOf(response: ChatResponse | undefined): ToolCallPart[] {
  return (response?.choices[0]?.parts ?? []).filter((part) => part.kind === 'tool-call');
}

function namesCity({ arguments: text }: ToolCallPart): boolean {
  const value = parseTrustedJson(text);
  return isJsonObject(value) && typeof value['city'] === 'string' && value['city'] !== '';
}

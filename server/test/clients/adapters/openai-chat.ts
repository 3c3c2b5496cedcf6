import type OpenAI from 'openai';
import { parseTrustedJson } from '../../../src/core/json.ts';
import { type Access, apiFailure, type Client, MAX_TOKENS, type Question, type Reply } from '../client.ts';

type Chat = OpenAI.Chat.ChatCompletion;
type Params = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;

const FINISHES = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
} as const;

export const openaiChat =
  (library: typeof OpenAI) =>
  ({ baseUrl, key }: Access): Client => {
    const client = new library({ baseURL: baseUrl, apiKey: key, maxRetries: 0 });
    return {
      ask: async (question) => replyOf(await client.chat.completions.create(paramsOf(question))),
      async stream(question) {
        const params = { ...paramsOf(question), stream: true as const, stream_options: { include_usage: true } };
        return replyOf(await client.chat.completions.stream(params).finalChatCompletion());
      },
      failureOf: apiFailure,
    };
  };

function paramsOf({ model, text, image, tools, schema, after }: Question): Params {
  const url = image && `data:${image.mediaType};base64,${image.base64}`;
  const messages: Params['messages'] = [
    {
      role: 'user',
      content: url
        ? [
            { type: 'text', text },
            { type: 'image_url', image_url: { url } },
          ]
        : text,
    },
  ];
  if (after) {
    messages.push(after.reply.native as Chat['choices'][0]['message']);
    after.reply.toolCalls.forEach(({ id }, i) => {
      messages.push({ role: 'tool', tool_call_id: id, content: after.results[i] ?? '' });
    });
  }
  return {
    model,
    messages,
    max_completion_tokens: MAX_TOKENS,
    ...(tools && { tools: tools.map((tool) => ({ type: 'function' as const, function: tool })) }),
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } } }),
  };
}

function replyOf({ choices, usage }: Chat): Reply {
  const choice = choices[0];
  const legacy = choice?.message.function_call;
  const finish = choice?.finish_reason as keyof typeof FINISHES | undefined;
  return {
    text: choice?.message.content || choice?.message.refusal || '',
    toolCalls: [
      ...(choice?.message.tool_calls ?? []).map((call) => {
        if (call.type !== 'function') throw new Error(`a call of type ${call.type}`);
        return { id: call.id, name: call.function.name, arguments: parseTrustedJson(call.function.arguments) };
      }),
      // The old form of calls, which a provider uses only when it was asked in it.
      ...(legacy ? [{ id: '', name: legacy.name, arguments: parseTrustedJson(legacy.arguments) }] : []),
    ],
    finish: (finish && FINISHES[finish]) ?? 'unknown',
    usage: {
      input: usage?.prompt_tokens ?? Number.NaN,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      output: usage?.completion_tokens ?? Number.NaN,
    },
    native: choice?.message,
  };
}

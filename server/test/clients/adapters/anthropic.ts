import type Anthropic from '@anthropic-ai/sdk';
import { type Access, apiFailure, type Client, MAX_TOKENS, type Question, type Reply } from '../client.ts';

type Message = Anthropic.Messages.Message;
type Params = Anthropic.Messages.MessageCreateParamsNonStreaming;

const FINISHES = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
} as const;

export const anthropic =
  (library: typeof Anthropic) =>
  ({ baseUrl, key }: Access): Client => {
    // This library appends /v1 itself.
    const client = new library({ baseURL: baseUrl.replace(/\/v1$/, ''), apiKey: key, maxRetries: 0 });
    return {
      ask: async (question) => replyOf(await client.messages.create(paramsOf(question))),
      stream: async (question) => replyOf(await client.messages.stream(paramsOf(question)).finalMessage()),
      failureOf: apiFailure,
    };
  };

function paramsOf({ model, text, image, tools, schema, after }: Question): Params {
  const picture = image && {
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: image.mediaType as 'image/png', data: image.base64 },
  };
  const messages: Params['messages'] = [
    { role: 'user', content: [{ type: 'text', text }, ...(picture ? [picture] : [])] },
  ];
  if (after) {
    messages.push(
      { role: 'assistant', content: after.reply.native as Message['content'] },
      {
        role: 'user',
        content: after.reply.toolCalls.map(({ id }, i) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: after.results[i] ?? '',
        })),
      },
    );
  }
  return {
    model,
    messages,
    max_tokens: MAX_TOKENS,
    ...(tools && {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: parameters as Anthropic.Messages.Tool.InputSchema,
      })),
    }),
    ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
  };
}

function replyOf({ content, stop_reason, usage }: Message): Reply {
  const cached = usage.cache_read_input_tokens ?? 0;
  const calls = content.filter((block) => block.type === 'tool_use');
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    toolCalls: calls.map(({ id, name, input }) => ({ id, name, arguments: input })),
    finish: FINISHES[stop_reason as keyof typeof FINISHES] ?? 'unknown',
    usage: {
      input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
      cached,
      output: usage.output_tokens,
    },
    native: content,
  };
}

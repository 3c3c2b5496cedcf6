import type { ChatAnthropic } from '@langchain/anthropic';
import {
  type AIMessage,
  type AIMessageChunk,
  HumanMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import type { ChatOpenAI } from '@langchain/openai';
import { type Access, apiFailure, type Client, type Question, type Reply } from '../client.ts';

/** The two chat models differ only in how they take a schema. */
export type ChatModel = ChatOpenAI | ChatAnthropic;
type Runnable = {
  invoke(messages: unknown): Promise<AIMessage>;
  stream(messages: unknown): Promise<AsyncIterable<AIMessageChunk>>;
};

const FINISHES: Record<string, Reply['finish']> = {
  stop: 'stop',
  end_turn: 'stop',
  completed: 'stop',
  length: 'length',
  max_tokens: 'length',
  incomplete: 'length',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
};

export const langchain =
  (modelAt: (access: Access, id: string) => ChatModel, misreadsStreamedUsage = false) =>
  (access: Access): Client => ({
    async ask(question) {
      return replyOf(await prepared(modelAt(access, question.model), question).invoke(messagesOf(question)));
    },
    async stream(question) {
      let whole: AIMessageChunk | undefined;
      const model = prepared(modelAt(access, question.model), question);
      for await (const chunk of await model.stream(messagesOf(question))) whole = whole ? whole.concat(chunk) : chunk;
      if (!whole) throw new Error('nothing came');
      return replyOf(whole);
    },
    failureOf: apiFailure,
    misreadsStreamedUsage,
  });

function prepared(model: ChatModel, { tools, schema }: Question): Runnable {
  const bound = tools
    ? model.bindTools(tools.map((tool) => ({ type: 'function' as const, function: tool })))
    : (model as unknown as Runnable & { withConfig(options: object): Runnable });
  if (!schema) return bound as Runnable;
  return (model as unknown as { withConfig(options: object): Runnable }).withConfig({
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    outputConfig: { format: { type: 'json_schema', schema } },
  });
}

function messagesOf({ text, image, after }: Question): unknown[] {
  const url = image && `data:${image.mediaType};base64,${image.base64}`;
  const content = [{ type: 'text', text }, ...(url ? [{ type: 'image_url', image_url: { url } }] : [])];
  const turns: unknown[] = [new HumanMessage({ content })];
  if (after) {
    turns.push(after.reply.native);
    after.reply.toolCalls.forEach(({ id }, i) => {
      turns.push(new ToolMessage({ tool_call_id: id, content: after.results[i] ?? '' }));
    });
  }
  return turns;
}

function replyOf(message: AIMessage | AIMessageChunk): Reply {
  const { finish_reason, stop_reason, status } = message.response_metadata as Record<string, string | undefined>;
  const toolCalls = (message.tool_calls ?? []).map(({ id, name, args }) => ({ id: id ?? '', name, arguments: args }));
  const delta = message.additional_kwargs['stop_reason'] as string | undefined;
  const finish = FINISHES[finish_reason ?? stop_reason ?? delta ?? status ?? ''] ?? 'unknown';
  const usage = message.usage_metadata as UsageMetadata | undefined;
  return {
    text: message.text,
    toolCalls,
    // Of a response it keeps the status alone.
    finish: status === 'completed' && toolCalls.length > 0 ? 'tool-calls' : finish,
    usage: {
      input: usage?.input_tokens ?? Number.NaN,
      cached: usage?.input_token_details?.cache_read ?? 0,
      output: usage?.output_tokens ?? Number.NaN,
    },
    native: message,
  };
}

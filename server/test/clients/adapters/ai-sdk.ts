import { generateText, jsonSchema, type LanguageModel, type ModelMessage, Output, streamText, tool } from 'ai';
import {
  type Access,
  apiFailure,
  type Client,
  type ClientFailure,
  MAX_TOKENS,
  type Question,
  type Reply,
} from '../client.ts';

// Its types do not know exactOptionalPropertyTypes; both calls take the same settings.
type Settings = Parameters<typeof generateText>[0] & Parameters<typeof streamText>[0];
type Finished = Awaited<ReturnType<typeof generateText>>;

export const aiSdk =
  (modelAt: (access: Access, id: string) => LanguageModel) =>
  (access: Access): Client => ({
    async ask(question) {
      const result = await generateText(settingsOf(question, modelAt(access, question.model)));
      return replyOf(result, result.response.messages);
    },
    async stream(question) {
      const result = streamText({
        ...settingsOf(question, modelAt(access, question.model)),
        // Its default prints every error.
        onError: () => undefined,
      });
      for await (const part of result.fullStream) if (part.type === 'error') throw part.error;
      const [text, toolCalls, finishReason, usage, response] = await Promise.all([
        result.text,
        result.toolCalls,
        result.finishReason,
        result.usage,
        result.response,
      ]);
      return replyOf({ text, toolCalls, finishReason, usage } as Finished, response.messages);
    },
    failureOf,
  });

function settingsOf({ text, image, tools, schema, after }: Question, model: LanguageModel): Settings {
  const messages: ModelMessage[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text },
        ...(image ? [{ type: 'image' as const, image: image.base64, mediaType: image.mediaType }] : []),
      ],
    },
  ];
  if (after) {
    const content = after.reply.toolCalls.map(({ id, name }, i) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: name,
      output: { type: 'text' as const, value: after.results[i] ?? '' },
    }));
    messages.push(...(after.reply.native as ModelMessage[]), { role: 'tool', content });
  }
  const declared = (tools ?? []).map(
    ({ name, description, parameters }) => [name, tool({ description, inputSchema: jsonSchema(parameters) })] as const,
  );
  return {
    model,
    messages,
    maxRetries: 0,
    maxOutputTokens: MAX_TOKENS,
    ...(declared.length > 0 && { tools: Object.fromEntries(declared) }),
    ...(schema && {
      output: Output.object({ schema: jsonSchema(schema) }),
      // For ids it does not know it would take the detour over a tool.
      providerOptions: { anthropic: { structuredOutputMode: 'outputFormat' } },
    }),
  } as unknown as Settings;
}

function replyOf({ text, toolCalls, finishReason, usage }: Finished, native: ModelMessage[]): Reply {
  return {
    text,
    toolCalls: toolCalls.map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      name: toolName,
      arguments: input,
    })),
    finish: finishReason === 'other' || finishReason === 'error' ? 'unknown' : finishReason,
    usage: {
      input: usage.inputTokens ?? Number.NaN,
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
      output: usage.outputTokens ?? Number.NaN,
    },
    native,
  };
}

function failureOf(error: unknown): ClientFailure {
  const { statusCode, responseBody } = error as { statusCode?: number; responseBody?: string };
  const { told } = apiFailure(error);
  return { status: statusCode, told: `${told} ${responseBody} ${JSON.stringify(error)}` };
}

import type { Content, GenerateContentParameters, GenerateContentResponse, Part } from '@google/genai';
import { type Access, type Client, type ClientFailure, MAX_TOKENS, type Question, type Reply } from '../client.ts';

type Library = typeof import('@google/genai');

const FINISHES: Record<string, Reply['finish']> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
};

export const googleGenai =
  ({ GoogleGenAI }: Library) =>
  ({ baseUrl, key }: Access): Client => {
    // This library appends /v1beta itself.
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: baseUrl.replace(/\/v1$/, '') } });
    return {
      ask: async (question) => replyOf([await client.models.generateContent(paramsOf(question))]),
      async stream(question) {
        const chunks: GenerateContentResponse[] = [];
        for await (const chunk of await client.models.generateContentStream(paramsOf(question))) chunks.push(chunk);
        return replyOf(chunks);
      },
      failureOf,
    };
  };

function failureOf(error: unknown): ClientFailure {
  const { status, message } = error as { status?: number; message?: string };
  return { status, told: String(message) };
}

function paramsOf({ model, text, image, tools, schema, after }: Question): GenerateContentParameters {
  const picture = image && { inlineData: { mimeType: image.mediaType, data: image.base64 } };
  const contents: Content[] = [{ role: 'user', parts: [{ text }, ...(picture ? [picture] : [])] }];
  if (after) {
    // As the library's own loop answers calls: by name, without an id.
    const parts = after.reply.toolCalls.map(({ name }, i) => ({
      functionResponse: { name, response: { output: after.results[i] ?? '' } },
    }));
    contents.push(...(after.reply.native as Content[]), { role: 'user', parts });
  }
  return {
    model,
    contents,
    config: {
      maxOutputTokens: MAX_TOKENS,
      ...(tools && {
        tools: [
          {
            functionDeclarations: tools.map(({ name, description, parameters }) => ({
              name,
              description,
              parametersJsonSchema: parameters,
            })),
          },
        ],
      }),
      ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
    },
  };
}

/** A turn comes back in as many contents as it had frames, as the library's chats keep it. */
function replyOf(chunks: readonly GenerateContentResponse[]): Reply {
  const native = chunks.flatMap(({ candidates }) => candidates?.[0]?.content ?? []);
  const parts: Part[] = native.flatMap((content) => content.parts ?? []);
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
  const finish = FINISHES[String(chunks.at(-1)?.candidates?.[0]?.finishReason)] ?? 'unknown';
  const usage = chunks.at(-1)?.usageMetadata;
  return {
    text: parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join(''),
    // Google may leave ids out, and clients do without them.
    toolCalls: calls.map(({ id, name, args }, i) => ({ id: id ?? `call ${i}`, name: name ?? '', arguments: args })),
    // A call ends with the word for "ended as it should".
    finish: finish === 'stop' && calls.length > 0 ? 'tool-calls' : finish,
    usage: {
      input: usage?.promptTokenCount ?? 0,
      cached: usage?.cachedContentTokenCount ?? 0,
      output: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
    },
    native,
  };
}

import type OpenAI from 'openai';
import { parseTrustedJson } from '../../../src/core/json.ts';
import { type Access, apiFailure, type Client, MAX_TOKENS, type Question, type Reply } from '../client.ts';

type Response = OpenAI.Responses.Response;
type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;

export const openaiResponses =
  (library: typeof OpenAI) =>
  ({ baseUrl, key }: Access): Client => {
    const client = new library({ baseURL: baseUrl, apiKey: key, maxRetries: 0 });
    return {
      ask: async (question) => replyOf(await client.responses.create(paramsOf(question))),
      async stream(question) {
        // The library's own stream helper swallows `response.failed`; a careful program looks at the events.
        let final: Response | undefined;
        for await (const event of await client.responses.create({ ...paramsOf(question), stream: true })) {
          if (event.type === 'response.completed' || event.type === 'response.incomplete') final = event.response;
          if (event.type === 'error') throw new Error(`${event.code} ${event.message}`);
          if (event.type === 'response.failed') throw new Error(JSON.stringify(event.response.error));
        }
        if (!final) throw new Error('the stream ended without an end');
        return replyOf(final);
      },
      failureOf: apiFailure,
    };
  };

function paramsOf({ model, text, image, tools, schema, after }: Question): Params {
  const image_url = image && `data:${image.mediaType};base64,${image.base64}`;
  const input: OpenAI.Responses.ResponseInputItem[] = [
    {
      role: 'user',
      content: [
        { type: 'input_text', text },
        ...(image_url ? [{ type: 'input_image' as const, image_url, detail: 'auto' as const }] : []),
      ],
    },
  ];
  if (after) {
    input.push(...(after.reply.native as OpenAI.Responses.ResponseInputItem[]));
    after.reply.toolCalls.forEach(({ id }, i) => {
      input.push({ type: 'function_call_output', call_id: id, output: after.results[i] ?? '' });
    });
  }
  return {
    model,
    input,
    max_output_tokens: MAX_TOKENS,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(tools && { tools: tools.map((tool) => ({ type: 'function' as const, strict: false, ...tool })) }),
    ...(schema && { text: { format: { type: 'json_schema', name: 'answer', strict: true, schema } } }),
  };
}

function replyOf({ output, usage, status, incomplete_details }: Response): Reply {
  const calls = output.filter((item) => item.type === 'function_call');
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const reason = incomplete_details?.reason;
  return {
    text: parts.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join(''),
    toolCalls: calls.map((call) => ({
      id: call.call_id,
      // Protocols that know no namespaces see one name.
      name: call.namespace ? `${call.namespace}__${call.name}` : call.name,
      arguments: parseTrustedJson(call.arguments),
    })),
    finish:
      status === 'incomplete'
        ? reason === 'max_output_tokens'
          ? 'length'
          : 'content-filter'
        : calls.length > 0
          ? 'tool-calls'
          : 'stop',
    usage: {
      input: usage?.input_tokens ?? Number.NaN,
      cached: usage?.input_tokens_details.cached_tokens ?? 0,
      output: usage?.output_tokens ?? Number.NaN,
    },
    native: output,
  };
}

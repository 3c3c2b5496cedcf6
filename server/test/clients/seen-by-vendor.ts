/** A request as the provider got it, whichever of the four protocols it is in: what must have survived the way. */
import type { JsonObject } from '../../src/core/json.ts';
import type { RecordedRequest } from '../fake-vendor/wire.ts';

export interface Seen {
  tools: string[];
  images: { mediaType: string; base64: string }[];
  schema: unknown;
  /** In the order they stand in the history. */
  calls: { id: string | undefined; name: string; arguments: unknown; signature?: string | undefined }[];
  results: { callId: string | undefined; text: string }[];
}

// biome-ignore lint/suspicious/noExplicitAny: four wire shapes, looked into without ceremony
type Loose = any;

export function seenByVendor(request: RecordedRequest): Seen {
  const body: Loose = request.body;
  switch (request.dialect) {
    case 'openai-chat':
      return seenInChat(body);
    case 'anthropic-messages':
      return seenInMessages(body);
    case 'openai-responses':
      return seenInResponses(body);
    case 'gemini-generate':
      return seenInGemini(body);
    default:
      throw new Error(`a request to ${request.path}`);
  }
}

function seenInChat(body: Loose): Seen {
  const messages: Loose[] = body.messages;
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return {
    tools: (body.tools ?? []).map((tool: Loose) => tool.function.name),
    images: parts.filter(({ type }) => type === 'image_url').map(({ image_url }) => dataUrl(image_url.url)),
    schema: body.response_format?.json_schema?.schema,
    calls: messages
      .flatMap(({ tool_calls }) => tool_calls ?? [])
      .map((call) => ({ id: call.id, name: call.function.name, arguments: JSON.parse(call.function.arguments) })),
    results: messages
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, content }) => ({ callId: tool_call_id, text: textOf(content) })),
  };
}

function seenInMessages(body: Loose): Seen {
  const blocks: Loose[] = body.messages.flatMap(({ content }: Loose) => (Array.isArray(content) ? content : []));
  const of = (type: string) => blocks.filter((block) => block.type === type);
  return {
    tools: (body.tools ?? []).map(({ name }: Loose) => name),
    images: of('image').map(({ source }) => ({ mediaType: source.media_type, base64: source.data })),
    schema: body.output_config?.format?.schema,
    calls: of('tool_use').map(({ id, name, input }) => ({ id, name, arguments: input })),
    results: of('tool_result').map(({ tool_use_id, content }) => ({ callId: tool_use_id, text: textOf(content) })),
  };
}

function seenInResponses(body: Loose): Seen {
  const items: Loose[] = body.input;
  const of = (type: string) => items.filter((item) => item.type === type);
  const parts = items.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return {
    tools: (body.tools ?? []).map(({ name }: Loose) => name),
    images: parts.filter(({ type }) => type === 'input_image').map(({ image_url }) => dataUrl(image_url)),
    schema: body.text?.format?.schema,
    calls: of('function_call').map((call) => ({
      id: call.call_id,
      name: call.name,
      arguments: JSON.parse(call.arguments),
    })),
    results: of('function_call_output').map(({ call_id, output }) => ({ callId: call_id, text: textOf(output) })),
  };
}

function seenInGemini(body: Loose): Seen {
  const parts: Loose[] = body.contents.flatMap((content: Loose) => content.parts);
  const calls = parts.filter(({ functionCall }) => functionCall);
  const declared: Loose[] = (body.tools ?? []).flatMap((tool: Loose) => tool.functionDeclarations ?? []);
  return {
    tools: declared.map(({ name }) => name),
    images: parts
      .filter(({ inlineData }) => inlineData)
      .map(({ inlineData }) => ({ mediaType: inlineData.mimeType, base64: inlineData.data })),
    schema: body.generationConfig?.responseJsonSchema ?? body.generationConfig?.responseSchema,
    calls: calls.map(({ functionCall, thoughtSignature }) => ({
      id: functionCall.id,
      name: functionCall.name,
      arguments: functionCall.args,
      signature: thoughtSignature,
    })),
    results: parts
      .filter(({ functionResponse }) => functionResponse)
      .map(({ functionResponse }) => ({
        callId: functionResponse.id,
        text: JSON.stringify(functionResponse.response),
      })),
  };
}

function dataUrl(url: string): { mediaType: string; base64: string } {
  const [, mediaType = '', base64 = ''] = /^data:([^;]+);base64,(.*)$/.exec(url) ?? [];
  return { mediaType, base64 };
}

function textOf(content: string | JsonObject[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
}

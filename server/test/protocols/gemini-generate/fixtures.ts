import type { ChatRequest, ChatResponse, Message, Part, ToolCallPart, ToolResultPart } from '../../../src/core/chat.ts';
import { GatewayError } from '../../../src/core/errors.ts';
import type { Json, JsonObject } from '../../../src/core/json.ts';
import type { CodecTarget, HttpParts, Quirks } from '../../../src/protocols/index.ts';
import { geminiUpstream, isFailure } from '../../../src/protocols/index.ts';

export function target(model = 'gemini-2.5-flash', changes: Partial<CodecTarget> = {}): CodecTarget {
  return {
    model,
    stream: false,
    maxOutputTokens: undefined,
    modelMaxOutput: undefined,
    capabilities: new Set(),
    quirks: {} satisfies Quirks,
    ...changes,
  };
}

export function request(messages: Message[], changes: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: 'google/gemini',
    messages,
    tools: [],
    output: { kind: 'text' },
    sampling: {},
    stream: false,
    includeUsage: false,
    svc: { knowledgeBaseIds: [] },
    extras: {},
    ...changes,
  };
}

export const hello: Message = { role: 'user', parts: [{ kind: 'text', text: 'hello' }] };

export function user(...parts: Part[]): Message {
  return { role: 'user', parts };
}

export function call(id: string, name: string, args = '{}', signature?: string): ToolCallPart {
  return { kind: 'tool-call', id, name, arguments: args, ...(signature !== undefined && { signature }) };
}

export function result(callId: string, text: string, changes: Partial<ToolResultPart> = {}): ToolResultPart {
  return { kind: 'tool-result', callId, content: [{ kind: 'text', text }], ...changes };
}

export function encode(given: ChatRequest, to: CodecTarget = target()): HttpParts {
  return geminiUpstream.encodeRequest(given, to);
}

export function generation(given: Partial<ChatRequest>, to: CodecTarget = target()): JsonObject | undefined {
  return encode(request([hello], given), to).body['generationConfig'] as JsonObject | undefined;
}

export function answer(parts: Json[], changes: JsonObject = {}): JsonObject {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...changes }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
    modelVersion: 'gemini-2.5-flash',
    responseId: 'Ab_c-9',
  };
}

/** Google ends its lines with CR LF. */
export function streamOf(...frames: Json[]): string {
  return frames.map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`).join('');
}

/** The refusal of something that must be refused. */
export function refusal(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** A body that must be an answer. */
export function whole(body: Json): ChatResponse {
  const response = geminiUpstream.decodeResponse(body, target());
  if (isFailure(response)) throw new Error(`${response.kind}: ${response.message}`);
  return response;
}

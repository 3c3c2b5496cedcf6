/** What the fake vendor says, independent of the protocol it says it in. */
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { RecordedRequest } from './wire.ts';

export interface AnswerUsage {
  /** All input tokens, cached ones included. */
  input: number;
  cached?: number;
  /** Tokens written to the prompt cache (Anthropic protocol), part of `input`. */
  cacheWrite?: number;
  /** All output tokens, reasoning included. */
  output: number;
  reasoning?: number;
}

export interface AnswerToolCall {
  id?: string;
  name: string;
  /** JSON text. */
  arguments: string;
}

export interface Answer {
  text?: string;
  reasoning?: string;
  toolCalls?: AnswerToolCall[];
  finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  usage?: AnswerUsage;
  /** Into how many pieces texts are cut when streamed. Default 3. */
  pieces?: number;
}

export interface FullAnswer extends Answer {
  id: string;
  model: string;
  finish: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  usage: AnswerUsage;
  pieces: number;
  toolCalls: Required<AnswerToolCall>[];
}

export function completeAnswer(given: Answer, request: RecordedRequest): FullAnswer {
  const toolCalls = (given.toolCalls ?? []).map((call, i) => ({
    id: call.id ?? `call_${request.index}_${i}`,
    name: call.name,
    arguments: call.arguments,
  }));
  const text = given.text ?? (toolCalls.length > 0 ? undefined : `You said: ${lastUserText(request.body)}`);
  const output =
    tokensIn(text) + tokensIn(given.reasoning) + toolCalls.reduce((n, c) => n + tokensIn(c.arguments) + 5, 0);
  const reasoning = tokensIn(given.reasoning);
  return {
    ...given,
    ...(text === undefined ? {} : { text }),
    id: `fake-${request.index}`,
    model: modelOf(request),
    toolCalls,
    finish: given.finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: given.usage ?? {
      input: tokensIn(request.raw.toString('utf8')),
      output,
      ...(reasoning > 0 ? { reasoning } : {}),
    },
    pieces: given.pieces ?? 3,
  };
}

/** Four characters a token: crude, but the same every time and never zero. */
function tokensIn(text: string | undefined): number {
  return text === undefined || text === '' ? 0 : Math.max(1, Math.ceil(text.length / 4));
}

function modelOf(request: RecordedRequest): string {
  const named = request.body['model'];
  if (typeof named === 'string') return named;
  return /models\/([^:/]+):/.exec(request.path)?.[1] ?? 'fake-model';
}

export function cutIntoPieces(text: string, pieces: number): string[] {
  // By code point, so that no piece is half a surrogate pair.
  const points = [...text];
  const size = Math.max(1, Math.ceil(points.length / pieces));
  const cut: string[] = [];
  for (let i = 0; i < points.length; i += size) cut.push(points.slice(i, i + size).join(''));
  return cut;
}

/** The last user text in any of the four request shapes. */
function lastUserText(body: JsonObject): string {
  const list = body['messages'] ?? body['input'] ?? body['contents'];
  if (typeof list === 'string') return list;
  if (!Array.isArray(list)) return '';
  for (const item of list.toReversed()) {
    if (typeof item === 'object' && item !== null && !Array.isArray(item) && item['role'] === 'user') {
      return textOf(item['content'] ?? item['parts']);
    }
  }
  return '';
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (typeof part === 'object' && part !== null && !Array.isArray(part) ? part['text'] : ''))
    .filter((text) => typeof text === 'string')
    .join(' ');
}

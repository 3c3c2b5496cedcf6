/**
 * Puts cache markers into a client's own body. They do not change what the model reads; a plain text becomes a text
 * block.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';

export interface PromptMarks {
  tools: boolean;
  system: boolean;
  /** The end of the last turn, up to which the next request will be the same. */
  turn: boolean;
}

const MARKER = { type: 'ephemeral' };
/** Other blocks take no marker, or must be sent back unchanged. */
const MARKABLE = new Set(['text', 'image', 'document', 'tool_use', 'tool_result']);

export function markBody(body: JsonObject, { tools, system, turn }: PromptMarks): JsonObject {
  const marked = { ...body };
  if (tools) marked['tools'] = markTools(body['tools']) ?? [];
  if (system) marked['system'] = markBlocks(body['system']) ?? null;
  const { messages } = body;
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (turn && Array.isArray(messages) && isJsonObject(last))
    marked['messages'] = [...messages.slice(0, -1), { ...last, content: markBlocks(last['content']) ?? null }];
  return marked;
}

function markTools(tools: Json | undefined): Json | undefined {
  if (!Array.isArray(tools)) return tools;
  const last = tools.at(-1);
  // A tool that is loaded later is not part of the prefix.
  if (!isJsonObject(last) || last['defer_loading'] === true) return tools;
  return [...tools.slice(0, -1), { ...last, cache_control: MARKER }];
}

function markBlocks(content: Json | undefined): Json | undefined {
  if (typeof content === 'string') {
    return content.trim() === '' ? content : [{ type: 'text', text: content, cache_control: MARKER }];
  }
  if (!Array.isArray(content)) return content;
  const last = content.at(-1);
  if (!isJsonObject(last) || !MARKABLE.has(String(last['type'])) || isEmptyText(last)) return content;
  return [...content.slice(0, -1), { ...last, cache_control: MARKER }];
}

function isEmptyText({ type, text }: JsonObject): boolean {
  return type === 'text' && (typeof text !== 'string' || text.trim() === '');
}

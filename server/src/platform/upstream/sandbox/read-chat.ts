/** What the simulator understands of a chat request in the OpenAI protocol. Anything odd is simply not understood. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';

export interface ChatAsked {
  model: string;
  stream: boolean;
  includeUsage: boolean;
  /** All text of the conversation, for counting and for finding passages. */
  allText: string;
  lastUserText: string;
  /** Texts of tool results after the last assistant turn. */
  toolResults: string[];
  attachments: { images: number; files: number; audio: number };
  /** The first picture that came inside the message, in base64. */
  picture: string | undefined;
  /** The beginning of its answer, where the last turn is its own. */
  begun: string | undefined;
  /** It may call more than one tool. */
  parallel: boolean;
  /** `prompt_cache_key`: what it said before is remembered under it. */
  cacheKey: string | undefined;
  tools: { name: string; parameters: Json | undefined }[];
  forcedTool: string | undefined;
  mayCall: boolean;
  format: { kind: 'text' } | { kind: 'json' } | { kind: 'schema'; schema: Json | undefined };
  reasoning: boolean;
  maxTokens: number | undefined;
  stop: string[];
  count: number;
}

const MAX_CHOICES = 8;

export function readChat(body: JsonObject): ChatAsked {
  const messages = listOf(body['messages']).filter(isJsonObject);
  const streamOptions = body['stream_options'];
  const limit = body['max_completion_tokens'] ?? body['max_tokens'];
  const effort = body['reasoning_effort'];
  const last = messages.findLast((message) => message['role'] === 'user');
  const attachments = { images: 0, files: 0, audio: 0 };
  for (const part of listOf(last?.['content']).filter(isJsonObject)) {
    if (part['type'] === 'image_url') attachments.images++;
    if (part['type'] === 'file') attachments.files++;
    if (part['type'] === 'input_audio') attachments.audio++;
  }
  return {
    model: labelOf(body['model']) ?? 'echo',
    stream: body['stream'] === true,
    includeUsage: isJsonObject(streamOptions) && streamOptions['include_usage'] === true,
    allText: messages.map((message) => textOf(message['content'])).join('\n'),
    lastUserText: textOf(last?.['content']),
    toolResults: trailingToolResults(messages),
    attachments,
    picture: pictureOf(last),
    begun: messages.at(-1)?.['role'] === 'assistant' ? textOf(messages.at(-1)?.['content']) : undefined,
    parallel: body['parallel_tool_calls'] === true,
    cacheKey: labelOf(body['prompt_cache_key']),
    ...readTools(body),
    format: readFormat(body['response_format']),
    reasoning: typeof effort === 'string' && effort !== 'none',
    maxTokens: typeof limit === 'number' ? limit : undefined,
    stop: typeof body['stop'] === 'string' ? [body['stop']] : listOf(body['stop']).filter((s) => typeof s === 'string'),
    count: typeof body['n'] === 'number' ? Math.max(1, Math.min(MAX_CHOICES, Math.floor(body['n']))) : 1,
  };
}

const INLINE = /^data:image\/png;base64,/;

function pictureOf(message: JsonObject | undefined): string | undefined {
  for (const part of listOf(message?.['content']).filter(isJsonObject)) {
    const image = part['image_url'];
    const url = isJsonObject(image) ? image['url'] : undefined;
    if (typeof url === 'string' && INLINE.test(url)) return url.slice(url.indexOf(',') + 1);
  }
  return undefined;
}

/** Not String(): an object whose own `toString` is no function cannot be turned into text at all. */
function labelOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readTools(body: JsonObject): Pick<ChatAsked, 'tools' | 'forcedTool' | 'mayCall'> {
  const choice = body['tool_choice'];
  let tools = listOf(body['tools'])
    .filter(isJsonObject)
    .map((tool) => (isJsonObject(tool['function']) ? tool['function'] : tool))
    .map((tool) => ({ name: labelOf(tool['name']) ?? '', parameters: tool['parameters'] }));
  let forcedTool: string | undefined;
  if (choice === 'required') forcedTool = tools[0]?.name;
  if (isJsonObject(choice)) {
    const named = isJsonObject(choice['function']) ? choice['function']['name'] : undefined;
    const allowed = isJsonObject(choice['allowed_tools']) ? choice['allowed_tools'] : undefined;
    if (typeof named === 'string') forcedTool = named;
    if (allowed) {
      const names = JSON.stringify(allowed['tools'] ?? []);
      tools = tools.filter(({ name }) => names.includes(JSON.stringify(name)));
      if (allowed['mode'] === 'required') forcedTool = tools[0]?.name;
    }
  }
  return { tools, forcedTool, mayCall: choice !== 'none' && tools.length > 0 };
}

function readFormat(format: Json | undefined): ChatAsked['format'] {
  if (!isJsonObject(format)) return { kind: 'text' };
  if (format['type'] === 'json_object') return { kind: 'json' };
  if (format['type'] !== 'json_schema') return { kind: 'text' };
  const named = format['json_schema'];
  return { kind: 'schema', schema: isJsonObject(named) ? named['schema'] : undefined };
}

function trailingToolResults(messages: JsonObject[]): string[] {
  const results: string[] = [];
  for (const message of messages.toReversed()) {
    if (message['role'] !== 'tool') break;
    results.unshift(textOf(message['content']));
  }
  return results;
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .filter((text) => text !== '')
    .join('\n');
}

/** Content blocks of a request → canonical parts. What we do not model is kept whole, for a hop to the same protocol. */
import type { FilePart, MediaSource, Part, TextPart, ToolResultPart } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { asArray, asBoolean, asName, asObject, asString, fieldsBeside, oneOf, optional } from '../../read-fields.ts';
import { splitToolSignature } from '../../tool-signature.ts';
import { MAX_ID, MAX_ITEMS, MAX_NAME, MAX_URL } from '../bounds.ts';
import { keep, PROTOCOL } from '../own-fields.ts';
import { openReasoning } from '../reasoning-seal.ts';

/** A string, or a list of blocks. */
export function decodeContent(content: Json | undefined, param: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return asArray(content, param, MAX_ITEMS).map((item, index) => {
    const at = `${param}.${index}`;
    return decodeBlock(asObject(item, at), at);
  });
}

function decodeBlock(block: JsonObject, at: string): Part {
  switch (asName(block['type'], `${at}.type`, MAX_NAME)) {
    case 'text':
      return decodeText(block, at);
    case 'image':
      return { kind: 'image', source: decodeMedia(block['source'], `${at}.source`), ...rest(block, ['source']) };
    case 'document':
      return decodeDocument(block, at);
    case 'search_result':
      return decodeSearchResult(block, at);
    case 'thinking':
      return {
        kind: 'reasoning',
        text: asString(block['thinking'], `${at}.thinking`),
        ...openReasoning(optional(block['signature'], `${at}.signature`, asString) ?? ''),
        ...rest(block, ['thinking', 'signature']),
      };
    case 'redacted_thinking':
      return {
        kind: 'reasoning',
        text: '',
        encrypted: asString(block['data'], `${at}.data`),
        origin: PROTOCOL,
        ...rest(block, ['data']),
      };
    case 'tool_use':
      return {
        kind: 'tool-call',
        ...splitToolSignature(asName(block['id'], `${at}.id`, MAX_ID)),
        name: asName(block['name'], `${at}.name`, MAX_NAME),
        arguments: JSON.stringify(asObject(block['input'] ?? {}, `${at}.input`)),
        ...rest(block, ['id', 'name', 'input']),
      };
    case 'tool_result':
      return decodeToolResult(block, at);
    case 'tool_reference':
      return decodeToolReference(block, at);
    default:
      return opaque(block, at);
  }
}

/**
 * Server tools, compaction and blocks of the future: other protocols get nothing of them, this protocol gets them
 * whole.
 */
function opaque(block: JsonObject, at: string): TextPart {
  return { kind: 'text', text: '', ...keep({ block, at }) };
}

function decodeText(block: JsonObject, at: string): TextPart {
  return { kind: 'text', text: asString(block['text'], `${at}.text`), ...rest(block, ['text']) };
}

const readMediaKind = oneOf(['base64', 'url', 'file']);

function decodeMedia(value: Json | undefined, at: string): MediaSource {
  const source = asObject(value, at);
  switch (readMediaKind(source['type'], `${at}.type`)) {
    case 'base64':
      return {
        kind: 'data',
        mediaType: asName(source['media_type'], `${at}.media_type`, MAX_NAME),
        data: asString(source['data'], `${at}.data`),
      };
    case 'url':
      return { kind: 'url', url: asName(source['url'], `${at}.url`, MAX_URL) };
    case 'file':
      return { kind: 'file-id', id: asName(source['file_id'], `${at}.file_id`, MAX_NAME) };
  }
}

function decodeDocument(block: JsonObject, at: string): FilePart | TextPart {
  const name = optional(block['title'], `${at}.title`, asString);
  const more = { ...(name !== undefined && { name }), ...rest(block, ['source', 'title']) };
  const source = asObject(block['source'], `${at}.source`);
  if (source['type'] === 'text') {
    const text = asString(source['data'], `${at}.source.data`);
    return { kind: 'file', source: { kind: 'text', text }, mediaType: 'text/plain', ...more };
  }
  if (source['type'] === 'content') {
    const text = textOf(source['content'], `${at}.source.content`);
    if (text === undefined) return opaque(block, at);
    return { kind: 'file', source: { kind: 'text', text }, mediaType: 'text/plain', ...more, ...keep({ block }) };
  }
  return { kind: 'file', source: decodeMedia(source, `${at}.source`), ...more };
}

function decodeSearchResult(block: JsonObject, at: string): FilePart | TextPart {
  const name = asString(block['title'], `${at}.title`);
  const origin = asString(block['source'], `${at}.source`);
  const text = textOf(block['content'], `${at}.content`);
  if (text === undefined) return opaque(block, at);
  const source = { kind: 'text', text: `${origin}\n\n${text}` } as const;
  return { kind: 'file', source, mediaType: 'text/plain', name, ...rest(block, []), ...keep({ block }) };
}

/** Other protocols get such content as one text; undefined when it holds more than text. */
function textOf(content: Json | undefined, at: string): string | undefined {
  const texts: string[] = [];
  for (const part of decodeContent(content, at)) {
    if (part.kind !== 'text') return undefined;
    texts.push(part.text);
  }
  return texts.join('\n\n');
}

function decodeToolResult(block: JsonObject, at: string): ToolResultPart {
  const isError = optional(block['is_error'], `${at}.is_error`, asBoolean);
  return {
    kind: 'tool-result',
    callId: splitToolSignature(asName(block['tool_use_id'], `${at}.tool_use_id`, MAX_ID)).id,
    content: optional(block['content'], `${at}.content`, decodeContent) ?? [],
    ...(isError !== undefined && { isError }),
    ...rest(block, ['tool_use_id', 'content', 'is_error']),
  };
}

/**
 * The result of a tool search. Other protocols have no such block: their model reads the name, and the tool is offered.
 */
function decodeToolReference(block: JsonObject, at: string): TextPart {
  const name = asName(block['tool_name'], `${at}.tool_name`, MAX_NAME);
  return { kind: 'text', text: `The tool ${name} is available.`, ...keep({ block, at }) };
}

/** The cache marker of a block, and the fields of it that we do not model. */
function rest(block: JsonObject, modelled: readonly string[]): Pick<TextPart, 'cacheControl' | 'extras'> {
  return {
    ...decodeCacheControl(block),
    ...keep(fieldsBeside(block, new Set(['type', ...modelled, ...modelledCache(block)]))),
  };
}

export function decodeCacheControl(block: JsonObject): Pick<TextPart, 'cacheControl'> {
  const wire = block['cache_control'];
  if (!isJsonObject(wire)) return {};
  const ttl = cacheTime(wire['ttl']);
  return { cacheControl: ttl ? { ttl } : {} };
}

/**
 * The lifetime, in either form. An unknown one is held for at the higher of the two prices, since the provider gets it
 * as it is.
 */
export function cacheTime(ttl: Json | undefined): '5m' | '1h' | undefined {
  if (ttl === undefined || ttl === null) return undefined;
  return typeof ttl === 'string' && ttl.trim().toLowerCase() === '5m' ? '5m' : '1h';
}

const PLAIN_CACHE = new Set(['type', 'ttl']);

/** A marker with more than we model (`scope`, …) is kept as it came, too. */
export function modelledCache(block: JsonObject): string[] {
  const wire = block['cache_control'];
  return isJsonObject(wire) && fieldsBeside(wire, PLAIN_CACHE) ? [] : ['cache_control'];
}

/** The content of one message: a string or a list of parts. */
import type { FilePart, ImagePart, MediaSource, Part } from '../../core/chat.ts';
import { expected } from '../../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { asArray, asName, asObject, asString, fieldsBeside, oneOf, optional, refuseParam } from '../read-fields.ts';
import { MAX_NAME, MAX_PARTS } from './bounds.ts';

export type WirePartType = 'text' | 'image_url' | 'input_audio' | 'file' | 'refusal' | 'thinking';

const PART_FIELDS: Record<WirePartType, ReadonlySet<string>> = {
  text: new Set(['type', 'cache_control', 'text']),
  image_url: new Set(['type', 'cache_control', 'image_url']),
  input_audio: new Set(['type', 'cache_control', 'input_audio']),
  file: new Set(['type', 'cache_control', 'file']),
  refusal: new Set(['type', 'cache_control', 'refusal']),
  thinking: new Set(['type', 'cache_control', 'thinking']),
};

/** Only the head is matched: the rest of a data URL may be megabytes. */
const DATA_URL_HEAD = /^data:([a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*)(?:;[a-z0-9_-]+=[^;,]*)*;base64,/i;
const DATA_URL_HEAD_CHARS = 256;

export function decodeContent(value: Json | undefined, param: string, allowed: readonly WirePartType[]): Part[] {
  if (typeof value === 'string') return [{ kind: 'text', text: value }];
  if (value !== undefined && value !== null && !Array.isArray(value)) {
    refuseParam(param, reasons.mustBe(param, expected.textOrParts));
  }
  const list = asArray(value, param, MAX_PARTS);
  if (list.length === 0) refuseParam(param, reasons.required(param));
  return list.map((item, index) => decodePart(item, `${param}.${index}`, allowed));
}

function decodePart(value: Json, param: string, allowed: readonly WirePartType[]): Part {
  const wire = asObject(value, param);
  const type = oneOf(allowed)(wire['type'] ?? null, `${param}.type`);
  const part = decodeTyped(wire, type, param);
  const cacheControl = decodeCacheControl(wire['cache_control'], `${param}.cache_control`);
  if (cacheControl) part.cacheControl = cacheControl;
  const rest = fieldsBeside(wire, PART_FIELDS[type]);
  if (rest) part.extras = { 'openai-chat': rest };
  return part;
}

function decodeTyped(wire: JsonObject, type: WirePartType, param: string): Part {
  switch (type) {
    case 'text':
      return { kind: 'text', text: asString(wire['text'], `${param}.text`) };
    case 'refusal':
      return { kind: 'refusal', text: asString(wire['refusal'], `${param}.refusal`) };
    case 'thinking':
      return { kind: 'reasoning', text: thinkingText(wire['thinking']) };
    case 'image_url':
      return decodeImage(imageObject(wire['image_url'], `${param}.image_url`), `${param}.image_url`);
    case 'input_audio': {
      const audio = asObject(wire['input_audio'], `${param}.input_audio`);
      const format = asName(audio['format'], `${param}.input_audio.format`, 32);
      return { kind: 'audio', format, data: asString(audio['data'], `${param}.input_audio.data`) };
    }
    case 'file':
      return decodeFile(asObject(wire['file'], `${param}.file`), `${param}.file`);
  }
}

/** Many clients write the address alone. */
function imageObject(value: Json | undefined, param: string): JsonObject {
  return typeof value === 'string' ? { url: value } : asObject(value, param);
}

function decodeImage(image: JsonObject, param: string): ImagePart {
  const source = webSource(asString(image['url'], `${param}.url`));
  if (!source || (source.kind === 'data' && !/^image\//i.test(source.mediaType))) {
    refuseParam(`${param}.url`, reasons.mustBe(`${param}.url`, expected.image));
  }
  const detail = optional(image['detail'], `${param}.detail`, oneOf(['auto', 'low', 'high', 'original']));
  return { kind: 'image', source, ...(detail && { detail }) };
}

function decodeFile(file: JsonObject, param: string): FilePart {
  const name = optional(file['filename'], `${param}.filename`, (value, path) => asName(value, path, MAX_NAME));
  const named = name === undefined ? {} : { name };
  const id = optional(file['file_id'], `${param}.file_id`, (value, path) => asName(value, path, MAX_NAME));
  if (id !== undefined) return { kind: 'file', source: { kind: 'file-id', id }, ...named };
  const data = asString(file['file_data'], `${param}.file_data`);
  // Some clients leave the `data:` head out and mean the file's bytes all the same.
  const source = webSource(data) ?? { kind: 'data' as const, mediaType: mediaTypeOf(name), data };
  if (source.kind === 'data' && (data === '' || source.data.includes(':'))) {
    refuseParam(`${param}.file_data`, reasons.mustBe(`${param}.file_data`, expected.file));
  }
  return { kind: 'file', source, ...(source.kind === 'data' && { mediaType: source.mediaType }), ...named };
}

function mediaTypeOf(name: string | undefined): string {
  return name?.toLowerCase().endsWith('.pdf') ? 'application/pdf' : 'application/octet-stream';
}

/** An https address or a data URL; undefined for anything else, plain http included: what crosses an open network is not private. */
export function webSource(url: string): Exclude<MediaSource, { kind: 'file-id' }> | undefined {
  if (/^https:\/\//i.test(url)) return URL.canParse(url) ? { kind: 'url', url } : undefined;
  const head = DATA_URL_HEAD.exec(url.slice(0, DATA_URL_HEAD_CHARS));
  if (!head || url.length === head[0].length) return undefined;
  return { kind: 'data', mediaType: head[1] as string, data: url.slice(head[0].length) };
}

/** Mistral's thinking part: a list of text parts, or plain text. */
export function thinkingText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.map((item) => (isJsonObject(item) && typeof item['text'] === 'string' ? item['text'] : '')).join('');
}

export function decodeCacheControl(value: Json | undefined, param: string): { ttl?: '5m' | '1h' } | undefined {
  if (value === undefined || value === null) return undefined;
  const ttl = optional(asObject(value, param)['ttl'], `${param}.ttl`, oneOf(['5m', '1h']));
  return ttl ? { ttl } : {};
}

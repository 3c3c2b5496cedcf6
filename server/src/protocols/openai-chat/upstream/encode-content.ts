/** Canonical parts as content of the chat protocol. */
import type { FilePart, MediaSource, Part, TextPart } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import type { Quirks } from '../../protocol.ts';

/** Writes a string wherever one will do: several providers take lists only from users. */
export function encodeContent(parts: readonly Part[], quirks: Quirks, param: string): Json {
  const [first, ...others] = parts;
  if (first?.kind === 'text' && others.length === 0 && isPlain(first, quirks)) return first.text;
  return parts.map((part) => encodePart(part, quirks, param));
}

/** Text of a role for which lists are not understood everywhere. */
export function encodeText(parts: readonly TextPart[], quirks: Quirks, param: string): Json {
  if (parts.length > 1 && parts.every((part) => isPlain(part, quirks)))
    return parts.map(({ text }) => text).join('\n\n');
  return encodeContent(parts, quirks, param);
}

function isPlain(part: TextPart, quirks: Quirks): boolean {
  return !part.extras?.['openai-chat'] && !(part.cacheControl && quirks.takesCacheControl);
}

function encodePart(part: Part, quirks: Quirks, param: string): JsonObject {
  const wire = encodeTyped(part, param);
  const cacheControl = quirks.takesCacheControl && part.cacheControl;
  return {
    ...part.extras?.['openai-chat'],
    ...wire,
    ...(cacheControl && { cache_control: { type: 'ephemeral', ...cacheControl } }),
  };
}

function encodeTyped(part: Part, param: string): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return {
        type: 'image_url',
        image_url: { url: addressOf(part.source, param), ...(part.detail && { detail: part.detail }) },
      };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    case 'file':
      return encodeFile(part, param);
    case 'refusal':
      return { type: 'refusal', refusal: part.text };
    case 'reasoning':
    case 'tool-call':
    case 'tool-result':
      throw notCarried(param);
  }
}

function encodeFile({ source, name }: FilePart, param: string): JsonObject {
  if (source.kind === 'text')
    return { type: 'text', text: name === undefined ? source.text : `${name}\n\n${source.text}` };
  const file = source.kind === 'file-id' ? { file_id: source.id } : { file_data: addressOf(source, param) };
  return { type: 'file', file: { ...(name !== undefined && { filename: name }), ...file } };
}

function addressOf(source: MediaSource, param: string): string {
  if (source.kind === 'file-id') throw notCarried(param);
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function notCarried(param: string) {
  return invalidRequest(param, reasons.notCarried(param));
}

/** Canonical parts → content blocks, of requests and of answers. */
import type { FilePart, MediaSource, Part, ReasoningPart, TextPart, ToolCallPart } from '../../core/chat.ts';
import { invalidRequest } from '../../core/errors.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { fromBase64Url } from '../base64url.ts';
import { kept, keptBlock, PROTOCOL } from './own-fields.ts';
import type { ToolIds } from './tool-ids.ts';

export function encodeParts(parts: Part[], ids: ToolIds, at: string): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const part of parts) {
    const block = encodePart(part, ids, at);
    if (block) blocks.push(block);
  }
  return blocks;
}

/** One part of a request; undefined when there is nothing to send. `at` names the message in refusals. */
function encodePart(part: Part, ids: ToolIds, at: string): JsonObject | undefined {
  const whole = keptBlock(part);
  if (whole) return whole;
  switch (part.kind) {
    case 'text':
    case 'refusal':
      // The provider refuses empty text blocks.
      return part.text === '' ? undefined : finished(part, { type: 'text', text: part.text });
    case 'image':
      return finished(part, { type: 'image', source: encodeMedia(part.source) });
    case 'file':
      return encodeFile(part, at);
    case 'reasoning':
      return replayedReasoning(part);
    case 'tool-call':
      return finished(part, { type: 'tool_use', id: ids.of(part.id), name: part.name, input: toolInput(part) });
    case 'tool-result': {
      const content = encodeParts(part.content, ids, at);
      return finished(part, {
        type: 'tool_result',
        tool_use_id: ids.of(part.callId),
        ...(content.length > 0 && { content }),
        ...(part.isError !== undefined && { is_error: part.isError }),
      });
    }
    case 'audio':
      throw invalidRequest(at, reasons.notCarried('input_audio'));
  }
}

/** Adds the cache marker and the fields that only this protocol knows. */
function finished(part: Part, block: JsonObject): JsonObject {
  return { ...block, ...encodeCacheControl(part), ...kept(part) };
}

export function encodeCacheControl({ cacheControl }: Pick<TextPart, 'cacheControl'>): JsonObject {
  return cacheControl ? { cache_control: { type: 'ephemeral', ...cacheControl } } : {};
}

/** Only what the provider signed itself may be sent back to it, byte for byte; it would refuse anything else. */
function replayedReasoning(part: ReasoningPart): JsonObject | undefined {
  if (isUnsignedReasoning(part)) return undefined;
  if (part.encrypted !== undefined) return finished(part, { type: 'redacted_thinking', data: part.encrypted });
  return finished(part, { type: 'thinking', thinking: part.text, signature: part.signature });
}

export function isUnsignedReasoning(part: Part): boolean {
  if (part.kind !== 'reasoning') return false;
  return part.origin !== PROTOCOL || (part.encrypted === undefined && !part.signature);
}

/** The arguments as the object that the wire requires; text that is no object is put into a field of its own. */
export function toolInput({ arguments: text, custom }: Pick<ToolCallPart, 'arguments' | 'custom'>): JsonObject {
  if (custom) return { input: text };
  if (text.trim() === '') return {};
  const parsed = parseTrustedJson(text);
  return isJsonObject(parsed) ? parsed : { raw_arguments: text };
}

function encodeMedia(source: MediaSource): JsonObject {
  switch (source.kind) {
    case 'data':
      return { type: 'base64', media_type: source.mediaType, data: source.data };
    case 'url':
      return { type: 'url', url: source.url };
    case 'file-id':
      return { type: 'file', file_id: source.id };
  }
}

function encodeFile(part: FilePart, at: string): JsonObject {
  const { source } = part;
  const mediaType = source.kind === 'data' ? source.mediaType : part.mediaType;
  if (mediaType?.startsWith('image/') && source.kind !== 'text') {
    return finished(part, { type: 'image', source: encodeMedia(source) });
  }
  return finished(part, {
    type: 'document',
    source: encodeDocument(source, at),
    ...(part.name !== undefined && { title: part.name }),
  });
}

function encodeDocument(source: FilePart['source'], at: string): JsonObject {
  if (source.kind === 'text') return { type: 'text', media_type: 'text/plain', data: source.text };
  if (source.kind !== 'data' || source.mediaType === 'application/pdf') return encodeMedia(source);
  const text = source.mediaType.startsWith('text/') ? fromBase64Url(source.data) : undefined;
  if (text === undefined) throw invalidRequest(at, reasons.notCarried(`file (${source.mediaType})`));
  return { type: 'text', media_type: 'text/plain', data: text };
}

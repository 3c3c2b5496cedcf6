/** Canonical parts as content of this protocol. */
import type { FilePart, MediaSource, Part } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { encodeAnnotation } from '../annotations.ts';
import { kept } from '../own-fields.ts';

/** Writes the input of users, of the system and of tools, as a string wherever one is enough. */
export function encodeInputContent(parts: readonly Part[], param: string): Json {
  const [first, ...others] = parts;
  if (!first) return '';
  if (first.kind === 'text' && others.length === 0 && !otherFields(first)) return first.text;
  return parts.map((part) => ({ ...encodeInputPart(part, param), ...otherFields(part) }));
}

/** Content that the model once produced. */
export function encodeOutputPart(part: Part): JsonObject {
  if (part.kind === 'refusal') return { type: 'refusal', refusal: part.text };
  const text = part.kind === 'text' ? part.text : '';
  const citations = part.kind === 'text' ? (part.citations ?? []) : [];
  const annotations = citations.map(encodeAnnotation).filter((annotation) => annotation !== undefined);
  return { type: 'output_text', text, annotations, ...otherFields(part) };
}

function otherFields(part: Part): JsonObject | undefined {
  const fields = kept(part)?.['fields'];
  return isJsonObject(fields) ? fields : undefined;
}

function encodeInputPart(part: Part, param: string): JsonObject {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return { type: 'input_text', text: part.text };
    case 'image': {
      const source =
        part.source.kind === 'file-id' ? { file_id: part.source.id } : { image_url: addressOf(part.source) };
      return { type: 'input_image', ...source, detail: part.detail ?? 'auto' };
    }
    case 'file':
      return encodeFile(part);
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    case 'reasoning':
    case 'tool-call':
    case 'tool-result':
      throw invalidRequest(param, reasons.notCarried(param));
  }
}

function encodeFile({ source, name, mediaType }: FilePart): JsonObject {
  if (source.kind === 'text')
    return { type: 'input_text', text: name === undefined ? source.text : `${name}\n\n${source.text}` };
  if (source.kind === 'file-id') return { type: 'input_file', file_id: source.id };
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url };
  // Bytes need a name here: the provider tells the kind of file by it.
  const filename = name ?? (mediaType === 'application/pdf' ? 'document.pdf' : 'document');
  return { type: 'input_file', filename, file_data: addressOf(source) };
}

function addressOf(source: Exclude<MediaSource, { kind: 'file-id' }>): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

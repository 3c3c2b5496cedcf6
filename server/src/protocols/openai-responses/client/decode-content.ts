/** The content of one message or tool output: a string or a list of parts. */
import type { FilePart, ImagePart, Part } from '../../../core/chat.ts';
import { expected } from '../../../core/expected.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { webSource } from '../../openai-chat/decode-content.ts';
import { asArray, asName, asObject, asString, fieldsBeside, oneOf, optional, refuseParam } from '../../read-fields.ts';
import { decodeAnnotations } from '../annotations.ts';
import { MAX_NAME, MAX_PARTS } from '../bounds.ts';
import { keep } from '../own-fields.ts';

export type WirePartType =
  | 'input_text'
  | 'output_text'
  | 'text'
  | 'refusal'
  | 'input_image'
  | 'input_file'
  | 'input_audio';

const PART_FIELDS: Record<WirePartType, ReadonlySet<string>> = {
  input_text: new Set(['type', 'text']),
  text: new Set(['type', 'text']),
  // Logprobs come back with an answer that is replayed; nobody reads them there.
  output_text: new Set(['type', 'text', 'annotations', 'logprobs']),
  refusal: new Set(['type', 'refusal']),
  input_image: new Set(['type', 'image_url', 'file_id', 'detail']),
  input_file: new Set(['type', 'file_data', 'file_id', 'file_url', 'filename']),
  input_audio: new Set(['type', 'input_audio']),
};

export const USER_PARTS: readonly WirePartType[] = [
  'input_text',
  'text',
  'output_text',
  'input_image',
  'input_file',
  'input_audio',
];
export const SYSTEM_PARTS: readonly WirePartType[] = ['input_text', 'text', 'output_text'];
export const ASSISTANT_PARTS: readonly WirePartType[] = ['output_text', 'input_text', 'text', 'refusal'];
export const TOOL_PARTS: readonly WirePartType[] = ['input_text', 'text', 'output_text', 'input_image', 'input_file'];

export function decodeContent(value: Json | undefined, param: string, allowed: readonly WirePartType[]): Part[] {
  if (typeof value === 'string') return [{ kind: 'text', text: value }];
  if (value !== undefined && value !== null && !Array.isArray(value)) {
    refuseParam(param, reasons.mustBe(param, expected.textOrParts));
  }
  return asArray(value, param, MAX_PARTS).map((item, index) => decodePart(item, `${param}.${index}`, allowed));
}

function decodePart(value: Json, param: string, allowed: readonly WirePartType[]): Part {
  const wire = asObject(value, param);
  const type = oneOf(allowed)(wire['type'] ?? null, `${param}.type`);
  const rest = fieldsBeside(wire, PART_FIELDS[type]);
  return { ...decodeTyped(wire, type, param), ...keep(rest && { fields: rest }) };
}

function decodeTyped(wire: JsonObject, type: WirePartType, param: string): Part {
  switch (type) {
    case 'input_text':
    case 'text':
      return { kind: 'text', text: asString(wire['text'], `${param}.text`) };
    case 'output_text': {
      const citations = decodeAnnotations(wire['annotations']);
      const text = asString(wire['text'], `${param}.text`);
      return { kind: 'text', text, ...(citations.length > 0 && { citations }) };
    }
    case 'refusal':
      return { kind: 'refusal', text: asString(wire['refusal'], `${param}.refusal`) };
    case 'input_image':
      return decodeImage(wire, param);
    case 'input_file':
      return decodeFile(wire, param);
    case 'input_audio': {
      const audio = asObject(wire['input_audio'], `${param}.input_audio`);
      const format = asName(audio['format'], `${param}.input_audio.format`, 32);
      return { kind: 'audio', format, data: asString(audio['data'], `${param}.input_audio.data`) };
    }
  }
}

const readDetail = oneOf(['auto', 'low', 'high', 'original']);

function decodeImage(wire: JsonObject, param: string): ImagePart {
  const detail = optional(wire['detail'], `${param}.detail`, readDetail);
  const more = detail && { detail };
  const id = optional(wire['file_id'], `${param}.file_id`, readFileId);
  if (id !== undefined) return { kind: 'image', source: { kind: 'file-id', id }, ...more };
  const source = webSource(asString(wire['image_url'], `${param}.image_url`));
  if (!source || (source.kind === 'data' && !/^image\//i.test(source.mediaType))) {
    refuseParam(`${param}.image_url`, reasons.mustBe(`${param}.image_url`, expected.image));
  }
  return { kind: 'image', source, ...more };
}

function decodeFile(wire: JsonObject, param: string): FilePart {
  const name = optional(wire['filename'], `${param}.filename`, (value, path) => asName(value, path, MAX_NAME));
  const named = name === undefined ? {} : { name };
  const id = optional(wire['file_id'], `${param}.file_id`, readFileId);
  if (id !== undefined) return { kind: 'file', source: { kind: 'file-id', id }, ...named };
  const field = (wire['file_url'] ?? null) === null ? 'file_data' : 'file_url';
  const given = asString(wire[field], `${param}.${field}`);
  // Some clients leave the `data:` head out and mean the file's bytes all the same.
  const source = webSource(given) ?? { kind: 'data' as const, mediaType: mediaTypeOf(name), data: given };
  if (source.kind === 'data' && (source.data === '' || source.data.includes(':'))) {
    refuseParam(`${param}.${field}`, reasons.mustBe(`${param}.${field}`, expected.file));
  }
  return { kind: 'file', source, ...(source.kind === 'data' && { mediaType: source.mediaType }), ...named };
}

function readFileId(value: Json, param: string): string {
  return asName(value, param, MAX_NAME);
}

function mediaTypeOf(name: string | undefined): string {
  return name?.toLowerCase().endsWith('.pdf') ? 'application/pdf' : 'application/octet-stream';
}

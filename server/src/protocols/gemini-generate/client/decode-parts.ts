/** Parts of a turn. Each has one content field, and fields beside it that qualify it. */
import type { FilePart, Part } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { asName, asObject, asString, fieldsBeside, optional } from '../../read-fields.ts';
import { protocolReasons } from '../../reasons.ts';
import { MAX_ID, MAX_NAME, MAX_URL } from '../bounds.ts';
import { keep } from '../own-fields.ts';
import { openThought } from './thought-signature.ts';
import { wireFields } from './wire-names.ts';

/** One of these is in every part. */
const DATA = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse'] as const;
/** Parts of Google's own tools in a conversation; only Google can read them. */
const HOSTED = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'];
/** The resolution at which a picture or film is read. */
const BESIDE = ['videoMetadata', 'mediaResolution'];
const KNOWN = new Set([...DATA, ...HOSTED, ...BESIDE, 'thought', 'thoughtSignature', 'partMetadata']);

export interface FunctionCall {
  name: string;
  /** Most clients leave it out. */
  id: string | undefined;
  arguments: string;
  signature: string | undefined;
}

export interface FunctionResponse {
  name: string;
  id: string | undefined;
  content: Part[];
  isError: boolean;
  /** The result is an object of the client's own, written as JSON. */
  whole: boolean;
}

/** Ids of calls and results come from the turns around them, so they are handled separately. */
export interface DecodedPart {
  said?: Part;
  call?: FunctionCall;
  response?: FunctionResponse;
}

export function decodePart(value: Json, at: string): DecodedPart {
  const part = wireFields(asObject(value, at));
  for (const name in part) if (!KNOWN.has(name)) refuseUnknown(`${at}.${name}`);
  const signature = optional(part['thoughtSignature'], `${at}.thoughtSignature`, asString) || undefined;
  const present = DATA.filter((name) => part[name] !== undefined && part[name] !== null);
  if (present.length > 1) throw invalidRequest(at, protocolReasons.oneDatum(present));
  const [datum] = present;
  switch (datum) {
    case 'text':
      return { said: textPart(asString(part['text'], `${at}.text`), part['thought'] === true, signature) };
    case 'inlineData':
      return { said: inlinePart(asObject(part['inlineData'], `${at}.inlineData`), `${at}.inlineData`, part) };
    case 'fileData':
      return { said: filePart(asObject(part['fileData'], `${at}.fileData`), `${at}.fileData`, part) };
    case 'functionCall':
      return { call: functionCall(asObject(part['functionCall'], `${at}.functionCall`), at, signature) };
    case 'functionResponse':
      return { response: functionResponse(asObject(part['functionResponse'], `${at}.functionResponse`), at) };
    default:
      return { said: withoutDatum(part, at, signature) };
  }
}

function refuseUnknown(field: string): never {
  throw invalidRequest(field, reasons.unknownField(field, undefined));
}

function textPart(text: string, isThought: boolean, signature: string | undefined): Part {
  if (isThought)
    return { kind: 'reasoning', text, summary: true, ...(signature !== undefined && openThought(signature)) };
  return { kind: 'text', text, ...keep(signature === undefined ? undefined : { thoughtSignature: signature }) };
}

/** A signature may stand alone; parts of Google's own tools are kept as they came. */
function withoutDatum(part: JsonObject, at: string, signature: string | undefined): Part {
  if (HOSTED.some((name) => part[name] !== undefined)) return { kind: 'text', text: '', ...keep({ block: part, at }) };
  if (signature !== undefined) return textPart('', part['thought'] === true, signature);
  throw invalidRequest(at, protocolReasons.oneDatum([...DATA]));
}

function inlinePart(blob: JsonObject, at: string, around: JsonObject): Part {
  const { mimeType, data } = wireFields(blob);
  const mediaType = asName(mimeType, `${at}.mimeType`, MAX_NAME);
  const bytes = asString(data, `${at}.data`);
  const beside = besideOf(around);
  const [kind, subtype = ''] = mediaType.toLowerCase().split(';', 1)[0]?.split('/') ?? [];
  if (kind === 'audio') return { kind: 'audio', format: AUDIO_FORMATS[subtype] ?? subtype, data: bytes, ...beside };
  const source = { kind: 'data', mediaType, data: bytes } as const;
  if (kind === 'image') return { kind: 'image', source, ...beside };
  return { kind: 'file', source, mediaType, ...beside };
}

const AUDIO_FORMATS: Record<string, string> = {
  mpeg: 'mp3',
  'x-wav': 'wav',
  wave: 'wav',
  'x-aac': 'aac',
  'x-m4a': 'm4a',
  mp4: 'm4a',
  l16: 'pcm16',
};

function filePart(file: JsonObject, at: string, around: JsonObject): Part {
  const { fileUri, mimeType } = wireFields(file);
  const url = asName(fileUri, `${at}.fileUri`, MAX_URL);
  const mediaType = optional(mimeType, `${at}.mimeType`, (value, param) => asName(value, param, MAX_NAME));
  const source: FilePart['source'] = url.startsWith('files/') ? { kind: 'file-id', id: url } : { kind: 'url', url };
  const beside = besideOf(around);
  if (mediaType?.startsWith('image/')) return { kind: 'image', source, ...beside };
  return { kind: 'file', source, ...(mediaType !== undefined && { mediaType }), ...beside };
}

function besideOf(part: JsonObject) {
  const beside: JsonObject = {};
  for (const name of BESIDE) if (part[name] !== undefined) beside[name] = part[name];
  return keep(Object.keys(beside).length > 0 ? { beside } : undefined);
}

function functionCall(call: JsonObject, at: string, signature: string | undefined): FunctionCall {
  const { name, id, args } = call;
  const callArgs = optional(args, `${at}.functionCall.args`, asObject) ?? {};
  return {
    name: asName(name, `${at}.functionCall.name`, MAX_NAME),
    id: readId(id, `${at}.functionCall.id`),
    arguments: JSON.stringify(callArgs),
    signature,
  };
}

function readId(value: Json | undefined, param: string): string | undefined {
  return value === '' ? undefined : optional(value, param, (id, at) => asName(id, at, MAX_ID));
}

function functionResponse(value: JsonObject, at: string): FunctionResponse {
  const { name, id, response, parts } = value;
  const param = `${at}.functionResponse`;
  const fields = optional(response, `${param}.response`, asObject) ?? {};
  const told = toldBy(fields);
  const media = Array.isArray(parts) ? parts.map((part, index) => mediaOf(part, `${param}.parts.${index}`)) : [];
  return {
    name: asName(name, `${param}.name`, MAX_NAME),
    id: readId(id, `${param}.id`),
    content: [{ kind: 'text', text: told.text }, ...media],
    isError: told.isError,
    whole: told.whole,
  };
}

/** `output` and `error` are Google's own keys of a result; any other object is the result itself. */
function toldBy(response: JsonObject): Pick<FunctionResponse, 'isError' | 'whole'> & { text: string } {
  const names = Object.keys(response);
  const only = names.length === 1 ? names[0] : undefined;
  if (only === 'output' || only === 'error') {
    const value = response[only] ?? null;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { text, isError: only === 'error', whole: false };
  }
  return { text: JSON.stringify(response), isError: false, whole: true };
}

function mediaOf(value: Json, at: string): Part {
  const { said } = decodePart(value, at);
  if (!said || said.kind === 'reasoning') throw invalidRequest(at, protocolReasons.blockNotInThisRole);
  return said;
}

/** The texts of `systemInstruction`, which may also be a plain string. */
export function decodeSystem(value: Json | undefined, at: string): Part[] {
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }];
  const content = optional(value, at, asObject);
  if (!content) return [];
  const { parts } = content;
  const list = Array.isArray(parts) ? parts : isJsonObject(parts) ? [parts] : [content];
  return list.flatMap((part, index) => systemText(part, `${at}.parts.${index}`));
}

function systemText(value: Json, at: string): Part[] {
  const part = asObject(value, at);
  const text = asString(part['text'], `${at}.text`);
  if (fieldsBeside(part, new Set(['text', 'role', 'thought', 'thoughtSignature', 'thought_signature'])))
    throw invalidRequest(at, protocolReasons.blockNotInThisRole);
  return text === '' ? [] : [{ kind: 'text', text }];
}

/** `POST /audio/speech` as OpenAI's clients write it and as OpenAI-compatible providers read it. */
import type { ServiceExtension } from '../../core/chat.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { droppedWarning, passesAudioField } from '../passed-fields.ts';
import type { Quirks } from '../protocol.ts';
import { asName, asString, fieldsBeside, numberBetween, oneOf, optional, refuseParam } from '../read-fields.ts';
import { decodeServiceExtension } from '../service-extension.ts';
import { audioPath } from './audio-path.ts';
import { SPEECH_FORMATS, type SpeechFormat } from './speech-format.ts';

const MAX_NAME_CHARS = 512;
/** OpenAI accepts 4,096; compatible providers may accept more, but none accepts a whole book. */
const MAX_INSTRUCTIONS_CHARS = 32_768;

const MODELLED = new Set([
  'model',
  'input',
  'voice',
  'response_format',
  'speed',
  'instructions',
  'stream_format',
  'user',
  'svc',
]);

export interface SpeechRequest {
  model: string | undefined;
  input: string;
  /** Code points of the input, which are charged. */
  characters: number;
  /** A name, or an object for voices a customer made. */
  voice: string | JsonObject;
  format?: SpeechFormat;
  speed?: number;
  instructions?: string;
  stream: 'audio' | 'sse';
  user?: string;
  svc: ServiceExtension;
  extras: JsonObject;
}

/** Throws GatewayError invalid_request naming the `param`. */
export function decodeSpeechRequest(body: JsonObject, maxCharacters: number): SpeechRequest {
  const model = optional(body['model'], 'model', (value, param) => asName(value, param, MAX_NAME_CHARS));
  const input = asString(body['input'], 'input');
  const characters = codePoints(input);
  if (input.trim() === '') refuseParam('input', reasons.required('input'));
  if (characters > maxCharacters) refuseParam('input', reasons.tooLong('input', maxCharacters));
  const format = optional(body['response_format'], 'response_format', oneOf(SPEECH_FORMATS));
  const speed = optional(body['speed'], 'speed', numberBetween(0.25, 4));
  const instructions = optional(body['instructions'], 'instructions', readInstructions);
  const user = optional(body['user'], 'user', asString);
  return {
    model,
    input,
    characters,
    voice: readVoice(body['voice']),
    stream: optional(body['stream_format'], 'stream_format', oneOf(['audio', 'sse'])) ?? 'audio',
    svc: decodeServiceExtension(body['svc']),
    extras: fieldsBeside(body, MODELLED) ?? {},
    ...(format !== undefined && { format }),
    ...(speed !== undefined && { speed }),
    ...(instructions !== undefined && { instructions }),
    ...(user !== undefined && { user }),
  };
}

function readVoice(value: Json | undefined): string | JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  return asName(value, 'voice', MAX_NAME_CHARS);
}

function readInstructions(value: Json, param: string): string {
  const text = asString(value, param);
  if (text.length > MAX_INSTRUCTIONS_CHARS) refuseParam(param, reasons.tooLong(param, MAX_INSTRUCTIONS_CHARS));
  return text;
}

export function encodeSpeechRequest(
  request: SpeechRequest,
  { model, quirks }: { model: string; quirks: Quirks },
): { path: string; body: JsonObject; warnings: string[] } {
  const { input, voice, format, speed, instructions, stream, user, extras } = request;
  const passed = Object.entries(extras).filter(([name]) => passesAudioField(name, quirks));
  const dropped = Object.keys(extras).filter((name) => !passesAudioField(name, quirks));
  const body: JsonObject = {
    ...Object.fromEntries(passed),
    model,
    input,
    voice,
    ...(format !== undefined && { response_format: format }),
    ...(speed !== undefined && { speed }),
    ...(instructions !== undefined && { instructions }),
    // Bytes are the default everywhere, and many providers do not know the field.
    ...(stream === 'sse' && { stream_format: stream }),
    ...(user !== undefined && { user }),
  };
  const refused = (quirks.dropFields ?? []).filter((field) => body[field] !== undefined);
  for (const field of refused) delete body[field];
  const warnings = [
    ...dropped.map(droppedWarning),
    ...refused.map((field) => `${field} dropped: the provider's API has no such field`),
  ];
  return { path: audioPath('speech', model, quirks), body, warnings };
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

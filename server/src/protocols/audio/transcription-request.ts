/** The form of `POST /audio/transcriptions` and `/audio/translations`: the few fields we must know, and all others as they came. */

import type { ServiceExtension } from '../../core/chat.ts';
import { expected } from '../../core/expected.ts';
import { JsonRefused, parseJson } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { droppedWarning, passesAudioField } from '../passed-fields.ts';
import type { Quirks } from '../protocol.ts';
import { asName, numberBetween, oneOf, refuseParam } from '../read-fields.ts';
import { protocolReasons } from '../reasons.ts';
import { decodeServiceExtension } from '../service-extension.ts';
import { type AudioTask, audioPath } from './audio-path.ts';
import { TRANSCRIPT_FORMATS, TRANSLATION_FORMATS, type TranscriptFormat } from './transcript-format.ts';

const MAX_NAME_CHARS = 512;

/** Name and value, in the order they came; lists repeat their name (`include[]`). */
export type FormField = readonly [name: string, value: string];

export interface TranscriptionRequest {
  task: Exclude<AudioTask, 'speech'>;
  model: string | undefined;
  format: TranscriptFormat;
  stream: boolean;
  user: string | undefined;
  svc: ServiceExtension;
  /** Everything but the file, the model and our own extension. */
  fields: FormField[];
}

/** Throws GatewayError invalid_request naming the `param`. */
export function decodeTranscriptionRequest(
  task: TranscriptionRequest['task'],
  all: readonly FormField[],
): TranscriptionRequest {
  const model = single(all, 'model');
  const format = single(all, 'response_format');
  const temperature = single(all, 'temperature');
  if (temperature !== undefined)
    numberBetween(0, 1)(temperature.trim() === '' ? null : Number(temperature), 'temperature');
  const stream = readFlag(single(all, 'stream'));
  if (stream && task === 'translations') {
    refuseParam('stream', protocolReasons.translationNotStreamed);
  }
  const formats = task === 'translations' ? TRANSLATION_FORMATS : TRANSCRIPT_FORMATS;
  return {
    task,
    model: model === undefined ? undefined : asName(model, 'model', MAX_NAME_CHARS),
    format: format === undefined ? 'json' : oneOf(formats)(format, 'response_format'),
    stream,
    user: single(all, 'user'),
    svc: readExtension(single(all, 'svc')),
    fields: all.filter(([name]) => name !== 'model' && name !== 'svc'),
  };
}

/** Two values for the model or the format are refused. */
function single(fields: readonly FormField[], name: string): string | undefined {
  const found = fields.filter(([each]) => each === name);
  if (found.length > 1) refuseParam(name, protocolReasons.sentTwice(name));
  return found[0]?.[1];
}

function readFlag(text: string | undefined): boolean {
  switch (text?.toLowerCase()) {
    case undefined:
    case 'false':
    case '0':
    case '':
      return false;
    case 'true':
    case '1':
      return true;
    default:
      return refuseParam('stream', reasons.mustBe('stream', expected.flag));
  }
}

/** A form has no objects, so `svc` comes as JSON text. */
function readExtension(text: string | undefined): ServiceExtension {
  if (text === undefined || text.trim() === '') return decodeServiceExtension(undefined);
  try {
    return decodeServiceExtension(parseJson(text));
  } catch (error) {
    if (error instanceof JsonRefused) refuseParam('svc', reasons.mustBe('svc', expected.json));
    throw error;
  }
}

export function encodeTranscriptionRequest(
  request: TranscriptionRequest,
  { model, quirks }: { model: string; quirks: Quirks },
): { path: string; fields: FormField[]; warnings: string[] } {
  const refused = new Set(quirks.dropFields ?? []);
  const kept: FormField[] = [['model', model]];
  const warnings: string[] = [];
  for (const field of request.fields) {
    const name = field[0].split('[', 1)[0] ?? '';
    const listed = name === field[0] ? name : `${name}[]`;
    if (!passesAudioField(listed, quirks)) warnings.push(droppedWarning(name));
    else if (refused.has(name)) warnings.push(`${name} dropped: the provider's API has no such field`);
    else kept.push(field);
  }
  return { path: audioPath(request.task, model, quirks), fields: kept, warnings };
}

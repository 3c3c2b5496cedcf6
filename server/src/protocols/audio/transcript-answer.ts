/** A whole transcript as a provider sent it. Some ignore the format that was asked for; what cannot be given is a failure. */
import type { UpstreamFailure } from '../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { errorIn, inBandFailure } from '../provider-error.ts';
import { captionsEndSeconds, isPlainText, type TranscriptFormat } from './transcript-format.ts';

export type TranscriptAnswer =
  | { kind: 'json'; body: JsonObject; usage: Json | undefined; duration: Json | undefined }
  | { kind: 'text'; text: string; usage: Json | undefined; duration: Json | undefined; captionsEnd: number };

export function readTranscript(
  text: string,
  contentType: string,
  format: TranscriptFormat,
): TranscriptAnswer | { failure: UpstreamFailure } {
  const json = contentType.includes('json') || !isPlainText(format) ? parseTrustedJson(text) : undefined;
  if (isJsonObject(json)) return readJson(json, format);
  if (!isPlainText(format)) return malformed('the body is not a JSON object');
  if (text === '') return { failure: { kind: 'empty', message: 'an empty body' } };
  return { kind: 'text', text, usage: undefined, duration: undefined, captionsEnd: captionsEndSeconds(text) };
}

function readJson(body: JsonObject, format: TranscriptFormat): TranscriptAnswer | { failure: UpstreamFailure } {
  const { text, usage, duration } = body;
  if (typeof text !== 'string') {
    const error = errorIn(body);
    return error ? { failure: inBandFailure(error) } : malformed('an answer without text');
  }
  if (!isPlainText(format)) return { kind: 'json', body, usage, duration };
  if (format !== 'text') return malformed(`JSON instead of ${format}`);
  return { kind: 'text', text: `${text}\n`, usage, duration, captionsEnd: 0 };
}

function malformed(message: string): { failure: UpstreamFailure } {
  return { failure: { kind: 'malformed', message } };
}

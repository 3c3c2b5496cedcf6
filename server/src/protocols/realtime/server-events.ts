/** What a provider sends on a realtime session, read as far as charging and the client's view need. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { type Money, toTomanNumber } from '../../core/money.ts';
import { base64Bytes } from './sound.ts';

/** Output that has just arrived: a text, or bytes of sound. */
export type OutputPiece = { responseId: string; text: string } | { responseId: string; soundBytes: number };

/** Old names beside the new ones: compatible servers still speak them. */
const SOUND = new Set(['response.output_audio.delta', 'response.audio.delta']);
const TEXT = new Set([
  'response.output_text.delta',
  'response.text.delta',
  'response.output_audio_transcript.delta',
  'response.audio_transcript.delta',
  'response.function_call_arguments.delta',
]);

export function outputPieceOf(event: JsonObject): OutputPiece | undefined {
  const { type, delta, response_id: id } = event;
  if (typeof type !== 'string' || typeof delta !== 'string') return undefined;
  const responseId = typeof id === 'string' ? id : '';
  if (SOUND.has(type)) return { responseId, soundBytes: base64Bytes(delta) };
  return TEXT.has(type) ? { responseId, text: delta } : undefined;
}

/** The session that an event tells of, with the model under the name that the client knows. */
export function withPublicModel(event: JsonObject, publicModel: string): JsonObject {
  const { session } = event;
  return isJsonObject(session) ? { ...event, session: { ...session, model: publicModel } } : event;
}

/** The end of a response with its cost. A provider's own text about a failure is left out. */
export function withCost(event: JsonObject, requestId: string, cost: Money): JsonObject {
  const response = isJsonObject(event['response']) ? event['response'] : {};
  const usage = isJsonObject(response['usage']) ? response['usage'] : {};
  const details = response['status_details'];
  const error = isJsonObject(details) && isJsonObject(details['error']) ? details['error'] : undefined;
  const shown = error && isJsonObject(details) ? { ...details, error: withoutWords(error) } : details;
  return {
    ...event,
    response: {
      ...response,
      ...(shown !== undefined && { status_details: shown }),
      usage: { ...usage, cost: toTomanNumber(cost) },
    },
    svc: { request_id: requestId },
  };
}

/** Codes and field names belong to the protocol; sentences are the vendor's. */
export function withoutWords({ message: _message, ...error }: JsonObject): JsonObject {
  return error;
}

/** Whether the provider answers by itself when the speaker falls silent. */
export function answersByItself(session: JsonObject): boolean {
  return detectionIn(session) ?? false;
}

/** Like answersByItself; undefined where the settings do not say. */
export function detectionIn(session: Json | undefined): boolean | undefined {
  if (!isJsonObject(session)) return undefined;
  const audio = isJsonObject(session['audio']) ? session['audio'] : {};
  const input = isJsonObject(audio['input']) ? audio['input'] : {};
  const detection = 'turn_detection' in session ? session['turn_detection'] : input['turn_detection'];
  if (detection === undefined) return undefined;
  return isJsonObject(detection) && detection['create_response'] !== false;
}

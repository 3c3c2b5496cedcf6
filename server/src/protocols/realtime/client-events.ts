/**
 * What a client may send on a realtime session. An event goes to the provider unchanged, unless it names something that
 * is ours to decide: the model, unpriced options, or parts of the operator's account at the vendor.
 */
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { realtimeReasons } from './reasons.ts';

const CLIENT_EVENTS = [
  'session.update',
  'input_audio_buffer.append',
  'input_audio_buffer.commit',
  'input_audio_buffer.clear',
  'output_audio_buffer.clear',
  'conversation.item.create',
  'conversation.item.retrieve',
  'conversation.item.truncate',
  'conversation.item.delete',
  'response.create',
  'response.cancel',
] as const;
type RealtimeClientEventType = (typeof CLIENT_EVENTS)[number];

/** Things of the vendor's account, which is the operator's. */
const NOT_SERVED = ['prompt', 'service_tier'];

export interface RealtimeClientEvent {
  type: RealtimeClientEventType;
  event: JsonObject;
  /** True when the event was changed. */
  changed: boolean;
}

export function readRealtimeClientEvent(event: Json, publicModel: string): RealtimeClientEvent {
  if (!isJsonObject(event)) throw invalidRequest(undefined, realtimeReasons.noEvent);
  const type = CLIENT_EVENTS.find((known) => known === event['type']);
  if (type === undefined)
    throw invalidRequest('type', reasons.mustBe('type', expected.either(...CLIENT_EVENTS.map(expected.exactly))));
  if (type === 'session.update') {
    const session = checkedSession(event['session'], publicModel);
    return { type, event: { ...event, session }, changed: true };
  }
  if (type === 'response.create' && isJsonObject(event['response'])) checkFields(event['response'], 'response');
  return { type, event, changed: false };
}

/** The settings of a session as the provider may receive them. */
export function checkedSession(session: Json | undefined, publicModel: string): JsonObject {
  if (!isJsonObject(session)) throw invalidRequest('session', reasons.mustBe('session', expected.object));
  // `tracing` would be written to the operator's account at the vendor; some libraries always ask for it.
  const { model, tracing: _tracing, ...rest } = session;
  if (model !== undefined && model !== publicModel) throw invalidRequest('session.model', realtimeReasons.modelFixed);
  const type = rest['type'] ?? 'realtime';
  if (type !== 'realtime')
    throw invalidRequest('session.type', reasons.mustBe('session.type', expected.exactly('realtime')));
  checkFields(rest, 'session');
  checkInput(rest);
  return { ...rest, type };
}

function checkFields(settings: JsonObject, at: string): void {
  for (const name of NOT_SERVED)
    if (settings[name] !== undefined && settings[name] !== null)
      throw invalidRequest(`${at}.${name}`, realtimeReasons.notServed);
  const { tools } = settings;
  if (!Array.isArray(tools)) return;
  tools.forEach((tool, index) => {
    // Tools that the vendor runs are billed separately, and no event reports how much.
    if (!isJsonObject(tool) || (tool['type'] !== undefined && tool['type'] !== 'function'))
      throw invalidRequest(`${at}.tools.${index}.type`, realtimeReasons.onlyFunctions);
  });
}

/** Checks what the provider would do with the input beside answering it when it is asked, or spoken to. */
function checkInput(session: JsonObject): void {
  const { audio, turn_detection: detection, input_audio_transcription: ofOldServers = null } = session;
  const input = (isJsonObject(audio) && audio['input']) || {};
  const { transcription = null, turn_detection: newDetection } = isJsonObject(input) ? input : {};
  // Transcripts of the input are made by another model, at another price.
  if (transcription !== null)
    throw invalidRequest('session.audio.input.transcription', realtimeReasons.noTranscription);
  if (ofOldServers !== null) throw invalidRequest('session.input_audio_transcription', realtimeReasons.noTranscription);
  checkDetection(detection, 'session.turn_detection');
  checkDetection(newDetection, 'session.audio.input.turn_detection');
}

/** A provider that answers silence by its own timer begins before anything could be held for it. */
function checkDetection(detection: Json | undefined, at: string): void {
  if (isJsonObject(detection) && (detection['idle_timeout_ms'] ?? null) !== null)
    throw invalidRequest(`${at}.idle_timeout_ms`, realtimeReasons.noIdleAnswers);
}

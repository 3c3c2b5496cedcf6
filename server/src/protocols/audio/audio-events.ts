/**
 * The events of streamed audio answers, `speech.audio.*` and `transcript.text.*`. Both are the same kind of stream: pieces of
 * content, then one `…done` that carries the usage. Events we do not know pass through unchanged.
 */
import type { UpstreamFailure } from '../../core/failure.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { SseFrame } from '../protocol.ts';
import { inBandFailure } from '../provider-error.ts';
import { writeFrame } from '../sse.ts';

export type AudioEvent =
  | { kind: 'content' | 'done' | 'other'; body: JsonObject }
  | { kind: 'failure'; failure: UpstreamFailure };

/** Returns undefined for the bare `[DONE]`, which some send after their last event. */
export function readAudioEvent({ event, data, json }: SseFrame): AudioEvent | undefined {
  if (data.trim() === '[DONE]') return undefined;
  if (!isJsonObject(json)) return failed('an event that is not a JSON object');
  const type = typeof json['type'] === 'string' ? json['type'] : event;
  const error = json['error'] ?? (type === 'error' ? json : undefined);
  if (error !== undefined) return { kind: 'failure', failure: inBandFailure(error) };
  if (type === undefined) return failed('an event without a type');
  return { kind: kindOf(type, json), body: json['type'] === undefined ? { type, ...json } : json };
}

/** An empty delta is not content yet: another route may still answer. */
function kindOf(type: string, body: JsonObject): 'content' | 'done' | 'other' {
  switch (type) {
    case 'speech.audio.delta':
      return body['audio'] ? 'content' : 'other';
    case 'transcript.text.delta':
      return body['delta'] ? 'content' : 'other';
    case 'transcript.text.segment':
      return 'content';
    case 'speech.audio.done':
    case 'transcript.text.done':
      return 'done';
    default:
      return 'other';
  }
}

function failed(message: string): AudioEvent {
  return { kind: 'failure', failure: { kind: 'malformed', message } };
}

export function writeAudioEvent(body: JsonObject): string {
  return writeFrame(JSON.stringify(body));
}

/** Makes a stream for a client that asked for one from a provider that answered as a whole. */
export function transcriptEvents(answer: JsonObject): AudioEvent[] {
  const text = typeof answer['text'] === 'string' ? answer['text'] : '';
  const { usage } = answer;
  const events: AudioEvent[] = [];
  if (text !== '') events.push({ kind: 'content', body: { type: 'transcript.text.delta', delta: text } });
  const done: JsonObject = { type: 'transcript.text.done', text, ...(usage !== undefined && { usage }) };
  return [...events, { kind: 'done', body: done }];
}

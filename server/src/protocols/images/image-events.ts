/** The events of a picture that comes while it is drawn: unfinished ones, then the last with the usage. */
import { isJsonObject } from '../../core/json.ts';
import type { AudioEvent } from '../audio/index.ts';
import type { SseFrame } from '../protocol.ts';
import { inBandFailure } from '../provider-error.ts';
import type { ImageRequest, ImageResponse } from './image.ts';

const NAMES = { generations: 'image_generation', edits: 'image_edit' };

/** Returns undefined for the bare `[DONE]`, which some send after their last event. */
export function readImageEvent({ event, data, json }: SseFrame): AudioEvent | undefined {
  if (data.trim() === '[DONE]') return undefined;
  if (!isJsonObject(json))
    return { kind: 'failure', failure: { kind: 'malformed', message: 'an event that is no object' } };
  const type = typeof json['type'] === 'string' ? json['type'] : (event ?? '');
  const error = json['error'] ?? (type === 'error' ? json : undefined);
  if (error !== undefined) return { kind: 'failure', failure: inBandFailure(error) };
  const body = { type, ...json };
  if (!json['b64_json']) return { kind: 'other', body };
  if (type.endsWith('.partial_image')) return { kind: 'content', body };
  return type.endsWith('.completed') ? { kind: 'done', body } : { kind: 'other', body };
}

/** Makes the one event for a client that wanted a stream from a provider that answered at once. */
export function eventOfImage(
  { images, facts, raw }: ImageResponse,
  { task }: ImageRequest,
  created: number,
): AudioEvent {
  const [image] = images;
  const usage = raw === undefined ? {} : { usage: raw };
  const body = {
    type: `${NAMES[task]}.completed`,
    created_at: created,
    ...facts,
    b64_json: image?.base64 ?? '',
    ...usage,
  };
  return { kind: 'done', body };
}

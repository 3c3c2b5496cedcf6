/** Finds the whole answer in the frames of a stream that we wrote: the last event carries it. */
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../../core/json.ts';

const FIRST_EVENT = 'event: response.';
const LAST_EVENTS = ['completed', 'incomplete', 'failed'].map((name) => `event: response.${name}\ndata: `);
const BETWEEN_EVENTS = '\n\nevent: response.';

/** Returns undefined for frames before the last. */
export function endedResponse(frames: string): JsonObject | undefined {
  if (!frames.startsWith(FIRST_EVENT)) return undefined;
  // Where nothing went out before, the first events are in the same text.
  const between = frames.lastIndexOf(BETWEEN_EVENTS);
  const at = between < 0 ? 0 : between + 2;
  const last = LAST_EVENTS.find((beginning) => frames.startsWith(beginning, at));
  const event = last === undefined ? undefined : parseTrustedJson(frames.slice(at + last.length));
  return isJsonObject(event) && isJsonObject(event['response']) ? event['response'] : undefined;
}

/** Writes the events of one stream: an `event:` line on every frame, numbered without a gap. */
import type { JsonObject } from '../../../core/json.ts';
import { writeFrame } from '../../sse.ts';

export class EventWriter {
  #sequence = 0;

  write(type: string, fields: JsonObject): string {
    return writeFrame(JSON.stringify({ type, ...fields, sequence_number: this.#sequence++ }), type);
  }

  /** The fast path of a stream, whose thousands of deltas differ in a few words: `head` is made once. */
  delta(type: string, head: string, delta: string, tail = ''): string {
    return `event: ${type}\ndata: ${head},"delta":${JSON.stringify(delta)}${tail},"sequence_number":${this.#sequence++}}\n\n`;
  }

  /** A provider's event under our own number; its text is kept where the number is already right. */
  relay(type: string, event: JsonObject, data: string): string {
    const number = this.#sequence++;
    if (event['sequence_number'] === number && event['type'] === type && !data.includes('\n')) {
      return writeFrame(data, type);
    }
    return writeFrame(JSON.stringify({ ...event, type, sequence_number: number }), type);
  }
}

/** The head of a delta event, for EventWriter.delta. */
export function deltaHead(type: string, fields: JsonObject): string {
  return JSON.stringify({ type, ...fields }).slice(0, -1);
}

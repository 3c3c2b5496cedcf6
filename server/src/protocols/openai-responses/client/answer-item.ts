/** One item of an answer while it is streamed, and its index in the answer. */
import type { PartDelta, PartEnd } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { EventWriter } from './event-writer.ts';

/** How every kind of item handles the events of its part. */
export interface AnswerItem {
  delta(event: PartDelta): string;
  end(event: PartEnd): string;
}

export interface ItemPosition {
  id: string;
  index: number;
  write: EventWriter;
  /** Called once, when the item is complete. */
  done(item: JsonObject): string;
}

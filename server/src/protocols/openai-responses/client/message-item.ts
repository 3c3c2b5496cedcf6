/** A message of the model: one item with a content part for each stretch of words. Nothing is written before the first word. */
import type { PartDelta, PartStart } from '../../../core/events.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { encodeAnnotation } from '../annotations.ts';
import type { AnswerItem, ItemPlace } from './answer-item.ts';
import { deltaHead } from './event-writer.ts';

export class MessageItem {
  /** The id of the provider's own message, when it had one. */
  readonly source: Json | undefined;
  readonly #fields: JsonObject;
  readonly #open: () => ItemPlace;
  readonly #content: JsonObject[] = [];
  #place: ItemPlace | undefined;

  constructor(item: JsonObject | undefined, open: () => ItemPlace) {
    const { id, ...fields } = item ?? {};
    this.source = id;
    this.#fields = fields;
    this.#open = open;
  }

  part(kind: PartStart['kind']): AnswerItem {
    return new Words(kind, this);
  }

  /** Makes room for one content part, and announces the message with the first. */
  addPart(part: JsonObject): { place: ItemPlace; contentIndex: number; frames: string } {
    let frames = '';
    if (!this.#place) {
      this.#place = this.#open();
      const { id, index, write } = this.#place;
      frames = write.write('response.output_item.added', {
        output_index: index,
        item: this.#item(id, 'in_progress', []),
      });
    }
    const place = this.#place;
    const contentIndex = this.#content.length;
    this.#content.push(part);
    frames += place.write.write('response.content_part.added', {
      item_id: place.id,
      output_index: place.index,
      content_index: contentIndex,
      part,
    });
    return { place, contentIndex, frames };
  }

  endPart(contentIndex: number, part: JsonObject): void {
    this.#content[contentIndex] = part;
  }

  close(status: 'completed' | 'incomplete'): string {
    if (!this.#place) return '';
    return this.#place.done(this.#item(this.#place.id, status, this.#content));
  }

  #item(id: string, status: string, content: JsonObject[]): JsonObject {
    return { ...this.#fields, id, type: 'message', status, role: 'assistant', content };
  }
}

interface Opened {
  place: ItemPlace;
  contentIndex: number;
  head: string;
}

class Words implements AnswerItem {
  readonly #kind: PartStart['kind'];
  readonly #message: MessageItem;
  readonly #annotations: JsonObject[] = [];
  readonly #logprobs: Json[] = [];
  #text = '';
  #opened: Opened | undefined;

  constructor(kind: PartStart['kind'], message: MessageItem) {
    this.#kind = kind;
    this.#message = message;
  }

  delta({ text, transcript, citation, logprobs }: PartDelta): string {
    // Sound has no place in this protocol; what was said has.
    const words = this.#kind === 'audio' ? (transcript ?? '') : text;
    const annotation = citation && encodeAnnotation(citation);
    if (words === '' && !annotation) return '';
    const { frames, opened } = this.#open();
    return frames + this.#say(words, logprobs?.['content'], opened) + this.#annotate(annotation, opened);
  }

  end(): string {
    if (!this.#opened) return '';
    const { place, contentIndex } = this.#opened;
    const part = this.#part();
    this.#message.endPart(contentIndex, part);
    const where = { item_id: place.id, output_index: place.index, content_index: contentIndex };
    const done =
      this.#kind === 'refusal'
        ? place.write.write('response.refusal.done', { ...where, refusal: this.#text })
        : place.write.write('response.output_text.done', { ...where, text: this.#text, logprobs: this.#logprobs });
    return done + place.write.write('response.content_part.done', { ...where, part });
  }

  #open(): { frames: string; opened: Opened } {
    if (this.#opened) return { frames: '', opened: this.#opened };
    const { place, contentIndex, frames } = this.#message.addPart(this.#part());
    const where = { item_id: place.id, output_index: place.index, content_index: contentIndex };
    this.#opened = { place, contentIndex, head: deltaHead(this.#deltaType(), where) };
    return { frames, opened: this.#opened };
  }

  #say(words: string, logprobs: Json | undefined, { place, head }: Opened): string {
    if (words === '') return '';
    this.#text += words;
    if (this.#kind === 'refusal') return place.write.delta(this.#deltaType(), head, words);
    const chances = Array.isArray(logprobs) ? logprobs : [];
    this.#logprobs.push(...chances);
    return place.write.delta(this.#deltaType(), head, words, `,"logprobs":${JSON.stringify(chances)}`);
  }

  #annotate(annotation: JsonObject | undefined, { place, contentIndex }: Opened): string {
    if (!annotation) return '';
    this.#annotations.push(annotation);
    return place.write.write('response.output_text.annotation.added', {
      item_id: place.id,
      output_index: place.index,
      content_index: contentIndex,
      annotation_index: this.#annotations.length - 1,
      annotation,
    });
  }

  #deltaType(): string {
    return this.#kind === 'refusal' ? 'response.refusal.delta' : 'response.output_text.delta';
  }

  #part(): JsonObject {
    if (this.#kind === 'refusal') return { type: 'refusal', refusal: this.#text };
    return {
      type: 'output_text',
      text: this.#text,
      annotations: [...this.#annotations],
      logprobs: [...this.#logprobs],
    };
  }
}

/**
 * A message of the model: one item with a content part for each stretch of text. Nothing is written before the first
 * text.
 */
import type { PartDelta, PartStart } from '../../../core/events.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { encodeAnnotation } from '../annotations.ts';
import type { AnswerItem, ItemPosition } from './answer-item.ts';
import { deltaHead } from './event-writer.ts';

export class MessageItem {
  /** The id of the provider's own message, when it had one. */
  readonly source: Json | undefined;
  readonly #fields: JsonObject;
  readonly #open: () => ItemPosition;
  readonly #content: JsonObject[] = [];
  #position: ItemPosition | undefined;

  constructor(item: JsonObject | undefined, open: () => ItemPosition) {
    const { id, ...fields } = item ?? {};
    this.source = id;
    this.#fields = fields;
    this.#open = open;
  }

  part(kind: PartStart['kind']): AnswerItem {
    return new Words(kind, this);
  }

  /** Makes room for one content part, and announces the message with the first. */
  addPart(part: JsonObject): { position: ItemPosition; contentIndex: number; frames: string } {
    let frames = '';
    if (!this.#position) {
      this.#position = this.#open();
      const { id, index, write } = this.#position;
      frames = write.write('response.output_item.added', {
        output_index: index,
        item: this.#item(id, 'in_progress', []),
      });
    }
    const position = this.#position;
    const contentIndex = this.#content.length;
    this.#content.push(part);
    frames += position.write.write('response.content_part.added', {
      item_id: position.id,
      output_index: position.index,
      content_index: contentIndex,
      part,
    });
    return { position, contentIndex, frames };
  }

  endPart(contentIndex: number, part: JsonObject): void {
    this.#content[contentIndex] = part;
  }

  close(status: 'completed' | 'incomplete'): string {
    if (!this.#position) return '';
    return this.#position.done(this.#item(this.#position.id, status, this.#content));
  }

  #item(id: string, status: string, content: JsonObject[]): JsonObject {
    return { ...this.#fields, id, type: 'message', status, role: 'assistant', content };
  }
}

interface Opened {
  position: ItemPosition;
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
    // This protocol has no audio; the transcript is sent as text.
    const words = this.#kind === 'audio' ? (transcript ?? '') : text;
    const annotation = citation && encodeAnnotation(citation);
    if (words === '' && !annotation) return '';
    const { frames, opened } = this.#open();
    return frames + this.#say(words, logprobs?.['content'], opened) + this.#annotate(annotation, opened);
  }

  end(): string {
    if (!this.#opened) return '';
    const { position, contentIndex } = this.#opened;
    const part = this.#part();
    this.#message.endPart(contentIndex, part);
    const where = { item_id: position.id, output_index: position.index, content_index: contentIndex };
    const done =
      this.#kind === 'refusal'
        ? position.write.write('response.refusal.done', { ...where, refusal: this.#text })
        : position.write.write('response.output_text.done', { ...where, text: this.#text, logprobs: this.#logprobs });
    return done + position.write.write('response.content_part.done', { ...where, part });
  }

  #open(): { frames: string; opened: Opened } {
    if (this.#opened) return { frames: '', opened: this.#opened };
    const { position, contentIndex, frames } = this.#message.addPart(this.#part());
    const where = { item_id: position.id, output_index: position.index, content_index: contentIndex };
    this.#opened = { position, contentIndex, head: deltaHead(this.#deltaType(), where) };
    return { frames, opened: this.#opened };
  }

  #say(words: string, logprobs: Json | undefined, { position, head }: Opened): string {
    if (words === '') return '';
    this.#text += words;
    if (this.#kind === 'refusal') return position.write.delta(this.#deltaType(), head, words);
    const chances = Array.isArray(logprobs) ? logprobs : [];
    this.#logprobs.push(...chances);
    return position.write.delta(this.#deltaType(), head, words, `,"logprobs":${JSON.stringify(chances)}`);
  }

  #annotate(annotation: JsonObject | undefined, { position, contentIndex }: Opened): string {
    if (!annotation) return '';
    this.#annotations.push(annotation);
    return position.write.write('response.output_text.annotation.added', {
      item_id: position.id,
      output_index: position.index,
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

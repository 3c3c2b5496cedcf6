/**
 * The items of one answer while it is streamed: text in a message, each call and each piece of reasoning as an item of
 * its own.
 */
import type { PartDelta, PartEnd, PartStart } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ClientView } from '../../protocol.ts';
import { ITEM_PREFIX, keptBlock, keptItem } from '../own-fields.ts';
import type { AnswerItem, ItemPosition } from './answer-item.ts';
import { CallItem } from './call-item.ts';
import type { EventWriter } from './event-writer.ts';
import { MessageItem } from './message-item.ts';
import { ReasoningStream } from './reasoning-stream.ts';

export class AnswerItems {
  readonly #view: ClientView;
  readonly #write: EventWriter;
  readonly #output: JsonObject[] = [];
  readonly #parts = new Map<number, AnswerItem>();
  #message: MessageItem | undefined;
  #count = 0;

  constructor(view: ClientView, write: EventWriter) {
    this.#view = view;
    this.#write = write;
  }

  /** Complete items, in their order. */
  get output(): JsonObject[] {
    return this.#output.filter((item) => item !== undefined);
  }

  start(event: PartStart): string {
    const block = event.kind === 'reasoning' ? undefined : keptBlock(event);
    if (block) return this.closeMessage('completed') + this.#whole(block);
    switch (event.kind) {
      case 'text':
      case 'refusal':
      case 'audio':
        return this.#words(event);
      case 'reasoning':
        return this.#begin(event, 'reasoning', (position) => new ReasoningStream(event, position));
      case 'tool-call': {
        const type = event.toolCall?.custom ? 'custom_tool_call' : 'function_call';
        return this.#begin(event, type, (position) => new CallItem(event, position, this.#view.request.tools));
      }
      case 'image':
        return this.closeMessage('completed') + this.#image(event);
    }
  }

  delta(event: PartDelta): string {
    return this.#parts.get(event.part)?.delta(event) ?? '';
  }

  end(event: PartEnd): string {
    const item = this.#parts.get(event.part);
    this.#parts.delete(event.part);
    return item?.end(event) ?? '';
  }

  closeMessage(status: 'completed' | 'incomplete'): string {
    const message = this.#message;
    this.#message = undefined;
    return message?.close(status) ?? '';
  }

  /** Neighbouring texts share one message, unless they came in different ones. */
  #words(event: PartStart): string {
    const item = keptItem(event);
    let before = '';
    if (this.#message && this.#message.source !== item?.['id']) before = this.closeMessage('completed');
    this.#message ??= new MessageItem(item, () => this.#position('message'));
    this.#parts.set(event.part, this.#message.part(event.kind));
    return before;
  }

  #begin(
    event: PartStart,
    type: keyof typeof ITEM_PREFIX,
    open: (position: ItemPosition) => AnswerItem & { begin(): string },
  ): string {
    const before = this.closeMessage('completed');
    const item = open(this.#position(type));
    this.#parts.set(event.part, item);
    return before + item.begin();
  }

  #position(type: keyof typeof ITEM_PREFIX): ItemPosition {
    const index = this.#count++;
    const { responseId } = this.#view;
    // The id is made of the answer's id and the item's index, so that one id is enough to find everything.
    const id = `${ITEM_PREFIX[type]}${responseId.slice(responseId.indexOf('_') + 1)}_${index}`;
    return { id, index, write: this.#write, done: (item) => this.#done(index, item) };
  }

  #done(index: number, item: JsonObject): string {
    this.#output[index] = item;
    return this.#write.write('response.output_item.done', { output_index: index, item });
  }

  #whole(item: JsonObject): string {
    const index = this.#count++;
    return this.#write.write('response.output_item.added', { output_index: index, item }) + this.#done(index, item);
  }

  #image({ image }: PartStart): string {
    if (!image) return '';
    const { id, index } = this.#position('image_generation_call');
    const type = 'image_generation_call';
    const format = image.mediaType.replace(/^image\//, '');
    const added = { id, type, status: 'in_progress', result: null };
    return (
      this.#write.write('response.output_item.added', { output_index: index, item: added }) +
      this.#done(index, { id, type, status: 'completed', output_format: format, result: image.data })
    );
  }
}

/** A piece of reasoning: one item, shown as a summary, or as the raw chain where the provider gave that. */
import type { ReasoningPart } from '../../../core/chat.ts';
import type { PartDelta, PartEnd, PartStart } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import { PROTOCOL } from '../own-fields.ts';
import { encodeReasoningItem } from '../reasoning-item.ts';
import type { AnswerItem, ItemPosition } from './answer-item.ts';
import { deltaHead } from './event-writer.ts';

export class ReasoningStream implements AnswerItem {
  readonly #position: ItemPosition;
  readonly #start: PartStart;
  readonly #id: string;
  readonly #isRaw: boolean;
  #text = '';
  #head: string | undefined;

  constructor(start: PartStart, position: ItemPosition) {
    this.#start = start;
    this.#position = position;
    const { id, origin, summary } = start.reasoning ?? {};
    // The provider's own id stays with what it encrypted.
    this.#id = id !== undefined && origin === PROTOCOL ? id : position.id;
    this.#isRaw = summary === false;
  }

  begin(): string {
    const item = encodeReasoningItem({ kind: 'reasoning', text: '', summary: !this.#isRaw }, this.#id);
    return this.#position.write.write('response.output_item.added', { output_index: this.#position.index, item });
  }

  delta({ text }: PartDelta): string {
    if (text === '') return '';
    const before = this.#head === undefined ? this.#open() : '';
    this.#text += text;
    return before + this.#position.write.delta(this.#textEvent('delta'), this.#head ?? '', text);
  }

  end({ signature, encrypted }: PartEnd): string {
    const part: ReasoningPart = {
      kind: 'reasoning',
      text: this.#text,
      ...this.#start.reasoning,
      ...(signature !== undefined && { signature }),
      ...(encrypted !== undefined && { encrypted }),
      ...(this.#start.extras && { extras: this.#start.extras }),
    };
    return this.#closeText() + this.#position.done(encodeReasoningItem(part, this.#id));
  }

  #open(): string {
    this.#head = deltaHead(this.#textEvent('delta'), this.#where());
    return this.#position.write.write(this.#partEvent('added'), { ...this.#where(), part: this.#part('') });
  }

  #closeText(): string {
    if (this.#head === undefined) return '';
    const { write } = this.#position;
    return (
      write.write(this.#textEvent('done'), { ...this.#where(), text: this.#text }) +
      write.write(this.#partEvent('done'), { ...this.#where(), part: this.#part(this.#text) })
    );
  }

  #where(): JsonObject {
    const at = { item_id: this.#id, output_index: this.#position.index };
    return this.#isRaw ? { ...at, content_index: 0 } : { ...at, summary_index: 0 };
  }

  #part(text: string): JsonObject {
    return { type: this.#isRaw ? 'reasoning_text' : 'summary_text', text };
  }

  #textEvent(step: 'delta' | 'done'): string {
    return this.#isRaw ? `response.reasoning_text.${step}` : `response.reasoning_summary_text.${step}`;
  }

  #partEvent(step: 'added' | 'done'): string {
    return this.#isRaw ? `response.content_part.${step}` : `response.reasoning_summary_part.${step}`;
  }
}

/** A tool call: one item, under the client's own name of the tool. */
import type { Tool } from '../../../core/chat.ts';
import type { PartDelta, PartStart } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import { joinToolSignature } from '../../tool-signature.ts';
import { kept } from '../own-fields.ts';
import { namesOf, type OwnNames } from '../tool-names.ts';
import type { AnswerItem, ItemPosition } from './answer-item.ts';
import { deltaHead } from './event-writer.ts';

export class CallItem implements AnswerItem {
  readonly #position: ItemPosition;
  readonly #custom: boolean;
  readonly #head: JsonObject;
  readonly #deltaHead: string;
  #text = '';

  constructor(start: PartStart, position: ItemPosition, tools: readonly Tool[]) {
    const { id = '', custom = false, signature } = start.toolCall ?? {};
    const { name, namespace } = calledName(start, tools);
    this.#position = position;
    this.#custom = custom;
    this.#head = {
      id: position.id,
      type: custom ? 'custom_tool_call' : 'function_call',
      // A signature must come back with the call, and clients send only the id back.
      call_id: joinToolSignature(id, signature),
      name,
      ...(namespace !== undefined && { namespace }),
    };
    this.#deltaHead = deltaHead(this.#eventType('delta'), { item_id: position.id, output_index: position.index });
  }

  begin(): string {
    const { write, index } = this.#position;
    return write.write('response.output_item.added', { output_index: index, item: this.#item('in_progress') });
  }

  delta({ text }: PartDelta): string {
    if (text === '') return '';
    this.#text += text;
    return this.#position.write.delta(this.#eventType('delta'), this.#deltaHead, text);
  }

  end(): string {
    // A call without arguments gets `{}`: clients parse the text, and '' is not JSON.
    const none = this.#text === '' && !this.#custom ? this.delta({ type: 'part-delta', part: 0, text: '{}' }) : '';
    const { write, id, index } = this.#position;
    const done = write.write(this.#eventType('done'), {
      item_id: id,
      output_index: index,
      ...(this.#custom ? { input: this.#text } : { name: this.#head['name'], arguments: this.#text }),
    });
    return none + done + this.#position.done(this.#item('completed'));
  }

  #eventType(step: 'delta' | 'done'): string {
    return this.#custom ? `response.custom_tool_call_input.${step}` : `response.function_call_arguments.${step}`;
  }

  #item(status: string): JsonObject {
    return { ...this.#head, status, ...(this.#custom ? { input: this.#text } : { arguments: this.#text }) };
  }
}

/** A tool that the provider found by itself is in no list of the client's, so the provider's own names are kept. */
function calledName(start: PartStart, tools: readonly Tool[]): OwnNames {
  const { name = '', namespace } = start.toolCall ?? {};
  const own = kept(start)?.['name'];
  if (namespace !== undefined && typeof own === 'string' && !tools.some((tool) => tool.name === name)) {
    return { name: own, namespace };
  }
  return namesOf(name, tools);
}

/** The items of a relayed stream, as far as is needed to end it properly when its provider is stopped in the middle. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { EventWriter } from '../client/event-writer.ts';

interface OpenItem {
  item: JsonObject;
  /** Pieces of the text or of the arguments. */
  pieces: string[];
  /** The content part that is open. */
  part: { index: Json; kind: Json } | undefined;
}

export class RelayedItems {
  readonly #done = new Map<number, JsonObject>();
  readonly #open = new Map<number, OpenItem>();

  see(type: string, event: JsonObject): void {
    const { output_index: index, item, part, delta, content_index: contentIndex } = event;
    if (typeof index !== 'number') return;
    switch (type) {
      case 'response.output_item.added':
        if (isJsonObject(item)) this.#open.set(index, { item, pieces: [], part: undefined });
        return;
      case 'response.output_item.done':
        this.#open.delete(index);
        if (isJsonObject(item)) this.#done.set(index, item);
        return;
      case 'response.content_part.added': {
        const open = this.#open.get(index);
        const kind = isJsonObject(part) ? part['type'] : undefined;
        if (open) open.part = { index: contentIndex ?? 0, kind: kind ?? 'output_text' };
        return;
      }
      case 'response.output_text.delta':
      case 'response.refusal.delta':
      case 'response.function_call_arguments.delta':
        if (typeof delta === 'string') this.#open.get(index)?.pieces.push(delta);
    }
  }

  /** Ends what is open, as incomplete. */
  close(write: EventWriter): string {
    let frames = '';
    for (const [index, open] of this.#open) {
      const text = open.pieces.join('');
      const where = { item_id: open.item['id'] ?? '', output_index: index };
      if (open.part) frames += closePart(write, where, open.part, text);
      const item = closedItem(open, text);
      this.#done.set(index, item);
      frames += write.write('response.output_item.done', { output_index: index, item });
    }
    this.#open.clear();
    return frames;
  }

  get output(): JsonObject[] {
    return [...this.#done].sort(([a], [b]) => a - b).map(([, item]) => item);
  }
}

function closePart(
  write: EventWriter,
  where: JsonObject,
  { index, kind }: { index: Json; kind: Json },
  text: string,
): string {
  const place = { ...where, content_index: index };
  const done =
    kind === 'refusal'
      ? write.write('response.refusal.done', { ...place, refusal: text })
      : write.write('response.output_text.done', { ...place, text, logprobs: [] });
  return done + write.write('response.content_part.done', { ...place, part: contentOf(kind, text) });
}

function closedItem({ item, part }: OpenItem, text: string): JsonObject {
  const ended: JsonObject = { ...item, status: 'incomplete' };
  if (part) ended['content'] = [contentOf(part.kind, text)];
  else if (item['type'] === 'function_call') ended['arguments'] = text;
  return ended;
}

function contentOf(kind: Json, text: string): JsonObject {
  return kind === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
}

/**
 * One item of a streamed answer, from its events to canonical parts. The `done` events fill in what deltas left out.
 */
import type { ChatEvent, PartStart } from '../../../core/events.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { decodeAnnotation } from '../annotations.ts';
import { PROTOCOL } from '../own-fields.ts';
import { decodeReasoningItem, spokenReasoning } from '../reasoning-item.ts';
import { argumentsOf, imagePart, itemExtras, messageExtras, opaque, textOf, toolCallStart } from './output-parts.ts';

type Emit = (event: ChatEvent) => void;
type Start = Omit<PartStart, 'type' | 'part' | 'choice'>;

interface OpenPart {
  number: number;
  text: string;
  open: boolean;
  /** True when its whole text is known. */
  settled: boolean;
}

export class ItemStream {
  readonly #nextPart: () => number;
  #item: JsonObject;
  /** Parts by content index; the one part of a call or of reasoning is number 0. */
  readonly #parts = new Map<number, OpenPart>();
  #lastSummary: Json | undefined;
  #spokenAs: 'summary' | 'content' | undefined;
  #done = false;

  constructor(item: JsonObject, nextPart: () => number) {
    this.#item = item;
    this.#nextPart = nextPart;
  }

  begin(emit: Emit): void {
    const start = this.#callStart();
    if (start) this.#part(0, start, emit);
  }

  text(contentIndex: number, kind: 'text' | 'refusal', text: string, logprobs: Json | undefined, emit: Emit): void {
    const part = this.#part(contentIndex, { kind, ...messageExtras(this.#item) }, emit);
    part.text += text;
    const chances = Array.isArray(logprobs) && logprobs.length > 0 ? { logprobs: { content: logprobs } } : {};
    if (text !== '') emit({ type: 'part-delta', part: part.number, text, ...chances });
  }

  /** Takes the whole text, whose end, or all of it, may be missing in the deltas. */
  textDone(contentIndex: number, kind: 'text' | 'refusal', whole: string, emit: Emit): void {
    if (this.#done) return;
    const index = this.#positionOf(contentIndex, whole);
    this.#fillUp(index, kind, whole, emit);
    const part = this.#parts.get(index);
    if (part) part.settled = true;
  }

  /**
   * Some providers number a part differently in its deltas than at its end. Text that has already been sent is not sent again.
   */
  #positionOf(contentIndex: number, whole: string): number {
    if (this.#parts.has(contentIndex)) return contentIndex;
    for (const [index, { text, settled }] of this.#parts) {
      if (!settled && text !== '' && whole.startsWith(text)) return index;
    }
    return contentIndex;
  }

  #fillUp(index: number, kind: 'text' | 'refusal', whole: string, emit: Emit): void {
    const seen = this.#parts.get(index)?.text ?? '';
    if (whole.length > seen.length && whole.startsWith(seen)) {
      this.text(index, kind, whole.slice(seen.length), undefined, emit);
    }
  }

  annotation(contentIndex: number, wire: Json | undefined, emit: Emit): void {
    const citation = decodeAnnotation(wire);
    if (!citation) return;
    const part = this.#part(contentIndex, { kind: 'text', ...messageExtras(this.#item) }, emit);
    emit({ type: 'part-delta', part: part.number, text: '', citation });
  }

  arguments(text: string, emit: Emit): void {
    const part = this.#parts.get(0);
    if (!part || text === '') return;
    part.text += text;
    emit({ type: 'part-delta', part: part.number, text });
  }

  argumentsDone(whole: string, emit: Emit): void {
    const part = this.#parts.get(0);
    if (part?.open && whole.startsWith(part.text)) this.arguments(whole.slice(part.text.length), emit);
  }

  /** Either the summary or the raw chain is shown, whichever comes first; its parts are separated by an empty line. */
  reasoning(form: 'summary' | 'content', index: Json | undefined, text: string, emit: Emit): void {
    this.#spokenAs ??= form;
    if (this.#spokenAs !== form || text === '') return;
    const part = this.#reasoningPart(form === 'summary', emit);
    const apart = this.#lastSummary !== undefined && this.#lastSummary !== index ? '\n\n' : '';
    this.#lastSummary = index;
    part.text += apart + text;
    emit({ type: 'part-delta', part: part.number, text: apart + text });
  }

  done(item: JsonObject | undefined, emit: Emit): void {
    if (this.#done) return;
    if (item) this.#item = item;
    switch (this.#item['type']) {
      case 'message':
        this.#fillMessage(emit);
        break;
      case 'reasoning':
        this.#endReasoning(emit);
        break;
      case 'function_call':
      case 'custom_tool_call': {
        const start = this.#callStart();
        if (start) this.#part(0, start, emit);
        this.argumentsDone(argumentsOf(this.#item), emit);
        if (!start) this.#whole(emit);
        break;
      }
      default:
        this.#whole(emit);
    }
    this.#done = true;
    for (const part of this.#parts.values()) this.#close(part, {}, emit);
  }

  #callStart(): Start | undefined {
    const { type } = this.#item;
    const toolCall = type === 'function_call' || type === 'custom_tool_call' ? toolCallStart(this.#item) : undefined;
    return toolCall && { kind: 'tool-call', toolCall, ...itemExtras(this.#item) };
  }

  #part(index: number, start: Start, emit: Emit): OpenPart {
    const known = this.#parts.get(index);
    if (known) return known;
    // Content parts follow one another: a new one ends the one before.
    for (const part of this.#parts.values()) this.#close(part, {}, emit);
    const part: OpenPart = { number: this.#nextPart(), text: '', open: true, settled: false };
    this.#parts.set(index, part);
    emit({ type: 'part-start', part: part.number, choice: 0, ...start });
    return part;
  }

  #close(part: OpenPart, end: { encrypted?: string; signature?: string }, emit: Emit): void {
    if (!part.open) return;
    part.open = false;
    emit({ type: 'part-end', part: part.number, ...end });
  }

  #fillMessage(emit: Emit): void {
    const content = Array.isArray(this.#item['content']) ? this.#item['content'] : [];
    // A part whose index the finished item also has is settled; any other may be listed there under another index.
    for (const [index, part] of this.#parts) part.settled = wordsOf(content[index]) !== undefined;
    for (const [index, part] of content.entries()) {
      const whole = wordsOf(part);
      if (whole === undefined || !isJsonObject(part)) continue;
      const position = this.#positionOf(index, whole);
      const unseen = !this.#parts.has(position);
      this.#fillUp(position, part['type'] === 'refusal' ? 'refusal' : 'text', whole, emit);
      const filled = this.#parts.get(position);
      if (filled) filled.settled = true;
      // Providers that never streamed the part never streamed its annotations either.
      if (unseen && Array.isArray(part['annotations'])) {
        for (const wire of part['annotations']) this.annotation(position, wire, emit);
      }
    }
  }

  #reasoningPart(summary: boolean | undefined, emit: Emit): OpenPart {
    const { id } = this.#item;
    const reasoning = {
      ...(typeof id === 'string' && id !== '' && { id }),
      ...(summary !== undefined && { summary }),
      origin: PROTOCOL,
    } as const;
    return this.#part(0, { kind: 'reasoning', reasoning }, emit);
  }

  #endReasoning(emit: Emit): void {
    const { text, summary } = spokenReasoning(this.#item);
    const { encrypted } = decodeReasoningItem(this.#item);
    const seen = this.#parts.get(0);
    if (!seen && text === '' && encrypted === undefined) return;
    const part = seen ?? this.#reasoningPart(summary, emit);
    if (!seen && text !== '') emit({ type: 'part-delta', part: part.number, text });
    this.#close(part, encrypted === undefined ? {} : { encrypted }, emit);
  }

  /** An item without deltas of its own is emitted whole at its end. */
  #whole(emit: Emit): void {
    const { result } = this.#item;
    if (this.#item['type'] === 'image_generation_call' && typeof result === 'string') {
      const { mediaType, data } = imagePart(this.#item, result).source;
      this.#part(0, { kind: 'image', image: { mediaType, data } }, emit);
    } else {
      const { kind, extras } = opaque(this.#item);
      this.#part(0, { kind, ...(extras && { extras }) }, emit);
    }
  }
}

/** Returns undefined for content that is not text of the model. */
function wordsOf(part: Json | undefined): string | undefined {
  if (!isJsonObject(part)) return undefined;
  if (part['type'] === 'refusal') return textOf(part['refusal']);
  return part['type'] === 'output_text' ? textOf(part['text']) : undefined;
}

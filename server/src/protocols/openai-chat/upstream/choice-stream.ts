/** One choice of a streamed answer: the parts it has open and the tool calls it is building. */
import type { Finish } from '../../../core/chat.ts';
import type { ChatEvent, PartStart, StreamedPartKind } from '../../../core/events.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { readCitations, readContent, readImages, readReasoningText, textAlone } from '../message-parts.ts';
import { originOf } from '../reasoning-details.ts';
import { type AssembledCall, ToolAssembly } from './tool-assembly.ts';

type Emit = (event: ChatEvent) => void;

/** Parts are numbered over the whole answer, so all its choices share one counter. */
export interface PartNumbers {
  next: number;
}

interface OpenPart {
  number: number;
  kind: StreamedPartKind;
  /** The text of reasoning so far, and the block of `reasoning_details` it came from. */
  text: string;
  block: Json | undefined;
  signature: string | undefined;
  encrypted: string | undefined;
}

export class ChoiceStream {
  readonly #index: number;
  readonly #numbers: PartNumbers;
  readonly #tools: ToolAssembly;
  readonly #toolParts = new Map<AssembledCall, { number: number; signature: string | undefined }>();
  /** The one part that is not a tool call and still grows. */
  #open: OpenPart | undefined;
  #spoke = false;
  finish: Finish | undefined;

  constructor(index: number, numbers: PartNumbers) {
    this.#index = index;
    this.#numbers = numbers;
    this.#tools = new ToolAssembly(index);
  }

  /** True while nothing of it has arrived. */
  get isSilent(): boolean {
    return !this.#spoke;
  }

  get hasNamelessCall(): boolean {
    return this.#tools.hasNameless;
  }

  read(delta: JsonObject, logprobs: JsonObject | undefined, responseId: string | undefined, emit: Emit): void {
    const alone = logprobs ? undefined : textAlone(delta);
    if (alone === undefined) this.#readAll(delta, logprobs, responseId, emit);
    else if (alone !== '') this.#say('text', alone, emit);
  }

  /** More text of the same kind as the last delta. */
  repeat(text: string): void {
    if (this.#open?.kind === 'reasoning') this.#open.text += text;
  }

  #readAll(delta: JsonObject, logprobs: JsonObject | undefined, responseId: string | undefined, emit: Emit): void {
    const { text, thinking } = readContent(delta['content']);
    this.#readReasoning(delta, thinking, emit);
    if (text !== '' || (logprobs && hasEntries(logprobs, 'content'))) this.#say('text', text, emit, logprobs);
    const { refusal } = delta;
    if (typeof refusal === 'string' && refusal !== '') this.#say('refusal', refusal, emit, logprobs);
    if (delta['annotations'] !== undefined) {
      for (const citation of readCitations(delta['annotations'])) {
        emit({ type: 'part-delta', part: this.#ensure('text', emit).number, text: '', citation });
      }
    }
    if (delta['images'] !== undefined) this.#readImages(delta['images'], emit);
    if (isJsonObject(delta['audio'])) this.#readAudio(delta['audio'], emit);
    if (delta['tool_calls'] !== undefined) this.#readTools(delta['tool_calls'], responseId, emit);
    // The legacy form has one call and neither index nor id.
    if (isJsonObject(delta['function_call']))
      this.#readTools([{ index: 0, function: delta['function_call'] }], responseId, emit);
  }

  close(emit: Emit): void {
    this.#closeOpen(emit);
    for (const { number, signature } of this.#toolParts.values()) {
      emit({ type: 'part-end', part: number, ...(signature !== undefined && { signature }) });
    }
    this.#toolParts.clear();
  }

  #say(kind: 'text' | 'refusal' | 'reasoning', text: string, emit: Emit, logprobs?: JsonObject): void {
    const part = this.#ensure(kind, emit);
    if (kind === 'reasoning') part.text += text;
    emit(
      logprobs
        ? { type: 'part-delta', part: part.number, text, logprobs }
        : { type: 'part-delta', part: part.number, text },
    );
  }

  #ensure(kind: StreamedPartKind, emit: Emit, start: Partial<PartStart> = {}): OpenPart {
    if (this.#open?.kind === kind) return this.#open;
    this.#closeOpen(emit);
    const number = this.#startPart(kind, start, emit);
    this.#open = { number, kind, text: '', block: undefined, signature: undefined, encrypted: undefined };
    return this.#open;
  }

  #startPart(kind: StreamedPartKind, start: Partial<PartStart>, emit: Emit): number {
    this.#spoke = true;
    const part = this.#numbers.next++;
    emit({ type: 'part-start', part, choice: this.#index, kind, ...start });
    return part;
  }

  #closeOpen(emit: Emit): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const { signature, encrypted } = open;
    emit({
      type: 'part-end',
      part: open.number,
      ...(signature !== undefined && { signature }),
      ...(encrypted !== undefined && { encrypted }),
    });
  }

  #readReasoning(delta: JsonObject, thinking: string, emit: Emit): void {
    const details = delta['reasoning_details'];
    let told = false;
    if (Array.isArray(details)) {
      for (const item of details) if (isJsonObject(item)) told = this.#readDetail(item, emit) || told;
    }
    // Providers that send details repeat the same text in `reasoning`.
    const text = told ? '' : thinking || readReasoningText(delta);
    if (text !== '') this.#say('reasoning', text, emit);
  }

  /** Returns true when it contained text. */
  #readDetail(item: JsonObject, emit: Emit): boolean {
    const { text, summary, signature, data, id, format, index } = item;
    const origin = originOf(format);
    const known = { ...(typeof id === 'string' && { id }), ...(origin && { origin }) };
    if (typeof data === 'string') {
      this.#readEncrypted(data, index, known, emit);
      return false;
    }
    const words = typeof text === 'string' ? text : typeof summary === 'string' ? summary : '';
    if (words === '' && typeof signature !== 'string' && Object.keys(known).length === 0) return false;
    if (this.#open?.kind === 'reasoning' && startsAnotherBlock(this.#open, index)) this.#closeOpen(emit);
    const reasoning = { ...known, ...(typeof summary === 'string' && { summary: true }) };
    const part = this.#ensure('reasoning', emit, Object.keys(reasoning).length > 0 ? { reasoning } : {});
    part.block ??= index;
    if (typeof signature === 'string') part.signature = signature;
    // A closing item may repeat the block's whole text beside the signature.
    const heard = typeof signature === 'string' && words === part.text;
    if (words !== '' && !heard) {
      part.text += words;
      emit({ type: 'part-delta', part: part.number, text: words });
    }
    return words !== '';
  }

  /** Encrypted text belongs to the readable block of its index, where there is one. */
  #readEncrypted(data: string, index: Json | undefined, known: PartStart['reasoning'], emit: Emit): void {
    const open = this.#open;
    if (
      open?.kind === 'reasoning' &&
      open.block !== undefined &&
      open.block === index &&
      open.encrypted === undefined
    ) {
      open.encrypted = data;
      return;
    }
    this.#closeOpen(emit);
    emit({ type: 'part-end', part: this.#startPart('reasoning', { reasoning: { ...known, encrypted: data } }, emit) });
  }

  #readImages(images: Json | undefined, emit: Emit): void {
    for (const { source } of readImages(images)) {
      this.#closeOpen(emit);
      if (source.kind === 'data') {
        const image = { mediaType: source.mediaType, data: source.data };
        emit({ type: 'part-end', part: this.#startPart('image', { image }, emit) });
      } else if (source.kind === 'url') {
        this.#say('text', source.url, emit);
      }
    }
  }

  #readAudio({ id, data, transcript }: JsonObject, emit: Emit): void {
    const part = this.#ensure('audio', emit, typeof id === 'string' && id !== '' ? { audio: { id } } : {});
    const text = typeof data === 'string' ? data : '';
    if (text === '' && typeof transcript !== 'string') return;
    emit({ type: 'part-delta', part: part.number, text, ...(typeof transcript === 'string' && { transcript }) });
  }

  #readTools(entries: Json | undefined, responseId: string | undefined, emit: Emit): void {
    for (const { call, starts, text, lateSignature } of this.#tools.push(entries, responseId)) {
      if (starts) this.#startCall(call, emit);
      const part = this.#toolParts.get(call);
      if (!part) continue;
      if (lateSignature !== undefined) part.signature = lateSignature;
      if (text !== '') emit({ type: 'part-delta', part: part.number, text });
    }
  }

  #startCall(call: AssembledCall, emit: Emit): void {
    this.#closeOpen(emit);
    const { id = '', name = '', custom, signature } = call;
    const toolCall = { id, name, ...(custom && { custom }), ...(signature !== undefined && { signature }) };
    this.#toolParts.set(call, { number: this.#startPart('tool-call', { toolCall }, emit), signature: undefined });
  }
}

/** Blocks are distinguished by their index; a signed one has ended. */
function startsAnotherBlock(open: OpenPart, index: Json | undefined): boolean {
  if (open.signature !== undefined || open.encrypted !== undefined) return true;
  return open.block !== undefined && index !== undefined && open.block !== index;
}

function hasEntries(logprobs: JsonObject, field: string): boolean {
  const list = logprobs[field];
  return Array.isArray(list) && list.length > 0;
}

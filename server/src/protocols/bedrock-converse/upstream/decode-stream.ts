/** Events of ConverseStream → canonical events. No event opens a text: its first delta does. */
import type { Finish } from '../../../core/chat.ts';
import type { ChatEvent, PartStart } from '../../../core/events.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { EXCEPTION_EVENT } from '../../amazon-frames.ts';
import { awsException } from '../../aws-failure.ts';
import type { SseFrame, StreamDecoder } from '../../protocol.ts';
import { decodeFinish } from '../finish.ts';
import { PROTOCOL } from '../own-fields.ts';
import { decodeUsage } from '../usage.ts';
import { servedTier } from './decode-response.ts';

type Emit = (event: ChatEvent) => void;

interface OpenBlock {
  part: number;
  kind: 'text' | 'reasoning' | 'tool-call';
  hasContent: boolean;
  signature: string;
}

export class ConverseDecoder implements StreamDecoder {
  readonly #open = new Map<Json, OpenBlock>();
  #nextPart = 0;
  #finish: Finish | undefined;
  #ended = false;

  push({ event, json }: SseFrame, emit: Emit): void {
    if (!isJsonObject(json)) {
      emit({ type: 'failure', failure: { kind: 'malformed', message: 'an event is not a JSON object' } });
      return;
    }
    switch (event) {
      case 'messageStart':
        emit({ type: 'response-start' });
        break;
      case 'contentBlockStart':
        this.#start(json, emit);
        break;
      case 'contentBlockDelta':
        this.#delta(json, emit);
        break;
      case 'contentBlockStop':
        this.#stop(json['contentBlockIndex'], emit);
        break;
      case 'messageStop':
        this.#finish = decodeFinish(json['stopReason']);
        break;
      case 'metadata':
        this.#metadata(json, emit);
        break;
      case EXCEPTION_EVENT:
        emit({ type: 'failure', failure: awsException(textOf(json['exception']), json['error']) });
    }
  }

  end(emit: Emit): void {
    // Only the usage report is lost; the answer is complete.
    if (this.#finish) this.#end({}, emit);
  }

  #start({ contentBlockIndex: index, start }: JsonObject, emit: Emit): void {
    const tool = isJsonObject(start) ? start['toolUse'] : undefined;
    if (index === undefined || !isJsonObject(tool)) return;
    const { toolUseId: id, name } = tool;
    if (typeof id !== 'string' || typeof name !== 'string') return;
    this.#opened(index, 'tool-call', { toolCall: { id, name } }, emit);
  }

  #delta({ contentBlockIndex: index, delta }: JsonObject, emit: Emit): void {
    if (index === undefined || !isJsonObject(delta)) return;
    const { text, toolUse, reasoningContent } = delta;
    if (typeof text === 'string') this.#give(this.#blockAt(index, 'text', emit), text, emit);
    else if (isJsonObject(toolUse)) this.#give(this.#open.get(index), textOf(toolUse['input']), emit);
    else if (isJsonObject(reasoningContent)) this.#reason(index, reasoningContent, emit);
  }

  #reason(index: Json, { text, signature, redactedContent }: JsonObject, emit: Emit): void {
    if (typeof redactedContent === 'string') {
      // Hidden reasoning comes whole.
      if (!this.#open.has(index))
        this.#opened(index, 'reasoning', { reasoning: { origin: PROTOCOL, encrypted: redactedContent } }, emit);
      return;
    }
    const block = this.#blockAt(index, 'reasoning', emit);
    if (typeof signature === 'string') block.signature += signature;
    this.#give(block, textOf(text), emit);
  }

  #blockAt(index: Json, kind: 'text' | 'reasoning', emit: Emit): OpenBlock {
    const known = this.#open.get(index);
    if (known) return known;
    return this.#opened(index, kind, kind === 'reasoning' ? { reasoning: { origin: PROTOCOL } } : {}, emit);
  }

  #opened(index: Json, kind: OpenBlock['kind'], more: Partial<PartStart>, emit: Emit): OpenBlock {
    this.#stop(index, emit);
    const block: OpenBlock = { part: this.#nextPart++, kind, hasContent: false, signature: '' };
    this.#open.set(index, block);
    emit({ ...more, type: 'part-start', part: block.part, choice: 0, kind });
    return block;
  }

  #give(block: OpenBlock | undefined, text: string | undefined, emit: Emit): void {
    if (!block || text === undefined || text === '') return;
    block.hasContent = true;
    emit({ type: 'part-delta', part: block.part, text });
  }

  #stop(index: Json | undefined, emit: Emit): void {
    const block = index === undefined ? undefined : this.#open.get(index);
    if (index === undefined || !block) return;
    this.#open.delete(index);
    const { part, kind, hasContent, signature } = block;
    if (kind === 'tool-call' && !hasContent) emit({ type: 'part-delta', part, text: '{}' });
    emit({ type: 'part-end', part, ...(signature !== '' && { signature }) });
  }

  /** The last event, after the end of the message. */
  #metadata(json: JsonObject, emit: Emit): void {
    const { usage } = json;
    if (isJsonObject(usage)) emit({ type: 'usage-update', usage: decodeUsage(usage) });
    if (this.#finish) this.#end(json, emit);
  }

  #end(json: JsonObject, emit: Emit): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const index of [...this.#open.keys()]) this.#stop(index, emit);
    emit({ type: 'response-end', finishes: [this.#finish ?? { kind: 'stop' }], ...servedTier(json) });
  }
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

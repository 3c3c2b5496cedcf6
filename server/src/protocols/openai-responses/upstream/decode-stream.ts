/** A provider's stream of this protocol to canonical events. */
import type { ChatEvent } from '../../../core/events.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { SseFrame, StreamDecoder } from '../../protocol.ts';
import { errorIn, inBandFailure } from '../../provider-error.ts';
import { decodeFinish, failureOf } from '../finish.ts';
import { ToolCounter, withToolUsage } from '../tool-usage.ts';
import { decodeUsage } from '../usage.ts';
import { ItemStream } from './item-stream.ts';
import { textOf } from './output-parts.ts';

type Emit = (event: ChatEvent) => void;

export class ResponsesStreamDecoder implements StreamDecoder {
  /** Items by output index. */
  readonly #items = new Map<number, ItemStream>();
  readonly #tools = new ToolCounter();
  #started = false;
  #nextPart = 0;

  push({ json, data }: SseFrame, emit: Emit): void {
    if (!isJsonObject(json)) {
      // Some compatible providers close with the chat protocol's marker; any other text is a piece of the answer we cannot read.
      if (data !== '[DONE]' && data.trim() !== '') {
        emit({ type: 'failure', failure: { kind: 'malformed', message: 'a frame is not a JSON object' } });
      }
      return;
    }
    const type = typeof json['type'] === 'string' ? json['type'] : '';
    if (type === '' || type === 'error') {
      const error = errorIn(json);
      if (error) emit({ type: 'failure', failure: inBandFailure(error) });
      return;
    }
    if (type.startsWith('response.output_item.')) this.#item(type, json, emit);
    else if (isJsonObject(json['response'])) this.#lifecycle(type, json['response'], emit);
    else this.#content(type, json, emit);
  }

  end(): void {
    // The guard turns a missing terminal event into a failure.
  }

  #lifecycle(type: string, response: JsonObject, emit: Emit): void {
    switch (type) {
      case 'response.completed':
      case 'response.incomplete':
      case 'response.done':
        this.#start(response, emit);
        this.#finish(response, emit);
        break;
      case 'response.failed':
      case 'response.cancelled':
        emit({
          type: 'failure',
          failure: failureOf(response) ?? { kind: 'server', message: `the provider said ${type}` },
        });
        break;
      default:
        this.#start(response, emit);
    }
  }

  #start({ id, model, created_at: created }: JsonObject, emit: Emit): void {
    if (this.#started) return;
    this.#started = true;
    emit({
      type: 'response-start',
      ...(typeof id === 'string' && { id }),
      ...(typeof model === 'string' && { model }),
      ...(typeof created === 'number' && { created: Math.floor(created) }),
    });
  }

  #finish(response: JsonObject, emit: Emit): void {
    const failure = failureOf({
      ...response,
      status: response['status'] === 'in_progress' ? null : response['status'],
    });
    if (failure) {
      emit({ type: 'failure', failure });
      return;
    }
    const output = Array.isArray(response['output']) ? response['output'].filter(isJsonObject) : [];
    // Some items had no start or end event: the final event repeats everything.
    for (const [index, item] of output.entries()) this.#itemAt(index, item).done(item, emit);
    for (const item of this.#items.values()) item.done(undefined, emit);
    for (const [index, item] of output.entries()) this.#tools.see(index, item);
    const usage = withToolUsage(decodeUsage(response['usage']), response, this.#tools.counts());
    if (usage) emit({ type: 'usage-update', usage });
    const { service_tier: tier } = response;
    const served = typeof tier === 'string' ? { serviceTier: tier } : {};
    emit({ type: 'response-end', finishes: [decodeFinish(response)], ...served });
  }

  #item(type: string, event: JsonObject, emit: Emit): void {
    const { item } = event;
    if (!isJsonObject(item)) return;
    const index = numberOf(event['output_index'], this.#items.size);
    if (this.#tools.see(index, item))
      emit({ type: 'usage-update', usage: { buckets: this.#tools.counts(), source: 'upstream' } });
    const isNew = !this.#items.has(index);
    const stream = this.#itemAt(index, item);
    if (type === 'response.output_item.done') stream.done(item, emit);
    else if (isNew) stream.begin(emit);
  }

  #itemAt(index: number, item: JsonObject): ItemStream {
    let stream = this.#items.get(index);
    if (!stream) {
      stream = new ItemStream(item, () => this.#nextPart++);
      this.#items.set(index, stream);
    }
    return stream;
  }

  #content(type: string, event: JsonObject, emit: Emit): void {
    const read = CONTENT_EVENTS[type];
    if (!read) return;
    const item = this.#itemAt(numberOf(event['output_index'], 0), itemOf(type, event));
    read(item, { event, delta: textOf(event['delta']), index: numberOf(event['content_index'], 0) }, emit);
  }
}

interface Content {
  event: JsonObject;
  delta: string;
  /** Index of the content part. */
  index: number;
}

/** Events that carry content. All others report progress, or items that are shown whole at their end. */
const CONTENT_EVENTS: Record<string, (item: ItemStream, content: Content, emit: Emit) => void> = {
  'response.output_text.delta': (item, { event, delta, index }, emit) =>
    item.text(index, 'text', delta, event['logprobs'], emit),
  'response.output_text.done': (item, { event, index }, emit) =>
    item.textDone(index, 'text', textOf(event['text']), emit),
  'response.output_text.annotation.added': (item, { event, index }, emit) =>
    item.annotation(index, event['annotation'], emit),
  'response.refusal.delta': (item, { delta, index }, emit) => item.text(index, 'refusal', delta, undefined, emit),
  'response.refusal.done': (item, { event, index }, emit) =>
    item.textDone(index, 'refusal', textOf(event['refusal']), emit),
  'response.function_call_arguments.delta': (item, { delta }, emit) => item.arguments(delta, emit),
  'response.function_call_arguments.done': (item, { event }, emit) =>
    item.argumentsDone(textOf(event['arguments']), emit),
  'response.custom_tool_call_input.delta': (item, { delta }, emit) => item.arguments(delta, emit),
  'response.custom_tool_call_input.done': (item, { event }, emit) => item.argumentsDone(textOf(event['input']), emit),
  'response.reasoning_summary_text.delta': (item, { event, delta }, emit) =>
    item.reasoning('summary', event['summary_index'], delta, emit),
  'response.reasoning_text.delta': (item, { event, delta }, emit) =>
    item.reasoning('content', event['content_index'], delta, emit),
};

/** Says of a delta whose item was never announced what the item must have been. */
function itemOf(type: string, { item_id: id }: JsonObject): JsonObject {
  const isReasoning = type.startsWith('response.reasoning');
  return { type: isReasoning ? 'reasoning' : 'message', ...(typeof id === 'string' && { id }) };
}

function numberOf(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : otherwise;
}

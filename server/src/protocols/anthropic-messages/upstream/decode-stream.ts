/**
 * Stream frames → canonical events. The guard around it repairs splices and cuts; the decoder reads what the provider
 * meant.
 */
import type { Finish } from '../../../core/chat.ts';
import type { ChatEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import type { Usage } from '../../../core/usage.ts';
import type { SseFrame, StreamDecoder } from '../../protocol.ts';
import { fieldsBeside } from '../../read-fields.ts';
import { decodeFinish } from '../finish.ts';
import { keep } from '../own-fields.ts';
import { countToolBlock, withCounted } from '../tool-usage.ts';
import { decodeUsage, joinRawUsage, servedTier } from '../usage.ts';
import { findError } from './decode-failure.ts';
import { MESSAGE_FIELDS } from './decode-response.ts';
import { BlockDecoder } from './stream-blocks.ts';

type Emit = (event: ChatEvent) => void;

export function openDecoder(): StreamDecoder {
  return new MessagesDecoder();
}

class MessagesDecoder implements StreamDecoder {
  readonly #blocks = new BlockDecoder();
  #usage: JsonObject | undefined;
  #tools: Usage['buckets'] | undefined;
  #finish: Finish | undefined;
  #endFields: JsonObject = {};
  #ended = false;

  push(frame: SseFrame, emit: Emit): void {
    const { json, data, event } = frame;
    if (!isJsonObject(json)) {
      // Some compatible providers close with OpenAI's marker; any other text is a piece of the answer we cannot read.
      if (data !== '[DONE]' && data.trim() !== '') {
        emit({ type: 'failure', failure: { kind: 'malformed', message: 'a frame is not a JSON object' } });
      }
      return;
    }
    const failure = findError(json) ?? (event === 'error' ? findError({ type: 'error', ...json }) : undefined);
    if (failure) emit({ type: 'failure', failure });
    else this.#read(json, emit);
  }

  /** Deltas of text and thinking change no state here. */
  repeat(): void {}

  end(emit: Emit): void {
    // A stop reason says that the model is done; a missing `message_stop` after it loses nothing.
    if (this.#finish) this.#end(emit);
  }

  #read(json: JsonObject, emit: Emit): void {
    switch (json['type']) {
      case 'message_start':
        this.#start(json['message'], emit);
        break;
      case 'content_block_start':
        this.#blocks.start(json['index'], json['content_block'], emit);
        this.#countTool(json['content_block'], emit);
        break;
      case 'content_block_delta':
        this.#blocks.delta(json['index'], json['delta'], emit);
        break;
      case 'content_block_stop':
        this.#blocks.stop(json['index'], emit);
        break;
      case 'message_delta':
        this.#messageDelta(json, emit);
        break;
      case 'message_stop':
        this.#end(emit);
        break;
    }
  }

  #start(message: JsonObject[string], emit: Emit): void {
    if (!isJsonObject(message)) return;
    const { id, model } = message;
    emit({
      type: 'response-start',
      ...(typeof id === 'string' && { id }),
      ...(typeof model === 'string' && { model }),
      ...keep(fieldsBeside(message, MESSAGE_FIELDS)),
    });
    this.#report(withoutTools(message['usage']), emit);
  }

  #messageDelta(json: JsonObject, emit: Emit): void {
    const delta = isJsonObject(json['delta']) ? json['delta'] : {};
    if (typeof delta['stop_reason'] === 'string') {
      this.#finish = decodeFinish(delta['stop_reason'], delta['stop_sequence']);
    }
    this.#endFields = {
      ...this.#endFields,
      ...fieldsBeside(delta, DELTA_FIELDS),
      ...fieldsBeside(json, DELTA_EVENT_FIELDS),
    };
    this.#report(json['usage'], emit);
  }

  #report(usage: JsonObject[string], emit: Emit): void {
    if (!isJsonObject(usage)) return;
    this.#usage = joinRawUsage(this.#usage, usage);
    emit({ type: 'usage-update', usage: withCounted(decodeUsage(this.#usage), this.#tools) });
  }

  /** Calls of tools are counted when they begin: a reader who leaves in the middle of a search has caused it. */
  #countTool(block: JsonObject[string], emit: Emit): void {
    if (!isJsonObject(block) || block['type'] !== 'server_tool_use') return;
    this.#tools ??= {};
    if (countToolBlock(this.#tools, block))
      emit({ type: 'usage-update', usage: { buckets: { ...this.#tools }, source: 'upstream' } });
  }

  #end(emit: Emit): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#blocks.stopAll(emit);
    const fields = Object.keys(this.#endFields).length > 0 ? this.#endFields : undefined;
    const tier = this.#usage && servedTier(this.#usage);
    emit({ type: 'response-end', finishes: [this.#finish ?? { kind: 'stop' }], ...tier, ...keep(fields) });
  }
}

/** Nothing has run yet, and a zero here must not stand in for a report that never comes. */
function withoutTools(usage: JsonObject[string]): JsonObject[string] {
  if (!isJsonObject(usage) || usage['server_tool_use'] === undefined) return usage;
  const { server_tool_use: _none, ...rest } = usage;
  return rest;
}

const DELTA_FIELDS: ReadonlySet<string> = new Set(['stop_reason', 'stop_sequence']);
const DELTA_EVENT_FIELDS: ReadonlySet<string> = new Set(['type', 'delta', 'usage']);

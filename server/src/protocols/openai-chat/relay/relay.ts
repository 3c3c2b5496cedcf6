/**
 * Both ends speak the chat protocol: the answer and its frames are patched, not translated, so fields we do not know survive.
 * What the contract promises about the form of a stream is restored where a provider does otherwise.
 */
import type { GatewayError } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView, SseFrame, StreamRelay } from '../../protocol.ts';
import { ChunkWriter } from '../client/chunk-writer.ts';
import { addClosing } from '../client/encode-response.ts';
import { errorFrame } from '../client/errors.ts';
import { RelayedChoice, regularMessage } from './relayed-choice.ts';
import { RelayedFields } from './relayed-fields.ts';

export function patchResponse(body: JsonObject, view: ClientView, closing: AnswerClosing): JsonObject {
  const patched: JsonObject = { ...body };
  patched['id'] = view.responseId;
  patched['object'] = 'chat.completion';
  patched['created'] = view.created;
  patched['model'] = view.model;
  patched['system_fingerprint'] ??= null;
  patched['choices'] = regularChoices(body['choices'], view.responseId);
  return addClosing(patched, closing);
}

function regularChoices(wire: Json | undefined, responseId: string): JsonObject[] {
  if (!Array.isArray(wire)) return [];
  const choices = wire.every(isJsonObject) ? wire : wire.filter(isJsonObject);
  return choices.map((choice, index) => regularMessage(choice, index, responseId));
}

export class ChatStreamRelay implements StreamRelay {
  readonly #view: ClientView;
  readonly #write: ChunkWriter;
  readonly #choices = new Map<number, RelayedChoice>();
  readonly #fields = new RelayedFields();

  constructor(view: ClientView) {
    this.#view = view;
    this.#write = new ChunkWriter(view);
  }

  forward({ json }: SseFrame): string {
    // Errors, usage and the terminator wait for `fail` and `finish`.
    if (!isJsonObject(json) || json['error'] !== undefined) return '';
    const { choices } = json;
    this.#fields.read(json);
    let frames = '';
    if (Array.isArray(choices)) {
      for (const choice of choices) if (isJsonObject(choice)) frames += this.#forwardChoice(choice);
    }
    return frames;
  }

  cutShort(): string {
    let frames = '';
    for (const choice of this.#choices.values()) frames += choice.cutShort(this.#write);
    return frames;
  }

  finish(closing: AnswerClosing): string {
    let frames = '';
    for (const choice of this.#choices.values()) frames += choice.end(this.#write);
    return frames + this.#write.closing(closing, this.#fields.untold());
  }

  fail(error: GatewayError): string {
    return errorFrame(error, this.#view);
  }

  #forwardChoice(wire: JsonObject): string {
    const index = typeof wire['index'] === 'number' ? wire['index'] : 0;
    const known = this.#choices.get(index);
    const choice = known ?? new RelayedChoice(index, this.#view.responseId);
    const patched = choice.patch(wire);
    let frames = known ? '' : this.#begin(index, choice, patched === undefined);
    if (patched) frames += this.#write.relayed(patched, this.#fields.take());
    return frames + choice.finishOnce(wire, this.#write, this.#fields);
  }

  /** A first chunk that says nothing but the role has its fields beside it: those of the next chunk would replace them. */
  #begin(index: number, choice: RelayedChoice, alone: boolean): string {
    this.#choices.set(index, choice);
    return this.#write.role(index, alone ? this.#fields.take() : '');
  }
}

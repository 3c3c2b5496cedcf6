/** One choice in the relay: regular fields pass unchanged, irregular ones are corrected. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { ChunkWriter } from '../client/chunk-writer.ts';
import { decodeFinish, encodeFinish } from '../finish.ts';
import { readContent, textAlone } from '../message-parts.ts';
import { addDetails } from '../reasoning-details.ts';
import { ToolAssembly, type ToolStep } from '../upstream/tool-assembly.ts';
import { jsonField, type RelayedFields } from './relayed-fields.ts';

/** Fields of a whole choice and of its message that are written anew. */
const CHOICE_FIELDS: ReadonlySet<string> = new Set(['index', 'delta', 'message', 'logprobs', 'finish_reason']);
const REGULAR_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'refusal', 'tool_calls', 'function_call']);

export class RelayedChoice {
  readonly #index: number;
  readonly #responseId: string;
  readonly #tools: ToolAssembly;
  #finished = false;
  #spoke = false;
  /** The legacy form has a finish reason of its own, which its clients wait for. */
  #legacyCall = false;

  constructor(index: number, responseId: string) {
    this.#index = index;
    this.#responseId = responseId;
    this.#tools = new ToolAssembly(index);
  }

  /** The choice as JSON without its finish, which is written apart; undefined when nothing is left to say. */
  patch(wire: JsonObject): string | undefined {
    const { delta, message, logprobs } = wire;
    const text = isJsonObject(delta) ? textAlone(delta) : undefined;
    if (text) return this.#written(`{"content":${JSON.stringify(text)}}`, wire);
    // Perplexity repeats the whole message beside each delta; a message alone is an answer given in one piece.
    const news = isJsonObject(delta) ? delta : isJsonObject(message) && !this.#spoke ? message : undefined;
    const regular = news && this.#regularDelta(news);
    if (!regular && !isJsonObject(logprobs)) return undefined;
    return this.#written(regular ? JSON.stringify(regular) : '{}', wire);
  }

  #written(delta: string, wire: JsonObject): string {
    this.#spoke = true;
    return `{"index":${this.#index},"delta":${delta},"finish_reason":null${otherFields(wire)}}`;
  }

  /** The finish chunk, at most once: OpenRouter sends it twice. */
  finishOnce(wire: JsonObject, write: ChunkWriter, fields: RelayedFields): string {
    const finish = decodeFinish(wire['finish_reason']);
    // `fail` reports its failure, not a finish reason.
    if (!finish || this.#finished || finish.raw === 'error') return '';
    const word = finish.raw === 'function_call' ? finish.raw : encodeFinish(finish);
    return this.#finish(word, write, unknownFields(wire), fields.take());
  }

  /** A provider may end without a reason (Snowflake): the client still needs one. */
  end(write: ChunkWriter): string {
    return this.#finished ? '' : this.#finish('stop', write);
  }

  cutShort(write: ChunkWriter): string {
    return this.#finished ? '' : this.#finish('length', write);
  }

  #finish(word: string, write: ChunkWriter, ofChoice?: JsonObject, ofChunk?: string): string {
    this.#finished = true;
    return this.#emptyArguments(write) + write.finish(this.#index, this.#word(word), ofChoice, ofChunk);
  }

  /** Writes `{}` for calls without arguments: clients parse the arguments of every call, and '' is not JSON. */
  #emptyArguments(write: ChunkWriter): string {
    let frames = '';
    for (const { position, started, hasArguments, custom } of this.#tools.calls) {
      if (!started || hasArguments || custom) continue;
      frames += write.delta(this.#index, { tool_calls: [{ index: position, function: { arguments: '{}' } }] });
    }
    return frames;
  }

  #word(word: string): string {
    if (word !== 'stop') return word;
    if (this.#tools.calls.length > 0) return 'tool_calls';
    return this.#legacyCall ? 'function_call' : 'stop';
  }

  /** Returns undefined for a delta that says nothing. */
  #regularDelta(delta: JsonObject): JsonObject | undefined {
    let says = false;
    const regular: JsonObject = {};
    for (const key of Object.keys(delta)) {
      const value = delta[key];
      if (key === 'role' || isSilent(value)) continue;
      if (key === 'tool_calls') says = this.#addTools(value, regular) || says;
      else if (key === 'content' && typeof value !== 'string') says = addContentList(value, regular) || says;
      else if (key !== 'function_call' || !isEmptyCall(value)) {
        regular[key] = value;
        says = true;
      }
    }
    if (regular['function_call'] !== undefined) this.#legacyCall = true;
    addDetails(regular);
    return says ? regular : undefined;
  }

  #addTools(entries: Json | undefined, regular: JsonObject): boolean {
    const steps = this.#tools.push(entries, this.#responseId);
    if (steps.length > 0) regular['tool_calls'] = steps.map(toolDelta);
    return steps.length > 0;
  }
}

/** Fields of a choice that are ours to write, and usage inside it (Moonshot), which waits for the end like any other. */
function isReplaced(name: string): boolean {
  switch (name) {
    case 'index':
    case 'delta':
    case 'message':
    case 'finish_reason':
    case 'usage':
      return true;
    default:
      return false;
  }
}

/** Writes them as `,"name":value…`: this runs for every token of every stream. */
function otherFields(wire: JsonObject): string {
  let fields = '';
  for (const name in wire) if (!isReplaced(name)) fields += jsonField(name, wire[name]);
  return fields;
}

/** What a choice says beside its reason to stop, such as the provider's own word for it. */
function unknownFields(wire: JsonObject): JsonObject | undefined {
  let unknown: JsonObject | undefined;
  for (const name in wire) {
    if (isReplaced(name) || name === 'logprobs') continue;
    unknown ??= {};
    unknown[name] = wire[name];
  }
  return unknown;
}

function isSilent(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The legacy call that some send beside every text, with nothing in it: a client that looks for one would find it. */
function isEmptyCall(value: Json | undefined): boolean {
  return isJsonObject(value) && isSilent(value['name']) && isSilent(value['arguments']);
}

function toolDelta({ call, starts, text, entry }: ToolStep): JsonObject {
  const { index: _index, id: _id, type: _type, function: _function, custom: _custom, ...unknown } = entry;
  const named = starts ? { name: call.name } : {};
  return {
    index: call.position,
    ...(starts && { id: call.id, type: call.custom ? 'custom' : 'function' }),
    ...(call.custom ? { custom: { ...named, input: text } } : { function: { ...named, arguments: text } }),
    ...unknown,
  };
}

/** Adds Mistral's list of text and thinking, which clients of the contract do not expect. */
function addContentList(value: Json | undefined, target: JsonObject): boolean {
  const { text, thinking } = readContent(value);
  if (text !== '') target['content'] = text;
  if (thinking !== '') target['reasoning_content'] = thinking;
  return text !== '' || thinking !== '';
}

/** A choice of a whole answer, in the form of the contract. */
export function regularMessage(choice: JsonObject, index: number, responseId: string): JsonObject {
  const { delta, message: whole } = choice;
  const message = isJsonObject(whole) ? whole : isJsonObject(delta) ? delta : {};
  const regular: JsonObject = { role: 'assistant', content: null, refusal: message['refusal'] ?? null };
  for (const name in message) if (!REGULAR_FIELDS.has(name)) regular[name] = message[name];
  const legacy = message['function_call'];
  if (legacy !== undefined && !isEmptyCall(legacy)) regular['function_call'] = legacy;
  if (Array.isArray(message['content'])) addContentList(message['content'], regular);
  else regular['content'] = message['content'] ?? null;
  addDetails(regular);
  const calls = wholeCalls(message['tool_calls'], index, responseId);
  if (calls.length > 0) regular['tool_calls'] = calls;
  else if (regular['content'] === null && regular['refusal'] === null && !isJsonObject(regular['function_call'])) {
    regular['content'] = isJsonObject(message['audio']) ? null : '';
  }
  const patched: JsonObject = {
    index,
    message: regular,
    logprobs: choice['logprobs'] ?? null,
    finish_reason: finishWord(choice['finish_reason'], calls.length > 0),
  };
  for (const name in choice) if (!CHOICE_FIELDS.has(name)) patched[name] = choice[name];
  return patched;
}

/** In a whole answer every entry is a call of its own, whatever index or id it bears. */
function wholeCalls(wire: Json | undefined, choice: number, responseId: string): JsonObject[] {
  if (!Array.isArray(wire) || wire.length === 0) return [];
  const numbered = wire.map((call, index) => (isJsonObject(call) ? { ...call, index } : call));
  return new ToolAssembly(choice).push(numbered, responseId).map((step) => {
    // Clients parse the arguments of every call; '' is not JSON.
    const spoken = step.text === '' && !step.call.custom ? { ...step, text: '{}' } : step;
    const { index: _index, ...call } = toolDelta(spoken);
    return call;
  });
}

function finishWord(wire: Json | undefined, calls: boolean): string {
  const finish = decodeFinish(wire) ?? { kind: 'stop' as const };
  const word = finish.raw === 'function_call' ? 'function_call' : encodeFinish(finish);
  return word === 'stop' && calls ? 'tool_calls' : word;
}

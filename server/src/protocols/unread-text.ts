/**
 * Text that goes to a client of the provider's own protocol in fields that no decoder here reads. Providers add fields, blocks
 * and events every month, and the model wrote what stands in them like everything else: it counts as output.
 *
 * Each protocol says which fields it knows. A `known` one has no words of the model, or words that another field of the same frame or an
 * earlier one has told. A `text` one is read by the decoder, unless the frame came to nothing there.
 */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { SseFrame } from './protocol.ts';

export type FieldRule = 'known' | 'text' | KnownFields;
export type KnownFields = ReadonlyMap<string, FieldRule>;

/** Names that say what something is, not what the model wrote: everywhere, as long as they are short. */
const PLUMBING: ReadonlySet<string> = new Set(
  'type object role status model name event index phase format language id'.split(' '),
);
const PLUMBING_ENDS = ['_id', '_type', '_at', '_reason'];
const SHORT = 64;
/** These are never read by people, however long they are. */
const OPAQUE: ReadonlySet<string> = new Set([
  'encrypted_content',
  'signature',
  'thought_signature',
  'logprobs',
  'obfuscation',
]);
/** No word is this long. */
const LONG_BYTES = 1_024;
/** For this many names the value is compared with the previous one. */
const MAX_NAMES = 64;

export function knownFields(names: {
  known?: string;
  text?: string;
  inside?: Record<string, KnownFields>;
}): KnownFields {
  const rules = new Map<string, FieldRule>();
  for (const name of words(names.known)) rules.set(name, 'known');
  for (const name of words(names.text)) rules.set(name, 'text');
  for (const [name, fields] of Object.entries(names.inside ?? {})) rules.set(name, fields);
  return rules;
}

function words(text = ''): string[] {
  return text.trim().split(/\s+/).filter(Boolean);
}

/** What a protocol handles differently from frame to frame. */
export type FieldsOf = (json: JsonObject) => KnownFields;

/** Each stream or whole answer has one. */
export class UnreadText {
  readonly #fieldsOf: FieldsOf;
  /** The last text under a name. What is the same in every frame is no part of an answer. */
  readonly #last = new Map<string, string>();
  #found = '';
  #wasRead = true;
  /** Length around text and padding of the last frame in which nothing was found: a frame of the same length is like it. */
  #plainLength = -1;

  constructor(fieldsOf: FieldsOf) {
    this.#fieldsOf = fieldsOf;
  }

  /** `read` is how much text the decoder found in this frame. */
  inFrame({ json, data }: SseFrame, read: number): string {
    if (!isJsonObject(json)) return '';
    const { obfuscation: padding } = json;
    const around = data.length - read - (typeof padding === 'string' ? padding.length : 0);
    if (read > 0 && around === this.#plainLength) return '';
    const found = this.inObject(json, read > 0);
    if (read > 0 && found === '') this.#plainLength = around;
    return found;
  }

  /** `wasRead` says whether the decoder produced anything from it. */
  inObject(json: JsonObject, wasRead: boolean): string {
    this.#found = '';
    this.#wasRead = wasRead;
    this.#fields(json, this.#fieldsOf(json));
    return this.#found;
  }

  #fields(object: JsonObject, known: KnownFields): void {
    for (const name in object) {
      const rule = known.get(name);
      if (rule === 'known' || (rule === 'text' && this.#wasRead)) continue;
      const value = object[name];
      if (value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean') continue;
      if (rule === undefined || rule === 'text') this.#collect(name, value);
      else this.#within(name, value, rule);
    }
  }

  #within(name: string, value: Json, known: KnownFields): void {
    if (isJsonObject(value)) this.#fields(value, known);
    else if (Array.isArray(value)) for (const item of value) this.#within(name, item, known);
    else this.#collect(name, value);
  }

  #collect(name: string, value: Json): void {
    if (typeof value === 'string') this.#string(name, value);
    else if (Array.isArray(value)) for (const item of value) this.#collect(name, item);
    else if (isJsonObject(value) && !OPAQUE.has(name)) {
      for (const inner in value) {
        if (inner.length > SHORT) this.#found += inner;
        this.#collect(inner, value[inner] ?? null);
      }
    }
  }

  #string(name: string, value: string): void {
    if (OPAQUE.has(name) || (value.length <= SHORT && isPlumbing(name))) return;
    if (this.#last.get(name) === value || isBytes(value)) return;
    if (this.#last.size < MAX_NAMES || this.#last.has(name)) this.#last.set(name, value);
    this.#found += value;
  }
}

/** A picture or a recording written as base64 is not text. */
function isBytes(value: string): boolean {
  return (
    value.length > LONG_BYTES && /^[\w+/=-]+$/.test(value.slice(value.startsWith('data:') ? value.indexOf(',') + 1 : 0))
  );
}

function isPlumbing(name: string): boolean {
  return PLUMBING.has(name) || PLUMBING_ENDS.some((end) => name.endsWith(end));
}

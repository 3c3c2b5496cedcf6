/**
 * Tokens in fields of a request that we do not model: blocks of a provider's own tools, fields of a tool, settings.
 * They are passed to a provider of the same protocol, which counts their text, so a hold must cover it wherever it
 * stands.
 */
import type { Extras, MediaSource } from '../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { TokenCount } from '../../core/token-estimate.ts';
import type { PictureTokens } from '../../vendors/index.ts';
import { countEncrypted, countPicture, isPackedData } from './count-media.ts';
import type { TextUse } from './text-count.ts';

/** A few switches are covered by the fixed count of every request. */
const FEW_TOKENS = 64;
const SHORT_TEXT = 64;

/** Fields beside the conversation that do not enter a prompt, or that are counted elsewhere. */
const NO_PROMPT: ReadonlySet<string> = new Set([
  'metadata',
  'client_metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'stream_options',
  'optional_tools',
  'answered',
]);

/** Fields that name the type or identity of something: no model reads them. */
const PLUMBING: ReadonlySet<string> = new Set([
  'type',
  'id',
  'at',
  'status',
  'role',
  'phase',
  'index',
  'call_id',
  'tool_use_id',
]);

const NOTHING: TokenCount = { likely: 0, max: 0 };

/** How values that are found are counted. */
interface CountOptions {
  text(text: string, use: TextUse): TokenCount;
  /** Adds a document to the count of the request itself. */
  document(source: MediaSource): void;
  pictures(): PictureTokens;
}

export class ExtrasCount {
  readonly #options: CountOptions;
  #use: TextUse = 'prompt';
  /** One object may be shared by several parts, such as the fields of a namespace by its tools; it is counted once. */
  readonly #seen = new Set<object>();
  /** See InputTokens. */
  unsure = 0;
  #likely = 0;
  #max = 0;

  constructor(options: CountOptions) {
    this.#options = options;
  }

  /** Marks a value as already counted. */
  skip(value: object): void {
    this.#seen.add(value);
  }

  /** Counts the unmodelled fields of a message, a part or a tool. */
  addPartExtras(extras: Extras): void {
    for (const protocol in extras) this.#value(extras[protocol as keyof Extras] ?? null, protocol, undefined);
  }

  /** Fields of the request itself: few of them reach a prompt, so a hold covers them and a likely count leaves them out. */
  addRequestExtras(extras: Extras): void {
    const likely = this.#likely;
    this.#use = 'aside';
    for (const protocol in extras) {
      const fields = extras[protocol as keyof Extras];
      for (const name in fields) if (!NO_PROMPT.has(name)) this.#value(fields[name] ?? null, name, undefined);
    }
    this.#use = 'prompt';
    this.#likely = likely;
  }

  total(): TokenCount {
    return this.#max <= FEW_TOKENS ? NOTHING : { likely: this.#likely, max: this.#max };
  }

  #value(value: Json, name: string, parent: JsonObject | undefined): void {
    if (typeof value === 'string') this.#text(value, name, parent);
    else if (value === null || typeof value !== 'object') this.#add(1);
    else if (!this.#seen.has(value)) {
      this.#seen.add(value);
      if (Array.isArray(value)) for (const item of value) this.#value(item, name, parent);
      else this.#fields(value);
    }
  }

  #fields(object: JsonObject): void {
    for (const name in object) {
      const value = object[name];
      if (value === undefined || (PLUMBING.has(name) && isShort(value))) continue;
      this.#plain(name);
      this.#value(value, name, object);
    }
  }

  #text(text: string, name: string, parent: JsonObject | undefined): void {
    if (name === 'encrypted_content') this.#add(countEncrypted(text));
    else if (isPicture(text, name, parent)) this.#media(countPicture(pictureAt(text), false, this.#options.pictures()));
    else if (isDocument(text, name, parent)) this.#options.document({ kind: 'url', url: text });
    else if (isPackedFile(text)) this.#options.document({ kind: 'data', mediaType: '', data: bytesIn(text) });
    else this.#plain(text);
  }

  #plain(text: string): void {
    this.#sum(this.#options.text(text, this.#use));
  }

  #media(counted: TokenCount): void {
    this.#sum(counted);
    this.unsure += counted.max - counted.likely;
  }

  #sum({ likely, max }: TokenCount): void {
    this.#likely += likely;
    this.#max += max;
  }

  #add(tokens: number): void {
    this.#likely += tokens;
    this.#max += tokens;
  }
}

function isShort(value: Json): boolean {
  return typeof value === 'string' ? value.length <= SHORT_TEXT : typeof value !== 'object';
}

/** Whether a provider looks for a picture in this field. In other fields the same characters are read as text. */
function isPicture(text: string, name: string, parent: JsonObject | undefined): boolean {
  if (name === 'image_url') return text.startsWith('data:image/') || isAddress(text);
  if (name === 'url') return text.startsWith('data:image/');
  if (name === 'data') return isJsonObject(parent) && String(parent['media_type']).startsWith('image/');
  return name === 'result' && parent?.['type'] === 'image_generation_call';
}

/** Whether a provider fetches a file or a picture from the address in this field. */
function isDocument(text: string, name: string, parent: JsonObject | undefined): boolean {
  return isAddress(text) && (name === 'file_url' || (name === 'url' && parent?.['type'] === 'url'));
}

function isAddress(text: string): boolean {
  return /^https?:/i.test(text);
}

/** Reads an address that contains the bytes, or the bytes alone. */
function pictureAt(text: string): MediaSource {
  if (isAddress(text)) return { kind: 'url', url: text };
  return {
    kind: 'data',
    mediaType: 'image/*',
    data: bytesIn(text),
  };
}

/** A provider reads a document in unmodelled fields like any other. */
function isPackedFile(text: string): boolean {
  return text.length > SHORT_TEXT && isPackedData(text.startsWith('data:') ? bytesIn(text.slice(0, 256)) : text);
}

function bytesIn(text: string): string {
  return text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text;
}

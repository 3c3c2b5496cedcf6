/**
 * How much a provider will read for the next response: the whole conversation so far. The report of the last response
 * says how long that was; what was added since is counted here. Never more than the model's context.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { countTokens } from '../../core/token-estimate.ts';
import type { Usage } from '../../core/usage.ts';
import { base64Bytes, bytesPerSecond, soundTokens } from '../../protocols/index.ts';

/** For one picture, whatever its size. */
const PICTURE_TOKENS = 1_700;

interface Sizes {
  text: number;
  audio: number;
  images: number;
}

const NOTHING: Sizes = { text: 0, audio: 0, images: 0 };

export class ConversationSize {
  readonly #context: number;
  #settings = 0;
  /** The sizes of settings that the provider was sent and has not confirmed. */
  #settingsTold: number[] = [];
  #soundPerSecond = bytesPerSecond({}, 'input');
  /** The size of what was said, without the settings, which the next report contains again. */
  #said: Sizes = NOTHING;
  /** Audio that was sent and not committed; it may still be discarded. */
  #soundBytes = 0;

  constructor(context: number | undefined) {
    this.#context = context ?? Number.MAX_SAFE_INTEGER;
  }

  /** Instructions and tools are read again for every response. */
  settings(session: JsonObject): void {
    this.#settings = sizeOfSettings(session);
    this.#soundPerSecond = bytesPerSecond(session, 'input');
  }

  /** A response that is asked for before the provider confirms settings reads them already. */
  settingsTold(session: JsonObject): void {
    this.#settingsTold.push(sizeOfSettings(session));
  }

  settingsConfirmed(): void {
    this.#settingsTold.shift();
  }

  sound(base64: Json | undefined): void {
    if (typeof base64 === 'string') this.#soundBytes += base64Bytes(base64);
  }

  /** The provider did not receive it. */
  soundRefused(base64: Json | undefined): void {
    if (typeof base64 === 'string') this.#soundBytes = Math.max(0, this.#soundBytes - base64Bytes(base64));
  }

  soundDropped(): void {
    this.#soundBytes = 0;
  }

  /** Adds an item, or what one response is given beside the conversation. */
  item(item: Json | undefined): void {
    const { text, audio, images } = this.#said;
    const more = sizesOf(item, this.#soundPerSecond);
    this.#said = { text: text + more.text, audio: audio + more.audio, images: images + more.images };
  }

  /** The provider has reported how long the conversation is. */
  reported({ buckets }: Usage): void {
    const text = (buckets.inputFresh ?? 0) + (buckets.cacheRead ?? 0) + (buckets.output ?? 0);
    const audio = (buckets.audioInput ?? 0) + (buckets.audioCacheRead ?? 0) + (buckets.audioOutput ?? 0);
    this.#said = { text: Math.max(0, text - this.#settings), audio, images: buckets.imageInput ?? 0 };
    this.#soundBytes = 0;
  }

  /** What the next response reads, as buckets, for providers that report none. */
  usage(): Usage {
    const { text, audio, images } = this.#said;
    const sound = Math.min(audio + soundTokens(this.#soundBytes, this.#soundPerSecond), this.#context);
    const pictures = Math.min(images, this.#context - sound);
    const settings = this.#settingsTold.reduce((sum, told) => sum + told, this.#settings);
    const inputFresh = Math.min(text + settings, this.#context - sound - pictures);
    const buckets = { inputFresh, audioInput: sound, ...(pictures > 0 && { imageInput: pictures }) };
    return { buckets, source: 'estimated' };
  }
}

function sizeOfSettings({ instructions, tools }: JsonObject): number {
  return countTokens(JSON.stringify([instructions ?? '', tools ?? []])).max;
}

/** Audio and pictures inside an item are not text. */
function sizesOf(item: Json | undefined, soundPerSecond: number): Sizes {
  if (!isJsonObject(item)) return NOTHING;
  const { content, ...rest } = item;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  let text = countTokens(JSON.stringify(rest)).max;
  let audio = 0;
  let images = 0;
  for (const { audio: sound, image_url: picture, ...words } of parts) {
    if (typeof sound === 'string') audio += soundTokens(base64Bytes(sound), soundPerSecond);
    if (picture !== undefined) images += PICTURE_TOKENS;
    text += countTokens(JSON.stringify(words)).max;
  }
  return { text, audio, images };
}

/**
 * Prompt caches live at one provider under one credential. A conversation (the same account, model and beginning)
 * returns to the target that answered it, for longer than any provider keeps its cache; with a shorter memory the cache
 * would never be hit.
 */
import type { Message } from '../core/chat.ts';
import type { Clock } from '../core/clock.ts';
import { boundedCache } from '../platform/bounded-cache.ts';

const LIFETIME_MS = 2 * 60 * 60_000;
const MAX_ENTRIES = 50_000;
/** Shorter prompts are cached by nobody; binding them would only spoil the spreading of load. */
const MIN_PREFIX_CHARACTERS = 2048;
/** How much of each leading text is read: enough to tell conversations apart. */
const HASHED_CHARACTERS = 512;
const HASHED_TEXTS = 8;

/** Other replicas are told again this often, because they forget after the same time. */
const TELL_AGAIN_MS = LIFETIME_MS / 8;

interface Entry {
  target: string;
  untilMs: number;
  toldMs: number;
}

export class Stickiness {
  readonly #clock: Clock;
  readonly #entries = boundedCache<Entry>(MAX_ENTRIES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: string): string | undefined {
    const entry = this.#entries.peek(key);
    if (!entry) return undefined;
    if (entry.untilMs > this.#clock.monotonicMs()) return entry.target;
    this.#entries.delete(key);
    return undefined;
  }

  /**
   * Each answer extends the entry, as it does in the provider's cache. Returns true when other replicas should be told.
   */
  remember(key: string, target: string): boolean {
    const known = this.#entries.get(key);
    const nowMs = this.#clock.monotonicMs();
    const news = known?.target !== target || known.toldMs + TELL_AGAIN_MS <= nowMs;
    this.#entries.set(key, { target, untilMs: nowMs + LIFETIME_MS, toldMs: news ? nowMs : known.toldMs });
    return news;
  }

  /** Another replica reported this entry. */
  hear(key: string, target: string): void {
    const nowMs = this.#clock.monotonicMs();
    this.#entries.set(key, { target, untilMs: nowMs + LIFETIME_MS, toldMs: nowMs });
  }

  /** The latest entries, newest last. */
  latest(max: number): [conversation: string, target: string][] {
    const nowMs = this.#clock.monotonicMs();
    const alive = [...this.#entries.entries()].reverse().filter(([, { untilMs }]) => untilMs > nowMs);
    return alive.slice(-max).map(([key, { target }]) => [key, target]);
  }
}

/** Returns undefined when the conversation is too short to be cached anywhere. */
export function stickyKey(accountId: string, modelId: string, messages: readonly Message[]): string | undefined {
  if (!isLong(messages)) return undefined;
  // Leading instructions and the first user text: what stays the same while a conversation grows.
  let hash = 0x811c9dc5;
  let second = 0x9747b28c;
  for (const text of leadingTexts(messages)) {
    const end = Math.min(text.length, HASHED_CHARACTERS);
    for (let i = 0; i < end; i++) {
      const code = text.charCodeAt(i);
      hash = Math.imul(hash ^ code, 0x01000193);
      second = Math.imul(second + code, 0x85ebca6b) ^ (second >>> 13);
    }
  }
  return `${accountId}\n${modelId}\n${(hash >>> 0).toString(36)}${(second >>> 0).toString(36)}`;
}

function leadingTexts(messages: readonly Message[]): string[] {
  const texts: string[] = [];
  for (const { role, parts } of messages) {
    if (role !== 'system' && role !== 'developer' && role !== 'user') break;
    for (const part of parts) {
      if (part.kind === 'text') texts.push(part.text);
      if (texts.length >= HASHED_TEXTS) return texts;
    }
    if (role === 'user') break;
  }
  return texts;
}

function isLong(messages: readonly Message[]): boolean {
  let characters = 0;
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.kind === 'text') characters += part.text.length;
      // Images and documents are long prompts however short their text.
      else if (part.kind === 'image' || part.kind === 'file') return true;
      if (characters >= MIN_PREFIX_CHARACTERS) return true;
    }
  }
  return false;
}

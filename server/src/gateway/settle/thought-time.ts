/**
 * How long a model has reasoned in a stream: until the first token of its answer, and in long silences after it (some
 * models speak, reason and speak again). Only time spent waiting for the provider counts, not time that a slow reader
 * took. A stalled network looks the same; its charge is bounded by the hold.
 */
import type { MeteredEvent } from '../../core/events.ts';

/** Network and prompt take this long for every answer. */
const MIN_THOUGHT_MS = 500;
/** A shorter silence between two tokens is a slow line. */
const THOUGHTFUL_SILENCE_MS = 2_000;

export class ThoughtTime {
  #thoughtMs = 0;
  /** Time spent waiting for the provider since the answer last grew. */
  #silentMs: number;
  #waitingSince: number | undefined;
  #isThinking = true;
  #reasoningPart: number | undefined;
  #characters = 0;
  #reasoningCharacters = 0;
  #left: { thoughtMs: number; wasThinking: boolean } | undefined;

  /** How long the first event was waited for. */
  constructor(firstEventMs: number) {
    this.#silentMs = firstEventMs;
  }

  waits(nowMs: number): void {
    this.#waitingSince = nowMs;
  }

  hears(events: readonly MeteredEvent[], nowMs: number): void {
    this.#endWait(nowMs);
    for (const event of events) this.#see(event);
  }

  /** The client left; later output is not charged. */
  leave(atMs: number): void {
    this.#left ??= { thoughtMs: this.#until(atMs), wasThinking: this.#wasThinking(atMs) };
  }

  /** How long the model reasoned until now, or until the client left. */
  thoughtMs(nowMs: number): number {
    const ms = this.#left?.thoughtMs ?? this.#until(nowMs);
    return ms < MIN_THOUGHT_MS ? 0 : ms;
  }

  /** Until the last token: after it providers only end and report. */
  get thoughtBeforeSpeakingMs(): number {
    return this.#thoughtMs;
  }

  /** The share of all reasoning that was done when the client left. */
  shareUntilLeft(nowMs: number): number {
    if (!this.#left?.wasThinking) return 1;
    const all = this.#isThinking ? this.#until(nowMs) : this.#thoughtMs;
    return all <= this.#left.thoughtMs ? 1 : this.#left.thoughtMs / all;
  }

  /** The share of shown output that was reasoning. */
  get reasoningShare(): number {
    return this.#characters === 0 ? 0 : this.#reasoningCharacters / this.#characters;
  }

  #until(nowMs: number): number {
    return this.#thoughtMs + (this.#wasThinking(nowMs) ? this.#silence(nowMs) : 0);
  }

  #wasThinking(nowMs: number): boolean {
    return this.#isThinking || this.#silence(nowMs) >= THOUGHTFUL_SILENCE_MS;
  }

  #silence(nowMs: number): number {
    return this.#silentMs + (this.#waitingSince === undefined ? 0 : Math.max(0, nowMs - this.#waitingSince));
  }

  #endWait(nowMs: number): void {
    this.#silentMs = this.#silence(nowMs);
    this.#waitingSince = undefined;
  }

  #see(event: MeteredEvent): void {
    if (event.type === 'part-start') {
      if (event.kind === 'reasoning') this.#reasoningPart = event.part;
      else if (event.toolCall) this.#shown(event.toolCall.name.length, false);
      else if (event.image) this.#shown(1, false);
    } else if (event.type === 'part-delta' && event.text !== '') {
      this.#shown(event.text.length, event.part === this.#reasoningPart);
    }
  }

  #shown(characters: number, isReasoning: boolean): void {
    if (this.#isThinking || this.#silentMs >= THOUGHTFUL_SILENCE_MS) this.#thoughtMs += this.#silentMs;
    this.#silentMs = 0;
    this.#isThinking = isReasoning;
    if (this.#left) return;
    this.#characters += characters;
    if (isReasoning) this.#reasoningCharacters += characters;
  }
}

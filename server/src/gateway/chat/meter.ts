/** Watches the events of an answer and knows at any moment what was produced and what it used. */
import type { ChatResponse, FinishKind, Part } from '../../core/chat.ts';
import type { ChatEvent } from '../../core/events.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import { estimateTokens } from '../../core/token-estimate.ts';
import { mergeUsage, type Usage } from '../../core/usage.ts';

/** Text kept for counting when the provider reports no usage; beyond it the rest is extrapolated by length. */
const KEPT_CHARACTERS = 262_144;

export class Meter {
  usage: Usage | undefined;
  finish: FinishKind | undefined;
  failure: UpstreamFailure | undefined;
  /** The provider gave something, whether or not it went out. */
  produced = false;
  #characters = 0;
  #kept = 0;
  // Counting each piece and adding up would overstate by a third: words are split between deltas.
  #text: string[] | undefined;

  see(event: ChatEvent): void {
    switch (event.type) {
      case 'part-delta':
        this.#add(event.text);
        return;
      case 'part-start':
        if (event.toolCall) this.#add(event.toolCall.name);
        else if (event.image) this.produced = true;
        return;
      case 'usage-update':
        this.usage = mergeUsage(this.usage, event.usage);
        return;
      case 'response-end':
        this.finish = event.finishes[0]?.kind ?? 'stop';
        return;
      case 'failure':
        this.failure = event.failure;
        return;
    }
  }

  /** A whole answer at once; taking it apart into events first would cost more than counting it. */
  seeWhole({ choices, usage }: ChatResponse): void {
    for (const { parts } of choices) for (const part of parts) this.#seePart(part);
    this.usage = usage;
    this.finish = choices[0]?.finish.kind ?? 'stop';
  }

  /** Our own count of the output so far. */
  countOutput(): number {
    if (this.#characters === 0) return 0;
    const counted = estimateTokens(this.#text?.join('') ?? '');
    return Math.ceil(counted * (this.#characters / this.#kept));
  }

  #seePart(part: Part): void {
    switch (part.kind) {
      case 'text':
      case 'refusal':
      case 'reasoning':
        this.#add(part.text);
        return;
      case 'tool-call':
        this.#add(part.name);
        this.#add(part.arguments);
        return;
      case 'audio':
        this.#add(part.data);
        return;
      case 'image':
        this.produced = true;
        return;
      case 'file':
      case 'tool-result':
        return;
    }
  }

  #add(text: string): void {
    if (text.length === 0) return;
    this.produced = true;
    this.#characters += text.length;
    if (this.#kept < KEPT_CHARACTERS) {
      // Created with its first element: an array that is filled from empty reserves room for sixteen, and a whole answer has one.
      if (this.#text) this.#text.push(text);
      else this.#text = [text];
      this.#kept += text.length;
    }
  }
}

/** Watches the events of an answer and knows at any moment what was produced and what it used. */
import type { ChatResponse, FinishKind, Part } from '../../core/chat.ts';
import type { MeteredEvent } from '../../core/events.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import { estimateTokens, SLICE } from '../../core/token-estimate.ts';
import { mergeUsage, type Usage } from '../../core/usage.ts';

export class Meter {
  usage: Usage | undefined;
  finish: FinishKind | undefined;
  failure: UpstreamFailure | undefined;
  /** The service tier that the provider reported. */
  servedTier: string | undefined;
  /** The provider gave something, whether or not it went out. */
  produced = false;
  /** Tokens of what is no longer in `#text`. */
  #counted = 0;
  #characters = 0;
  // Counting each piece and adding up would overstate by a third: words are split between deltas.
  #text: string[] | undefined;

  see(event: MeteredEvent): void {
    switch (event.type) {
      case 'part-delta':
        // A slice ends with a piece, however many of them came together.
        if (event.pieces && this.#characters + event.text.length >= SLICE) {
          for (const piece of event.pieces) this.#add(piece);
        } else this.#add(event.text);
        return;
      case 'unread-text':
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
        this.servedTier = event.serviceTier;
        return;
      case 'failure':
        this.failure = event.failure;
        return;
    }
  }

  /** A whole answer at once; taking it apart into events first would cost more than counting it. */
  seeWhole({ choices, usage, serviceTier }: ChatResponse): void {
    for (const { parts } of choices) for (const part of parts) this.#seePart(part);
    this.usage = usage;
    this.servedTier = serviceTier;
    this.finish = choices[0]?.finish.kind ?? 'stop';
  }

  /** What a whole answer says beside its parts. */
  seeUnread(text: string): void {
    this.#add(text);
  }

  /** Our own count of the output so far. */
  countOutput(): number {
    return this.#counted + (this.#text ? estimateTokens(this.#text.join('')) : 0);
  }

  /** All of an answer is counted, however long it is, and no more than a slice of it is kept. */
  #countText(): void {
    this.#counted = this.countOutput();
    this.#text = undefined;
    this.#characters = 0;
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
    // Created with its first element: an array that is filled from empty reserves room for sixteen, and a whole answer has one.
    if (this.#text) this.#text.push(text);
    else this.#text = [text];
    if (this.#characters >= SLICE) this.#countText();
  }
}

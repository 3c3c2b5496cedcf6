/** What the reader of a stream has so far, as far as another provider needs it to continue. */
import type { MeteredEvent, PartDelta, PartEnd, PartStart } from '../../core/events.ts';

/** A longer text is not kept, and its answer is not continued. */
const MAX_CHARACTERS = 1_000_000;

export class ToldAnswer {
  /** All plain text, in one piece. */
  text = '';
  /** The text part that is open. */
  openText: number | undefined;
  /** The numbers of parts that begin from here on start here. */
  nextPart = 0;
  isFinished = false;
  #openReasoning: number | undefined;
  /** True for plain text and unsigned reasoning only. */
  #isPlain = true;

  see(event: MeteredEvent): void {
    switch (event.type) {
      case 'part-start':
        this.#start(event);
        return;
      case 'part-delta':
        this.#delta(event);
        return;
      case 'part-end':
        this.#end(event);
        return;
      case 'response-end':
        this.isFinished = true;
        return;
    }
  }

  /** True in the middle of plain text: text was delivered, and no tool call, picture or signed reasoning. */
  get canGoOn(): boolean {
    return this.#isPlain && !this.isFinished && this.#openReasoning === undefined && this.text.trimEnd() !== '';
  }

  #start({ part, choice, kind, reasoning }: PartStart): void {
    this.nextPart = Math.max(this.nextPart, part + 1);
    if (kind === 'text') this.openText = part;
    else if (kind === 'reasoning') this.#openReasoning = part;
    else this.#isPlain = false;
    if (choice > 0 || reasoning?.encrypted !== undefined) this.#isPlain = false;
  }

  #delta({ part, text, citation }: PartDelta): void {
    if (part !== this.openText || !this.#isPlain) return;
    if (citation) this.#isPlain = false;
    this.text += text;
    if (this.text.length <= MAX_CHARACTERS) return;
    this.#isPlain = false;
    this.text = '';
  }

  #end({ part, signature, encrypted }: PartEnd): void {
    if (part === this.openText) this.openText = undefined;
    else if (part === this.#openReasoning) this.#openReasoning = undefined;
    if (signature !== undefined || encrypted !== undefined) this.#isPlain = false;
  }
}

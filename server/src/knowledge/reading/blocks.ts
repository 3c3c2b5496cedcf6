/** What every reader makes of a file: pieces of text in reading order, with the position that a reference needs. */
import type { Text } from '@dargah/core/text.ts';
import { unreadableReasons } from './reasons.ts';

export interface Block {
  kind: 'heading' | 'text';
  text: string;
  /** The level of a heading; 1 is the highest. */
  level?: number;
  /** The page of a PDF, or the slide of a presentation; a spreadsheet's sheets are headings. */
  page?: number;
}

export type Format = 'text' | 'markdown' | 'html' | 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'csv' | 'json';

/** The file's own fault: reading it again would fail again. The text is shown to whoever uploaded it. */
export class Unreadable extends Error {
  readonly reason: Text;
  constructor(reason: Text, cause?: unknown) {
    super(reason.en, { cause });
    this.reason = reason;
  }
}

export interface ReadingLimits {
  /** The size of a packed file after unpacking. */
  unpackedBytes: number;
  /** The length of the extracted text. */
  characters: number;
}

/** Collects blocks and stops a file whose text is too long. */
export class BlockList {
  readonly blocks: Block[] = [];
  readonly #limit: number;
  #characters = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(block: Block): void {
    const text = tidy(block.text);
    if (text === '') return;
    this.#characters += text.length;
    if (this.#characters > this.#limit) throw new Unreadable(unreadableReasons.tooMuchText(this.#limit));
    this.blocks.push({ ...block, text });
  }
}

/**
 * Control characters break databases (NUL) and terminals; direction overrides and the invisible tag letters can hide an
 * instruction from people that a model still reads. The zero-width non-joiner stays: it is part of Persian spelling.
 */
const UNWANTED =
  /(?![\t\n\r])\p{Cc}|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]|[\u{e0000}-\u{e007f}]/gu;

function tidy(text: string): string {
  return (
    text
      .replace(UNWANTED, '')
      // Half of a surrogate pair cannot be stored.
      .replace(/\p{Surrogate}/gu, '')
      .replace(/\r\n?/g, '\n')
      .replace(/[ \t\u00a0]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  );
}

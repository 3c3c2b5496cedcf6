/**
 * Where an answer cites a passage by its number (`[2]`), the protocols have forms of their own for it: `annotations` and
 * `citations`. They are added to the canonical answer, so that every client protocol writes them its own way.
 */
import type { ChatResponse, Citation, Part } from '../../core/chat.ts';
import type { ChatEvent } from '../../core/events.ts';
import type { Reference } from '../../protocols/index.ts';

/** `[1]`, `[1, 3]` and the digits of Persian and Arabic keyboards. */
const MARK = /\[\s*([0-9۰-۹٠-٩]{1,3}(?:\s*[,،;]\s*[0-9۰-۹٠-٩]{1,3})*)\s*\]/g;
const MAX_CITATIONS = 200;
/** The most text of one part that is searched for marks; a longer answer keeps the citations found so far. */
const MAX_CHARACTERS = 1_000_000;

function citationsIn(text: string, references: readonly Reference[]): Citation[] {
  const citations: Citation[] = [];
  for (const match of text.matchAll(MARK)) {
    for (const number of (match[1] ?? '').split(/[,،;]/).map(numberOf)) {
      const reference = references.find(({ index }) => index === number);
      if (reference && citations.length < MAX_CITATIONS)
        citations.push(citationOf(reference, match.index, match.index + match[0].length));
    }
  }
  return citations;
}

function citationOf(reference: Reference, start: number, end: number): Citation {
  const { index, knowledgeBaseId, documentId, place, excerpt } = reference;
  const document = `/api/v1/knowledge_bases/${knowledgeBaseId}/documents/${documentId}`;
  const url = reference.url ?? `${document}#passage-${place}`;
  return { start, end, title: titleOf(reference), url, quote: excerpt, passage: index };
}

/** `handbook.pdf › Leave › Maternity leave, p. 3`: two passages of one document have different titles. */
function titleOf({ title, heading, page, place }: Reference): string {
  const named = heading === undefined ? title : `${title} › ${heading}`;
  if (page !== undefined) return `${named}, ${/\.pptx$/i.test(title) ? 'slide' : 'p.'} ${page}`;
  return heading === undefined ? `${title} #${place}` : named;
}

function numberOf(text: string): number {
  return Number(text.trim().replace(/[۰-۹٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 0xf)));
}

export function citeResponse(response: ChatResponse, references: readonly Reference[]): ChatResponse {
  if (references.length === 0) return response;
  const choices = response.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map((part) => citePart(part, references)),
  }));
  return { ...response, choices };
}

function citePart(part: Part, references: readonly Reference[]): Part {
  if (part.kind !== 'text') return part;
  const found = citationsIn(part.text, references);
  return found.length === 0 ? part : { ...part, citations: [...(part.citations ?? []), ...found] };
}

/** Streamed: the citations of a part follow its text, before the part ends. */
export class StreamCiter {
  readonly #references: readonly Reference[];
  readonly #texts = new Map<number, string>();

  constructor(references: readonly Reference[]) {
    this.#references = references;
  }

  /** The events to add before this one. */
  before(event: ChatEvent): ChatEvent[] {
    if (this.#references.length === 0) return [];
    if (event.type === 'part-start' && event.kind === 'text') this.#texts.set(event.part, '');
    if (event.type === 'part-delta') {
      const text = this.#texts.get(event.part);
      if (text !== undefined && text.length < MAX_CHARACTERS) this.#texts.set(event.part, text + event.text);
    }
    if (event.type !== 'part-end') return [];
    const { part } = event;
    const text = this.#texts.get(part) ?? '';
    this.#texts.delete(part);
    return citationsIn(text, this.#references).map((citation) => ({ type: 'part-delta', part, text: '', citation }));
  }
}

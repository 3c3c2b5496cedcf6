/** Citations: each vendor counts positions differently, so its own object is kept beside the common fields. */
import type { Citation } from '../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { keep, kept } from './own-fields.ts';

export function decodeCitation(wire: Json | undefined): Citation | undefined {
  if (!isJsonObject(wire)) return undefined;
  const title = wire['title'] ?? wire['document_title'];
  const url = wire['url'] ?? wire['source'];
  const quote = wire['cited_text'];
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof url === 'string' && { url }),
    ...(typeof quote === 'string' && { quote }),
    ...keep(wire),
  };
}

export function decodeCitations(wire: Json | undefined): Citation[] {
  const citations: Citation[] = [];
  for (const item of Array.isArray(wire) ? wire : []) {
    const citation = decodeCitation(item);
    if (citation) citations.push(citation);
  }
  return citations;
}

/** A citation of another protocol is shown as a web result, the only form here that needs no document of the request. */
export function encodeCitation(citation: Citation): JsonObject {
  const { url = '', title = null, quote = '', passage } = citation;
  if (passage !== undefined) return citedPassage(passage, url, title, quote);
  return kept(citation) ?? { type: 'web_search_result_location', url, title, cited_text: quote, encrypted_index: '' };
}

/** The form for passages that were searched for the model, instead of a web page. */
function citedPassage(passage: number, source: string, title: string | null, quote: string): JsonObject {
  return {
    type: 'search_result_location',
    cited_text: quote,
    source,
    title,
    search_result_index: passage - 1,
    start_block_index: 0,
    end_block_index: 1,
  };
}

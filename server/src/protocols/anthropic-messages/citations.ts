/** Citations: each vendor counts places differently, so its own object is kept beside what all share. */
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
  return (
    kept(citation) ?? {
      type: 'web_search_result_location',
      url: citation.url ?? '',
      title: citation.title ?? null,
      cited_text: citation.quote ?? '',
      encrypted_index: '',
    }
  );
}

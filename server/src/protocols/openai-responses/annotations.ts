/** Annotations of output text: citations, flat in this protocol. */
import type { Citation } from '../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { keep, kept } from './own-fields.ts';

export function decodeAnnotation(wire: Json | undefined): Citation | undefined {
  if (!isJsonObject(wire)) return undefined;
  const { url, title, filename, start_index: start, end_index: end } = wire;
  return {
    ...(typeof url === 'string' && { url }),
    ...(typeof title === 'string' ? { title } : typeof filename === 'string' && { title: filename }),
    ...(typeof start === 'number' && { start }),
    ...(typeof end === 'number' && { end }),
    // The other kinds (files, containers) have fields that no other protocol knows.
    ...(wire['type'] !== 'url_citation' && keep({ annotation: wire })),
  };
}

export function decodeAnnotations(list: Json | undefined): Citation[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((wire) => decodeAnnotation(wire) ?? []);
}

/**
 * Returns undefined for a citation without an address that came in another protocol, because this one has no kind for
 * it.
 */
export function encodeAnnotation(citation: Citation): JsonObject | undefined {
  const own = kept(citation)?.['annotation'];
  if (isJsonObject(own)) return own;
  const { url, title, start, end } = citation;
  if (url === undefined) return undefined;
  return { type: 'url_citation', url, title: title ?? '', start_index: start ?? 0, end_index: end ?? 0 };
}

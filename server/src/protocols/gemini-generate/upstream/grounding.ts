/** Sources of a grounded answer, and the probabilities of its tokens, in the canonical shape. */
import type { Citation } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';

/** One search answer names a dozen sources; more than this is noise. */
const MAX_CITATIONS = 200;

/** `text` is the part being cited: the wire counts bytes, so the quoted words are looked up instead. */
export function readCitations(metadata: Json | undefined, text: string): Citation[] {
  if (!isJsonObject(metadata)) return [];
  const chunks = objects(metadata['groundingChunks']);
  const citations: Citation[] = [];
  for (const support of objects(metadata['groundingSupports'])) {
    const indices = support['groundingChunkIndices'];
    if (!Array.isArray(indices)) continue;
    const position = positionOf(support['segment'], text);
    for (const index of indices) {
      const source = typeof index === 'number' ? sourceOf(chunks[index]) : undefined;
      if (source && citations.length < MAX_CITATIONS) citations.push({ ...position, ...source });
    }
  }
  return citations;
}

function positionOf(segment: Json | undefined, text: string): Citation {
  const words = isJsonObject(segment) ? segment['text'] : undefined;
  const start = typeof words === 'string' && words !== '' ? text.indexOf(words) : -1;
  return start === -1 ? {} : { start, end: start + String(words).length };
}

function sourceOf(chunk: JsonObject | undefined): Citation | undefined {
  const source = chunk?.['web'] ?? chunk?.['retrievedContext'] ?? chunk?.['maps'];
  if (!isJsonObject(source)) return undefined;
  const { uri, title, text } = source;
  return {
    ...(typeof uri === 'string' && { url: uri }),
    ...(typeof title === 'string' && { title }),
    ...(typeof text === 'string' && { quote: text }),
  };
}

/** Google's lists of chosen and top candidates as the chat protocol's `logprobs`. */
export function readLogprobs(result: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(result)) return undefined;
  const tops = objects(result['topCandidates']);
  const content = objects(result['chosenCandidates']).map(
    (chosen, index): JsonObject => ({
      ...tokenOf(chosen),
      top_logprobs: objects(tops[index]?.['candidates']).map(tokenOf),
    }),
  );
  return content.length > 0 ? { content, refusal: null } : undefined;
}

function tokenOf(candidate: JsonObject): JsonObject {
  const token = typeof candidate['token'] === 'string' ? candidate['token'] : '';
  return { token, logprob: candidate['logProbability'] ?? 0, bytes: [...new TextEncoder().encode(token)] };
}

function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
